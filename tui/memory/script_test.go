package memory_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	enginememory "github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/memory"
)

// session is a screen with helpers for memories.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) session { return session{tuitest.Begin(t, o)} }

// withMemories opens a chat with memories and hooks that the user wrote.
func withMemories(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		chat := tuitest.NewChat(t, e)
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
			{Type: storage.ReminderHook, Content: "Robin promised to bring the spare key.", Priority: 3, Due: storage.HookDue{Turns: 4}},
		} {
			_, err := e.Memory.SaveHook(scope, chat, h)
			must(err)
		}
	}
}

func (s session) memories() []enginememory.MemoryView {
	s.T().Helper()
	list, err := s.Engine.Memory.Memories(enginememory.Query{Chat: s.Chat().Chat.ID, All: true})
	s.Must(err)
	return list.List
}

// memory is the one that has some words, nil for none.
func (s session) memory(words string) *enginememory.MemoryView {
	s.T().Helper()
	list := s.memories()
	i := slices.IndexFunc(list, func(m enginememory.MemoryView) bool { return strings.Contains(m.Content, words) })
	if i < 0 {
		return nil
	}
	return &list[i]
}

func (s session) hook(words string) *enginememory.HookView {
	s.T().Helper()
	list, err := s.Engine.Memory.Hooks(enginememory.Query{Chat: s.Chat().Chat.ID, All: true})
	s.Must(err)
	i := slices.IndexFunc(list.List, func(h enginememory.HookView) bool { return strings.Contains(h.Content, words) })
	if i < 0 {
		return nil
	}
	return &list.List[i]
}

// onStory waits until a row of the memory pane's view is listed, and chooses it.
func (s session) onStory(words string) *tuitest.Session {
	s.T().Helper()
	s.Until("the row "+words, func() (found bool) {
		s.In(func(v *tui.Screen) {
			l := paneOf(v).List()
			for i, n := range l.Lines {
				if n >= 0 && strings.Contains(l.Rows[n].Text, strings.ToLower(words)) && !found {
					l.Pick(i)
					found = true
				}
			}
		})
		return found
	})
	return s.Session
}

// some reports whether messages were read.
func some(v *tui.Screen) bool { _, ok := v.Host().Play().LastMessage(); return ok }

func (s session) openMemory() *tuitest.Session {
	s.T().Helper()
	return s.See("‹1/3›").Press("alt+m").See("Robin repairs clocks", "Robin wants to see")
}

func TestMemory_WriteAndEdit(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+m").See("No memories yet").Press("n").See("New memory").TypeText("Robin owns a red scarf.").Press("tab", "right", "tab").TypeText("0.7").Press("ctrl+s")
	s.See("“Robin owns a red scarf.” saved", "Recent in their life", ".70").NotSee("New memory")
	m := s.memory("red scarf")
	if m == nil || m.Type != storage.EventMemory || m.Weight == nil || *m.Weight != 0.7 || !m.Holds || !m.InPrompt {
		t.Fatalf("stored %+v", m)
	}
	s.onStory("red scarf").Press("e").See("Edit a memory").Press("end").TypeText(" She lost it.").Press("ctrl+s").See("scarf. She lost it.", "edited").NotSee("Edit a memory")
	if m := s.memory("She lost it"); m == nil || m.Original != "Robin owns a red scarf." {
		t.Errorf("stored %+v", m)
	}
	s.onStory("red scarf").Press("enter").See("Original text", "written by you").Press("esc").NotSee("Original text")
	s.Press("e").See("Edit a memory").Press("tab", "tab", "backspace", "backspace", "backspace").Press("ctrl+s").See("importance .70 ·").NotSee("Edit a memory", "(yours)")
	if m := s.memory("She lost it"); m.Weight != nil {
		t.Errorf("the importance is still %v", *m.Weight)
	}
	s.Press("u").See("undone", "(yours)").Press("u").See("undone").NotSee("She lost it. ")
}

// Actions on memories, one by one or several together, are stored, and can be undone by key.
func TestMemory_Acts(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withMemories(t)})
	s.openMemory()
	s.onStory("deep water").Press("L").See("pinned: first in prompts", "pinned .60")
	if !s.memory("deep water").Pinned {
		t.Error("it is not pinned")
	}
	s.Press("L").See("unpinned").NotSee("pinned .60").Press("u").See("undone", "pinned .60").Press("U").See("unpinned").NotSee("pinned .60").Press("u").See("pinned .60")
	s.onStory("The sea").Press("O").See("muted: left out of prompts", "– The sea")
	if m := s.memory("The sea"); !m.Muted || m.InPrompt {
		t.Errorf("muted %v, in the prompt %v", m.Muted, m.InPrompt)
	}
	s.Press("g", "space", "j", "V").See("3 selected").Press("d").See("Remove 3 memories?").Press("y").See("3 memories removed").NotSee("About them")
	if n := len(s.memories()); n != 4 {
		t.Errorf("%d memories are kept", n)
	}
	s.Press("v").See("✗ Robin repairs")
	s.onStory("repairs clocks").Press("d").See("restored", "● Robin repairs").Press("u").See("✗ Robin repairs")
	s.Press("u").See("● Robin repairs", "– The sea").Press("u").See("undone", "● The sea")
	if n := len(s.memories()); n != 4 || s.memory("The sea").Muted || s.memory("repairs clocks").Removed {
		t.Errorf("%d memories, and not as they were", n)
	}
}

func TestMemory_Merge(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withMemories(t)})
	s.openMemory().Press("J").See("to merge two memories")
	s.onStory("deep water").Press("space")
	s.onStory("The sea").Press("space", "J").See("Merge two memories").Press("1").See("merged into").Silent().NotSee("The sea frightens")
	if m := s.memory("deep water"); m == nil || len(m.Mentions) == 0 || s.memory("The sea") != nil {
		t.Errorf("stored %+v", m)
	}
}

func TestHook_WriteAndAct(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withMemories(t), W: 96, H: 30})
	s.openMemory().Press("3").See("audition", "1 due", "Waiting 1").Press("n").See("New hook").TypeText("The inspector comes.").Press("tab").TypeText("Is he here yet?").Press("tab", "right", "tab", "tab", "tab").TypeText("2d").Press("ctrl+s")
	s.See("“The inspector comes.” saved", "Waiting 2").NotSee("New hook")
	h := s.hook("inspector")
	if h == nil || h.Priority != 4 || h.Opener != "Is he here yet?" || h.State != enginememory.HookWaiting || h.Due.At.IsZero() || h.Due.Turns != 0 {
		t.Fatalf("stored %+v", h)
	}
	s.Silent()
	s.onStory("inspector")
	s.Do("memory-due-now").See("undoes it", "2 due").Press("u").See("undone", "Waiting 2")
	if back := s.hook("inspector"); !back.Due.At.Equal(h.Due.At) || back.State != enginememory.HookWaiting {
		t.Errorf("after undoing it is %+v", back)
	}
	s.onStory("inspector").Press("x").See("Closed 1", "“The inspector comes.” closed").Press("x").See("open again", "Waiting 2")
	s.onStory("inspector").Press("d").See("dropped", "1 hidden").Press("v").See("Dropped 1").Press("u").See("undone", "Waiting 2")
	s.onStory("audition").Press("space", "j", "space").See("2 selected").Press("x").See("2 hooks closed", "Closed 2").Press("u").See("undone", "Waiting 2", "1 due").Press("esc").NotSee("selected")
	s.onStory("spare key").Press("e").See("Edit a hook").Press("tab", "tab", "tab", "tab", "backspace").TypeText("7").Press("ctrl+s").See("saved").NotSee("Edit a hook")
	if h := s.hook("spare key"); h.Due.Turns != 7 || h.Priority != 3 {
		t.Errorf("stored %+v", h)
	}
}

// The opener of a hook is the instruction for the next reply.
func TestHook_Nudge(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withMemories(t)})
	s.See("‹1/3›").Say("Well?").Press("alt+m").See("Robin repairs").Press("3").See("audition")
	s.onStory("audition").Press("enter").See("To bring up").Press("s").See("Nudge with this hook", "did they let you sing").Press("y")
	s.Until("regenerate", func() bool { v := s.Chat(); return v.Messages[len(v.Messages)-1].Siblings == 2 })
	s.Still()
}

// The ledger of threads holds what recaps leave open, and hooks.
func TestThread_Acts(t *testing.T) {
	t.Parallel()
	var chat storage.ChatID
	s := begin(t, tuitest.Options{W: 96, H: 30, Prepare: func(e *engine.Engine) {
		tuitest.WithStory(t, tuitest.Harbour, true)(e)
		chat, _, _ = e.Chats.Last()
		scope, err := e.Chats.ScopeOf(chat)
		if err == nil {
			_, err = e.Memory.SaveHook(scope, chat, storage.Hook{Type: storage.ReminderHook, Content: "Bring the lantern back.", Priority: 2})
		}
		if err != nil {
			t.Fatal(err)
		}
	}})
	s.Still()
	list, err := s.Engine.Memory.Threads(chat)
	s.Must(err)
	i := slices.IndexFunc(list, func(th enginememory.Thread) bool { return th.Hook == "" })
	if i < 0 {
		t.Fatalf("no thread of a recap in %+v", list)
	}
	state := func(key string) string {
		list, err := s.Engine.Memory.Threads(chat)
		s.Must(err)
		return list[slices.IndexFunc(list, func(th enginememory.Thread) bool { return th.Key == key })].State
	}
	words := list[i].Text[:min(len(list[i].Text), 20)]
	s.Press("alt+m").See("No memories").Press("4").See("Bring the lantern back", "◆")
	s.onStory(words).Press("x").See("undoes it", "Closed 1")
	if got := state(list[i].Key); got != "closed" {
		t.Errorf("the thread is %s", got)
	}
	s.Press("u").See("undone").NotSee("Closed 1")
	s.onStory("lantern").Press("d").See("dropped", "hidden (v)").Press("u").See("undone", "◆ Bring")
	s.onStory(words).Press("d").See("dropped").Press("v").See("Dropped 1")
	s.onStory(words).Press("d").See("open again")
	if got := state(list[i].Key); got != "open" {
		t.Errorf("the thread is %s", got)
	}
	s.onStory("lantern").Press("enter").See("no source message")
	s.onStory(words).Press("enter").See("BROWSE")
}

// What the passes after a reply found leads back to the message that it came
// from, also from another chat of the series.
func TestMemory_Jump(t *testing.T) {
	t.Parallel()
	var chats [2]storage.Chat
	found := map[string]any{
		"memories": []any{map[string]any{"from": []any{2}, "type": "fact", "content": "Robin lives above the clock shop.", "importance": 0.8}},
		"hooks":    []any{map[string]any{"from": []any{2}, "type": "reminder", "content": "Robin promised to bring the spare key.", "priority": 3}},
	}
	s := begin(t, tuitest.Options{W: 120, H: 30, Direct: true, Answers: map[demo.Job][]any{demo.AfterTurnJob: {found}}, Prepare: func(e *engine.Engine) {
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
	s.See("‹1/3›").Say("I live above the clock shop. I promise to bring the spare key.")
	s.Until("what is remembered", func() bool { return s.memory("clock shop") != nil })
	s.Still().Press("alt+m").See("Story of “Harbour nights”", "clock shop")
	s.onStory("clock shop").Press("S").See("BROWSE")
	chosen := func() (text string) {
		s.In(func(v *tui.Screen) {
			m, _ := v.Host().Play().Selected()
			text = m.Content
		})
		return text
	}
	if m := s.memory("clock shop"); m.Source == "" || m.Chat != chats[0].ID {
		t.Fatalf("it came from %q in %q", m.Source, m.Chat)
	}
	first := chosen()
	s.In(func(v *tui.Screen) { v.Start(v.Host().Play().SwitchTo(chats[1].ID)) })
	s.Until("the other chat", func() (ok bool) {
		s.In(func(v *tui.Screen) { ok = v.Host().Play().Chat().Chat.ID == chats[1].ID && some(v) })
		return ok
	})
	s.Press("alt+m", "alt+m").See("clock shop", "“"+chats[0].Title+"”").Press("tab").See("spare key").Press("tab").See("spare key")
	s.onStory("spare key").Press("enter")
	s.Until("the chat that it came from", func() (ok bool) {
		s.In(func(v *tui.Screen) {
			ok = v.Host().Play().Chat().Chat.ID == chats[0].ID && some(v) && v.Host().Mode() == keys.Browse
		})
		return ok
	})
	if got := chosen(); got == "" || got != first {
		t.Errorf("chosen: %q, and before %q", got, first)
	}
	s.Press("alt+x").In(func(v *tui.Screen) { v.Start(v.Host().Play().SwitchTo(chats[1].ID)) })
	s.Until("the other chat", func() (ok bool) {
		s.In(func(v *tui.Screen) { ok = v.Host().Play().Chat().Chat.ID == chats[1].ID })
		return ok
	})
	s.Press("alt+m").See("clock shop")
	s.onStory("clock shop").Press("enter").See("source message").Press("enter").See("BROWSE")
	s.Until("what was said", func() bool { return strings.HasPrefix(chosen(), "I live above") })
}

// Keys in any order, while the story changes under them, bring nothing down.
func TestMemory_Monkey(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, uint64(time.Now().UnixNano())} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 7))
			s := begin(t, tuitest.Options{Prepare: withMemories(t)})
			s.openMemory()
			names := strings.Fields("1 2 3 4 tab C L a j k g G v V * . space n e O d J x r U S u y / enter esc left right up down pgup pgdown backspace ctrl+s shift+tab 7 q é")
			for i := range 300 {
				s.Send(tuitest.KeyNamed(t, names[rng.IntN(len(names))]))
				if rng.IntN(15) == 0 {
					s.Send(tea.WindowSizeMsg{Width: 1 + rng.IntN(150), Height: 1 + rng.IntN(50)})
				}
				if i%10 == 0 {
					s.In(func(v *tui.Screen) {
						if _, ok := v.Host().Panes().Current().(*memory.Pane); !ok || v.Dialogs() == 0 && !v.PaneFocused() {
							v.Start(v.Host().Run(keys.PaneClose))
							v.Start(v.Host().Run(keys.PaneMemory))
						}
					})
				}
			}
			s.In(func(v *tui.Screen) {
				v.CloseDialogs()
				p, ok := v.Host().Panes().Current().(*memory.Pane)
				if !ok {
					return // it was left just now
				}
				for _, l := range p.Lists() {
					if _, ok := l.Chosen(); len(l.Lines) > 0 && !ok {
						t.Errorf("line %d of %d is no row", l.At, len(l.Lines))
					}
				}
			})
			s.Size(80, 24)
			s.Now()
			tuitest.Scan(t, s.Written())
		})
	}
}
