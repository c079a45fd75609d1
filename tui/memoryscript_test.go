package tui

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/director"
	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// withMemories opens a chat with memories and hooks that the user wrote.
func withMemories(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		chat := newToveChat(t, e)
		scope, err := e.Chats.ScopeOf(chat)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(err)
		weight := func(w float64) *float64 { return &w }
		for _, m := range []storage.Memory{
			{Type: storage.FactMemory, Content: "Robin repairs clocks for a living.", Weight: weight(0.8)},
			{Type: storage.FactMemory, Content: "Robin is afraid of deep water.", Weight: weight(0.6)},
			{Type: storage.FactMemory, Content: "The sea frightens Robin.", Weight: weight(0.3)},
			{Type: storage.GoalMemory, Content: "Robin wants to see the theatre open again."},
		} {
			_, err := e.Memory.Save(scope, m)
			must(err)
		}
		for _, h := range []storage.Hook{
			{Type: storage.FollowUpHook, Content: "How did the audition go?", Opener: "So, did they let you sing?", Priority: 5},
			{Type: storage.ReminderHook, Content: "Robin promised to bring the spare key.", Priority: 3, Due: storage.Due{Turns: 4}},
		} {
			_, err := e.Memory.SaveHook(scope, chat, h)
			must(err)
		}
	}
}

func (s *session) memories() []memory.View {
	s.t.Helper()
	list, err := s.eng.Memory.List(memory.Ask{Chat: s.chat().Chat.ID, All: true})
	s.must(err)
	return list.List
}

// memory is the one that has some words, nil for none.
func (s *session) memory(words string) *memory.View {
	s.t.Helper()
	list := s.memories()
	i := slices.IndexFunc(list, func(m memory.View) bool { return strings.Contains(m.Content, words) })
	if i < 0 {
		return nil
	}
	return &list[i]
}

func (s *session) hook(words string) *memory.HookView {
	s.t.Helper()
	list, err := s.eng.Memory.Hooks(memory.Ask{Chat: s.chat().Chat.ID, All: true})
	s.must(err)
	i := slices.IndexFunc(list.List, func(h memory.HookView) bool { return strings.Contains(h.Content, words) })
	if i < 0 {
		return nil
	}
	return &list.List[i]
}

// onStory waits until a row of the memory pane's view is listed, and chooses it.
func (s *session) onStory(words string) *session {
	s.t.Helper()
	s.until("the row "+words, func() (found bool) {
		s.in(func(a *app) {
			l := thePane[*memoryPane](a).view().list()
			for i, n := range l.Lines {
				if n >= 0 && strings.Contains(l.Rows[n].Text, strings.ToLower(words)) && !found {
					l.Pick(i)
					found = true
				}
			}
		})
		return found
	})
	return s
}

func (s *session) openMemory() *session {
	s.t.Helper()
	return s.see("‹1/3›").press("alt+m").see("Robin repairs clocks", "Robin wants to see")
}

func TestMemory_WriteAndEdit(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+m").see("Nothing is remembered yet").press("n").see("New memory").typeText("Robin owns a red scarf.").press("shift+tab", "right", "tab", "tab").typeText("70%").press("ctrl+s")
	s.see("“Robin owns a red scarf.” saved", "Recent in their life", ".70").notSee("New memory")
	m := s.memory("red scarf")
	if m == nil || m.Type != storage.EventMemory || m.Weight == nil || *m.Weight != 0.7 || !m.Holds || !m.InPrompt {
		t.Fatalf("stored %+v", m)
	}
	s.onStory("red scarf").press("e").see("Edit a memory").press("end").typeText(" She lost it.").press("ctrl+s").see("scarf. She lost it.", "edited").notSee("Edit a memory")
	if m := s.memory("She lost it"); m == nil || m.Original != "Robin owns a red scarf." {
		t.Errorf("stored %+v", m)
	}
	s.onStory("red scarf").press("enter").see("As it was found", "written by you").press("esc").notSee("As it was found")
	s.press("e").see("Edit a memory").press("tab", "backspace", "backspace", "backspace").press("ctrl+s").see("importance .70 ·").notSee("Edit a memory", "(yours)")
	if m := s.memory("She lost it"); m.Weight != nil {
		t.Errorf("the importance is still %v", *m.Weight)
	}
	s.press("u").see("undone", "(yours)").press("u").see("undone").notSee("She lost it. ")
}

// What is done to memories, one by one and at once, is in the store, and is taken
// back by the key for that.
func TestMemory_Acts(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withMemories(t)})
	s.openMemory().onStory("deep water").press("p").see("pinned: told first", "pinned .60")
	if !s.memory("deep water").Pinned {
		t.Error("it is not pinned")
	}
	s.press("p").see("unpinned").notSee("pinned .60").press("u").see("undone", "pinned .60")
	s.onStory("The sea").press("O").see("muted: not told", "– The sea")
	if m := s.memory("The sea"); !m.Muted || m.InPrompt {
		t.Errorf("muted %v, in the prompt %v", m.Muted, m.InPrompt)
	}
	s.press("g", "space", "j", "V").see("3 marked").press("d").see("Remove 3 memories?").press("y").see("3 memories removed").notSee("About them")
	if n := len(s.memories()); n != 4 {
		t.Errorf("%d memories are kept", n)
	}
	s.press("v").see("✗ Robin repairs").onStory("repairs clocks").press("d").see("brought back", "● Robin repairs").press("u").see("✗ Robin repairs")
	s.press("u").see("● Robin repairs", "– The sea").press("u").see("undone", "● The sea")
	if n := len(s.memories()); n != 4 || s.memory("The sea").Muted || s.memory("repairs clocks").Removed {
		t.Errorf("%d memories, and not as they were", n)
	}
}

func TestMemory_Merge(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withMemories(t)})
	s.openMemory().press("m").see("two memories can be merged").onStory("deep water").press("space").onStory("The sea").press("space", "m").see("Merge two memories").press("1").see("is part of").silent().notSee("The sea frightens")
	if m := s.memory("deep water"); m == nil || len(m.Told) == 0 || s.memory("The sea") != nil {
		t.Errorf("stored %+v", m)
	}
}

func TestHook_WriteAndAct(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withMemories(t), w: 96, h: 30})
	s.openMemory().press("2").see("audition", "1 due", "Waiting 1").press("n").see("New hook").typeText("The inspector comes.").press("tab").typeText("Is he here yet?").press("tab", "right", "tab", "tab").typeText("2d").press("ctrl+s")
	s.see("“The inspector comes.” saved", "Waiting 2").notSee("New hook")
	h := s.hook("inspector")
	if h == nil || h.Priority != 4 || h.Opener != "Is he here yet?" || h.State != memory.HookWaiting || h.Due.At.IsZero() || h.Due.Turns != 0 {
		t.Fatalf("stored %+v", h)
	}
	s.hush().onStory("inspector").press("!").see("undoes it", "2 due").press("u").see("undone", "Waiting 2")
	if back := s.hook("inspector"); !back.Due.At.Equal(h.Due.At) || back.State != memory.HookWaiting {
		t.Errorf("after undoing it is %+v", back)
	}
	s.onStory("inspector").press("x").see("Closed 1", "“The inspector comes.” closed").press("x").see("closed already").press("r").see("open again", "Waiting 2")
	s.onStory("inspector").press("d").see("dropped", "1 hidden").press("v").see("Dropped 1").press("u").see("undone", "Waiting 2")
	s.onStory("audition").press("space", "j", "space").see("2 marked").press("x").see("2 hooks closed", "Closed 2").press("u").see("undone", "Waiting 2", "1 due").press("esc").notSee("marked")
	s.onStory("spare key").press("e").see("Edit a hook").press("tab", "tab", "tab", "backspace").typeText("7").press("ctrl+s").see("saved").notSee("Edit a hook")
	if h := s.hook("spare key"); h.Due.Turns != 7 || h.Priority != 3 {
		t.Errorf("stored %+v", h)
	}
}

// The opener of a hook is the instruction for the next reply.
func TestHook_Nudge(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withMemories(t)})
	s.see("‹1/3›").say("Well?").press("alt+m").see("Robin repairs").press("2").see("audition").onStory("audition").press("o").see("Nudge with it", "did they let you sing").press("y")
	s.until("another reply", func() bool { v := s.chat(); return v.Messages[len(v.Messages)-1].Siblings == 2 })
	s.still()
}

// The ledger of threads holds what recaps leave open, and hooks.
func TestThread_Acts(t *testing.T) {
	t.Parallel()
	var chat storage.ChatID
	s := begin(t, stageOptions{w: 96, h: 30, prepare: func(e *engine.Engine) {
		withStory(t, harbour, true)(e)
		chat, _, _ = e.Chats.Last()
		scope, err := e.Chats.ScopeOf(chat)
		if err == nil {
			_, err = e.Memory.SaveHook(scope, chat, storage.Hook{Type: storage.ReminderHook, Content: "Bring the lantern back.", Priority: 2})
		}
		if err != nil {
			t.Fatal(err)
		}
	}})
	s.still()
	list, err := s.eng.Memory.Threads(chat)
	s.must(err)
	i := slices.IndexFunc(list, func(th memory.Thread) bool { return th.Hook == "" })
	if i < 0 {
		t.Fatalf("no thread of a recap in %+v", list)
	}
	state := func(key string) string {
		list, err := s.eng.Memory.Threads(chat)
		s.must(err)
		return list[slices.IndexFunc(list, func(th memory.Thread) bool { return th.Key == key })].State
	}
	words := list[i].Text[:min(len(list[i].Text), 20)]
	s.press("alt+m").see("Nothing is remembered").press("3").see("Bring the lantern back", "◆").onStory(words).press("x").see("undoes it", "Closed 1")
	if got := state(list[i].Key); got != "closed" {
		t.Errorf("the thread is %s", got)
	}
	s.press("u").see("undone").notSee("Closed 1").onStory("lantern").press("d").see("dropped", "hidden (v)").press("u").see("undone", "◆ Bring")
	s.onStory(words).press("d").see("dropped").press("v").see("Dropped 1").onStory(words).press("r").see("open again")
	if got := state(list[i].Key); got != "open" {
		t.Errorf("the thread is %s", got)
	}
	s.onStory("lantern").press("enter").see("came from no message").onStory(words).press("enter").see("BROWSE")
}

// What the passes after a reply found leads back to the message that it came
// from, also from another chat of the series.
func TestMemory_Jump(t *testing.T) {
	t.Parallel()
	var chats [2]storage.Chat
	s := begin(t, stageOptions{w: 120, h: 30, direct: true, prepare: func(e *engine.Engine) {
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		tove, err := e.Library.FindCharacter("Tove")
		must(err)
		series, err := e.Director.SaveSeries(storage.Series{Title: "Harbour nights", Characters: []storage.CharacterID{tove.ID}})
		must(err)
		ep, err := e.Director.SaveEpisode(storage.Episode{Series: series.ID, Title: "Arrival", SceneMode: storage.ScenesOff})
		must(err)
		for i := range chats {
			chats[i], err = e.Director.NewPlay(director.PlayRequest{Episode: ep.ID})
			must(err)
		}
		must(e.Chats.Opened(chats[0].ID))
	}})
	s.see("‹1/3›").say("I live above the clock shop. I promise to bring the spare key.")
	s.until("what is remembered", func() bool { return s.memory("clock shop") != nil })
	s.still().press("alt+m").see("Story of “Harbour nights”", "clock shop").onStory("clock shop").press("S").see("BROWSE")
	chosen := func() (text string) {
		s.in(func(a *app) {
			if it := a.play.current(); it != nil {
				text = it.msg.Content
			}
		})
		return text
	}
	if m := s.memory("clock shop"); m.Source == "" || m.Chat != chats[0].ID {
		t.Fatalf("it came from %q in %q", m.Source, m.Chat)
	}
	first := chosen()
	s.in(func(a *app) { a.send2(a.SwitchTo(chats[1].ID)) })
	s.until("the other chat", func() (ok bool) {
		s.in(func(a *app) { ok = a.view.Chat.ID == chats[1].ID && len(a.play.items) > 0 })
		return ok
	})
	s.press("alt+m", "alt+m").see("clock shop", "“"+chats[0].Title+"”").press("tab").see("spare key").press("tab").see("spare key").onStory("spare key").press("enter")
	s.until("the chat that it came from", func() (ok bool) {
		s.in(func(a *app) {
			ok = a.view.Chat.ID == chats[0].ID && len(a.play.items) > 0 && a.mode.String() == "browse"
		})
		return ok
	})
	if got := chosen(); got == "" || got != first {
		t.Errorf("chosen: %q, and before %q", got, first)
	}
	s.press("alt+x").in(func(a *app) { a.send2(a.SwitchTo(chats[1].ID)) })
	s.until("the other chat", func() (ok bool) {
		s.in(func(a *app) { ok = a.view.Chat.ID == chats[1].ID })
		return ok
	})
	s.press("alt+m").see("clock shop").onStory("clock shop").press("enter").see("a message there").press("enter").see("BROWSE")
	s.until("what was said", func() bool { return strings.HasPrefix(chosen(), "I live above") })
}

// Keys in any order, while the story changes under them, bring nothing down.
func TestMemory_Monkey(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, uint64(time.Now().UnixNano())} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 7))
			s := begin(t, stageOptions{prepare: withMemories(t)})
			s.openMemory()
			names := strings.Fields("1 2 3 tab j k g G v V * . space n e p O d m x r ! o S u y / enter esc left right up down pgup pgdown backspace ctrl+s shift+tab 7 q é")
			for i := range 300 {
				s.prog.Send(keyNamed(t, names[rng.IntN(len(names))]))
				if rng.IntN(15) == 0 {
					s.prog.Send(tea.WindowSizeMsg{Width: 1 + rng.IntN(150), Height: 1 + rng.IntN(50)})
				}
				if i%10 == 0 {
					s.in(func(a *app) {
						if _, ok := paneOf[*memoryPane](a); !ok || a.dialogs.Top() == nil && a.mode != keys.Pane {
							a.closePane()
							a.send2(a.Run(keys.PaneMemory))
						}
					})
				}
			}
			s.in(func(a *app) {
				a.dialogs.All = nil
				p, ok := paneOf[*memoryPane](a)
				if !ok {
					return // it was left just now
				}
				for _, v := range p.views {
					l := v.list()
					if _, ok := l.Chosen(); len(l.Lines) > 0 && !ok {
						t.Errorf("line %d of %d is no row", l.At, len(l.Lines))
					}
				}
			})
			s.size(80, 24)
			s.now()
			scan(t, s.out.bytes())
		})
	}
}
