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

// MergeInput is an entry and the new facts to merge into it.
type MergeInput struct {
	Name          string
	Aliases       []string
	Type          string
	Content       string
	CandidateName string // the entity's name in the candidate
	NewContent    string // its content
	// KeptElsewhere are facts of the new content that are stored elsewhere anyway. They are here so
	// that the entry's own facts can be compared with them.
	KeptElsewhere []string
}

// NewMergeInput returns the input for merging a candidate into an entry.
func NewMergeInput(e *storage.LoreEntry, c storage.LoreCandidate) MergeInput {
	return MergeInput{Name: e.Name, Aliases: e.Aliases, Type: e.Type, Content: e.Content, CandidateName: c.Name,
		NewContent: c.Content}
}

// Facts returns the facts that the prompt numbers, from 1: the shown facts of the entry, then the
// new ones. own is the number of the entry's facts.
func (m *MergeInput) Facts() (facts []string, own int) {
	facts = plist.Facts(m.Shown())
	return append(facts[:len(facts):len(facts)], plist.Facts(m.clippedNewContent())...), len(facts)
}

func (m *MergeInput) clippedNewContent() string { return clip(m.NewContent, shownContent) }

// Bounds of a merging, in characters.
const (
	maxMerged  = 2000 // of an answer's content
	minShown   = 700  // for the shown part of an entry
	extraRunes = 160  // that an answer may have more than its input
)

// free reports whether the entry is free text, whose form is kept.
func (m *MergeInput) free() bool {
	return strings.TrimSpace(m.Content) != "" && !plist.IsList(m.Content)
}

// Shown returns the part of the entry that the prompt contains: all of it, or for a long entry the
// facts that have most in common with the new ones.
func (m *MergeInput) Shown() string {
	room := max(minShown, maxMerged-2*extraRunes-utf8.RuneCountInString(m.NewContent))
	if utf8.RuneCountInString(m.Content) <= room {
		return m.Content
	}
	facts := plist.Facts(m.Content)
	chosen := related(facts, m.NewContent+" "+m.CandidateName, room-utf8.RuneCountInString(m.Name)-extraRunes/2)
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
		shared[i], order[i] = countCommon(wordsOf(f), about), i
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

// MergePrompt asks for the entry's facts together with the new content.
func MergePrompt(set *prompts.Set, m MergeInput, user, char string) []Prompt {
	facts, own := m.Facts()
	return set.Request(MergeFile, addNames(map[string]string{
		"name": or(promptName(m.Name), nothing), "aliases": or(promptName(strings.Join(m.Aliases, ", ")), nothing),
		"type": or(promptName(plist.CleanType(m.Type)), nothing), "called": or(promptName(m.CandidateName), nothing),
		"form":    formWords(m.free()),
		"content": numbered(facts[:own], 0), "news": numbered(facts[own:], own), "count": fmt.Sprint(len(facts)),
	}, user, char))
}

// formWords describes the form that a fact must have.
func formWords(free bool) string {
	if free {
		return "Each fact is a sentence of plain text, in the style that the entry has: no brackets, no property."
	}
	return "Each fact is a property: `property`, `property(detail, detail)` or `property(detail(more))`, without " +
		"brackets around it: details in parentheses, parentheses at most two deep."
}

// Schema bounds the answer to MergePrompt for this entry.
func (m *MergeInput) Schema() json.RawMessage {
	facts, _ := m.Facts()
	return factsSchema(len(facts), len(facts)+extraFacts, true)
}

// MergeForm returns the schema that such an answer is checked against.
func MergeForm() json.RawMessage { return factsForm }

// MergeAnswer is a model's answer to MergePrompt. Input must be set before it is decoded.
type MergeAnswer struct {
	answer
	CanonicalName string
	Input         MergeInput

	alias string
}

// UnmarshalJSON reads an answer; see LookupAnswer.UnmarshalJSON.
func (m *MergeAnswer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore merge: %w", err)
	}
	m.answer = answerOf(fields)
	m.CanonicalName = clip(plist.CleanName(strings.Trim(prompts.Text(fields["canonicalname"]), `"“” `)), maxName)
	m.alias = clip(oneLine(prompts.Text(fields["alias"])), maxName)
	return nil
}

// Renamed returns the new proper name of the entry, "" if it keeps its own. The name must occur in
// the texts.
func (m *MergeAnswer) Renamed() string {
	name := m.CanonicalName
	known := m.Input.CandidateName + " " + m.Input.NewContent + " " + m.Input.Content + " " +
		strings.Join(m.Input.Aliases, " ")
	if isPartOf(name, m.Input.Name) || strings.Contains(name, "{{") || !isPartOf(name, known) {
		return ""
	}
	return name
}

// Alias returns the name of the candidate if the answer says that it is another name of the entry,
// else "".
func (m *MergeAnswer) Alias() string {
	if called := clip(oneLine(m.Input.CandidateName), maxName); Same(called, m.alias) {
		return called
	}
	return ""
}

// Check returns the faults of the answer, worded for the model.
func (m *MergeAnswer) Check() error {
	if m.Input.free() {
		if m.list {
			return errors.New(`"facts" is a list in brackets, but the entry is plain text: write plain text`)
		}
		return nil
	}
	want := plist.Want{Name: or(m.Renamed(), m.Input.Name), Aliases: m.names()}
	facts, own := m.Input.Facts()
	typ, name := m.head()
	return m.faults(typ, name, want, facts[:own])
}

// names returns the possible names of the entity.
func (m *MergeAnswer) names() []string {
	names := append([]string{m.Input.Name, m.Input.CandidateName}, m.Input.Aliases...)
	if _, head, ok := plist.Head(m.Input.Content); ok {
		names = append(names, head)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.TrimSpace(n) == "" })
}

// head returns the head that the entry has, or gets.
func (m *MergeAnswer) head() (typ, name string) {
	if t, n, ok := plist.Head(m.Input.Content); ok {
		return t, n
	}
	return plist.CleanType(m.Input.Type), m.Input.Name
}

// checkFacts compares the answer with the facts of its input.
func (m *MergeAnswer) checkFacts() factCheck {
	facts, own := m.Input.Facts()
	return m.answer.checkFacts(facts, own, !m.Input.free(), func(n int) bool {
		return n > own && slices.ContainsFunc(m.Input.KeptElsewhere,
			func(f string) bool { return plist.SameFact(f, facts[n-1]) })
	})
}

// Result returns the merged entry; see Outcome. Without new facts the content is the old one, byte
// for byte. If the answer has no facts, the result has the facts of the entry and the new facts
// unchanged.
func (m *MergeAnswer) Result() Outcome {
	facts, _ := m.Input.Facts()
	out := m.checkFacts().outcome(facts)
	out.Renamed, out.Alias = m.Renamed(), m.Alias()
	before := m.Input.Shown()
	form := before
	if strings.TrimSpace(form) == "" {
		typ, name := m.head()
		form = plist.List{Type: or(typ, "rule"), Name: or(plist.CleanName(name), "?"),
			Properties: []plist.Property{{Text: "-"}}}.String()
	}
	texts := make([]string, len(out.Facts))
	for i, f := range out.Facts {
		texts[i] = f.Text
	}
	content := plist.ReplaceFacts(form, texts)
	if out.Renamed != "" {
		_, name := m.head()
		content = plist.Rename(content, name, out.Renamed)
	}
	content = UnlessSame(before, content)
	if before != m.Input.Content {
		content = plist.Rebase(before, content, m.Input.Content)
	}
	out.Content = content
	return out
}

// UnlessSame returns answer, or before if both have the same facts and head in any order.
func UnlessSame(before, answer string) string {
	for _, h := range plist.Diff(before, answer) {
		if h.Kind != plist.Kept {
			return answer
		}
	}
	return before
}

// Apply updates an entry with the outcome: its content and, if it was renamed, its name, the old
// name as an alias, and a key for the new one. It returns false if nothing changed.
func (o Outcome) Apply(e storage.LoreEntry) (storage.LoreEntry, bool) {
	changed := o.Content != e.Content || o.Renamed != ""
	e.Content = o.Content
	e.Aliases, e.Keys = slices.Clone(e.Aliases), slices.Clone(e.Keys)
	if o.Renamed != "" {
		old := e.Name
		e.Name = o.Renamed
		e.Aliases = slices.DeleteFunc(e.Aliases, func(a string) bool { return Same(a, o.Renamed) })
		addAlias(&e, old)
		if k := cleanKey(o.Renamed); k != "" &&
			!slices.ContainsFunc(e.Keys, func(have string) bool { return Same(have, k) }) {
			e.Keys = append(e.Keys, k)
		}
	}
	if addAlias(&e, o.Alias) {
		changed = true
	}
	return e, changed
}

// addAlias adds an alias to an entry unless it has the name.
func addAlias(e *storage.LoreEntry, name string) bool {
	if name == "" || len(e.Aliases) >= maxAliases || Same(e.Name, name) ||
		slices.ContainsFunc(e.Aliases, func(a string) bool { return Same(a, name) }) {
		return false
	}
	e.Aliases = append(e.Aliases, name)
	return true
}
