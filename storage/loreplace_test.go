package storage

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Positions and logics are stored as words. Entries that earlier versions stored with numbers
// read as the same, and numbers without a word come back as they are.
func TestLoreEntry_WordsForNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry       LoreEntry
		stored, old string
	}{
		{LoreEntry{Name: "Inn"}, `{"name":"Inn"}`, `{"name":"Inn","logic":0,"position":0}`},
		{LoreEntry{Logic: NotAny, Position: AtDepth}, `{"logic":"not_any","position":"at_depth"}`, `{"logic":2,"position":4}`},
		{LoreEntry{Logic: AndAll, Position: Outlet}, `{"logic":"and_all","position":"outlet"}`, `{"logic":3,"position":7}`},
		{LoreEntry{Logic: -1, Position: 9}, `{"logic":"-1","position":"9"}`, `{"logic":-1,"position":9}`},
	} {
		err := encoded(c.entry, func(data []byte) error {
			if string(data) != c.stored {
				t.Errorf("stored as %s, want %s", data, c.stored)
			}
			for _, text := range []string{string(data), c.old} {
				var back LoreEntry
				if err := json.Unmarshal([]byte(text), &back); err != nil {
					return err
				}
				if d := cmp.Diff(c.entry, back); d != "" {
					t.Errorf("%s: %s", text, d)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{`"above"`, `""`, `1.5`, `[4]`, `true`} {
		if err := json.Unmarshal([]byte(`{"position":`+bad+`}`), &LoreEntry{}); err == nil {
			t.Errorf("the position %s is taken", bad)
		}
	}
	e := LoreEntry{Position: Outlet}
	if err := json.Unmarshal([]byte(`{"position":null}`), &e); err != nil || e.Position != Outlet {
		t.Errorf("null: position %d, %v", e.Position, err)
	}
}
