package answer

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// minCopied is how many words of a text have to be those of an example before it counts as
// copied: shorter ones are met by chance.
const minCopied = 5

// Examples are the texts of a prompt's example answers, each reduced to its words. The nil map
// has none.
type Examples map[string]bool

// NewExamples returns the texts of the examples in the messages of a prompt, but for those that
// the rest of the prompt has too. An example is a line with a JSON object that follows a line
// about an example, or another one.
func NewExamples(messages iter.Seq[string]) Examples {
	e, rest := Examples{}, []string{}
	for prompt := range messages {
		announced := false
		for line := range strings.Lines(prompt) {
			line = strings.TrimSpace(line)
			var v map[string]any
			switch {
			case line == "":
			case announced && line[0] == '{' && json.Unmarshal([]byte(line), &v) == nil:
				e.add(v)
			default:
				if announced = strings.Contains(line, "xample"); !announced {
					rest = append(rest, line)
				}
			}
		}
	}
	if len(e) > 0 {
		material := plainWords(strings.Join(rest, "\n"))
		maps.DeleteFunc(e, func(words string, _ bool) bool { return strings.Contains(material, words) })
	}
	return e
}

// generic is a field whose text may be that of the example: what a picture must never show.
const generic = "negative_prompt"

func (e Examples) add(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, in := range v {
			if name != generic {
				e.add(in)
			}
		}
	case []any:
		for _, in := range v {
			e.add(in)
		}
	case string:
		if words := plainWords(v); strings.Count(words, " ") >= minCopied-1 {
			e[words] = true
		}
	}
}

// Drop returns an answer without what is copied from an example: the items of lists that have
// such a text, and any other such text, which becomes empty. copied is the first of the latter,
// "" if there is none. v stays as it is.
func (e Examples) Drop(v any) (kept any, copied string) {
	if len(e) == 0 {
		return v, ""
	}
	switch x := v.(type) {
	case map[string]any:
		fields := make(map[string]any, len(x))
		for _, name := range slices.Sorted(maps.Keys(x)) {
			var one string
			if fields[name], one = e.Drop(x[name]); copied == "" {
				copied = one
			}
		}
		return fields, copied
	case []any:
		items := make([]any, 0, len(x))
		for _, in := range x {
			if in, one := e.Drop(in); one == "" {
				items = append(items, in)
			}
		}
		return items, ""
	case string:
		if e.Has(x) {
			return "", x
		}
	}
	return v, copied
}

// Has reports whether a text is copied from an example.
func (e Examples) Has(text string) bool { return len(e) > 0 && e[plainWords(text)] }

// plainWords are the words of a text in small letters.
func plainWords(s string) string {
	var list []string
	for _, word := range text.Words(strings.ToLower(s)) {
		list = append(list, word)
	}
	return strings.Join(list, " ")
}
