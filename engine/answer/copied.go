package answer

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// The number of words that a text must share with an example, or with the explanation of a field,
// to count as copied: shorter texts agree by chance.
const (
	minCopied    = 5
	minExplained = 6
)

// Instruction holds the texts of a prompt that no answer may repeat, each reduced to its words:
// those of its example answers, and its explanations of the fields of an answer. The zero value has
// none.
type Instruction struct {
	examples map[string]bool
	fields   string
}

// NewInstruction returns the instruction in the messages of a prompt, without the texts of examples
// that also occur in the rest of the prompt.
func NewInstruction(messages iter.Seq[string]) Instruction {
	i := Instruction{examples: map[string]bool{}}
	var fields, rest []string
	for prompt := range messages {
		lines, found := cutExamples(prompt)
		for _, v := range found {
			i.add(v)
		}
		instructs, tag := false, "" // fields are explained after the first word of JSON
		for _, line := range lines {
			text := strings.TrimSpace(line)
			instructs = instructs || tag == "" && strings.Contains(line, "JSON")
			switch {
			case tag == "" && opensTag(text):
				tag = "</" + text[1:]
			case tag == text:
				tag = ""
			}
			switch {
			case instructs && tag == "" && explainsField(text):
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

// opensTag reports whether a line is a tag around material.
func opensTag(line string) bool {
	return strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">") && isName(line[1:len(line)-1])
}

// explainsField reports whether a line explains a field of an answer.
func explainsField(line string) bool {
	item, ok := strings.CutPrefix(line, "- ")
	name, _, explained := strings.Cut(item, ": ")
	return ok && explained && isName(strings.Trim(name, "`\""))
}

func isName(s string) bool { return s != "" && !strings.ContainsAny(s, " /,.<>*") }

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

// Drop returns an answer without the texts that are copied from the instruction: it removes list
// items with such a text, and empties any other such text. copied is the first of the latter, "" if
// there is none. It also removes list items that repeat an earlier one: small models fill lists with
// them. v is not changed.
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
		items, seen := make([]any, 0, len(x)), map[string]bool{}
		for _, in := range x {
			in, one := i.Drop(in)
			if says := sentences(in); one == "" && (says == "" || !seen[says]) {
				items, seen[says] = append(items, in), true
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

// CopiesExample reports whether an answer has a text of an example.
func (i Instruction) CopiesExample(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, in := range x {
			if i.CopiesExample(in) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(x, i.CopiesExample)
	case string:
		return i.examples[plainWords(x)]
	}
	return false
}

// sentences returns what a value says, the same for all values that say the same in the same words, ""
// if it has no text of several words.
func sentences(v any) string {
	long := false
	var plain func(v any) any
	plain = func(v any) any {
		switch x := v.(type) {
		case map[string]any:
			fields := make(map[string]any, len(x))
			for name, in := range x {
				fields[name] = plain(in)
			}
			return fields
		case []any:
			items := make([]any, len(x))
			for i, in := range x {
				items[i] = plain(in)
			}
			return items
		case string:
			words := plainWords(x)
			long = long || strings.Count(words, " ") >= minCopied-1
			return words
		}
		return v
	}
	says, err := json.Marshal(plain(v))
	if err != nil || !long {
		return ""
	}
	return string(says)
}

// plainWords returns the words of a text in lower case.
func plainWords(s string) string {
	var list []string
	for _, word := range text.Words(strings.ToLower(s)) {
		list = append(list, word)
	}
	return strings.Join(list, " ")
}
