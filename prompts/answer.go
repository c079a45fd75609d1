package prompts

import (
	"encoding/json"
	"slices"
	"strings"
)

// Models rename the fields of a JSON object that they were asked for, and give lists instead of
// texts. These functions accept that as it was meant.

var plainName = strings.NewReplacer("_", "", "-", "", " ", "")

// PlainName returns the name of a field, or an enum value, in lower case, without underscores,
// dashes and blanks.
func PlainName(name string) string { return plainName.Replace(strings.ToLower(name)) }

// Object decodes a JSON object of an answer, by the plain names of its fields. It returns nil for
// null.
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

// Text decodes a text of an answer; it joins a list of texts with commas, and returns "" for
// anything else.
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
