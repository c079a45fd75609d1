package scribe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of an entry's keys.
const (
	mostKeys      = 4
	mostSecondary = 4
	longestKey    = 60 // characters
)

// Fresh makes a new entry of a candidate, with the ecosystem's defaults, and
// says what is wrong with its content. A content of another form becomes a list
// of its lines and sentences. Where the content's own name is the fuller one the
// entry takes it, and the candidate's becomes an alias. Words of others, such as
// the user's and the character's names, make no keys unless the entry is about
// them.
func Fresh(c storage.LoreCandidate, typ, said string, others ...string) (storage.LoreEntry, []plist.Problem) {
	e := storage.NewLoreEntry()
	e.Name = clip(strings.Trim(oneLine(c.Name), `"“”*[]`), maxName)
	e.Type = typ
	e.Content = contentOf(c.Content)
	if plist.Is(e.Content) {
		e.Content = plist.Mend(e.Content)
	}
	if _, head, ok := plist.Head(e.Content); ok {
		e.Content = plist.Retype(e.Content, or(plist.PlainType(typ), "rule"))
		settleName(&e, clip(head, maxName))
	} else if !plist.Is(e.Content) {
		e.Content = asList(e.Content, typ, e.Name)
	}
	c.Name = e.Name
	e.Synopsis = or(synopsis(said), Synopsis(e.Content))
	e.Keys = keysOf(c, typ, others)
	for _, k := range c.SecondaryKeys {
		if k = keyOf(k); k != "" && !slices.Contains(e.SecondaryKeys, k) && !slices.Contains(e.Keys, k) && len(e.SecondaryKeys) < mostSecondary {
			e.SecondaryKeys = append(e.SecondaryKeys, k)
		}
	}
	return e, plist.Check(e.Content, plist.Want{Name: e.Name, Aliases: e.Aliases})
}

// settleName brings an entry's name and the head of its content together, where
// both can be of one entity. Others stay, for Check to tell.
func settleName(e *storage.LoreEntry, head string) {
	switch {
	case Same(head, e.Name):
		e.Content = plist.Rename(e.Content, head, e.Name)
	case within(e.Name, head) || Vague(e.Name) && !Vague(head):
		e.Aliases = []string{e.Name}
		e.Name = head
	case within(head, e.Name) || Vague(head) && !Vague(e.Name):
		e.Aliases = []string{head}
		e.Content = plist.Rename(e.Content, head, e.Name)
	}
}

// within tells whether all words of a name are words of a fuller one.
func within(name, fuller string) bool {
	words, all := strings.Fields(plist.FoldName(name)), strings.Fields(plist.FoldName(fuller))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(all, w) })
}

// asList makes lines and sentences a list about name.
func asList(content, typ, name string) string {
	l := plist.List{Type: or(plist.PlainType(typ), "rule"), Name: or(plist.PlainName(name), "?")}
	for _, f := range plist.Facts(content) {
		if f = plist.Plain(property(f, name)); f != "" {
			l.Properties = append(l.Properties, plist.Property{Text: f})
		}
	}
	return plist.Tidy(l.String())
}

var bullets = " \t-*•–·>#"

// property makes a sentence about name a property: without a bullet, the stop
// at its end, and the name that it begins with.
func property(fact, name string) string {
	fact = strings.TrimRight(strings.TrimLeft(oneLine(fact), bullets), ".。 ")
	rest, ok := cutFold(fact, name)
	if !ok || !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, ":") {
		return fact
	}
	rest = strings.TrimLeft(rest, ": ")
	for _, verb := range []string{"is ", "was ", "ist ", "war ", "est ", "était ", "es ", "era "} {
		if after, ok := strings.CutPrefix(rest, verb); ok {
			rest = after
			break
		}
	}
	return or(rest, fact)
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && prefix != "" && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// keysOf chooses the keys of a new entry: its name, and what else is distinctive.
func keysOf(c storage.LoreCandidate, typ string, others []string) []string {
	taken := map[string]bool{} // names of somebody else
	for _, n := range others {
		if Same(n, c.Name) {
			continue
		}
		for w := range strings.FieldsSeq(plist.FoldName(n)) {
			taken[w] = !within(w, c.Name)
		}
		taken[plist.FoldName(n)] = !within(n, c.Name)
	}
	vague := Vague(c.Name)
	var keys []string
	add := func(k string) {
		k = keyOf(k)
		if !distinctive(k, vague) || taken[k] || slices.Contains(keys, k) {
			return
		}
		keys = append(keys, k)
	}
	for _, k := range nameKeys(c.Name, typ) {
		add(k)
	}
	for _, k := range c.Keywords {
		for part := range strings.SplitSeq(k, ",") {
			add(part)
		}
	}
	keys = unshadowed(keys)
	if len(keys) < 2 {
		for w := range strings.FieldsSeq(plist.FoldName(c.Name)) {
			if utf8.RuneCountInString(w) > 3 && !colouring(w) && len(keys) < 2 {
				add(w)
			}
		}
		keys = unshadowed(keys)
	}
	if len(keys) == 0 {
		if k := keyOf(c.Name); k != "" {
			keys = append(keys, k)
		}
	}
	return keys[:min(len(keys), mostKeys)]
}

var quoteless = strings.NewReplacer(`"`, " ", "“", " ", "”", " ", "(", " ", ")", " ")

// nameKeys are the keys that a name gives: of somebody each name, since stories
// rarely use both together, else the whole.
func nameKeys(name, typ string) []string {
	whole := plist.FoldName(name)
	if Kind(Types(), typ) != "character" || Vague(name) {
		return []string{keyOf(whole)}
	}
	var out []string
	for w := range strings.FieldsSeq(strings.ToLower(quoteless.Replace(name))) {
		w = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s"), ".,;")
		if utf8.RuneCountInString(w) >= 3 && !roles(w) && !colouring(w) && !titles(w) && !plist.SmallWord(w) && !telling(w) {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return []string{keyOf(whole)}
	}
	return out[:min(len(out), 2)]
}

var titles = wordList(`mr mrs ms miss dr sir madam mister lady lord prof professor saint st herr frau fräulein doktor monsieur madame mademoiselle señor
	señora señorita don doña`)

// keyOf puts a key in shape: lower case, on one line, without signs around it.
func keyOf(k string) string {
	k = strings.ToLower(oneLine(clip(strings.ReplaceAll(k, ",", " "), 2*longestKey)))
	k = strings.Trim(k, ` "'“”‘’.;:!?()[]{}*_#/`)
	return strings.TrimSpace(clip(k, longestKey))
}

// distinctive tells whether a key brings one thing to mind and not half the
// story.
func distinctive(k string, vague bool) bool {
	words := strings.Fields(k)
	if len(words) == 0 || len(words) > 6 {
		return false
	}
	if dense := !isCased(k) && strings.ContainsFunc(k, func(r rune) bool { return r > 0x0E00 }); dense {
		return utf8.RuneCountInString(k) >= 2
	}
	if utf8.RuneCountInString(k) < 3 {
		return false
	}
	for _, w := range words {
		if !plist.SmallWord(w) && !colouring(w) && (vague || !roles(w)) && !genericKeys(w) && strings.ContainsFunc(w, unicode.IsLetter) {
			return true
		}
	}
	return false
}

var genericKeys = wordList(`character location item faction quest rule npc story scene user char important secret magic past history event thing things
	people world life time day night love fight charakter ort gegenstand`)

// unshadowed drops keys that never fire alone, since they hold another one as a
// word, while two are left.
func unshadowed(keys []string) []string {
	out := slices.Clone(keys)
	for i := len(out) - 1; i >= 0 && len(out) > 2; i-- {
		inner := " " + out[i] + " "
		if slices.ContainsFunc(out, func(k string) bool { return k != out[i] && strings.Contains(inner, " "+k+" ") }) {
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

// Persona writes {{user}} for the user's name in the facts of an entry of the
// program's form, whole words only. Others come back as they were.
func Persona(content, user string) string {
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
		before, _ := utf8.DecodeLastRuneInString(content[:i])
		after, _ := utf8.DecodeRuneInString(content[at:])
		if isWordRune(before) || isWordRune(after) {
			continue
		}
		b.WriteString(content[last:i] + persona)
		last = at
	}
	return b.String() + content[last:]
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
