package formats

import (
	"encoding/json"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mirror repeats edits in the character_book that a World Info book contains if it was converted
// from one, because SillyTavern exports that one.
func (w *bookWriter) mirror(doc *bookDocument, entries []storage.LoreEntry, sources []rawEntry) {
	data, list, at := originalEntries(&doc.book)
	if len(list) == 0 {
		return
	}
	there := bookWriter{format: FormatCharacterBook, b: w.b}
	there.ctx = &bookContext{family: FormatCharacterBook, counts: map[string]int{}}
	changed := false
	for i := range entries {
		j, ok := at[entries[i].UID]
		if !ok || len(sources[i].raw) == 0 {
			continue
		}
		var old loreEntry
		w.ctx.read(sources[i].raw, i, &old)
		m := entryMerge{w: &there, now: &entries[i], old: &old, uid: entries[i].UID}
		m.dropDerivedName(&old)
		o, ok := parseObject(list[j])
		if !ok || m.unchanged() {
			continue
		}
		m.o = o
		list[j] = m.result()
		changed = true
	}
	if changed {
		data.set("entries", encodeList(list))
		doc.book.set("originalData", json.RawMessage(data.encode()))
	}
}

// originalEntries returns the entries of the character_book in a World Info book, and the position
// of each UID in their list.
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
