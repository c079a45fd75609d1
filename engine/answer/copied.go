package answer

import (
	"encoding/json"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// leastCopied is how many words of a text have to be those of an example before it counts as
// copied: shorter ones are met by chance.
const leastCopied = 5

// Examples are the texts of a prompt's example answers, each reduced to its words.
type Examples map[string]bool

// Add adds the examples of a prompt: lines that are JSON objects and follow a line about an
// example, or another one of them.
func (e Examples) Add(prompt string) {
	announced := false
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		var v map[string]any
		switch {
		case line == "":
		case announced && line[0] == '{' && json.Unmarshal([]byte(line), &v) == nil:
			e.add(v)
		default:
			announced = strings.Contains(line, "xample")
		}
	}
}

func (e Examples) add(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, in := range v {
			e.add(in)
		}
	case []any:
		for _, in := range v {
			e.add(in)
		}
	case string:
		if words := plainWords(v); strings.Count(words, " ") >= leastCopied-1 {
			e[words] = true
		}
	}
}

// Drop removes from an answer the items of lists that are copied from an example, or have a text
// that is. It returns the answer and a copied text that is left in it, "" if there is none.
func (e Examples) Drop(v any) (kept any, copied string) {
	if len(e) == 0 {
		return v, ""
	}
	switch x := v.(type) {
	case map[string]any:
		for name, in := range x {
			var one string
			if x[name], one = e.Drop(in); one != "" {
				copied = one
			}
		}
	case []any:
		items := x[:0]
		for _, in := range x {
			if in, one := e.Drop(in); one == "" {
				items = append(items, in)
			}
		}
		return items, ""
	case string:
		if e[plainWords(x)] {
			return x, x
		}
	}
	return v, copied
}

// plainWords are the words of a text in small letters.
func plainWords(s string) string {
	var list []string
	for _, word := range text.Words(strings.ToLower(s)) {
		list = append(list, word)
	}
	return strings.Join(list, " ")
}
