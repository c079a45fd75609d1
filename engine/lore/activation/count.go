package activation

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Count is the result of searching several texts for a key, one by one.
type Count struct {
	Texts int    // it was found in
	Of    int    // it was looked for in: fewer than all if that takes too long
	First int    // the first text that has it, -1 for none
	Fault string // why it is no longer looked for
}

// KeyFault returns the fault of a key that can never match, "" for any other key.
func KeyFault(key string) string {
	sp, ok, fault := parseKey(key, false, false)
	if !ok || fault != "" {
		return fault
	}
	_, fault = newPattern(sp)
	return fault
}

// CountKeys returns for each primary key of each entry how often it is found in texts. Macros in
// keys are not expanded. Searching for regexes takes at most spent.
func CountKeys(entries []storage.LoreEntry, s Settings, texts []string, spent time.Duration) [][]Count {
	b := compileBook(Book{Entries: entries}, s)
	keys := b.compileKeys(s, b.macros)
	counts := make([]Count, len(keys.patterns))
	for id := range counts {
		counts[id].First = -1
	}
	until := time.Now().Add(spent)
	for n, text := range texts {
		add := func(id int32, found bool, fault string) {
			c := &counts[id]
			c.Fault = fault
			if !found {
				return
			}
			if c.Texts++; c.Texts == 1 {
				c.First = n
			}
		}
		for _, id := range append(keys.find(text), keys.always...) {
			p := keys.patterns[id]
			if !p.tried {
				add(id, true, "")
				continue
			}
			if counts[id].Fault != "" || time.Now().After(until) {
				continue
			}
			found, err := p.find(text)
			if err != nil {
				add(id, false, err.Error())
			} else {
				add(id, found, "")
			}
		}
		if time.Now().Before(until) {
			for id := range counts {
				counts[id].Of = n + 1
			}
		}
	}
	out := make([][]Count, len(entries))
	for i := range entries {
		for _, id := range keys.ids[i][:len(entries[i].Keys)] {
			c := Count{First: -1}
			if id >= 0 {
				c = counts[id]
			}
			out[i] = append(out[i], c)
		}
	}
	return out
}
