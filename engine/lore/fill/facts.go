package fill

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Bounds of an answer with a list of facts.
const (
	mostFacts  = 200
	extraFacts = 8   // more than the answer's input
	maxFact    = 600 // characters of one
	maxSources = 4   // facts that one replaces
	maxDropped = 80  // facts that are dropped
)

// numbered writes facts for a prompt, counted on from the number before.
func numbered(facts []string, before int) string {
	var b strings.Builder
	for i, f := range facts {
		fmt.Fprintf(&b, "[%d] %s\n", before+i+1, oneLine(defuse(f)))
	}
	return or(strings.TrimSuffix(b.String(), "\n"), nothing)
}

// factsSchema returns the schema of an answer that changes a number of facts: a list of at most
// most new facts, each with the numbers of the facts that it replaces, and the dropped facts. A
// fact may cite none: a model that is forced to cite one would replace it with something invented.
func factsSchema(facts, most int, named bool) json.RawMessage {
	number := fmt.Sprintf(`{"type":"integer","minimum":1,"maximum":%d}`, max(1, facts))
	list := fmt.Sprintf(`{"type":"array","maxItems":%d,"items":{"type":"object","properties":{`+
		`"text":{"type":"string","minLength":1,"maxLength":%d},`+
		`"from":{"type":"array","maxItems":%d,"items":%s}},`+
		`"required":["text","from"],"additionalProperties":false}}`,
		max(1, min(most, mostFacts)), maxFact, max(1, min(facts, maxSources)), number)
	dropped := fmt.Sprintf(`{"type":"array","maxItems":%d,"items":{"type":"object","properties":{`+
		`"fact":%s,"why":{"type":"string","minLength":2,"maxLength":120}},`+
		`"required":["fact","why"],"additionalProperties":false}}`, max(1, min(facts, maxDropped)), number)
	name, required := "", ""
	if named {
		name = fmt.Sprintf(
			`,"canonicalName":{"type":"string","maxLength":%d},"alias":{"type":"string","maxLength":%[1]d}`,
			maxName)
		required = `,"canonicalName","alias"`
	}
	return json.RawMessage(`{"type":"object","properties":{"facts":` + list + `,"dropped":` + dropped + name +
		`},"required":["facts","dropped"` + required + `],"additionalProperties":false}`)
}

// factsForm is the form that such an answer must have to be read. A fact may be plain text, and all
// facts may be one content, since the user's own prompts may ask for that.
var factsForm = json.RawMessage(
	`{"type":"object","properties":{"facts":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"object"}]}},` +
		`"content":{"type":"string"},"canonicalName":{"anyOf":[{"type":"null"},{"type":"string"}]},` +
		`"alias":{"anyOf":[{"type":"null"},{"type":"string"}]}},"anyOf":[{"required":["facts"]},{"required":["content"]}]}`)

// answer is a list of facts as a model gave it.
type answer struct {
	statements []coverage.Statement
	dropped    map[int]string
	listName   string // the name in the answer's own list, if it is one
	list       bool   // a fact of it is one of several in brackets, or all are
}

func answerOf(fields map[string]json.RawMessage) answer {
	a := answer{dropped: coverage.Dropped(fields["dropped"])}
	var list []json.RawMessage
	if json.Unmarshal(fields["facts"], &list) != nil {
		list = nil
	}
	for _, raw := range list[:min(len(list), mostFacts)] {
		var s coverage.Statement
		if json.Unmarshal(raw, &s.Text) != nil {
			of, err := prompts.Object(raw)
			if err != nil {
				continue
			}
			s.Text = prompts.Text(of["text"])
			for _, key := range []string{"from", "facts", "numbers", "bullets"} {
				s.Numbers = append(s.Numbers, coverage.Numbers(of[key])...)
			}
		}
		a.add(s)
	}
	if len(list) == 0 {
		a.add(coverage.Statement{Text: prompts.Text(fields["content"])})
	}
	return a
}

// add takes a fact in, or all facts of a content.
func (a *answer) add(s coverage.Statement) {
	content := cleanContent(s.Text)
	if _, head, ok := plist.Head(content); ok {
		a.listName = head
	}
	a.list = a.list || plist.IsList(content)
	if plist.IsList(content) && !plist.Valid(content) || strings.TrimSpace(content) == "" {
		if content != "" {
			a.statements = append(a.statements, coverage.Statement{Text: content, Numbers: s.Numbers})
		}
		return
	}
	for _, f := range plist.Facts(plist.Tidy(content)) {
		if len(a.statements) < mostFacts {
			a.statements = append(a.statements, coverage.Statement{Text: f, Numbers: s.Numbers})
		}
	}
}

// faults checks the facts as properties of an entry. Faults that before has already are ignored.
func (a *answer) faults(typ, name string, want plist.Want, before []string) error {
	var said []string
	if a.listName != "" && !slices.ContainsFunc(append(want.Aliases, want.Name),
		func(n string) bool { return plist.SameName(n, a.listName) }) {
		said = append(said, fmt.Sprintf("it is about “%s”, and should be about “%s”", clip(a.listName, 60),
			clip(want.Name, 60)))
	}
	for _, s := range a.statements {
		if slices.ContainsFunc(before, func(f string) bool { return plist.SameFact(f, s.Text) }) {
			continue
		}
		text := s.Text
		if !plist.IsList(text) {
			text = "[" + or(plist.CleanType(typ), "rule") + "-" + or(plist.CleanName(name), "?") + ": " + s.Text + "]"
		}
		for _, p := range plist.Check(text, plist.Want{Aliases: append(want.Aliases, want.Name)}) {
			if p.Kind != plist.UpperType && p.Kind != plist.Empty && p.Kind != plist.Duplicate {
				said = append(said, fmt.Sprintf("in “%s” %s", clip(oneLine(s.Text), 80), p.Text))
			}
		}
	}
	if len(said) == 0 {
		return nil
	}
	return fmt.Errorf(`"facts" is not as it must be: %s`, strings.Join(said[:min(len(said), 4)], "; "))
}

// Outcome is the new content of an entry, with the sources of each fact. Numbers are those of the
// prompt.
type Outcome struct {
	Content string
	Renamed string        // the new name, "" if it keeps its own
	Alias   string        // another name that the news have, "" for none
	Facts   []SourcedFact // as in the content, or in the part of it that was shown
	Dropped []DroppedFact
}

// SourcedFact is a fact and the numbers of the facts it is based on.
type SourcedFact struct {
	Text    string
	Sources []int
}

// DroppedFact is a fact that was left out for a reason.
type DroppedFact struct {
	Number int
	Text   string
	Why    string
}

// factCheck is an answer compared with the facts of its input.
type factCheck struct {
	facts []SourcedFact // including those that stay
	why   map[int]string
}

// checkFacts finds the facts that each fact of an answer is based on. A fact without any is
// invented and left out. A fact based only on facts for which elsewhere returns true is left out
// too. own is the number of facts that belong to the entry: the first ones. In a list, facts have
// no commas.
func (a *answer) checkFacts(facts []string, own int, list bool, elsewhere func(n int) bool) factCheck {
	check := coverage.Of(facts)
	var w factCheck
	var stated []int
	for _, s := range a.statements {
		stated = append(stated, check.RestsOn(s)...)
		for _, text := range splitFact(s.Text, facts[:own], list) {
			of := check.RestsOn(coverage.Statement{Text: text, Numbers: s.Numbers})
			stated = append(stated, of...)
			if len(of) > 0 && (elsewhere == nil || slices.ContainsFunc(of, func(n int) bool { return !elsewhere(n) })) {
				w.add(text, of)
			}
		}
	}
	var stay []int
	w.why, stay = check.Account(stated, a.dropped, elsewhere)
	for _, n := range stay {
		if n <= own { // word for word
			w.facts = append(w.facts, SourcedFact{Text: facts[n-1], Sources: []int{n}})
			continue
		}
		for _, text := range splitFact(facts[n-1], facts[:own], list) {
			w.add(text, []int{n})
		}
	}
	return w
}

// add takes a fact in, once.
func (w *factCheck) add(text string, of []int) {
	at := slices.IndexFunc(w.facts, func(m SourcedFact) bool { return plist.SameFact(m.Text, text) })
	if at < 0 {
		w.facts = append(w.facts, SourcedFact{Text: text, Sources: of})
		return
	}
	for _, n := range of {
		if !slices.Contains(w.facts[at].Sources, n) {
			w.facts[at].Sources = append(w.facts[at].Sources, n)
		}
	}
}

// splitFact returns the facts that a fact of an answer becomes in an entry: several if it has
// commas. A fact that was there before stays unchanged, and a sentence ends as the earlier ones do.
func splitFact(text string, before []string, list bool) []string {
	out := []string{oneLine(text)}
	if list {
		if content := plist.Tidy("[x-x: " + text + "]"); plist.Valid(content) {
			out = plist.Facts(content)
		} else {
			out[0] = plist.CleanText(text)
		}
	} else if stopped := func(f string) bool {
		return strings.HasSuffix(f, ".")
	}; slices.ContainsFunc(before, stopped) && lacksFinalMark(out[0]) {
		out[0] += "."
	}
	for i, f := range out {
		if at := slices.IndexFunc(before, func(b string) bool { return plist.SameFact(b, f) }); at >= 0 {
			out[i] = before[at]
		}
	}
	return out
}

func lacksFinalMark(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return text.InWord(r)
}

// outcome sorts all facts by the first fact that each is based on, so that the facts that stay keep
// their order. It records why others were dropped.
func (w factCheck) outcome(facts []string) Outcome {
	out := Outcome{Facts: w.facts}
	slices.SortStableFunc(out.Facts, func(a, b SourcedFact) int {
		return cmp.Compare(slices.Min(a.Sources), slices.Min(b.Sources))
	})
	for n, text := range facts {
		if why, ok := w.why[n+1]; ok {
			out.Dropped = append(out.Dropped, DroppedFact{n + 1, text, why})
		}
	}
	return out
}
