package ecosystem

import (
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sourceLayout is the note that a kept document has in the place of its entries: how
// they stood, and what the book was called when it did not say.
type sourceLayout struct {
	List  bool           `json:"list,omitempty"`
	Name  string         `json:"name,omitempty"`
	Keys  map[string]int `json:"keys,omitempty"`  // the uids of entries that stood under another name
	Order []int          `json:"order,omitempty"` // the uids as the entries stood, where that was not by uid
	Given []int          `json:"given,omitempty"` // uids of entries that said none and whose place does not tell it
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

// noteUIDs notes what the uids that entries have do not tell of the file. Where
// entries had a uid twice those that were made up have to be written, because the
// file that is written is read otherwise.
func (s *sourceLayout) noteUIDs(entries []storage.LoreEntry, from []rawEntry, uids []int) {
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

// ordered is entries as they stood in the file, those that did not behind them.
func (s *sourceLayout) ordered(entries []storage.LoreEntry) []storage.LoreEntry {
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
