package ecosystem

import (
	"encoding/json"

	"ghostlight/storage"
)

// mirror repeats edits in the character_book that a World Info book made of one
// carries along, so that a program that exports from there exports them too.
func (w *bookWriter) mirror(doc *bookDocument, entries []storage.LoreEntry, sources []rawEntry) {
	data, ok := parseObject(doc.book.get("originalData"))
	if !ok {
		return
	}
	list, ok := elements(data.get("entries"), MaxBookEntries)
	if !ok {
		return
	}
	at := make(map[int]int, len(list))
	for i, raw := range list {
		o, _ := parseObject(raw)
		if id := readUID(o.get("id")); id >= 0 {
			at[id] = i
		} else if _, taken := at[i]; !taken {
			at[i] = i
		}
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
		m := entryMerge{w: &there, now: &entries[i], old: &old, uid: entries[i].UID, madeUp: madeUp(old, entries[i].UID)}
		o, ok := parseObject(list[j])
		if !ok || m.unchanged() {
			continue
		}
		m.o = o
		list[j] = m.merged(i)
		changed = true
	}
	if changed {
		data.set("entries", encodeList(list))
		doc.book.set("originalData", json.RawMessage(data.encode()))
	}
}
