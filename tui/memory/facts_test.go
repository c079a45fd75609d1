package memory_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	enginememory "github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// someFacts are facts of all kinds.
func someFacts(at storage.NodeID) enginememory.FactList {
	from := []enginememory.Source{{Message: at, Number: 1, Name: "Tove Halloran"}}
	later := []enginememory.Source{{Message: at, Number: 1}, {Message: "gone", Number: 41}}
	return enginememory.FactList{PromptOf: "Tove", Facts: []enginememory.Fact{
		{ID: "a", Kind: facts.Recap, Home: "the running recap", Text: "Clara waits at the well of Vale.", Subject: "Clara", Names: []string{"Clara", "Vale"}, Sources: from, Everybody: true, Since: 1, Scene: 1, SceneName: "The locked door", WhyNotInPrompt: "a later fact says otherwise, so it does not come back"},
		{ID: "b", Kind: facts.Memory, Home: "a memory", Text: "Clara waits at the mill of Vale.", Subject: "Clara", Names: []string{"Clara", "Vale"}, Sources: later, Everybody: true, Since: 1, Scene: 2, InPrompt: true, InPromptBy: "a memory"},
		{ID: "c", Kind: facts.Recap, Home: "the running recap", Text: "Clara hides in the boathouse, and only Brona has heard of it, who has promised to say nothing to anybody in the village.", Subject: "Clara", Sources: from, Since: 1, Scene: 1,
			Knowers: []enginememory.Knower{{ID: "x", Name: "Brona"}}, WhyNotInPrompt: "Tove does not know it"},
		{ID: "d", Kind: facts.Lore, Home: "the lorebook Harbour", Text: "The inn stands on piles.", Subject: "Gull Inn", Everybody: true, WhyNotInPrompt: "its entry not triggered now; it is told when its keys are named"},
		{ID: "e", Kind: facts.Lore, Home: "the lorebook Harbour", Text: "The Gull Inn is built on piles.", Subject: "Gull Inn", Everybody: true, InPrompt: true, InPromptBy: "the lorebook"},
		{ID: "f", Kind: facts.Hook, Home: "a hook", Text: "the ferry leaves", Everybody: true, WhyNotInPrompt: "it is not due yet"},
	}, Contradictions: []enginememory.Pair{{Older: "a", Newer: "b", Later: "b"}}, Duplicates: []enginememory.Pair{{Older: "d", Newer: "e"}}}
}

func withFacts(t testing.TB) *tuitest.Session {
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+f").See("No facts yet")
	s.In(func(v *tui.Screen) {
		m, _ := v.Host().Play().LastMessage()
		paneOf(v).FillFacts(someFacts(m.ID))
	})
	return s
}

func TestGolden_Knowledge(t *testing.T) {
	t.Parallel()
	s := withFacts(t)
	s.See("Contradictions and duplicates").Golden("facts-list").GoldenStyled("facts-list")
	s.Press("G").See("the ferry").Golden("facts-end")
	s.Press("/").TypeText("boathouse").See("hides in the boathouse").NotSee("the ferry").Press("enter").Silent().Golden("facts-filter")
	s.Press("esc").See("The inn stands").Press("/").TypeText("zzz").See("No match for").Press("esc").See("The inn stands")
}

func TestGolden_KnowledgeSheet(t *testing.T) {
	t.Parallel()
	s := withFacts(t)
	s.Press("g", "enter").See("Two facts", "the second is newer").Golden("facts-pair")
	s.Press("x").See("Which one: end", "2 “Clara waits at the mill").Golden("facts-which", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24}).Press("esc").NotSee("Which one").Press("enter").See("Two facts")
	s.Press("tab").Press("esc").NotSee("Two facts").Press("j", "j", "j", "enter").See("A fact", "message 41").Golden("facts-fact")
	s.Press("enter").See("BROWSE").NotSee("A fact")
}

func TestGolden_KnowledgeEmpty(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+f").See("No facts yet").Golden("facts-empty")
	s.Press("enter", "S", "y", "j", "k", "g", "G", "pgup", "pgdown")
	s.Do("memory-who").See("this chat has one character").Silent()
}

// What is in the store is read, again on demand, and the source is gone to by a key.
func TestKnowledge_ReadsThePlay(t *testing.T) {
	t.Parallel()
	var eng *engine.Engine
	var chat storage.ChatID
	s := tuitest.Begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		eng = e
		chat = tuitest.NewChat(t, e)
	}})
	s.Press("alt+f").See("No facts yet")
	scope, err := eng.Chats.ScopeOf(chat)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eng.Memory.Save(scope, storage.Memory{Type: storage.FactMemory, Content: "Clara repairs the clocks of Vale."}); err != nil {
		t.Fatal(err)
	}
	s.See("changed:").Press("r").See("Clara repairs").NotSee("changed:")
	s.Press("L").See("it is already in the next prompt")
	s.Press("S").See("no source message").Press("enter").See("A fact", "next prompt, from").Press("enter").NotSee("A fact")
}

// The pane and its dialogs draw themselves at every size.
func TestKnowledge_EverySize(t *testing.T) {
	t.Parallel()
	s := withFacts(t)
	for _, open := range []string{"j", "/", "enter"} {
		s.Press(open)
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

// Facts that may be over come first, and are answered by a key, which can be undone.
func TestKnowledge_AsksWhatMayBeOver(t *testing.T) {
	t.Parallel()
	var eng *engine.Engine
	var chat storage.ChatID
	s := tuitest.Begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		eng = e
		chat = tuitest.NewChat(t, e)
	}})
	scope, err := eng.Chats.ScopeOf(chat)
	if err != nil {
		t.Fatal(err)
	}
	m, err := eng.Memory.Save(scope, storage.Memory{Type: storage.FactMemory, Content: "Clara repairs the clocks of Vale."})
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Memory.InStory("doubt", scope, func(tx *storage.Tx) error {
		x, err := storage.Memories.Get(tx, scope, m.ID)
		if err != nil {
			return err
		}
		x.Ends = append(x.Ends, storage.End{Mention: storage.Mention{Chat: chat, At: x.CreatedAt}, Kind: storage.Outdated, Why: "out of character", Instead: "Clara mends boats.", Doubt: true})
		return storage.Memories.Put(tx, scope, x)
	}); err != nil {
		t.Fatal(err)
	}
	s.Still() // the pane would say that something has changed since
	s.Press("alt+f").See("May be outdated", "Clara mends boats").Golden("facts-doubt").Press("g", "enter").See("Is this still true?", "New text").Golden("facts-doubt-asked")
	s.Press("x").NotSee("May be outdated").Press("u").See("May be outdated")
	s.Press("g", "enter").See("Is this still true?").Press("h").NotSee("May be outdated").See("Clara repairs").Press("u").See("May be outdated")
	s.Press("g", "enter").See("Is this still true?").Press("e").See("Correct “").Press("ctrl+s").NotSee("Correct “").NotSee("May be outdated").See("Clara mends boats").Press("u").See("May be outdated")
}
