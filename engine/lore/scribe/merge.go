package scribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ghostlight/engine/lore/plist"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// Merging is an entry, and the news that are to be worked into it. Without a
// content the news become a new entry's: so a model mends what Fresh could not.
type Merging struct {
	Name    string
	Aliases []string
	Type    string
	Content string
	Called  string // what the candidate calls the entity
	News    string // its content
}

// MergingOf is the merging of a candidate into an entry.
func MergingOf(e *storage.LoreEntry, c storage.LoreCandidate) Merging {
	return Merging{Name: e.Name, Aliases: e.Aliases, Type: e.Type, Content: e.Content, Called: c.Name, News: c.Content}
}

// Bounds of a merging, in characters.
const (
	maxMerged = 2000 // of an answer's content
	leastRoom = 700  // for what is shown of an entry
	slack     = 160  // that an answer may have more than it was made of
)

// free tells whether the entry is a text of the user's own form, which it keeps.
func (m *Merging) free() bool {
	return strings.TrimSpace(m.Content) != "" && !plist.Is(m.Content)
}

// Shown is what the model is shown of the entry: all of it, or of a long one the
// facts that have most in common with the news.
func (m *Merging) Shown() string {
	room := max(leastRoom, maxMerged-2*slack-utf8.RuneCountInString(m.News))
	if utf8.RuneCountInString(m.Content) <= room {
		return m.Content
	}
	facts := plist.Facts(m.Content)
	chosen := related(facts, m.News+" "+m.Called, room-utf8.RuneCountInString(m.Name)-slack/2)
	l, err := plist.Parse(m.Content)
	if err != nil {
		return strings.Join(chosen, "\n")
	}
	l.Properties = l.Properties[:0]
	for _, f := range chosen {
		l.Properties = append(l.Properties, plist.Property{Text: f})
	}
	return l.String()
}

// related chooses the facts that share most words with a text, as many as there
// is room for, in their order.
func related(facts []string, text string, room int) []string {
	about := plist.Stems(clip(text, 4000))
	type scored struct{ i, common int }
	list := make([]scored, len(facts))
	for i, f := range facts {
		list[i].i = i
		for s := range plist.Stems(clip(f, 1000)) {
			if about[s] {
				list[i].common++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return b.common - a.common })
	var chosen []int
	for _, s := range list {
		if n := utf8.RuneCountInString(facts[s.i]) + 2; n <= room {
			room -= n
			chosen = append(chosen, s.i)
		}
	}
	slices.Sort(chosen)
	out := make([]string, len(chosen))
	for k, i := range chosen {
		out[k] = facts[i]
	}
	return out
}

// MergePrompt asks for what an entry says after the news.
func MergePrompt(set *prompts.Set, m Merging, user, char string) []Prompt {
	return set.Request(MergeFile, people(map[string]string{
		"name": or(shown(m.Name), nothing), "aliases": or(shown(strings.Join(m.Aliases, ", ")), nothing),
		"type": or(shown(plist.PlainType(m.Type)), nothing), "called": or(shown(m.Called), nothing),
		"form":    formOf(m.free(), m.Type, m.Name),
		"content": or(strings.TrimSpace(defuse(m.Shown())), nothing), "news": or(clip(strings.TrimSpace(defuse(m.News)), shownContent), nothing),
	}, user, char))
}

// formOf tells a model which form a content has to have.
func formOf(free bool, typ, name string) string {
	if free {
		return "The entry is plain text. Keep it plain text, in the style that it has: no brackets, no list of properties."
	}
	return fmt.Sprintf("One pair of square brackets in the form `[%s-%s: property, property(detail, detail), property(detail(more))]`: "+
		"commas between the properties, details in parentheses, parentheses at most two deep.", or(shown(plist.PlainType(typ)), "type"), or(shown(name), "Name"))
}

// MergeSchema bounds the answer to MergePrompt for any entry.
func MergeSchema() json.RawMessage { return mergeSchema(maxMerged) }

// Schema bounds the answer to MergePrompt for this entry: a model that does not
// find an end is cut short where nothing that it says could be true.
func (m *Merging) Schema() json.RawMessage { return mergeSchema(min(m.most(), maxMerged)) }

func mergeSchema(most int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"content":{"type":"string","minLength":2,"maxLength":%d},`+
		`"canonicalName":{"type":"string","maxLength":%d}},"required":["content"],"additionalProperties":false}`, most, maxName))
}

// most is how many characters an answer has at most: what entry and news have
// together, and a little.
func (m *Merging) most() int {
	return max(utf8.RuneCountInString(m.Shown())+utf8.RuneCountInString(m.News)+slack, 2*slack)
}

// MergeForm is what such an answer must look like to be read.
func MergeForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"},"canonicalName":{"anyOf":[{"type":"null"},{"type":"string"}]}},"required":["content"]}`)
}

// Merge is a model's answer to MergePrompt. Of says what it was asked about; set
// it before an answer is read.
type Merge struct {
	Content       string
	CanonicalName string
	Of            Merging
}

// UnmarshalJSON takes an answer in, as that of Lookup does.
func (m *Merge) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore merge: %w", err)
	}
	m.Content = contentOf(prompts.Text(fields["content"]))
	m.CanonicalName = clip(plist.PlainName(strings.Trim(prompts.Text(fields["canonicalname"]), `"“” `)), maxName)
	return nil
}

// Renamed is the proper name that the entry gets, "" where it keeps its own: one
// that the texts know, for an entry that had none.
func (m *Merge) Renamed() string {
	name := m.CanonicalName
	if name == "" || Same(name, m.Of.Name) || !Vague(m.Of.Name) || Vague(name) || strings.Contains(name, "{{") {
		return ""
	}
	if !holdsWords(m.Of.Called+" "+m.Of.News+" "+m.Of.Content+" "+strings.Join(m.Of.Aliases, " "), name) {
		return ""
	}
	return name
}

// holdsWords tells whether each word of a name is in a text.
func holdsWords(text, name string) bool {
	have := map[string]bool{}
	for w := range strings.FieldsSeq(plist.FoldName(name)) {
		have[w] = false
	}
	plist.Words(strings.ToLower(clip(text, 40000)), func(w string, _ int, _ bool) bool {
		for f := range strings.FieldsSeq(plist.FoldName(w)) {
			if _, asked := have[f]; asked {
				have[f] = true
			}
		}
		return true
	})
	for _, there := range have {
		if !there {
			return false
		}
	}
	return len(have) > 0
}

// Check finds what is wrong with the answer, in words for the model.
func (m *Merge) Check() error {
	before := m.Of.Shown()
	switch {
	case m.Content == "":
		return errors.New(`"content" is empty: it must be the whole entry, old and new`)
	case m.Of.free() && plist.Is(m.Content):
		return errors.New(`"content" is a list in brackets, but the entry is plain text: write it as plain text`)
	}
	if n := utf8.RuneCountInString(m.Content); n > m.Of.most() {
		return fmt.Errorf(`"content" has %d characters, more than the entry and the news together: add nothing that they do not say`, n)
	}
	if !m.Of.free() {
		if err := m.checkList(); err != nil {
			return err
		}
	}
	return m.checkFacts(before)
}

func (m *Merge) checkList() error {
	list := plist.Tidy(m.Content)
	want := plist.Want{Name: or(m.Renamed(), m.Of.Name), Aliases: m.names()}
	before := plist.Facts(m.Of.Shown())
	var said []string
	for _, p := range plist.Check(list, want) {
		if p.Kind != plist.Pronoun {
			said = append(said, p.String())
			continue
		}
		// What the entry said before is not this answer's fault.
		fact := factAt(list, p.At)
		if !slices.ContainsFunc(before, func(f string) bool { return plist.SameFact(f, fact) }) {
			said = append(said, fmt.Sprintf("in “%s” %s", clip(oneLine(fact), 80), p.Text))
		}
	}
	return faultsOf(said)
}

// factAt is the fact of a list that stands at a place.
func factAt(list string, at int) string {
	from := 0
	for _, f := range plist.Facts(list) {
		i := strings.Index(list[from:], f)
		if i < 0 {
			return ""
		}
		if from += i; at < from+len(f) {
			return f
		}
		from += len(f)
	}
	return ""
}

// names are what the entity may be called in the answer's head.
func (m *Merge) names() []string {
	names := append([]string{m.Of.Name, m.Of.Called}, m.Of.Aliases...)
	if _, head, ok := plist.Head(m.Of.Content); ok {
		names = append(names, head)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.TrimSpace(n) == "" })
}

// faultsOf tells a model what is wrong with a list, the first few faults of it.
func faultsOf(said []string) error {
	if len(said) == 0 {
		return nil
	}
	return fmt.Errorf(`"content" is not as it must be: %s`, strings.Join(said[:min(len(said), 4)], "; "))
}

// checkFacts finds facts that are lost or come from nowhere.
func (m *Merge) checkFacts(before string) error {
	known := plist.Stems(clip(strings.Join(append(m.names(), before, m.Of.News, m.CanonicalName), " "), 20000))
	facts, lost := 0, []string{}
	for _, h := range plist.Diff(before, m.Content) {
		if h.Head {
			continue
		}
		if h.Before != "" {
			facts++
		}
		switch h.Kind {
		case plist.Removed:
			lost = append(lost, "“"+clip(oneLine(h.Before), 60)+"”")
		case plist.Added:
			if made := plist.Stems(h.After); len(made) > 1 && !meets(made, known) {
				return fmt.Errorf(`"content" says “%s”, which neither the entry nor the news say`, clip(oneLine(h.After), 60))
			}
		}
	}
	if len(lost) > 2 && 3*len(lost) > 2*facts && !meets(plist.Stems(m.Content), stemsOfFacts(lost)) {
		return fmt.Errorf(`"content" leaves out most of the entry: %s; keep what the news do not contradict`, strings.Join(lost[:min(len(lost), 4)], ", "))
	}
	return nil
}

func stemsOfFacts(facts []string) map[string]bool { return plist.Stems(strings.Join(facts, " ")) }

func meets(a, b map[string]bool) bool {
	for s := range a {
		if b[s] {
			return true
		}
	}
	return false
}

// Result is what the entry says afterwards, and its new name, "" where it keeps
// its own. With nothing new the content is the old one byte for byte. It is for
// answers that Check has nothing against.
func (m *Merge) Result() (content, renamed string) {
	renamed = m.Renamed()
	before := m.Of.Shown()
	answer := m.Content
	if !m.Of.free() {
		answer = m.headed(plist.Tidy(answer), renamed)
	}
	answer = Settle(before, answer)
	if before == m.Of.Content {
		return answer, renamed
	}
	return plist.Carry(before, answer, m.Of.Content), renamed
}

// headed gives a list the entry's own head.
func (m *Merge) headed(list, renamed string) string {
	typ, name := plist.PlainType(m.Of.Type), m.Of.Name
	if t, n, ok := plist.Head(m.Of.Content); ok {
		typ, name = t, n
	}
	if _, said, ok := plist.Head(list); ok {
		list = plist.Rename(list, said, or(renamed, name))
	}
	return plist.Retype(list, typ)
}

// Settle is the answer, or what was before it where both say the same: the same
// facts under the same head, in whatever order.
func Settle(before, answer string) string {
	for _, h := range plist.Diff(before, answer) {
		if h.Kind != plist.Kept {
			return answer
		}
	}
	return before
}

// Apply works the answer into the entry: its content and, with a new name, its
// name, the old one as an alias, and a key for it. What the candidate calls the
// entity becomes an alias where it is a name. False means that nothing changed.
func (m *Merge) Apply(e storage.LoreEntry) (storage.LoreEntry, bool) {
	content, renamed := m.Result()
	changed := content != e.Content || renamed != ""
	e.Content = content
	e.Aliases, e.Keys = slices.Clone(e.Aliases), slices.Clone(e.Keys)
	if renamed != "" {
		old := e.Name
		e.Name = renamed
		e.Aliases = slices.DeleteFunc(e.Aliases, func(a string) bool { return Same(a, renamed) })
		addAlias(&e, old)
		for _, k := range nameKeys(renamed, e.Type) {
			if !slices.ContainsFunc(e.Keys, func(have string) bool { return strings.EqualFold(have, k) }) {
				e.Keys = append(e.Keys, k)
			}
		}
	}
	if called := clip(oneLine(m.Of.Called), maxName); !Vague(called) && addAlias(&e, called) {
		changed = true
	}
	return e, changed
}

// addAlias gives an entry another name, if it has none like it.
func addAlias(e *storage.LoreEntry, name string) bool {
	if name == "" || len(e.Aliases) >= maxAliases || Same(e.Name, name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return Same(a, name) }) {
		return false
	}
	e.Aliases = append(e.Aliases, name)
	return true
}
