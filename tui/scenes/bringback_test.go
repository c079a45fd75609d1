package scenes_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// A fact that a version has left out is chosen from a list, and is back.
func TestRecap_BringsBack(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Config: withoutAutoRecap, Prepare: func(e *engine.Engine) {
		chat := tuitest.NewChat(t, e)
		v, err := e.Play.View(chat, 0)
		if err != nil {
			t.Fatal(err)
		}
		at := v.Messages[len(v.Messages)-1].ID
		if _, err := e.Scenes.SetBreak(chat, at, true); err != nil {
			t.Fatal(err)
		}
		err = e.Core().Store.Update(func(tx *storage.Tx) error {
			r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Kind: storage.RunningRecap, Text: "## Key Developments\n\n- Jon has the key",
				Dropped: []storage.DroppedBullet{{Heading: "Pending Threads", Bullet: "Piet owes ten crowns", Why: "not important"}}}
			if err := storage.RunningRecaps.Put(tx, chat, r); err != nil {
				return err
			}
			b, err := storage.Breaks.Get(tx, chat, at)
			if err != nil {
				return err
			}
			b.Running = r.ID
			return storage.Breaks.Put(tx, chat, b)
		})
		if err != nil {
			t.Fatal(err)
		}
	}})
	s.Press("alt+r").See("Left out of this version", "Piet owes", "A restore").Golden("bringback-pane")
	s.Press("A").See("Restore a fact", "not important").Golden("bringback").Press("enter")
	s.See("is restored in the running recap").Press("G").See("Restored by you").NotSee("Left out of this version")
	s.Press("A").NotSee("Restore a fact")
}
