// Package coverage reads what a model changes in a list of numbered facts. An answer has
// statements, each with the numbers of the facts that it replaces, and a list of the facts that
// are dropped, each with the reason. A fact in neither stays word for word, so that nothing is
// lost and an answer need not repeat what stays. The package is pure and does no I/O.
package coverage

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Statement is a text of an answer, and the numbers of the facts that it replaces.
type Statement struct {
	Text    string
	Numbers []int
}

// Facts are the facts of a record, numbered from 1 in their order.
type Facts struct{ plain []string }

// Of numbers facts.
func Of(facts []string) *Facts {
	f := &Facts{}
	for _, text := range facts {
		f.plain = append(f.plain, Plain(text))
	}
	return f
}

// RestsOn returns the numbers of the facts that a statement is based on: the facts that it cites,
// and the facts that it repeats word for word. Numbers without a fact are ignored. A statement
// without any fact is invented.
func (f *Facts) RestsOn(s Statement) (numbers []int) {
	same := Plain(s.Text)
	for i, plain := range f.plain {
		if plain == same || slices.Contains(s.Numbers, i+1) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// Account returns what happens to the facts that no statement replaces: why maps the number of each
// dropped fact to the reason, and stay has the numbers of the facts that stay. Facts for which skip
// returns true are in neither; skip may be nil.
func (f *Facts) Account(stated []int, dropped map[int]string, skip func(n int) bool) (why map[int]string, stay []int) {
	why = map[int]string{}
	for i := range f.plain {
		n := i + 1
		switch reason := dropped[n]; {
		case skip != nil && skip(n) || slices.Contains(stated, n):
		case reason != "":
			why[n] = reason
		default:
			stay = append(stay, n)
		}
	}
	return why, stay
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

// Numbers reads the numbers of a list, or a single number. Numbers may be JSON strings.
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
