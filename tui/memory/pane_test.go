package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	enginememory "github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/memory"
)

// paneOf is the open pane.
func paneOf(v *tui.Screen) *memory.Pane { return v.Host().Panes().Current().(*memory.Pane) }

// withMemory opens the memory pane with a story that is not in the store.
func withMemory(t testing.TB, mems []enginememory.MemoryView, hooks []enginememory.HookView, threads []enginememory.Thread) *tuitest.Session {
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+m").See("2 Memories")
	s.Until("what the store has", func() (ok bool) {
		s.In(func(v *tui.Screen) { ok = paneOf(v).List().Loaded })
		return ok
	})
	s.In(func(v *tui.Screen) { paneOf(v).Fill(mems, hooks, threads) })
	return s.Session
}

func TestGolden_Memory(t *testing.T) {
	t.Parallel()
	s := withMemory(t, memory.SomeMemories(), memory.SomeHooks(), memory.SomeThreads())
	s.See("About them").Golden("memory-list").GoldenStyled("memory-list")
	s.Press("v").See("Robin owns").Press("space", "j", "space").See("2 selected").Silent().Golden("memory-all")
	s.Press("esc").NotSee("selected").Press("v", "/").TypeText("robin SIN").See("Ada sings").NotSee("clocks").Press("enter").Silent().Golden("memory-filter")
	s.Press("esc").See("clocks").Press("/").TypeText("zzz").See("No match for").Press("esc").See("clocks")
}

func TestGolden_Hooks(t *testing.T) {
	t.Parallel()
	s := withMemory(t, memory.SomeMemories(), memory.SomeHooks(), memory.SomeThreads())
	s.Press("3").See("audition").Golden("hooks-list").GoldenStyled("hooks-list")
	s.Do("memory-nudge").See("Nudge with this hook").Golden("hooks-nudge", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

func TestGolden_Threads(t *testing.T) {
	t.Parallel()
	s := withMemory(t, memory.SomeMemories(), memory.SomeHooks(), memory.SomeThreads())
	s.Press("tab", "tab").See("The locked door").Golden("threads-list")
	s.Press("tab", "tab").See("clocks").Press("4", "g", "enter").See("not on the current").Press("j", "enter").See("no source message").Press("j", "enter").See("it comes from the running recap")
}

func TestGolden_MemoryEmpty(t *testing.T) {
	t.Parallel()
	s := withMemory(t, nil, nil, nil)
	s.See("No memories yet").Golden("memory-empty")
	s.Press("3").See("No open hooks").Golden("hooks-empty", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("4").See("No open threads").Golden("threads-empty", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	for _, view := range []string{"2", "3", "4"} {
		s.Press(view, "enter", "space", "V", "*", "J", "L", "O", "d", "x", "e", "S", "y", "j", "k", "g", "G", "pgup", "pgdown", "u").See("nothing to undo").Press("v").See("also showing").Silent()
	}
}

func TestGolden_MemoryForms(t *testing.T) {
	t.Parallel()
	s := withMemory(t, memory.SomeMemories(), memory.SomeHooks(), memory.SomeThreads())
	s.Press("e").See("Edit a memory").Golden("memory-form").GoldenStyled("memory-form")
	s.Press("tab", "tab").TypeText("7").Press("ctrl+s").See("a number from 0 to 1").Press("esc", "esc")
	s.Press("n").See("New memory").Press("ctrl+s").See("What to remember must not be empty").Press("esc")
	s.Press("3", "e").See("Edit a hook").Golden("hooks-form")
	s.Press("tab", "tab", "tab", "tab").TypeText("x").Press("ctrl+s").See("whole number").Press("backspace", "tab").TypeText("soon").Press("ctrl+s").See("must be").Press("esc", "esc").NotSee("Edit a hook")
	s.Press("n").See("New hook").Press("ctrl+s").See("What to bring up must not be empty").Press("esc")
}

func TestGolden_MemorySheet(t *testing.T) {
	t.Parallel()
	mems := memory.SomeMemories()
	s := withMemory(t, mems, memory.SomeHooks(), memory.SomeThreads())
	s.In(func(v *tui.Screen) {
		l := paneOf(v).Memories()
		i, _ := l.Chosen()
		m := &l.All()[i]
		here := v.Host().Play().Chat().Chat.ID
		first, _ := v.Host().Play().LastMessage()
		node := first.ID
		old := time.Now().Add(-72 * time.Hour)
		m.Original = "They fix clocks."
		m.Mentions = []enginememory.MentionView{
			{Chat: here, Node: node, Sources: []storage.NodeID{node, "gone"}, Importance: 0.8, At: old},
			{Chat: "another", Node: "n", At: old, Witnesses: []storage.CharacterID{v.Host().Play().Chat().Chat.Character, "x"}},
			{At: old},
		}
	})
	s.Press("enter").See("Sources", "written by you", "a deleted chat", "message 1").Golden("memory-sheet").GoldenStyled("memory-sheet")
	s.Press("enter").See("no source message").Press("tab", "tab", "l").See("2 of 2").Press("l", "enter").See("BROWSE").NotSee("Sources")
}

// A hook's sheet, and what leads away from it.
func TestHook_Sheet(t *testing.T) {
	t.Parallel()
	s := withMemory(t, nil, memory.SomeHooks(), nil)
	s.Press("3", "enter").See("To bring up", "priority 5 of 5").Golden("hooks-sheet", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("s").See("Nudge with this hook").Press("n").NotSee("Nudge with this hook", "To bring up").Press("enter").See("To bring up").Press("e").See("Edit a hook").NotSee("To bring up").Press("esc").NotSee("Edit a hook")
}

// The pane and its dialogs draw themselves at every size.
func TestMemory_EverySize(t *testing.T) {
	t.Parallel()
	s := withMemory(t, memory.SomeMemories(), memory.SomeHooks(), memory.SomeThreads())
	for _, open := range [][]string{{"2"}, {"3"}, {"4"}, {"2", "/"}, {"2", "n"}, {"3", "n"}, {"2", "enter"}, {"3", "enter"}} {
		s.Press(open...)
		if last := open[len(open)-1]; len(open) > 1 {
			s.Until("what "+last+" opens", func() (ok bool) { s.In(func(v *tui.Screen) { ok = v.Dialogs() > 0 }); return ok })
		}
		s.In(func(v *tui.Screen) {
			for w := 1; w <= 64; w += 7 {
				for h := 1; h <= 26; h += 5 {
					v.Update(tea.WindowSizeMsg{Width: w, Height: h})
					v.Paint()
				}
			}
			v.Update(tea.WindowSizeMsg{Width: 140, Height: 40})
			v.Paint()
			v.CloseDialogs()
		})
	}
}

func TestMemory_Mouse(t *testing.T) {
	t.Parallel()
	s := withMemory(t, memory.SomeMemories(), memory.SomeHooks(), memory.SomeThreads())
	s.See("deep water")
	at := func() (key string) {
		s.In(func(v *tui.Screen) { key = paneOf(v).List().Key() })
		return key
	}
	for _, c := range []struct {
		y    int
		want string
	}{{5, "m4"}, {4, "m2"}, {0, "m2"}, {2, "m2"}, {7, "m1"}} {
		s.Send(tea.MouseClickMsg{X: 10, Y: c.y, Button: tea.MouseLeft})
		if got := at(); got != c.want {
			t.Errorf("a click into line %d chooses %s, not %s", c.y, got, c.want)
		}
	}
	view := func() (at int) {
		s.In(func(v *tui.Screen) { at = paneOf(v).At() })
		return at
	}
	for _, c := range []struct{ x, want int }{{3, memory.FactsView}, {30, memory.HooksView}, {45, memory.ThreadsView}, {70, memory.ThreadsView}, {15, memory.MemoriesView}} {
		s.Send(tea.MouseClickMsg{X: c.x, Y: 1, Button: tea.MouseLeft})
		if got := view(); got != c.want {
			t.Errorf("a click at %d of the tabs shows view %d, not %d", c.x, got, c.want)
		}
	}
	s.Send(tea.MouseWheelMsg{X: 10, Y: 8, Button: tea.MouseWheelDown})
	if got := at(); got != "m3" {
		t.Errorf("the wheel chooses %s", got)
	}
}

// Text of memories, hooks and threads is made safe, and drawn fast enough.
func TestMemory_Hostile(t *testing.T) {
	t.Parallel()
	long := tuitest.Evil + strings.Repeat("\u202eעברית \U0001F468\u200d\U0001F469\u200d\U0001F467 "+strings.Repeat("x", 500)+"\x1b[31m", 220)
	if len(long) < 100_000 {
		t.Fatal("not long enough")
	}
	var mems []enginememory.MemoryView
	var hooks []enginememory.HookView
	var threads []enginememory.Thread
	for i, text := range []string{tuitest.Evil, long, "\xff\xfe\x00", strings.Repeat("\n", 1000), ""} {
		m := memory.MemoryOf(fmt.Sprint("m", i), storage.MemoryType(tuitest.Evil), text, 7)
		m.Original, m.ChatTitle, m.Chat, m.Source = text+".", text, "x", "y"
		m.Mentions[0].Witnesses, m.Mentions[0].Chat = []storage.CharacterID{storage.CharacterID(tuitest.Evil)}, storage.ChatID(tuitest.Evil)
		mems = append(mems, m)
		h := memory.HookOf(fmt.Sprint("h", i), enginememory.HookState(tuitest.Evil), storage.HookType(tuitest.Evil), text, text, -4+3*i)
		h.Opener, h.ChatTitle, h.Chat = text, text, "x"
		hooks = append(hooks, h)
		threads = append(threads, enginememory.Thread{Key: fmt.Sprint("t", i), Text: text, State: text, Scene: text, Hook: storage.HookID(text)})
	}
	s := withMemory(t, mems, hooks, threads)
	for _, d := range []tuitest.Size{{W: 110, H: 40}, {W: 40, H: 12}, {W: 200, H: 60}} {
		s.Size(d.W, d.H)
		for _, view := range []string{"2", "3", "4"} {
			s.Press(view, "g", "j", "j", "G", "k", "J", "space", "esc").Now()
		}
	}
	s.In(func(v *tui.Screen) {
		paneOf(v).Memories().Rename(tuitest.Evil)
		chat := v.Host().Play().Chat()
		chat.Chat.Play.Series = "s"
		v.OpenChat(chat)
	})
	for _, key := range []string{"g", "G"} {
		s.Press("2", key, "enter").See("Sources").Press("pgdown", "G", "esc").NotSee("Sources")
		s.Press("3", key, "enter").See("To bring up").Press("pgdown", "G", "esc").NotSee("To bring up")
	}
	s.Press("2", "g", "e").See("Edit a memory").Press("esc").NotSee("Edit a memory")
	s.Press("j", "e").See("only in your external editor").Press("esc").NotSee("Edit a memory").Press("3", "g", "e").See("Edit a hook").Press("esc").NotSee("Edit a hook").Press("enter").See("To bring up").Press("s").See("Nudge").Press("n").NotSee("Nudge with")
	s.Press("/").TypeText("clip").PasteText(tuitest.Evil).Press("enter").Now()
	s.Press("esc", "2", "space", "j", "J").See("Merge two").Press("n").NotSee("Merge two").Now()
	tuitest.Scan(t, s.Written())
}
