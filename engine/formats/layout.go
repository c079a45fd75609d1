package formats

import (
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sourceLayout is the note in place of the entries of a stored document: their layout, and the
// name of a book that had none.
type sourceLayout struct {
	List  bool           `json:"list,omitempty"`
	Name  string         `json:"name,omitempty"`
	Keys  map[string]int `json:"keys,omitempty"`  // the UIDs of entries that were stored under another name
	Order []int          `json:"order,omitempty"` // the UIDs in the order of the entries, if that was not by UID
	// Given are the UIDs of entries that had none and whose position does not determine it.
	Given []int `json:"given,omitempty"`
}

func (s *sourceLayout) encode() json.RawMessage {
	out, _ := json.Marshal(s) // numbers and texts always encode
	return out
}

func readLayout(raw json.RawMessage) (s sourceLayout) {
	if len(raw) > 0 && raw[0] == '[' {
		s.List = true
		return s
	}
	_ = json.Unmarshal(raw, &s) // it was written by encode
	return s
}

// setUIDs records the UIDs that cannot be derived from the file. If UIDs were duplicated, the
// assigned ones have to be written, because the written file is read in another order.
func (s *sourceLayout) setUIDs(entries []storage.LoreEntry, from []rawEntry, uids []int) {
	twice := false
	for i := range entries {
		implied := i
		if from[i].name != nil {
			implied = nameUID(from[i].name)
		}
		if uids[i] < 0 && implied != entries[i].UID {
			s.Given = append(s.Given, entries[i].UID)
		}
		twice = twice || uids[i] >= 0 && uids[i] != entries[i].UID
	}
	if twice {
		s.Given = nil
	}
	if slices.IsSortedFunc(entries, func(a, b storage.LoreEntry) int { return a.UID - b.UID }) {
		return
	}
	s.Order = make([]int, len(entries))
	for i := range entries {
		s.Order[i] = entries[i].UID
	}
}

// inFileOrder returns entries in the order of the file, and new ones after them.
func (s *sourceLayout) inFileOrder(entries []storage.LoreEntry) []storage.LoreEntry {
	if len(s.Order) == 0 {
		return entries
	}
	places := make(map[int]int, len(s.Order))
	for i, uid := range s.Order {
		places[uid] = i
	}
	at := func(e *storage.LoreEntry) int {
		if place, ok := places[e.UID]; ok {
			return place
		}
		return len(s.Order)
	}
	out := slices.Clone(entries)
	slices.SortStableFunc(out, func(a, b storage.LoreEntry) int { return at(&a) - at(&b) })
	return out
}
