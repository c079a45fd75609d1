package scribe

import (
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Owned is a candidate under the name of what it is about: without the type in front of
// it ("Character: Clara"), and with the owner of a trait in its place ("Alice's courage"
// tells of Alice). A thing of somebody's keeps its own name.
func Owned(c storage.LoreCandidate, types []string) storage.LoreCandidate {
	was := oneLine(clip(c.Name, 2*maxName))
	name := untyped(was, c.Type)
	if kind := Kind(types, c.Type); kind == "" || Kind(Types(), kind) == "character" {
		if owner, ok := ownerOf(name); ok {
			name = owner
		}
	}
	if name == was || name == "" {
		return c
	}
	c.Name = name
	if _, head, ok := plist.Head(c.Content); ok && head != name && (Same(head, was) || Same(untyped(head, c.Type), name) || headOf(head, name)) {
		c.Content = plist.Rename(c.Content, head, name)
	}
	return c
}

// headOf tells whether a content's head names a trait of an owner.
func headOf(head, owner string) bool {
	of, ok := ownerOf(head)
	return ok && Same(of, owner)
}

// untyped takes the type off the front of a name: "Character: Clara", "[npc] Clara",
// "location - The Mill".
func untyped(name, typ string) string {
	trimmed := strings.TrimSpace(strings.Trim(name, `"“”*`))
	front, rest, ok := strings.Cut(trimmed, ":")
	if inner, bracketed := strings.CutPrefix(trimmed, "["); bracketed {
		front, rest, ok = strings.Cut(inner, "]")
	}
	if !ok {
		at := strings.IndexAny(trimmed, "-–—")
		if at <= 0 {
			return name
		}
		front, rest = trimmed[:at], strings.TrimLeft(trimmed[at:], "-–—")
		if front == strings.TrimSpace(front) && strings.ToLower(front) != front { // Queen-Mother, Night-Market
			return name
		}
	}
	front, rest = strings.ToLower(strings.TrimSpace(front)), strings.TrimSpace(rest)
	if rest == "" || strings.Contains(front, " ") || !isUpper(rest) && isCased(rest) {
		return name
	}
	if front == strings.ToLower(strings.TrimSpace(typ)) || typeWords(front) {
		return rest
	}
	return name
}

var typeWords = wordList(`character char npc pc person persona location place item object faction group organization organisation quest task rule
	charakter figur ort gegenstand fraktion gruppe aufgabe regel personnage lieu objet groupe quête règle personaje lugar objeto grupo misión regla`)

// ownerOf is who has the trait that a name names: "Alice" of "Alice's courage", but not
// of "Alice's sister" or of "Alice's Restaurant".
func ownerOf(name string) (owner string, ok bool) {
	words := strings.Fields(name)
	for i, w := range words {
		if !owns(w) || i == len(words)-1 {
			continue
		}
		rest := words[i+1:]
		if !allLower(rest) || allRoles(rest) || strings.ContainsFunc(strings.Join(rest, ""), unicode.IsDigit) {
			return "", false
		}
		last := strings.ReplaceAll(w, "’", "'")
		words[i] = strings.TrimSuffix(strings.TrimSuffix(last, "'s"), "'")
		owner = strings.Join(words[:i+1], " ")
		return owner, owner != "" && isUpper(owner) && !Vague(owner)
	}
	return "", false
}
