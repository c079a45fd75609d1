package tui

import (
	"strings"
	"sync/atomic"
	"testing"

	"ghostlight/engine/lore"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

func TestGolden_LoreTaught(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat", "2 · The Next").press("esc").see("BROWSE")
	list := []lore.Taught{
		{Name: "Aksel", Facts: []string{"left a notebook(under the lamp)", "slept in the lighthouse for a week"}},
		{Name: "The cave", New: true, Facts: []string{"under the north cliff"}},
	}
	s.in(func(a *app) {
		sc := a.scenes.List[1]
		a.send2(a.offered(a.view.Chat.ID, sc, "the break is gone", len(list)))
		if o := a.toasts.offer; o.brk != sc.Break || o.notice != a.notice.id {
			t.Errorf("%+v", o)
		}
	})
	s.see("(2 entries)").now()
	s.in(func(a *app) {
		sc := a.scenes.List[1]
		a.dialogs.Open(newTaughtSheet(a, a.view.Chat.ID, sc.Break, sceneTitle(sc), list))
	})
	s.see("left a notebook").hush().golden("lore-taught")
	s.press("esc").notSee("left a notebook")
}

func TestLoreTaught_NothingToTakeBack(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("esc", "alt+b").see("this scene is still open")
	s.press("g", "alt+b").see("has taught the lorebooks nothing")
	s.hush().press("alt+s").see("Scenes", " tokens").press("g", "alt+b").see("scene 1 has taught the lorebooks nothing")
	s.press("G", "alt+b").see("this scene is still open")
}

func TestLoreTaught_TakenBackIsUndone(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withBooks(t)})
	s.openLorePane()
	var undone atomic.Int32
	s.in(func(a *app) {
		back := func() error { undone.Add(1); return nil }
		a.toasts.taken = takenBack{a.view.Chat.ID, desk.UndoStep{Words: "what scene 1 taught was taken back", Back: back}}
	})
	s.press("u").see("undone: what scene 1 taught").press("u").see("nothing was changed here")
	if n := undone.Load(); n != 1 {
		t.Errorf("undone %d times", n)
	}
	s.in(func(a *app) {
		a.toasts.taken = takenBack{"another chat", desk.UndoStep{Words: "what another taught", Back: func() error { undone.Add(1); return nil }}}
	})
	s.hush().press("u").see("nothing was changed here")
	if n := undone.Load(); n != 1 {
		t.Errorf("undone %d times, once in another chat", n)
	}
}

func TestOffered_Words(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 200, h: 30, prepare: withStory(t, harbour, true)})
	s.see("blue boat", "2 · The Next")
	for mode, key := range map[keys.Mode]string{keys.Write: "esc alt+b", keys.Browse: "alt+b", keys.Pane: "alt+b"} {
		s.in(func(a *app) {
			a.mode = mode
			a.offered(a.view.Chat.ID, a.scenes.List[0], "", 1)
			if !strings.HasSuffix(a.notice.text, "has another recap · what those before taught the lorebooks stays (1 entry) · "+key+" takes it back") {
				t.Error(a.notice.text)
			}
		})
	}
}
