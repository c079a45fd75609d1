package prompts

import (
	"encoding/json"
	"slices"
	"strings"
)

// Models give the fields of a JSON object other names than they were asked for, and
// lists for texts. What reads their answers takes that as it was meant.

var plainName = strings.NewReplacer("_", "", "-", "", " ", "")

// PlainName is the name of a field, or a word of a list, without case and signs.
func PlainName(name string) string { return plainName.Replace(strings.ToLower(name)) }

// Object reads a JSON object of an answer; its fields go by their plain names. It is
// nil for null.
func Object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		return nil, err
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names) // of two with one plain name, always the same wins
	plain := make(map[string]json.RawMessage, len(m))
	for _, name := range names {
		plain[PlainName(name)] = m[name]
	}
	return plain, nil
}

// Text reads a text of an answer; a list of texts is one with commas, and anything
// else is "".
func Text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, ", ")
	}
	return ""
}
