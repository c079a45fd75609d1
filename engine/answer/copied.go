package answer

import (
	"encoding/json"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// How many words of a text have to be those of an example, or of the explanation of a field, before
// it counts as copied: shorter ones are met by chance.
const (
	minCopied    = 5
	minExplained = 6
)

// Instruction has the texts of a prompt that no answer may give back, each reduced to its words:
// those of its example answers, and what it says about the fields of an answer. The zero value has
// none.
type Instruction struct {
	examples map[string]bool
	fields   string
}

// NewInstruction returns the instruction in the messages of a prompt, but for texts of examples
// that the rest of the prompt has too.
func NewInstruction(messages iter.Seq[string]) Instruction {
	i := Instruction{examples: map[string]bool{}}
	var fields, rest []string
	for prompt := range messages {
		lines, found := cutExamples(prompt)
		for _, v := range found {
			i.add(v)
		}
		instructs, tag := strings.Contains(prompt, "JSON"), ""
		for _, line := range lines {
			text := strings.TrimSpace(line)
			switch {
			case tag == "" && opensTag.MatchString(text):
				tag = "</" + text[1:]
			case tag == text:
				tag = ""
			}
			switch {
			case instructs && tag == "" && explainsField.MatchString(text):
				fields = append(fields, text)
			case !announces(line):
				rest = append(rest, line)
			}
		}
	}
	i.fields = " " + plainWords(strings.Join(fields, "\n")) + " "
	if len(i.examples) > 0 {
		material := plainWords(strings.Join(rest, "\n"))
		maps.DeleteFunc(i.examples, func(words string, _ bool) bool { return strings.Contains(material, words) })
	}
	return i
}

var (
	opensTag      = regexp.MustCompile(`^<\w+>$`)
	explainsField = regexp.MustCompile("^- [`\"]?\\w+[`\"]?: ")
)

// WithoutExamples returns a prompt without its examples and the lines that announce them.
func WithoutExamples(prompt string) string {
	lines, found := cutExamples(prompt)
	if len(found) == 0 {
		return prompt
	}
	return strings.Join(lines, "")
}

func announces(line string) bool { return strings.Contains(line, "xample") }

// cutExamples separates the examples of a prompt from its other lines. An example is a line with a
// JSON object that follows a line about an example, or another one; the line about it goes too.
func cutExamples(prompt string) (rest []string, found []any) {
	var about []string // the line about an example, and empty ones
	after := false     // an example
	for line := range strings.Lines(prompt) {
		var v map[string]any
		text := strings.TrimSpace(line)
		switch {
		case (after || len(about) > 0) && strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &v) == nil:
			found, about, after = append(found, v), nil, true
			continue
		case len(about) > 0 && text == "":
			about = append(about, line)
			continue
		}
		rest = append(rest, about...)
		about, after = nil, after && text == ""
		if announces(line) {
			about = []string{line}
		} else {
			rest = append(rest, line)
		}
	}
	return append(rest, about...), found
}

// generic is a field whose text may be that of the example: what a picture must never show.
const generic = "negative_prompt"

func (i Instruction) add(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, in := range v {
			if name != generic {
				i.add(in)
			}
		}
	case []any:
		for _, in := range v {
			i.add(in)
		}
	case string:
		if words := plainWords(v); strings.Count(words, " ") >= minCopied-1 {
			i.examples[words] = true
		}
	}
}

// Drop returns an answer without what is copied from the instruction: the items of lists that have
// such a text, and any other such text, which becomes empty. copied is the first of the latter,
// "" if there is none. v stays as it is.
func (i Instruction) Drop(v any) (kept any, copied string) {
	switch x := v.(type) {
	case map[string]any:
		fields := make(map[string]any, len(x))
		for _, name := range slices.Sorted(maps.Keys(x)) {
			var one string
			if fields[name], one = i.Drop(x[name]); copied == "" {
				copied = one
			}
		}
		return fields, copied
	case []any:
		items := make([]any, 0, len(x))
		for _, in := range x {
			if in, one := i.Drop(in); one == "" {
				items = append(items, in)
			}
		}
		return items, ""
	case string:
		if i.Has(x) {
			return "", x
		}
	}
	return v, copied
}

// Has reports whether a text is copied from the instruction.
func (i Instruction) Has(text string) bool {
	words := plainWords(text)
	return i.examples[words] || strings.Count(words, " ") >= minExplained-1 && strings.Contains(i.fields, " "+words+" ")
}

// plainWords are the words of a text in small letters.
func plainWords(s string) string {
	var list []string
	for _, word := range text.Words(strings.ToLower(s)) {
		list = append(list, word)
	}
	return strings.Join(list, " ")
}
