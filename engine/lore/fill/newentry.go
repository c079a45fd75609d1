package fill

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of an entry's keys.
const (
	mostKeys      = 4
	mostSecondary = 4
	longestKey    = 60 // characters
)

// BuildEntry makes a new entry from a candidate, with SillyTavern's defaults, and returns the
// problems of its content. A content that is no list becomes a list of its lines and sentences. If
// the content's own name is longer, the entry takes it and the candidate's name becomes an alias.
// Names in others, such as those of user and character, are no keys unless the entry is about them.
func BuildEntry(c storage.LoreCandidate, typ, said string, others ...string) (storage.LoreEntry, []plist.Problem) {
	e := storage.NewLoreEntry()
	e.Name = clip(strings.Trim(oneLine(c.Name), `"“”*[]`), maxName)
	e.Type = typ
	e.Content = cleanContent(c.Content)
	if plist.IsList(e.Content) {
		e.Content = plist.Repair(e.Content)
	}
	if _, head, ok := plist.Head(e.Content); ok {
		e.Content = plist.Retype(e.Content, or(plist.CleanType(typ), "rule"))
		reconcileName(&e, clip(head, maxName))
	} else if !plist.IsList(e.Content) {
		e.Content = listOfLines(e.Content, typ, e.Name)
	}
	c.Name = e.Name
	e.Synopsis = or(shortenSynopsis(said), Synopsis(e.Content))
	e.Keys = entryKeys(c, others)
	for _, k := range c.SecondaryKeys {
		if k = cleanKey(k); k != "" && !slices.Contains(e.SecondaryKeys, k) && !slices.Contains(e.Keys, k) &&
			len(e.SecondaryKeys) < mostSecondary {
			e.SecondaryKeys = append(e.SecondaryKeys, k)
		}
	}
	return e, plist.Check(e.Content, plist.Want{Name: e.Name, Aliases: e.Aliases})
}

// reconcileName makes an entry's name and the head of its content agree if one is a longer form of
// the other. Other differences are left for Check to report.
func reconcileName(e *storage.LoreEntry, head string) {
	switch {
	case Same(head, e.Name):
		e.Content = plist.Rename(e.Content, head, e.Name)
	case isPartOf(e.Name, head):
		e.Aliases = []string{e.Name}
		e.Name = head
	case isPartOf(head, e.Name):
		e.Aliases = []string{head}
		e.Content = plist.Rename(e.Content, head, e.Name)
	}
}

// listOfLines makes lines and sentences a list about name.
func listOfLines(content, typ, name string) string {
	l := plist.List{Type: or(plist.CleanType(typ), "rule"), Name: or(plist.CleanName(name), "?")}
	for _, f := range plist.Facts(content) {
		f = strings.TrimRight(strings.TrimLeft(oneLine(f), bullets), ".。 ")
		if f = plist.CleanText(f); f != "" {
			l.Properties = append(l.Properties, plist.Property{Text: f})
		}
	}
	return plist.Tidy(l.String())
}

const bullets = " \t-*•–·>#"

// entryKeys returns the keys of a new entry: its name, and the model's keys without the names in
// others.
func entryKeys(c storage.LoreCandidate, others []string) (keys []string) {
	for _, k := range append([]string{c.Name}, c.Keywords...) {
		k = cleanKey(k)
		isOther := slices.ContainsFunc(others, func(n string) bool { return Same(n, k) && !Same(n, c.Name) })
		if k != "" && !isOther && !slices.Contains(keys, k) && len(keys) < mostKeys {
			keys = append(keys, k)
		}
	}
	return keys
}

// cleanKey returns a key in lower case, on one line, without punctuation around it.
func cleanKey(k string) string {
	k = strings.ToLower(oneLine(clip(strings.ReplaceAll(k, ",", " "), 2*longestKey)))
	signs := ` "'“”‘’.;:!?()[]*_#/`
	if !strings.Contains(k, "{{") { // a macro
		signs += "{}"
	}
	k = strings.Trim(k, signs)
	return strings.TrimSpace(clip(k, longestKey))
}

// WithUserMacro writes {{user}} for the user's name in the facts of an entry of the
// program's form, whole words only. Others come back as they were.
func WithUserMacro(content, user string) string {
	user = oneLine(user)
	if utf8.RuneCountInString(user) < 2 || strings.Contains(user, "{{") {
		return content
	}
	l, err := plist.Parse(content)
	if err != nil || Same(l.Name, user) || !strings.Contains(content, user) {
		return content
	}
	head := strings.IndexAny(content, ":：")
	var b strings.Builder
	b.WriteString(content[:head])
	last := head
	for at := head; ; {
		i := strings.Index(content[at:], user)
		if i < 0 {
			break
		}
		i += at
		at = i + len(user)
		if !text.Alone(content, i, at) {
			continue
		}
		b.WriteString(content[last:i] + userMacro)
		last = at
	}
	return b.String() + content[last:]
}
