package scenes

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Of a bullet with several statements those wait that a message in the prompt still says.
func TestTell_StatementsWaitForTheirMessages(t *testing.T) {
	place := func(id storage.NodeID, depth int) storage.Place { return storage.Place{ID: id, Depth: depth} }
	r := storage.Recap{Text: "## Key Developments\n- Clara sold the boat. Piet found the map of Arle.\n- The mill is shut. The well is dry.\n\n## Pending Threads\n- Robin owes Piet a crown.",
		Sources: []storage.Source{{Bullet: "Clara sold the boat. Piet found the map of Arle.", Messages: []storage.NodeID{"a", "b"}},
			{Bullet: "The mill is shut. The well is dry.", Messages: []storage.NodeID{"a", "b", "c"}}, {Bullet: "Robin owes Piet a crown.", Messages: []storage.NodeID{"c"}}}}
	te := teller{places: map[storage.NodeID]storage.Place{"a": place("a", 2), "b": place("b", 6), "c": place("c", 9)},
		says: map[string][]storage.NodeID{"Clara sold the boat.": {"a"}, "Piet found the map of Arle.": {"b"}, "The mill is shut.": {"b"}, "The well is dry.": {"c"}}}
	for first, want := range map[int]string{
		3:  "Clara sold the boat.",
		7:  "Clara sold the boat. Piet found the map of Arle.; The mill is shut.",
		10: "Clara sold the boat. Piet found the map of Arle.; The mill is shut. The well is dry.; Robin owes Piet a crown.",
	} {
		text, said := te.tell(telling{Recap: r, text: r.Text}, first)
		var got []string
		for line := range strings.Lines(text) {
			if b, is := strings.CutPrefix(strings.TrimSpace(line), "- "); is {
				got = append(got, b)
			}
		}
		if strings.Join(got, "; ") != want || (said == 0) != (first == 10) {
			t.Errorf("from %d on: %q, %d said", first, got, said)
		}
	}
	// What the user has written is told as it stands.
	r.Origin = storage.Edited
	if text, _ := te.tell(telling{Recap: r, text: r.Text}, 3); !strings.Contains(text, "Piet found the map") {
		t.Errorf("of the user's words there is left\n%s", text)
	}
}
