package formats

import (
	"encoding/json"
	"strconv"
	"strings"
)

// defaultTalkativeness is used for cards without a value.
const defaultTalkativeness = 0.5

// Talkativeness returns how often a character speaks in a group, from 0 to 1, by the extension of
// its card's document.
func Talkativeness(source json.RawMessage) float64 {
	s, odd := looseString(extension(source, "talkativeness"))
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || odd == "boolean" || f != f {
		return defaultTalkativeness
	}
	return min(max(f, 0), 1)
}

// extension returns a member of a card's extensions, nil if there is none.
func extension(source json.RawMessage, key string) json.RawMessage {
	o, err := parseKept(source)
	if err != nil {
		return nil
	}
	if data, ok := parseObject(o.get("data")); ok {
		o = data
	}
	ext, _ := parseObject(o.get("extensions"))
	return ext.get(key)
}
