package promptbench

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/answer"
)

// unfit says why an answer that the program has taken is not usable, "" for one that is.
func (c *request) unfit(a attempt) string {
	if !a.whole() {
		return "cut"
	}
	var v any
	if c.schema == nil {
		v = a.answer
	} else if err := json.Unmarshal([]byte(a.answer), &v); err != nil {
		return "" // mended by the program, whose checks have passed
	} else {
		v = c.taken(v)
	}
	w := walk{c: c, examples: copied(c.instruction), instruction: plainWords(c.instruction), said: map[string]bool{}}
	w.look("", v)
	switch {
	case len(w.faults) > 0:
		return w.faults[0]
	case c.some && w.texts == 0:
		return "says nothing"
	case c.cites && w.texts > 0 && w.cited == 0:
		return "cites nothing"
	}
	if c.after != nil {
		if err := c.after(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// taken is what the program takes of an answer: items of lists that are copied from the prompt's
// instruction are not.
func (c *request) taken(v any) any {
	var messages []string
	for _, m := range c.prompt {
		messages = append(messages, m.Content)
	}
	v, _ = answer.NewInstruction(slices.Values(messages)).Drop(v)
	return v
}

// span is from which number to which something was shown.
type span struct{ first, last int }

func upTo(n int) span { return span{1, n} }

// walk goes through an answer.
type walk struct {
	c           *request
	examples    map[string]bool
	instruction string          // in plain words
	said        map[string]bool // texts by field
	faults      []string
	texts       int
	cited       int
}

func (w *walk) look(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(mapKeys(v)) {
			w.look(key, v[key])
		}
	case []any:
		shown, cites := w.c.shown[name]
		if all := shown.last - shown.first + 1; cites && all >= leastShown && len(v)*5 > all*3 {
			w.faults = append(w.faults, fmt.Sprintf("one text cites %d of %d", len(v), all))
		}
		for _, one := range v {
			w.look(name, one)
		}
	case float64:
		if shown, cites := w.c.shown[name]; cites {
			w.cited++
			if v < float64(shown.first) || v > float64(shown.last) {
				w.faults = append(w.faults, fmt.Sprintf("cites %g, shown are %d to %d", v, shown.first, shown.last))
			}
		}
	case string:
		w.text(name, v)
	}
}

func (w *walk) text(name, text string) {
	plain := plainWords(text)
	if plain != "" {
		w.texts++
	}
	if plain == "" && text != "…" && slices.Contains(w.c.required, name) {
		w.faults = append(w.faults, fmt.Sprintf("%q is empty", name))
	}
	if w.c.schema == nil {
		return // what is wrong with prose is for its own check to say
	}
	words := strings.Count(plain, " ") + 1
	bad := func(what string) {
		w.faults = append(w.faults, fmt.Sprintf("%s “%s”", what, shortenedTo(text, 40)))
	}
	switch {
	case strings.Contains(text, "…") && words < leastCopied:
		bad("a placeholder in")
	case w.examples[plain] && !w.c.offers(text), words >= leastRule && strings.Contains(w.instruction, plain):
		bad("copied")
	case placeholder.MatchString(strings.ReplaceAll(text, "{{user}}", "")):
		bad("a placeholder in")
	case !slices.Contains(reasons, name) && ofTheTask.MatchString(text):
		bad("speaks of its task:")
	case !w.c.once && words >= leastCopied && slices.Contains(different, name) && w.said[name+plain]:
		bad("says twice")
	}
	w.said[name+plain] = true
}

// offers reports whether an answer is to have just this text: one of those in its schema, or the
// one that answers what memory does not say.
func (c *request) offers(text string) bool {
	return plainWords(text) == "not in memory" || strings.Contains(string(c.schema), `"`+text+`"`)
}

// leastShown is how many numbers have to be shown before a text that cites nearly all of them
// says nothing by it.
const leastShown = 8

// leastRule is how many words of an instruction, one after the other, show that they are copied.
const leastRule = 6

// placeholder is what stands in a form in place of a text.
var placeholder = regexp.MustCompile(`[{}]|\[[A-Z][^\]]*\]:|^<[^>]*>$`)

// ofTheTask is what nobody says who tells of a story.
var ofTheTask = regexp.MustCompile(`(?i)\b(?:instructions?|roleplay|json|as an ai|language model|` +
	`your (?:task|requests?)|(?:this|the) (?:script|prompt|schema|answer))\b`)

// different are fields each of which says something else.
var different = []string{"text", "content", "question", "learning", "preference", "proposals", "description", "fact"}

// reasons are fields that may speak of the task.
var reasons = []string{"reasoning", "rationale", "why"}

func mapKeys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// quoted finds what stands in quotation marks or is a rule of a list.
var quoted = regexp.MustCompile(`"([^"\n]+)"|“([^”\n]+)”|(?m)^- (?:\x60\w+\x60: )?(.+)$`)

// leastCopied is how many words a text has that shows that it is copied, or said twice;
// leastExample how many an example has.
const (
	leastCopied  = 3
	leastExample = 2
)

// copied are the texts of an instruction that an answer must not give back: its examples, and
// its rules. Each is reduced to its words.
func copied(instruction string) map[string]bool {
	out := map[string]bool{}
	for _, m := range quoted.FindAllStringSubmatch(instruction, -1) {
		for _, text := range m[1:] {
			if plain := plainWords(text); strings.Count(plain, " ") >= leastExample-1 {
				out[plain] = true
			}
		}
	}
	return out
}

// plainWords are the letters and digits of a text, in words.
func plainWords(text string) string {
	sign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), sign), " ")
}

func TestUnfit(t *testing.T) {
	schema := json.RawMessage(`{}`)
	c := &request{schema: schema, shown: map[string]span{"messages": upTo(4)}, cites: true, required: []string{"text"},
		instruction: "Rules.\n- `text`: what somebody does now\nThe form: {\"text\": \"Anna keeps the red lamp\"}"}
	for answer, want := range map[string]string{
		`{"text":"Bob sings","messages":[1,4]}`:              "",
		`{"text":"Bob sings","messages":[5]}`:                "cites 5, shown are 1 to 4",
		`{"text":"Bob sings","messages":[]}`:                 "cites nothing",
		`{"text":"…","messages":[1]}`:                        "a placeholder in “…”",
		`{"text":"Anna keeps the red lamp.","messages":[1]}`: "copied “Anna keeps the red lamp.”",
		`{"text":"what somebody does now","messages":[1]}`:   "copied “what somebody does now”",
		`{"text":"{[Bob]}: sings","messages":[1]}`:           "a placeholder in “{[Bob]}: sings”",
		`{"text":"The script has no end","messages":[1]}`:    "speaks of its task: “The script has no end”",
		`{"text":["Bob sings now","Bob sings now!"]}`:        "says twice “Bob sings now!”",
	} {
		if got := c.unfit(attempt{answer: answer, ending: "stop"}); got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
	if got := c.unfit(attempt{answer: `{"text":"Bob`, ending: "length"}); got != "cut" {
		t.Errorf("cut: %q", got)
	}
}
