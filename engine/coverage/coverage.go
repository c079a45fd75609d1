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
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Statement is what an answer tells, and the numbers of the facts that it names.
type Statement struct {
	Text    string
	Numbers []int
}

// Facts are what a record is made of. Their numbers are their places, from 1.
type Facts struct {
	list []weighed
	mean func(string) map[string]bool
}

type weighed struct {
	text  string
	mean  map[string]bool
	marks map[string]bool // of mean: names and numbers, which tell it from others like it
}

// Of numbers facts. mean finds the words of a text that carry its meaning, in a form in
// which they can be compared; names of those whom all facts are about are none.
func Of(facts []string, mean func(text string) map[string]bool) *Facts {
	f := &Facts{mean: mean}
	for _, text := range facts {
		w := weighed{Plain(text), mean(text), map[string]bool{}}
		for _, mark := range marked(text) {
			for s := range mean(mark) {
				if w.mean[s] {
					w.marks[s] = true
				}
			}
			if hasDigit(mark) {
				w.marks[exactly(mark)] = true
			}
		}
		f.list = append(f.list, w)
	}
	return f
}

// marked are the words of a text that are written with a capital where no sentence
// begins, or have a digit.
func marked(text string) (out []string) {
	start, begins := -1, true
	for i, r := range text + " " {
		in := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			word := text[start:i]
			first, _ := utf8.DecodeRuneInString(word)
			if unicode.IsUpper(first) && !begins || hasDigit(word) {
				out = append(out, word)
			}
			start, begins = -1, false
		}
		begins = begins || strings.ContainsRune(".!?:…", r)
	}
	return out
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// exactly is a word that counts only as it stands: a number that is cut to its stem is
// another one, and a short one would not count at all.
func exactly(word string) string { return "=" + strings.ToLower(word) }

// RestsOn are the numbers of the facts that a statement tells: those that it names and
// has half the words and half the names of, since careless models name what they leave
// out, and those whose words and names it holds, named or not. A statement that rests on
// none is invented.
func (f *Facts) RestsOn(s Statement) (numbers []int) {
	words, same := f.mean(s.Text), Plain(s.Text)
	for _, mark := range marked(s.Text) {
		words[exactly(mark)] = true
	}
	for i, fact := range f.list {
		common, of := shared(fact.mean, words)
		marks, all := shared(fact.marks, words)
		named := slices.Contains(s.Numbers, i+1) && common*2 >= of && marks*2 >= all
		if named || fact.text == same || common > 2 && common*3 >= of*2 && marks == all {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// shared counts the words of a set that another has, and all of them.
func shared(set, other map[string]bool) (common, all int) {
	for w := range set {
		if other[w] {
			common++
		}
	}
	return common, len(set)
}

// Account tells what becomes of the facts that stay is not true of: for which reason
// each of those goes that no statement tells, and which of them are missing without
// one. passes gives the reason for which a fact goes by itself, "" for none; either
// func may be nil.
func (f *Facts) Account(told []int, dropped map[int]string, stay func(n int) bool, passes func(n int) string) (why map[int]string, missing []int) {
	why = map[int]string{}
	for i := range f.list {
		n := i + 1
		if stay != nil && stay(n) || slices.Contains(told, n) {
			continue
		}
		reason := dropped[n]
		if reason == "" && passes != nil {
			reason = passes(n)
		}
		if reason == "" {
			missing = append(missing, n)
			continue
		}
		why[n] = reason
	}
	return why, missing
}

// mostNamed is how many missing facts a model is told of at once.
const mostNamed = 40

// Complain tells a model which facts are missing and what to do about it; nil where
// none are. list and numbers are the names that both have in its answer.
func Complain(missing []int, list, numbers string) error {
	if len(missing) == 0 {
		return nil
	}
	var named []string
	for _, n := range missing[:min(len(missing), mostNamed)] {
		named = append(named, fmt.Sprintf("[%d]", n))
	}
	return fmt.Errorf(`these facts are left out without a word: %s. Write each into %q with its number in %q, or name it in "dropped" with the reason`,
		strings.Join(named, " "), list, numbers)
}

// Bounds of what is read of an answer.
const (
	mostDropped = 300
	maxWhy      = 160 // runes
	mostNumbers = 40  // of one statement
)

// Dropped reads which facts an answer leaves out, and why; those without a reason are
// not among them.
func Dropped(raw json.RawMessage) map[int]string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	out := map[int]string{}
	for _, r := range list[:min(len(list), mostDropped)] {
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
	for _, r := range list[:min(len(list), mostNumbers)] {
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

// Plain is a statement without the marks of a list and of type, in lower case: two that
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
