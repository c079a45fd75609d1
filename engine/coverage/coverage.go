// Package coverage holds that nothing is forgotten silently where a model makes one
// record of several facts. The prompt numbers the facts; an answer gives statements,
// each with the numbers of the facts that it tells, and a list of the facts that are
// left out, each with the reason. What is in neither is asked for once more, and then
// kept word for word. The package is pure and knows no column.
package coverage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Statement is what an answer tells, and the numbers of the facts that it names.
type Statement struct {
	Text    string
	Numbers []int
}

// Facts are what a record is made of. Their numbers are their places, from 1.
type Facts struct {
	texts []string
	plain []string
}

// Of numbers facts.
func Of(facts []string) *Facts {
	f := &Facts{texts: facts}
	for _, text := range facts {
		f.plain = append(f.plain, Plain(text))
	}
	return f
}

// RestsOn returns the numbers of the facts that a statement tells: those that it names,
// and those that it repeats word for word. Numbers that no fact has are ignored. A
// statement that rests on none is invented.
func (f *Facts) RestsOn(s Statement) (numbers []int) {
	same := Plain(s.Text)
	for i, plain := range f.plain {
		if plain == same || slices.Contains(s.Numbers, i+1) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// Account returns what becomes of the facts that stay is not true of: for which reason
// each of those goes that no statement tells, and which of them are missing without
// one. stay may be nil.
func (f *Facts) Account(stated []int, dropped map[int]string, stay func(n int) bool) (why map[int]string, missing []int) {
	why = map[int]string{}
	for i := range f.texts {
		n := i + 1
		if stay != nil && stay(n) || slices.Contains(stated, n) {
			continue
		}
		reason := dropped[n]
		if reason == "" {
			missing = append(missing, n)
			continue
		}
		why[n] = reason
	}
	return why, missing
}

// How many missing facts a model is told of at once, of how many also the text, and how
// much of that.
const (
	maxNamed   = 40
	mostQuoted = 10
	maxQuoted  = 80 // runes
)

// Complain tells a model which facts are missing and what to do about it; nil where
// none are. list and numbers are the names that its lines and the facts of one of them
// have in its answer.
func (f *Facts) Complain(missing []int, list, numbers string) error {
	if len(missing) == 0 {
		return nil
	}
	named := make([]string, 0, len(missing))
	for i, n := range missing[:min(len(missing), maxNamed)] {
		name := strconv.Itoa(n)
		if i < mostQuoted {
			name += fmt.Sprintf(` ("%s")`, prompts.Bounded(prompts.OneLine(f.texts[n-1]), maxQuoted))
		}
		named = append(named, name)
	}
	subject, it := "Fact "+named[0]+" is", "it"
	if len(named) > 1 {
		subject, it = "Facts "+strings.Join(named, ", ")+" are", "each"
	}
	return fmt.Errorf(`%s in no line's %q and not in "dropped" with a reason. `+
		`Add %s to a line of %q and its number to that line's %q, or list it under "dropped" with a reason`,
		subject, numbers, it, list, numbers)
}

// Bounds of what is read of an answer.
const (
	maxDropped = 300
	maxWhy     = 160 // runes
	maxNumbers = 40  // of one statement
)

// Dropped reads which facts an answer leaves out, and why; those without a reason are
// not among them.
func Dropped(raw json.RawMessage) map[int]string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	out := map[int]string{}
	for _, r := range list[:min(len(list), maxDropped)] {
		fields, err := prompts.Object(r)
		if err != nil {
			continue
		}
		why := ""
		for _, key := range []string{"why", "reason"} {
			if why == "" {
				why = prompts.Bounded(prompts.OneLine(prompts.Text(fields[key])), maxWhy)
			}
		}
		for _, key := range []string{"fact", "facts", "bullet", "bullets", "number"} {
			for _, n := range Numbers(fields[key]) {
				if why != "" {
					out[n] = why
				}
			}
		}
	}
	return out
}

// DroppedSchema bounds the list that Dropped reads.
const DroppedSchema = `{"type":"array","maxItems":80,"items":{"type":"object","properties":{` +
	`"fact":{"type":"integer","minimum":1,"maximum":1999},"why":{"type":"string","minLength":2,"maxLength":120}},` +
	`"required":["fact","why"],"additionalProperties":false}}`

// Numbers reads the numbers of a list, or a single one, also where they came as text.
func Numbers(raw json.RawMessage) []int {
	if len(raw) == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var out []int
	for _, r := range list[:min(len(list), maxNumbers)] {
		var text string
		if json.Unmarshal(r, &text) != nil {
			text = strings.TrimSuffix(string(r), ".0")
		}
		if n, err := strconv.Atoi(strings.Trim(text, "[]()# ")); err == nil {
			out = append(out, n)
		}
	}
	return out
}

var unmarked = strings.NewReplacer("*", "", "_", "", "`", "")

// Plain returns a statement without the marks of a list and of type, in lower case: two that
// are alike in it are the same.
func Plain(s string) string {
	s = unmarked.Replace(withoutMark(prompts.OneLine(s)))
	return strings.ToLower(strings.TrimRight(s, ". "))
}

// withoutMark takes the mark of a list's item away.
func withoutMark(s string) string {
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "– ", "— ", "· "} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	return s
}
