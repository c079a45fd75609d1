package scenes_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// withDropped is a harness whose running recap has left a fact out.
func withDropped(t *testing.T) (*enginetest.Harness, storage.RecapID) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("Look around.", "Piet owes ten crowns.")
	_, err := s.Scenes.SetBreak(s.Chat, ids[1], true)
	enginetest.Must(t, err)
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: ids[1], Kind: storage.RunningRecap, Text: "## Key Developments\n\n- Jon has the key",
		Dropped: []storage.DroppedBullet{{Heading: "Current Situation", Bullet: "Piet owes ten crowns", Why: "not important", Messages: ids[1:]}, {Heading: "Key Developments", Bullet: "Jon has the key", Why: "told"}}}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		if err := storage.RunningRecaps.Put(tx, s.Chat, r); err != nil {
			return err
		}
		b, err := storage.Breaks.Get(tx, s.Chat, ids[1])
		if err != nil {
			return err
		}
		b.Running = r.ID
		end := storage.StatementEnd{Text: "Piet owes ten crowns", End: storage.End{Kind: storage.Outdated, Mention: storage.Mention{Chat: s.Chat, At: s.Now()}}}
		if err := scenes.PutStatementEnds(tx, s.Chat, []storage.StatementEnd{end}); err != nil {
			return err
		}
		return storage.Breaks.Put(tx, s.Chat, b)
	}))
	return s, r.ID
}

func TestBringBack(t *testing.T) {
	s, id := withDropped(t)
	line, err := s.Scenes.RestoreDropped(s.Chat, id, 0)
	enginetest.Must(t, err)
	v := s.RunningNow().Version()
	if line != "Piet owes ten crowns" || !strings.Contains(v.Text, "## Key Developments\n\n- Jon has the key\n") || !strings.Contains(v.Text, "- Piet owes ten crowns") {
		t.Errorf("%q:\n%s", line, v.Text)
	}
	if scene.UserMark(v.Recap, line) != storage.BulletRestored || len(scene.SourcesOf(v.Recap, line)) != 1 {
		t.Errorf("%+v", v.Sources)
	}
	p, err := s.Play.Prompt(s.Context(), s.Chat, "")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, e := range scenes.StatementEnds(tx, s.Chat) {
			if !e.Undone {
				t.Errorf("it is over still: %+v; %d messages", e, len(p.Messages))
			}
		}
		return nil
	}))
	for _, bad := range []int{0, 1, 2, -1} { // it is there, that too, and there is no such
		if _, err := s.Scenes.RestoreDropped(s.Chat, id, bad); err == nil {
			t.Errorf("%d was brought back", bad)
		}
	}
	s.Sound()
}
