package lessons

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// params are the parameters of a call that say which shots and fields it changes.
type params struct {
	shots  []storage.ShotID
	fields []string // of a shot, as fields names them
}

// readParams reads the parameters of a call: shots by ID or by position in the list before it, and
// the fields that are set. Unreadable values are ignored.
func readParams(raw json.RawMessage, before []storage.Shot) (p params) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return p
	}
	for key, value := range object {
		switch key = strings.ToLower(key); key {
		case "shot", "shots", "index", "indexes", "into", "order":
			for _, name := range namesIn(value) {
				at := placeOf(before, name, strings.HasPrefix(key, "index"))
				if at >= 0 && !slices.Contains(p.shots, before[at].ID) {
					p.shots = append(p.shots, before[at].ID)
				}
			}
		default:
			if string(value) != "null" {
				p.fields = append(p.fields, key)
			}
		}
	}
	return p
}

// placeOf finds a shot by its ID, which may lack its letter, or by its position.
func placeOf(list []storage.Shot, name string, byPlace bool) int {
	if byPlace {
		n, err := strconv.ParseFloat(name, 64)
		if err != nil || !(n >= 1 && n <= float64(len(list))) {
			return -1
		}
		return int(n) - 1
	}
	return slices.IndexFunc(list, func(s storage.Shot) bool {
		return strings.EqualFold(name, string(s.ID)) || strings.EqualFold("s"+name, string(s.ID))
	})
}

// namesIn returns the IDs or numbers in a value: one, a list, a text with several, or objects with
// an ID.
func namesIn(raw json.RawMessage) (out []string) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, v := range list {
		text := string(v)
		var object struct{ ID string }
		if json.Unmarshal(v, &object) == nil {
			text = object.ID
		} else if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		out = append(out, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;# \n", r) })...)
	}
	return out
}
