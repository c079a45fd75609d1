package ecosystem

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sourceLayout is the note that a kept document has in the place of its entries: how
// they stood, and what the book was called when it did not say.
type sourceLayout struct {
	list  bool
	bare  bool
	name  string
	keys  object // by uid, the names of entries that stood under another
	order []int  // the uids as the entries stood, where that was not by uid
	given []int  // uids of entries that said none and whose place does not tell it
}

func (s *sourceLayout) encode() json.RawMessage {
	var o object
	if s.list {
		o.set("list", json.RawMessage("true"))
	}
	if s.bare {
		o.set("bare", json.RawMessage("true"))
	}
	if s.name != "" {
		o.set("name", quoted(s.name))
	}
	if len(s.keys.members) > 0 {
		o.set("keys", s.keys.encode())
	}
	if len(s.order) > 0 {
		o.set("order", rawInts(s.order))
	}
	if len(s.given) > 0 {
		o.set("given", rawInts(s.given))
	}
	return o.encode()
}

func readLayout(raw json.RawMessage) sourceLayout {
	o, ok := parseObject(raw)
	if !ok {
		return sourceLayout{list: len(raw) > 0 && raw[0] == '['}
	}
	s := sourceLayout{list: truth(o.get("list")), bare: truth(o.get("bare"))}
	s.name, _ = loose(o.get("name"))
	_ = eachMember(o.get("keys"), MaxBookEntries, func(name []byte, raw json.RawMessage) {
		key, _ := text(name)
		s.keys.append(member{key, name, raw})
	})
	s.order, s.given = readInts(o.get("order")), readInts(o.get("given"))
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
			s.given = append(s.given, entries[i].UID)
		}
		twice = twice || uids[i] >= 0 && uids[i] != entries[i].UID
	}
	if twice {
		s.given = nil
	}
	if slices.IsSortedFunc(entries, func(a, b storage.LoreEntry) int { return a.UID - b.UID }) {
		return
	}
	s.order = make([]int, len(entries))
	for i := range entries {
		s.order[i] = entries[i].UID
	}
}

// ordered is entries as they stood in the file, those that did not behind them.
func (s *sourceLayout) ordered(entries []storage.LoreEntry) []storage.LoreEntry {
	if len(s.order) == 0 {
		return entries
	}
	places := make(map[int]int, len(s.order))
	for i, uid := range s.order {
		places[uid] = i
	}
	at := func(e *storage.LoreEntry) int {
		if place, ok := places[e.UID]; ok {
			return place
		}
		return len(s.order)
	}
	out := slices.Clone(entries)
	slices.SortStableFunc(out, func(a, b storage.LoreEntry) int { return at(&a) - at(&b) })
	return out
}

func rawInts(list []int) json.RawMessage {
	out := []byte{'['}
	for i, n := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(n), 10)
	}
	return append(out, ']')
}

func readInts(raw json.RawMessage) []int {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	list, _ := elements(raw, MaxBookEntries)
	out := make([]int, 0, len(list))
	for _, one := range list {
		if n, err := strconv.Atoi(string(one)); err == nil {
			out = append(out, n)
		}
	}
	return out
}
