package ecosystem

import (
	"encoding/json"
	"strconv"
	"strings"
)

// usualTalk is how much somebody likes to talk whose card does not say.
const usualTalk = 0.5

// Talkativeness is how much a character likes to talk in a group, from 0 to 1, by the
// extension of its card's document.
func Talkativeness(source json.RawMessage) float64 {
	s, odd := loose(extension(source, "talkativeness"))
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || odd == "boolean" || f != f {
		return usualTalk
	}
	return min(max(f, 0), 1)
}

// extension is a field of a card's extensions, nil where there is none.
func extension(source json.RawMessage, key string) json.RawMessage {
	o, err := kept(source)
	if err != nil {
		return nil
	}
	if data, ok := parseObject(o.get("data")); ok {
		o = data
	}
	ext, _ := parseObject(o.get("extensions"))
	return ext.get(key)
}
