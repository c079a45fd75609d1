package fill

import (
	"encoding/json"
	"errors"
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
	extraFacts = 8   // more than an answer was made of
	maxFact    = 600 // characters of one
	maxSources = 6   // numbers of one
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

// factsSchema returns the schema of an answer about facts facts: a list of at most most, each with
// the numbers of those that it is made of, and what is left out. A fact may cite none: a model that
// is forced to cite one would replace it with something invented.
func factsSchema(facts, most int, named bool) json.RawMessage {
	number := fmt.Sprintf(`{"type":"integer","minimum":1,"maximum":%d}`, max(1, facts))
	list := fmt.Sprintf(`{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","properties":{`+
		`"text":{"type":"string","minLength":1,"maxLength":%d},`+
		`"from":{"type":"array","maxItems":%d,"items":%s}},`+
		`"required":["text","from"],"additionalProperties":false}}`,
		max(1, min(most, mostFacts)), maxFact, max(1, min(facts, maxSources)), number)
	dropped := fmt.Sprintf(`{"type":"array","maxItems":%d,"items":{"type":"object","properties":{`+
		`"fact":%s,"why":{"type":"string","minLength":2,"maxLength":120}},`+
		`"required":["fact","why"],"additionalProperties":false}}`, max(1, min(facts, maxDropped)), number)
	name, required := "", ""
	if named {
		name = fmt.Sprintf(`,"canonicalName":{"type":"string","maxLength":%d},"alias":{"type":"string","maxLength":%[1]d}`,
			maxName)
		required = `,"canonicalName","alias"`
	}
	return json.RawMessage(`{"type":"object","properties":{"facts":` + list + `,"dropped":` + dropped + name +
		`},"required":["facts","dropped"` + required + `],"additionalProperties":false}`)
}

// factsForm is what such an answer must look like to be read: a fact may be a plain
// text, and all of them one content, as prompts of the user's own may ask for.
var factsForm = json.RawMessage(`{"type":"object","properties":{"facts":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"object"}]}},` +
	`"content":{"type":"string"},"canonicalName":{"anyOf":[{"type":"null"},{"type":"string"}]},` +
	`"alias":{"anyOf":[{"type":"null"},{"type":"string"}]}},"anyOf":[{"required":["facts"]},{"required":["content"]}]}`)

// answer is a list of facts as a model gave it.
type answer struct {
	statements []coverage.Statement
	dropped    map[int]string
	listName   string // the name that the answer's own list has, where it is one
	list       bool   // a fact of it is one of several in brackets, or all are
	empty      bool   // it is a list of facts with none in it
}

func answerOf(fields map[string]json.RawMessage) answer {
	a := answer{dropped: coverage.Dropped(fields["dropped"])}
	var list []json.RawMessage
	if json.Unmarshal(fields["facts"], &list) != nil {
		list = nil
	}
	a.empty = list != nil && len(list) == 0
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
	if a.listName != "" && !slices.ContainsFunc(append(want.Aliases, want.Name), func(n string) bool { return plist.SameName(n, a.listName) }) {
		said = append(said, fmt.Sprintf("it is about “%s”, and should be about “%s”", clip(a.listName, 60), clip(want.Name, 60)))
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

// joinErrors makes one complaint of several.
func joinErrors(faults ...error) error {
	var said []string
	for _, err := range faults {
		if err != nil {
			said = append(said, err.Error())
		}
	}
	if len(said) == 0 {
		return nil
	}
	return errors.New(strings.Join(said, ". "))
}

// Outcome is the new content of an entry, and how each fact of it came about. Numbers are those of
// the prompt.
type Outcome struct {
	Content string
	Renamed string        // the new name, "" where it keeps its own
	Alias   string        // another name that the news have, "" for none
	Facts   []SourcedFact // as they stand in the content, or in the part of it that was shown
	Dropped []DroppedFact
	Carried []string // left out by the model without a word, and kept as they stood
}

// SourcedFact is a fact, and those that it is made of.
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

// factCheck is an answer compared with the facts that it was made of.
type factCheck struct {
	coverage *coverage.Facts
	facts    []SourcedFact
	why      map[int]string
	missing  []int
}

// checkFacts finds which facts each fact of an answer is made of. A fact that is made of none is
// invented and left out; one that is made only of facts for which elsewhere is true is left out
// too. own is how many facts are the entry's. In a list, facts have no commas.
func (a *answer) checkFacts(facts []string, own int, list bool, elsewhere func(n int) bool) factCheck {
	check := coverage.Of(facts)
	w := factCheck{coverage: check}
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
	w.why, w.missing = check.Account(stated, a.dropped, elsewhere)
	return w
}

// missingError tells the model which facts its answer leaves out without a reason.
func (w *factCheck) missingError() error { return w.coverage.Complain(w.missing, "facts", "from") }

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

// splitFact returns what a fact becomes in an entry: several, where it has commas. One that was
// there before is as it was, and a sentence ends as those do.
func splitFact(text string, before []string, list bool) []string {
	out := []string{oneLine(text)}
	if list {
		if content := plist.Tidy("[x-x: " + text + "]"); plist.Valid(content) {
			out = plist.Facts(content)
		} else {
			out[0] = plist.CleanText(text)
		}
	} else if stopped := func(f string) bool { return strings.HasSuffix(f, ".") }; slices.ContainsFunc(before, stopped) && lacksFinalMark(out[0]) {
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

// outcome puts missing facts back where they stood, and records why others were dropped.
func (w factCheck) outcome(facts []string) Outcome {
	out := Outcome{Facts: w.facts}
	for _, n := range w.missing {
		m := SourcedFact{Text: facts[n-1], Sources: []int{n}}
		out.Carried = append(out.Carried, m.Text)
		at := 0
		for k := n - 1; k > 0 && at == 0; k-- {
			at = 1 + slices.IndexFunc(out.Facts, func(o SourcedFact) bool { return slices.Contains(o.Sources, k) })
		}
		if n > 1 && at == 0 {
			at = len(out.Facts)
		}
		out.Facts = slices.Insert(out.Facts, at, m)
	}
	for n, text := range facts {
		if why, ok := w.why[n+1]; ok {
			out.Dropped = append(out.Dropped, DroppedFact{n + 1, text, why})
		}
	}
	return out
}
