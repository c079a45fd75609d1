package memory_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	enginememory "github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/memory"
)

// What is done with a fact is in the store, and is taken back by the key for that.
func TestFacts_EditAndEnd(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 96, H: 30, Prepare: withMemories(t)})
	s.See("‹1/3›").Press("alt+f").See("Robin repairs", "audition")
	s.onStory("repairs clocks").Press("x").See("ended", "undoes it").NotSee("○ Robin repairs", "● Robin repairs")
	if m := s.memory("repairs clocks"); m.Ended == nil {
		t.Error("it holds")
	}
	s.Press("u").See("undone", "Robin repairs clocks for").NotSee("changed:")
	if m := s.memory("repairs clocks"); m.Ended != nil {
		t.Error("it is over although that was taken back")
	}
	s.onStory("repairs clocks").Press("e").See("Edit a memory").Press("end").TypeText(" Old ones.").Press("ctrl+s").See("saved").NotSee("Edit a memory")
	s.See("for a living. Old ones.").NotSee("changed:")
	s.onStory("audition").Press("e").See("Edit a hook").Press("esc").NotSee("Edit a hook")
	s.Do("memory-share").See("this chat has one character")
	s.onStory("audition").Press("x").See("ended").NotSee("How did the audition go?")
	if h := s.hook("audition"); h.State != "closed" {
		t.Errorf("the hook is %s", h.State)
	}
	s.Press("u").See("How did the audition go?")
}

// A line of a recap is edited and ended in place, an entry in its own form.
func TestFacts_OfRecapsAndLore(t *testing.T) {
	t.Parallel()
	var chat storage.ChatID
	s := begin(t, tuitest.Options{W: 110, H: 40, Prepare: func(e *engine.Engine) {
		tuitest.WithStory(t, tuitest.Harbour, true)(e)
		chat, _, _ = e.Chats.Last()
		b, err := e.Lore.AddBook(storage.Lorebook{Name: "Harbour", Kind: storage.ChatBook, Chat: chat})
		if err == nil {
			x := storage.NewLoreEntry()
			x.Name, x.Keys, x.Content = "Gull Inn", []string{"inn"}, "The inn stands on piles of Moor."
			_, err = e.Lore.SaveEntry(b.ID, chat, x)
		}
		if err != nil {
			t.Fatal(err)
		}
	}})
	s.Still()
	v, err := s.Engine.Play.Facts(t.Context(), enginememory.FactQuery{Chat: chat})
	s.Must(err)
	var line enginememory.Fact
	for _, f := range v.Facts {
		if f.Kind == "recap" && len(f.Sources) > 0 && line.ID == "" {
			line = f
		}
	}
	words := line.Text[:min(len(line.Text), 30)]
	s.Press("alt+f").See("Facts")
	s.onStory(words).Press("e").See("Edit a line of").Press("end").TypeText(" Zebulon saw it.").Press("ctrl+s").See("saved", "Zebulon").NotSee("Edit a line")
	s.Press("u").See("undone").NotSee("Zebulon saw")
	s.onStory(words).Press("x").See("ended")
	if v, err := s.Engine.Play.Facts(t.Context(), enginememory.FactQuery{Chat: chat}); err != nil || v.Find(line.ID) != nil {
		t.Errorf("it is known: %v, %v", v.Find(line.ID), err)
	}
	s.Press("u").See("undone")
	s.onStory("piles of Moor").Press("x").See("ended").NotSee("○ The inn", "● The inn").Press("u").See("undone")
	s.onStory("piles of Moor").Press("e").See("Gull Inn", "Keys").Press("esc").NotSee("Keys")
}

// withCast opens a chat of two with a memory that one of them has.
func withCast(t testing.TB, chat *storage.ChatID) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		*chat = tuitest.NewChat(t, e)
		brona, err := e.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Brona", FirstMessage: "Here I am."}, Immersion: storage.Full})
		if err == nil {
			err = e.Chats.JoinCast(*chat, brona.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		scope, err := e.Chats.ScopeOf(*chat)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Clara hides in the boathouse.", "The ferry of Moor is late."} {
			if _, err := e.Memory.Save(scope, storage.Memory{Type: storage.FactMemory, Content: text}); err != nil {
				t.Fatal(err)
			}
		}
		v, err := e.Play.Facts(t.Context(), enginememory.FactQuery{Chat: *chat})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range v.Facts {
			if strings.Contains(f.Text, "boathouse") {
				if _, err := e.Memory.Unshare(*chat, f.ID, v.Cast[0].ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A fact is shared with a character of the cast, and the views show the knowledge of one.
func TestFacts_TellAndWho(t *testing.T) {
	t.Parallel()
	var chat storage.ChatID
	s := begin(t, tuitest.Options{W: 96, H: 30, Prepare: withCast(t, &chat)})
	s.See("‹1/3›").Press("alt+f").See("boathouse", "The ferry of Moor")
	s.Do("memory-who").See("Known to Tove", "what Tove knows", "ferry").NotSee("boathouse").Press("2").See("Known to Tove", "ferry").NotSee("boathouse")
	s.Do("memory-who").See("Known to Brona", "boathouse").Press("1").See("Known to Brona")
	s.Do("memory-who").See("All facts")
	s.onStory("ferry")
	s.Do("memory-share").See("all characters know it")
	s.onStory("boathouse")
	s.Do("memory-share").See("Who should know", "Tove").Silent().Golden("facts-tell", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24}).Press("enter").See("shared with Tove", "known to everyone")
	s.Press("u").See("undone", "known to Brona")
	s.Press("2").See("boathouse")
	s.onStory("boathouse")
	s.Do("memory-share").See("Who should know").Press("enter").See("shared with Tove")
	s.Press("1").See("All facts").NotSee("changed:")
	s.onStory("boathouse").See("known to everyone")
	if at := func() (i int) { s.In(func(v *tui.Screen) { i = paneOf(v).At() }); return i }(); at != memory.FactsView {
		t.Errorf("view %d is shown", at)
	}
}

// The keys that opened two panes open one, each at its view.
func TestPane_OldKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withMemories(t)})
	s.See("‹1/3›")
	at := func(want int) {
		t.Helper()
		got := -1
		s.In(func(v *tui.Screen) {
			if p, ok := v.Host().Panes().Current().(*memory.Pane); ok {
				got = p.At()
			}
		})
		if got != want {
			t.Errorf("view %d is shown, not %d", got, want)
		}
	}
	s.Press("alt+m").See("About them")
	at(memory.MemoriesView)
	s.Press("alt+f").See("All facts")
	at(memory.FactsView)
	s.Press("alt+m").See("About them").Press("3").See("audition").Press("alt+m").NotSee("audition")
	at(-1)
	s.Press("alt+f").See("All facts").Press("alt+f").NotSee("All facts")
	at(-1)
}

// The play is asked from the palette and from the pane; esc gives a question up.
func TestQuestion(t *testing.T) {
	t.Parallel()
	var chat storage.ChatID
	s := begin(t, tuitest.Options{W: 96, H: 30, Prepare: withCast(t, &chat)})
	s.See("‹1/3›").Press("ctrl+p").TypeText("ask").See("out of character").Press("enter").See("Ask about the story", "Use").Golden("question-form", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("enter").See("enter a question").TypeText("Who is Zebulon?").Press("tab", "right", "enter").See("The story does not say, as far as Tove knows.")
	s.Press("r").See("Who is Zebulon?", "Use").Press("esc").NotSee("Ask about the story")
	s.Press("alt+f").See("boathouse").Press("ctrl+x", "k", "a").See("Ask about the story").TypeText("Where is Clara?").Press("enter").See("Where is Clara?", "r ask again")
	s.Press("esc").NotSee("Ask about the story")
}

// An answer shows what each sentence rests on, and leads there.
func TestGolden_Question(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	show := func(a enginememory.Answer, as string) {
		s.In(func(v *tui.Screen) {
			m, _ := v.Host().Play().LastMessage()
			for i := range a.Lines {
				for j := range a.Lines[i].From {
					if a.Lines[i].From[j].Number > 0 {
						a.Lines[i].From[j].Message = m.ID
					}
				}
			}
			memory.ShowAnswer(v.Host(), "Where is Clara, and who knows it?", a, as)
		})
	}
	answer := enginememory.Answer{Model: "m", Lines: []enginememory.AnswerLine{
		{Text: "Clara hides in the boathouse of Vale, since the night of the storm.", From: []enginememory.Material{
			{Kind: "message", Text: "She is in the boathouse, and that is all you will hear from me tonight.", Number: 1, Name: "Tove"}, {Kind: "recap", Text: "Clara hides in the boathouse.", Number: 12}}},
		{Text: "Brona alone knows it.", From: []enginememory.Material{{Kind: "memory", Text: "Only Brona was told."}}},
	}}
	show(answer, "")
	s.See("Brona alone").Golden("question-answer")
	s.Press("up", "enter").See("no source message").Press("y").See("answer copied").Press("down", "enter").See("BROWSE").NotSee("Brona alone")
	show(enginememory.Answer{}, "Tove")
	s.See("The story does not say, as far as Tove knows.").Silent().Golden("question-none", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("enter").NotSee("The story does not say")
}

// A hook may be due by the story's own time, and the list says when.
func TestHook_DueInTheStory(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 96, H: 30, Prepare: withMemories(t)})
	s.openMemory().Press("3").See("spare key").Press("n").See("New hook", "▸ Due").TypeText("The ferry leaves.").Press("shift+tab").See("Story time").TypeText("in three days").Press("ctrl+s").See("saved", "The ferry leaves.", "in three days").NotSee("New hook")
	if h := s.hook("ferry leaves"); h == nil || h.Due.When != "in three days" || h.State != "waiting" {
		t.Errorf("stored %+v", h)
	}
	s.onStory("ferry leaves").Press("e").See("Edit a hook", "▸ Due · 1 changed").Press("esc").NotSee("Edit a hook")
}
