package lore_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	enginelore "github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
)

// showWhy opens the view of the next turn and puts an activation into it.
func (s *session) showWhy(act enginelore.Activation) *session {
	s.T().Helper()
	s.openView(keys.LoreWhy)
	s.until("the next turn", (*lore.Part).WhyReady)
	s.look(func(r *lore.Part) { r.FillWhy(act) })
	return s
}

func TestGolden_LoreWhy(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").typeText("I climb to the lighthouse").showWhy(lore.SampleActivation())
	s.see("Triggered now").goldenAfter("lore-why", []string{"g"}).goldenStyled("lore-why")
	s.press("g", "j", "enter").see("Content").golden("lore-why-trace")
	s.press("esc").notSee("Content").press("G").goldenAfter("lore-why-end", []string{"G"}, tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

func TestGolden_LoreWhyNothing(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showWhy(enginelore.Activation{})
	s.see("No lorebook is enabled").golden("lore-why-nothing")
}

// Keys on rows do what the foot says.
func TestWhy_Keys(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	act := lore.SampleActivation()
	at := s.Chat().Messages
	act.Triggered[1].Hits = []activation.Hit{{Key: "lighthouse", Message: at[4].ID, Back: 5}, {Key: "Aksel", Message: at[2].ID, Back: 7}, {Key: "aksel", Message: at[2].ID, Back: 7}}
	act.Pinned[0].At = at[6].ID
	s.see("blue boat").showWhy(act)
	chosen := func() int { n, _ := s.selected(); return n }
	s.press("g", "S").see("always in the prompt")
	s.press("j", "S").see("message 1 of 2")
	if n := chosen(); n != 4 {
		t.Errorf("message %d is selected", n)
	}
	s.press("S").see("message 2 of 2")
	if n := chosen(); n != 2 {
		t.Errorf("message %d is selected", n)
	}
	s.press("S").see("message 1 of 2").press("j", "S").see("recursion: Lighthouse")
	s.press("j", "j", "S").see("inserted before this message")
	if n := chosen(); n != 6 {
		t.Errorf("message %d is selected", n)
	}
	s.press("enter").see("active from an earlier turn", "message 7").press("esc").notSee("earlier turn ·")
	s.press("j", "enter").see("triggered, cut by the budget", "Skarvik (global)").press("esc")
	s.press("g", "j", "enter").see("triggers", "(5): “").press("S").see("a key matched here").notSee("Content")
	s.press("W").see("the lorebooks enabled in this chat have no entries")
}

// The next turn is computed with the composer's text.
func TestWhy_FollowsTheComposer(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showWhy(enginelore.Activation{})
	s.see("current chat").press("esc").typeText("The lighthouse").see("including your unsent message")
	s.until("the turn with all of the text", func(r *lore.Part) bool { return r.WhyText() == "The lighthouse" })
}

func TestWhy_LateAnswer(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showWhy(lore.SampleActivation())
	s.look(func(r *lore.Part) {
		if r.WhyLate() != 4 {
			t.Error("a late answer was taken")
		}
	})
}

func TestWhy_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	act := lore.SampleActivation()
	for i := range act.Triggered {
		tr := &act.Triggered[i]
		tr.Entry.Name, tr.Entry.Content, tr.Text, tr.Reason, tr.BookName = tuitest.Evil, tuitest.Evil, strings.Repeat(tuitest.Evil, 50), tuitest.Evil, tuitest.Evil
		tr.Entry.Keys, tr.Path, tr.Group = []string{tuitest.Evil, tuitest.Evil}, []string{tuitest.Evil}, tuitest.Evil
		tr.Hits = []activation.Hit{{Key: tuitest.Evil, Where: tuitest.Evil, Back: -1}}
	}
	act.Pinned[0].Name, act.Pinned[0].Reason, act.Pinned[0].Book = tuitest.Evil, tuitest.Evil, tuitest.Evil
	s.see("blue boat").showWhy(act)
	s.press("g", "enter").see("because")
	for _, d := range []tuitest.Size{{W: 1, H: 1}, {W: 7, H: 4}, {W: 20, H: 8}, {W: 40, H: 12}, {W: 80, H: 24}, {W: 200, H: 60}} {
		s.Size(d.W, d.H)
		s.press("esc", "j", "enter").Now()
	}
	tuitest.Scan(t, s.Written())
}

func TestWhy_Mouse(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showWhy(lore.SampleActivation())
	y := -1
	for i, l := range strings.Split(s.see("Rumours").Now(), "\n") {
		if strings.Contains(l, "Rumours") {
			y = i
		}
	}
	s.Send(tea.MouseClickMsg{X: 100, Y: y, Button: tea.MouseLeft})
	chosen := func(want storage.EntryID) {
		t.Helper()
		s.look(func(r *lore.Part) {
			if id, _ := r.WhyRow(); id != want {
				t.Errorf("row %s is chosen", id)
			}
		})
	}
	chosen("e6")
	s.Send(tea.MouseWheelMsg{X: 100, Y: y, Button: tea.MouseWheelDown})
	chosen("e7")
}
