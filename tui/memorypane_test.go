package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/memory"
	"ghostlight/storage"
)

// memoryOf makes a memory as the engine shows it.
func memoryOf(id string, typ storage.MemoryType, content string, weight float64) memory.View {
	at := time.Now().Add(-72 * time.Hour)
	return memory.View{Memory: storage.Memory{ID: storage.MemoryID(id), Type: typ, Content: content, Told: []storage.Told{{At: at, Importance: weight}}},
		Importance: weight, Last: at, Holds: true}
}

// someMemories are memories in all states.
func someMemories() []memory.View {
	list := []memory.View{
		memoryOf("m1", storage.EventMemory, "Robin missed the last ferry and slept in the prompter's box.", 0.9),
		memoryOf("m2", storage.FactMemory, "Robin repairs clocks for a living.", 0.8),
		memoryOf("m3", storage.PreferenceMemory, "Robin takes tea without sugar, and cannot stand the smell of lilies in a closed room.", 0.6),
		memoryOf("m4", storage.FactMemory, "Robin is afraid of deep water.", 0.55),
		memoryOf("m5", storage.RelationshipMemory, "Robin's sister Ada sings in the harbour choir.", 0.5),
		memoryOf("m6", storage.GoalMemory, "Robin wants to see the theatre open again.", 1),
		memoryOf("m7", storage.EmotionMemory, "Robin felt ashamed after the quarrel.", 0.3),
		memoryOf("m8", storage.FactMemory, "Robin was born in a lighthouse.", 0.2),
		memoryOf("m9", storage.FactMemory, "Robin owns a red scarf.", 0.1),
	}
	for i := range list[:6] {
		list[i].InPrompt = true
	}
	list[0].Told = append(list[0].Told, list[0].Told[0])
	list[1].Pinned = true
	list[3].Muted, list[3].InPrompt = true, false
	list[4].Original = "Ada sings."
	list[7].Holds = false
	list[8].Removed = true
	return list
}

func hookOf(id string, state memory.HookState, typ storage.HookType, content, when string, priority int) memory.HookView {
	return memory.HookView{Hook: storage.Hook{ID: storage.HookID(id), Type: typ, Content: content, Priority: priority, Told: []storage.Told{{At: time.Now().Add(-72 * time.Hour)}}},
		State: state, When: when, Holds: true, InPrompt: state == memory.HookDue}
}

// someHooks are hooks in all states.
func someHooks() []memory.HookView {
	list := []memory.HookView{
		hookOf("h1", memory.HookWaiting, storage.ReminderHook, "Robin promised to bring the spare key.", "in 4 turns", 3),
		hookOf("h2", memory.HookDue, storage.FollowUpHook, "How did the audition at the harbour choir go?", "due", 5),
		hookOf("h3", memory.HookDue, storage.MilestoneHook, "They have known each other for a month.", "due", 2),
		hookOf("h4", memory.HookTaken, storage.FollowUpHook, "What became of the red scarf?", "2 d ago", 3),
		hookOf("h5", memory.HookWaiting, storage.ScheduledHook, "The inspector comes on Friday.", "in 2 days", 4),
		hookOf("h6", memory.HookClosed, storage.ReminderHook, "Light the ghost light.", "closed", 1),
		hookOf("h7", memory.HookDropped, storage.ReminderHook, "Sweep the stage.", "dropped", 1),
	}
	list[1].Opener = "So, how did it go? Did Ada let you sing?"
	return list
}

func someThreads() []memory.Thread {
	return []memory.Thread{
		{Key: "a", Text: "Who has the second key to the trap room?", State: "open", Break: "b1", Scene: "The locked door"},
		{Key: "b", Text: "How did the audition at the harbour choir go?", State: "due", Hook: "h2"},
		{Key: "c", Text: "Robin owes Marta for a lamp.", State: "closed", Break: "b1", Scene: "The locked door"},
		{Key: "d", Text: "The inspector's letter lies unopened.", State: "open"},
		{Key: "e", Text: "What became of the red scarf?", State: "taken", Hook: "h4"},
		{Key: "f", Text: "Sweep the stage.", State: "dropped", Hook: "h7"},
	}
}

// fillMemory puts a story into the memory pane that is open, without the store.
func fillMemory(a *app, mems []memory.View, hooks []memory.HookView, threads []memory.Thread) *memoryPane {
	p := thePane[*memoryPane](a)
	p.shown = [...]bool{true, true, true}
	m, h, t := p.views[0].(*memoryList), p.views[1].(*hookList), p.views[2].(*threadList)
	m.Rows = m.take(memory.List{List: mems}, memoryRows(mems))
	h.Rows = h.take(memory.HookList{List: hooks}, hookRows(hooks))
	t.Rows = t.take(threads, threadRows(threads))
	for _, v := range p.views {
		l := v.list()
		l.Loaded, l.Fault, l.Busy, l.Again = true, nil, false, false
		l.Lay("")
	}
	return p
}

// withMemory opens the memory pane with a story that is not in the store.
func withMemory(t testing.TB, mems []memory.View, hooks []memory.HookView, threads []memory.Thread) *session {
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+m").see("1 Memories")
	s.until("what the store has", func() (ok bool) {
		s.in(func(a *app) { ok = thePane[*memoryPane](a).view().list().Loaded })
		return ok
	})
	s.in(func(a *app) { fillMemory(a, mems, hooks, threads) })
	return s
}

func TestGolden_Memory(t *testing.T) {
	t.Parallel()
	s := withMemory(t, someMemories(), someHooks(), someThreads())
	s.see("About them").golden("memory-list").goldenStyled("memory-list")
	s.press("v").see("Robin owns").press("space", "j", "space").see("2 marked").silent().golden("memory-all")
	s.press("esc").notSee("marked").press("v", "/").typeText("robin SIN").see("Ada sings").notSee("clocks").press("enter").silent().golden("memory-filter")
	s.press("esc").see("clocks").press("/").typeText("zzz").see("Nothing has").press("esc").see("clocks")
}

func TestGolden_Hooks(t *testing.T) {
	t.Parallel()
	s := withMemory(t, someMemories(), someHooks(), someThreads())
	s.press("2").see("audition").golden("hooks-list").goldenStyled("hooks-list")
	s.press("o").see("Nudge with it").golden("hooks-nudge", dims{40, 12}, dims{80, 24})
}

func TestGolden_Threads(t *testing.T) {
	t.Parallel()
	s := withMemory(t, someMemories(), someHooks(), someThreads())
	s.press("tab", "tab").see("The locked door").golden("threads-list")
	s.press("tab").see("clocks").press("3", "g", "enter").see("not on the path").press("j", "enter").see("came from no message").press("j", "enter").see("the running recap tells").press("e").see("that is for hooks")
}

func TestGolden_MemoryEmpty(t *testing.T) {
	t.Parallel()
	s := withMemory(t, nil, nil, nil)
	s.see("Nothing is remembered yet").golden("memory-empty")
	s.press("2").see("Nothing waits").golden("hooks-empty", dims{40, 12}, dims{80, 24})
	s.press("3").see("No thread is open").golden("threads-empty", dims{40, 12}, dims{80, 24})
	for _, view := range []string{"1", "2", "3"} {
		s.press(view, "enter", "space", "V", "*", "m", "p", "O", "d", "x", "r", "!", "o", "S", "y", "j", "k", "g", "G", "pgup", "pgdown", "u").see("nothing was changed here").press("v").see("are shown too").silent()
	}
}

func TestGolden_MemoryForms(t *testing.T) {
	t.Parallel()
	s := withMemory(t, someMemories(), someHooks(), someThreads())
	s.press("e").see("Edit a memory").golden("memory-form").goldenStyled("memory-form")
	s.press("tab").typeText("7").press("ctrl+s").see("a number from 0 to 1").press("esc", "esc")
	s.press("n").see("New memory").press("ctrl+s").see("what is to be remembered is needed").press("esc")
	s.press("2", "e").see("Edit a hook").golden("hooks-form")
	s.press("tab", "tab", "tab").typeText("0").press("ctrl+s").see("whole number").press("backspace", "tab").typeText("soon").press("ctrl+s").see("write how long").press("esc", "esc").notSee("Edit a hook")
	s.press("n").see("New hook").press("ctrl+s").see("is needed").press("esc")
}

func TestGolden_MemorySheet(t *testing.T) {
	t.Parallel()
	mems := someMemories()
	s := withMemory(t, mems, someHooks(), someThreads())
	s.in(func(a *app) {
		v := thePane[*memoryPane](a).views[0].(*memoryList)
		i, _ := v.Chosen()
		m := &v.mems[i]
		here, node := a.view.Chat.ID, a.play.items[0].msg.ID
		old := time.Now().Add(-72 * time.Hour)
		m.Original = "They fix clocks."
		m.Told = []storage.Told{
			{Chat: here, Node: node, Sources: []storage.NodeID{node, "gone"}, Importance: 0.8, At: old},
			{Chat: "another", Node: "n", At: old, Witnesses: []storage.CharacterID{a.view.Chat.Character, "x"}},
			{At: old},
		}
	})
	s.press("enter").see("Where it comes from", "written by you", "a chat that is gone", "message 1").golden("memory-sheet").goldenStyled("memory-sheet")
	s.press("enter").see("came from no message").press("tab", "tab", "l").see("2 of 2").press("l", "enter").see("BROWSE").notSee("Where it comes from")
}

// A hook's sheet, and what leads away from it.
func TestHook_Sheet(t *testing.T) {
	t.Parallel()
	s := withMemory(t, nil, someHooks(), nil)
	s.press("2", "enter").see("To bring up", "priority 5 of 5").golden("hooks-sheet", dims{40, 12}, dims{80, 24})
	s.press("o").see("Nudge with it").press("n").notSee("Nudge with it", "To bring up").press("enter").see("To bring up").press("e").see("Edit a hook").notSee("To bring up").press("esc").notSee("Edit a hook")
}

// The pane and its dialogs draw themselves at every size.
func TestMemory_EverySize(t *testing.T) {
	t.Parallel()
	s := withMemory(t, someMemories(), someHooks(), someThreads())
	for _, open := range [][]string{{"1"}, {"2"}, {"3"}, {"1", "/"}, {"1", "n"}, {"2", "n"}, {"2", "o"}, {"1", "enter"}, {"2", "enter"}} {
		s.press(open...)
		if last := open[len(open)-1]; len(open) > 1 {
			s.until("what "+last+" opens", func() (ok bool) { s.in(func(a *app) { ok = a.dialogs.Top() != nil }); return ok })
		}
		s.in(func(a *app) {
			for w := 1; w <= 64; w += 7 {
				for h := 1; h <= 26; h += 5 {
					a.update(tea.WindowSizeMsg{Width: w, Height: h})
					a.paint()
				}
			}
			a.update(tea.WindowSizeMsg{Width: 140, Height: 40})
			a.paint()
			a.dialogs.All = nil
		})
	}
}

func TestMemory_Mouse(t *testing.T) {
	t.Parallel()
	s := withMemory(t, someMemories(), someHooks(), someThreads())
	s.see("deep water")
	at := func() (key string) {
		s.in(func(a *app) { key = thePane[*memoryPane](a).view().list().Key() })
		return key
	}
	for _, c := range []struct {
		y    int
		want string
	}{{5, "m4"}, {4, "m2"}, {0, "m2"}, {2, "m2"}, {7, "m1"}} {
		s.prog.Send(tea.MouseClickMsg{X: 10, Y: c.y, Button: tea.MouseLeft})
		if got := at(); got != c.want {
			t.Errorf("a click into line %d chooses %s, not %s", c.y, got, c.want)
		}
	}
	view := func() (at int) {
		s.in(func(a *app) { at = thePane[*memoryPane](a).at })
		return at
	}
	for _, c := range []struct{ x, want int }{{18, hooksView}, {30, threadsView}, {70, threadsView}, {3, memoriesView}} {
		s.prog.Send(tea.MouseClickMsg{X: c.x, Y: 1, Button: tea.MouseLeft})
		if got := view(); got != c.want {
			t.Errorf("a click at %d of the tabs shows view %d, not %d", c.x, got, c.want)
		}
	}
	s.prog.Send(tea.MouseWheelMsg{X: 10, Y: 8, Button: tea.MouseWheelDown})
	if got := at(); got != "m3" {
		t.Errorf("the wheel chooses %s", got)
	}
}

// Whatever stands in memories, hooks and threads reaches the terminal only as
// text, and in time.
func TestMemory_Hostile(t *testing.T) {
	t.Parallel()
	long := evil + strings.Repeat("\u202eעברית \U0001F468\u200d\U0001F469\u200d\U0001F467 "+strings.Repeat("x", 500)+"\x1b[31m", 220)
	if len(long) < 100_000 {
		t.Fatal("not long enough")
	}
	var mems []memory.View
	var hooks []memory.HookView
	var threads []memory.Thread
	for i, text := range []string{evil, long, "\xff\xfe\x00", strings.Repeat("\n", 1000), ""} {
		m := memoryOf(fmt.Sprint("m", i), storage.MemoryType(evil), text, 7)
		m.Original, m.ChatTitle, m.Chat, m.Source = text+".", text, "x", "y"
		m.Told[0].Witnesses, m.Told[0].Chat = []storage.CharacterID{storage.CharacterID(evil)}, storage.ChatID(evil)
		mems = append(mems, m)
		h := hookOf(fmt.Sprint("h", i), memory.HookState(evil), storage.HookType(evil), text, text, -4+3*i)
		h.Opener, h.ChatTitle, h.Chat = text, text, "x"
		hooks = append(hooks, h)
		threads = append(threads, memory.Thread{Key: fmt.Sprint("t", i), Text: text, State: text, Scene: text, Hook: storage.HookID(text)})
	}
	s := withMemory(t, mems, hooks, threads)
	for _, d := range []dims{{110, 40}, {40, 12}, {200, 60}} {
		s.size(d.w, d.h)
		for _, view := range []string{"1", "2", "3"} {
			s.press(view, "g", "j", "j", "G", "k", "m", "space", "esc").now()
		}
	}
	s.in(func(a *app) {
		thePane[*memoryPane](a).views[0].(*memoryList).name = evil
		a.view.Chat.Play.Series = "s"
	})
	for _, key := range []string{"g", "G"} {
		s.press("1", key, "enter").see("Where it comes from").press("pgdown", "G", "esc").notSee("Where it comes from")
		s.press("2", key, "enter").see("To bring up").press("pgdown", "G", "esc").notSee("To bring up")
	}
	s.press("1", "g", "e").see("Edit a memory").press("esc").notSee("Edit a memory")
	s.press("j", "e").see("too long to be edited").press("2", "g", "e").see("Edit a hook").press("esc").notSee("Edit a hook").press("o").see("Nudge").press("n").notSee("Nudge with")
	s.press("/").typeText("clip").pasteText(evil).press("enter").now()
	s.press("esc", "1", "space", "j", "m").see("Merge two").press("n").notSee("Merge two").now()
	scan(t, s.out.bytes())
}
