package lore_test

import (
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	enginelore "github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

func TestGolden_LoreTaught(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.see("blue boat", "2 · The Next").press("esc").see("BROWSE")
	list := []enginelore.SceneChange{
		{Name: "Aksel", Facts: []string{"left a notebook(under the lamp)", "slept in the lighthouse for a week"}},
		{Name: "The cave", New: true, Facts: []string{"under the north cliff"}},
	}
	s.in(func(_ *tui.Screen, r *lore.Part) tea.Cmd {
		cmd, stands := r.Offer(1, "scene break removed", len(list))
		if !stands {
			t.Error("the offer does not stand")
		}
		return cmd
	})
	s.see("(2 entries)").Now()
	s.look(func(r *lore.Part) { r.OpenTaught(1, list) })
	s.see("left a notebook").silent().golden("lore-taught")
	s.press("esc").notSee("left a notebook")
}

func TestTaught_NothingToTakeBack(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").press("esc", "alt+b").see("this scene is still open")
	s.press("g", "alt+b").see("has no lorebook changes to undo")
	s.silent().press("alt+s").see("Scenes", " tokens").press("g", "alt+b").see("scene 1 has no lorebook changes to undo")
	s.press("G", "alt+b").see("this scene is still open")
}

func TestTaught_TakenBackIsUndone(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane()
	var undone atomic.Int32
	chat := s.Chat().Chat.ID
	s.look(func(r *lore.Part) {
		r.SetTaken(chat, pane.UndoStep{Text: "lorebook changes from scene 1 undone", Back: func() error { undone.Add(1); return nil }})
	})
	s.press("u").see("undone: lorebook changes from scene 1").press("u").see("nothing to undo")
	if n := undone.Load(); n != 1 {
		t.Errorf("undone %d times", n)
	}
	s.look(func(r *lore.Part) {
		r.SetTaken("another chat", pane.UndoStep{Text: "what another taught", Back: func() error { undone.Add(1); return nil }})
	})
	s.silent().press("u").see("nothing to undo")
	if n := undone.Load(); n != 1 {
		t.Errorf("undone %d times, once in another chat", n)
	}
}

func TestOffered_Words(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 200, H: 30, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.see("blue boat", "2 · The Next")
	for i, key := range []string{"esc alt+b", "alt+b", "alt+b"} {
		switch keys.Mode(1) << i {
		case keys.Browse:
			s.press("esc").see("BROWSE")
		case keys.Pane:
			s.press("alt+l").see("No lorebooks yet")
		}
		s.in(func(_ *tui.Screen, r *lore.Part) tea.Cmd { cmd, _ := r.Offer(0, "", 1); return cmd })
		s.see("has a new recap · lorebook changes from the old one are kept (1 entry) · " + key + " undoes them").silent()
	}
}
