package memory_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What was made of a message ends with the words that the user takes back, and holds
// again when they are written again.
func TestCorrect_AnEditFindsItsCopies(t *testing.T) {
	s := enginetest.NewHarness(t)
	const old, other = "Clara broke her hand at the mill of Vale. It rains.", "Clara sprained her foot at the bridge of Moor. It rains."
	ids := s.Tell("Look around.", old)
	mention := s.MentionAt(s.Chat, ids[1])
	mention.Sources = ids
	s.RemembersBy(mention, "Clara broke her hand at the mill of Vale", "It rains in Moor")
	over := func() (out []string) {
		list, err := s.Memory.Memories(memory.Query{Chat: s.Chat, All: true})
		enginetest.Must(t, err)
		for _, m := range list.List {
			if m.Ended != nil {
				out = append(out, m.Content+"|"+string(m.Ended.Kind)+"|"+m.Ended.Instead)
			}
		}
		return out
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], other))
	if got := over(); len(got) != 1 || got[0] != "Clara broke her hand at the mill of Vale|corrected|Clara sprained her foot at the bridge of Moor." {
		t.Errorf("after the edit: %q", got)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], old))
	if got := over(); len(got) != 0 {
		t.Errorf("edited back: %q", got)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], other))
	if got := over(); len(got) != 1 {
		t.Errorf("edited once more: %q", got)
	}
}

func TestCorrect_LinesOfRecaps(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("Look around.", "Clara broke her hand at the mill of Vale. Jon keeps the key of Moor.")
	s.EndWithoutRecap(ids[1])
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, ids[1])
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Text: "## Key Developments\n\n- Clara broke her hand at the mill of Vale\n- Jon keeps the key of Moor\n"}
		for _, text := range []string{"Clara broke her hand at the mill of Vale", "Jon keeps the key of Moor"} {
			r.Sources = append(r.Sources, storage.Source{Bullet: text, Messages: ids[1:]})
		}
		return s.Scenes.AppendVersion(tx, s.Chat, b, r)
	}))
	ends := func() (out []string) {
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			for _, e := range scenes.StatementEnds(tx, s.Chat) {
				if !e.Undone {
					out = append(out, e.Text)
				}
			}
			return nil
		}))
		return out
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "Clara sprained her foot. Jon keeps the key of Moor."))
	if got := ends(); len(got) != 1 || !strings.Contains(got[0], "broke her hand") {
		t.Errorf("after the edit: %q", got)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "Clara broke her hand at the mill of Vale. Jon keeps the key of Moor."))
	if got := ends(); len(got) != 0 {
		t.Errorf("edited back: %q", got)
	}
	s.Sound()
}
