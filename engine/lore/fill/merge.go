package fill

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Merging is an entry, and the news that are to be worked into it.
type Merging struct {
	Name    string
	Aliases []string
	Type    string
	Content string
	Called  string // what the candidate calls the entity
	News    string // its content
	// Elsewhere are facts of the news that are kept in any case: they are here so that
	// the entry's own can be held against them.
	Elsewhere []string
}

// MergingOf is the merging of a candidate into an entry.
func MergingOf(e *storage.LoreEntry, c storage.LoreCandidate) Merging {
	return Merging{Name: e.Name, Aliases: e.Aliases, Type: e.Type, Content: e.Content, Called: c.Name, News: c.Content}
}

// Facts are those that the prompt numbers, from 1: the entry's that are shown, then
// those of the news, which begin after own.
func (m *Merging) Facts() (facts []string, own int) {
	facts = plist.Facts(m.Shown())
	return append(facts[:len(facts):len(facts)], plist.Facts(m.news())...), len(facts)
}

func (m *Merging) news() string { return clip(m.News, shownContent) }

// Bounds of a merging, in characters.
const (
	maxMerged = 2000 // of an answer's content
	leastRoom = 700  // for what is shown of an entry
	slack     = 160  // that an answer may have more than it was made of
)

// free reports whether the entry is a text of the user's own form, which it keeps.
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
	about := wordsOf(text)
	shared := make([]int, len(facts))
	order := make([]int, len(facts))
	for i, f := range facts {
		shared[i], order[i] = common(wordsOf(f), about), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return shared[b] - shared[a] })
	var chosen []int
	for _, i := range order {
		if n := utf8.RuneCountInString(facts[i]) + 2; n <= room {
			room -= n
			chosen = append(chosen, i)
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
	facts, own := m.Facts()
	return set.Request(MergeFile, people(map[string]string{
		"name": or(shown(m.Name), nothing), "aliases": or(shown(strings.Join(m.Aliases, ", ")), nothing),
		"type": or(shown(plist.PlainType(m.Type)), nothing), "called": or(shown(m.Called), nothing),
		"form":    formOf(m.free()),
		"content": numbered(facts[:own], 0), "news": numbered(facts[own:], own), "count": fmt.Sprint(len(facts)),
	}, user, char))
}

// formOf tells a model which form a fact has to have.
func formOf(free bool) string {
	if free {
		return "Each fact is a sentence of plain text, in the style that the entry has: no brackets, no property."
	}
	return "Each fact is a property: `property`, `property(detail, detail)` or `property(detail(more))`, without brackets around it: " +
		"details in parentheses, parentheses at most two deep."
}

// Schema bounds the answer to MergePrompt for this entry.
func (m *Merging) Schema() json.RawMessage {
	facts, _ := m.Facts()
	return factsSchema(len(facts), len(facts)+spareFacts, true)
}

// MergeForm is what such an answer must look like to be read.
func MergeForm() json.RawMessage { return factsForm }

// Merge is a model's answer to MergePrompt. Of says what it was asked about; set
// it before an answer is read.
type Merge struct {
	answer
	CanonicalName string
	Of            Merging

	alias string
}

// UnmarshalJSON takes an answer in, as that of Lookup does.
func (m *Merge) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore merge: %w", err)
	}
	m.answer = answerOf(fields)
	m.CanonicalName = clip(plist.PlainName(strings.Trim(prompts.Text(fields["canonicalname"]), `"“” `)), maxName)
	m.alias = clip(oneLine(prompts.Text(fields["alias"])), maxName)
	return nil
}

// Renamed is the proper name that the entry gets, "" where it keeps its own: one
// that the texts know.
func (m *Merge) Renamed() string {
	name := m.CanonicalName
	known := m.Of.Called + " " + m.Of.News + " " + m.Of.Content + " " + strings.Join(m.Of.Aliases, " ")
	if within(name, m.Of.Name) || strings.Contains(name, "{{") || !within(name, known) {
		return ""
	}
	return name
}

// Alias is what the news call the entity, where the answer says that this is a name of it; "".
func (m *Merge) Alias() string {
	if called := clip(oneLine(m.Of.Called), maxName); Same(called, m.alias) {
		return called
	}
	return ""
}

// Check finds what is wrong with the answer, in words for the model: all of it, since
// it is asked once more only.
func (m *Merge) Check() error {
	if len(m.said) == 0 {
		return errors.New(`"facts" is empty: it must be the whole entry, old and new`)
	}
	w := m.weigh()
	return joined(m.form(), w.complain())
}

// Usable reports whether an entry can be made of an answer that Check finds fault with: of
// one that has no facts too, for then all of them are carried over.
func (m *Merge) Usable() bool { return (len(m.said) > 0 || m.none) && m.form() == nil }

// form finds facts that are not as facts have to be.
func (m *Merge) form() error {
	if m.Of.free() {
		if m.list {
			return errors.New(`"facts" is a list in brackets, but the entry is plain text: write plain text`)
		}
		return nil
	}
	want := plist.Want{Name: or(m.Renamed(), m.Of.Name), Aliases: m.names()}
	facts, own := m.Of.Facts()
	typ, name := m.typed()
	return m.faults(typ, name, want, facts[:own])
}

// names are what the entity may be called.
func (m *Merge) names() []string {
	names := append([]string{m.Of.Name, m.Of.Called}, m.Of.Aliases...)
	if _, head, ok := plist.Head(m.Of.Content); ok {
		names = append(names, head)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.TrimSpace(n) == "" })
}

// typed is the head that the entry has, or gets.
func (m *Merge) typed() (typ, name string) {
	if t, n, ok := plist.Head(m.Of.Content); ok {
		return t, n
	}
	return plist.PlainType(m.Of.Type), m.Of.Name
}

// weigh holds the answer against the facts that it was made of.
func (m *Merge) weigh() weighed {
	facts, own := m.Of.Facts()
	return m.answer.weigh(facts, own, !m.Of.free(), func(n int) bool {
		return n > own && slices.ContainsFunc(m.Of.Elsewhere, func(f string) bool { return plist.SameFact(f, facts[n-1]) })
	})
}

// Result is what the entry says afterwards; see Outcome. With nothing new the content is
// the old one byte for byte. Of an answer that leaves everything out it is entry and
// news as they stand.
func (m *Merge) Result() Outcome {
	facts, _ := m.Of.Facts()
	out := m.weigh().outcome(facts)
	out.Renamed, out.Alias = m.Renamed(), m.Alias()
	before := m.Of.Shown()
	form := before
	if strings.TrimSpace(form) == "" {
		typ, name := m.typed()
		form = plist.List{Type: or(typ, "rule"), Name: or(plist.PlainName(name), "?"), Properties: []plist.Property{{Text: "-"}}}.String()
	}
	texts := make([]string, len(out.Facts))
	for i, f := range out.Facts {
		texts[i] = f.Text
	}
	content := plist.With(form, texts)
	if out.Renamed != "" {
		_, name := m.typed()
		content = plist.Rename(content, name, out.Renamed)
	}
	content = Settle(before, content)
	if before != m.Of.Content {
		content = plist.Carry(before, content, m.Of.Content)
	}
	out.Content = content
	return out
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

// Apply gives the entry what was made of it: its content and, with a new name, its
// name, the old one as an alias, and a key for it. False means that nothing changed.
func (o Outcome) Apply(e storage.LoreEntry) (storage.LoreEntry, bool) {
	changed := o.Content != e.Content || o.Renamed != ""
	e.Content = o.Content
	e.Aliases, e.Keys = slices.Clone(e.Aliases), slices.Clone(e.Keys)
	if o.Renamed != "" {
		old := e.Name
		e.Name = o.Renamed
		e.Aliases = slices.DeleteFunc(e.Aliases, func(a string) bool { return Same(a, o.Renamed) })
		addAlias(&e, old)
		if k := keyOf(o.Renamed); k != "" && !slices.ContainsFunc(e.Keys, func(have string) bool { return Same(have, k) }) {
			e.Keys = append(e.Keys, k)
		}
	}
	if addAlias(&e, o.Alias) {
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
