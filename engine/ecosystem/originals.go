package ecosystem

import (
	"encoding/json"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mirror repeats edits in the character_book that a World Info book made of one
// carries along, so that a program that exports from there exports them too.
func (w *bookWriter) mirror(doc *bookDocument, entries []storage.LoreEntry, sources []rawEntry) {
	data, list, at := originalEntries(&doc.book)
	if len(list) == 0 {
		return
	}
	there := bookWriter{format: FormatCharacterBook, b: w.b}
	there.ctx = &bookContext{family: FormatCharacterBook, told: map[string]int{}}
	changed := false
	for i := range entries {
		j, ok := at[entries[i].UID]
		if !ok || len(sources[i].raw) == 0 {
			continue
		}
		var old loreEntry
		w.ctx.read(sources[i].raw, i, &old)
		m := entryMerge{w: &there, now: &entries[i], old: &old, uid: entries[i].UID}
		m.unname(&old)
		o, ok := parseObject(list[j])
		if !ok || m.unchanged() {
			continue
		}
		m.o = o
		list[j] = m.merged()
		changed = true
	}
	if changed {
		data.set("entries", encodeList(list))
		doc.book.set("originalData", json.RawMessage(data.encode()))
	}
}

// originalEntries are the entries of the character_book within a World Info
// book, with the place of each uid in their list.
func originalEntries(book *object) (data object, list []json.RawMessage, at map[int]int) {
	data, _ = parseObject(book.get("originalData"))
	list, _ = elements(data.get("entries"), MaxBookEntries)
	at = make(map[int]int, len(list))
	for i, raw := range list {
		o, _ := parseObject(raw)
		if id := readUID(o.get("id")); id >= 0 {
			at[id] = i
		} else if _, taken := at[i]; !taken {
			at[i] = i
		}
	}
	return data, list, at
}
