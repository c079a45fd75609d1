package scenes

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A bullet is left out while all its messages are in the prompt; bullets that the user has written
// or brought back never are.
func TestTell_BulletsWaitForTheirMessages(t *testing.T) {
	place := func(id storage.NodeID, depth int) storage.NodeInfo { return storage.NodeInfo{ID: id, Depth: depth} }
	r := storage.Recap{Text: "## Key Developments\n- Clara sold the boat.\n- The mill is shut.\n\n## Pending Threads\n- Robin owes Piet a crown.\n- Robin is Piet's friend.",
		Sources: []storage.Source{{Bullet: "Clara sold the boat.", Messages: []storage.NodeID{"a", "b"}},
			{Bullet: "The mill is shut.", Messages: []storage.NodeID{"b", "c"}}, {Bullet: "Robin owes Piet a crown.", Messages: []storage.NodeID{"c"}}}}
	te := recapViewer{places: map[storage.NodeID]storage.NodeInfo{"a": place("a", 2), "b": place("b", 6), "c": place("c", 9)}}
	told := func(r storage.Recap, first int) (string, int) {
		text, said := te.outsideWindow(visibleRecap{Recap: r, text: r.Text}, first)
		var got []string
		for line := range strings.Lines(text) {
			if b, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
				got = append(got, b)
			}
		}
		return strings.Join(got, " "), said
	}
	for first, want := range map[int]string{
		0:  "",
		2:  "Robin is Piet's friend.", // without a known message
		3:  "Clara sold the boat. Robin is Piet's friend.",
		7:  "Clara sold the boat. The mill is shut. Robin is Piet's friend.",
		10: "Clara sold the boat. The mill is shut. Robin owes Piet a crown. Robin is Piet's friend.",
	} {
		if got, said := told(r, first); got != want || (said == 0) != (first == 10) {
			t.Errorf("from %d on: %q, %d said", first, got, said)
		}
	}
	r.Sources[2].UserEdit = storage.BulletRestored
	if got, _ := told(r, 2); got != "Robin owes Piet a crown. Robin is Piet's friend." {
		t.Errorf("of what was brought back there is left %q", got)
	}
	r.Origin = storage.Edited
	if got, said := told(r, 2); said != 0 {
		t.Errorf("of the user's words there is left %q", got)
	}
}
