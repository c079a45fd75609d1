package memory_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

const (
	rightSentence = "Clara repairs the clocks of Moor"
	wrongSentence = "Clara repairs the clocks of Vale"
)

// withWrong is a chat whose last message and memories say what is wrong, or nearly.
func withWrong(t testing.TB) (*tuitest.Session, *engine.Engine, storage.ChatID) {
	var eng *engine.Engine
	var chat storage.ChatID
	s := tuitest.Begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		eng, chat = e, tuitest.NewChat(t, e)
		scope, err := e.Chats.ScopeOf(chat)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{wrongSentence + ".", "The clocks of Vale: Clara repairs these.", "Clara never repairs the clocks of Vale."} {
			if _, err := e.Memory.Save(scope, storage.Memory{Type: storage.FactMemory, Content: text}); err != nil {
				t.Fatal(err)
			}
		}
		v, err := e.Play.View(chat, 0)
		if err != nil {
			t.Fatal(err)
		}
		last := v.Messages[len(v.Messages)-1]
		if err := e.Chats.Edit(chat, last.ID, "The door opens with a long creak. “"+wrongSentence+".” She sits down."); err != nil {
			t.Fatal(err)
		}
	}})
	s.See("The door opens")
	return s, eng, chat
}

func remembered(t testing.TB, eng *engine.Engine, chat storage.ChatID) string {
	list, err := eng.Memory.Memories(memory.Query{Chat: chat})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range list.List {
		out = append(out, m.Content)
	}
	return strings.Join(out, "|")
}

func TestGolden_Correction(t *testing.T) {
	t.Parallel()
	s, _, _ := withWrong(t)
	s.Press("esc").Do(keys.Correct).See("Fix a fact everywhere", "The door opens", "1 match, 0 selected").Golden("correction-message")
	s.Press("shift+tab", "down").See("4 matches, 1 selected").Press("tab").TypeText(rightSentence + ".").Press("tab").See("4 matches, 1 selected")
	s.Golden("correction").GoldenStyled("correction")
	s.Press("G").See("▌ [ ] a memory · possible match").Golden("correction-end")
	s.Press("esc").See("nothing is fixed yet").Press("esc").NotSee("Fix a fact everywhere")
}

// The sentence is chosen, what is so is typed, places are chosen, one key mends, and one
// takes it back.
func TestCorrection_OnAMessage(t *testing.T) {
	t.Parallel()
	s, eng, chat := withWrong(t)
	before := remembered(t, eng, chat)
	s.Press("esc").Do(keys.Correct).See("1 match, 0 selected").Press("shift+tab", "down", "down", "down", "down").See("4 matches, 1 selected")
	s.Press("enter").TypeText(rightSentence + ".").Press("ctrl+s").See("+ " + rightSentence) // they are shown first
	s.Press("down", "space").See("2 selected").Press("down", "space").See("3 selected").Press("ctrl+s").See("fixed in 3 places", "u undoes it").NotSee("Fix a fact everywhere")
	if got := remembered(t, eng, chat); strings.Count(got, rightSentence) != 1 || !strings.Contains(got, "never") {
		t.Errorf("remembered: %s", got)
	}
	s.See("clocks of Moor")
	s.Press("u").See("clocks of Vale").NotSee("clocks of Moor")
	if got := remembered(t, eng, chat); got != before {
		t.Errorf("undone: %s", got)
	}
}

func TestCorrection_OnAFact(t *testing.T) {
	t.Parallel()
	s, eng, chat := withWrong(t)
	s.Press("alt+f").See("All facts · 3 facts").Press("G", "k").Do("memory-correct").See("Fix a fact everywhere", "Clara never repairs", "1 selected")
	s.Press("ctrl+s").See("fixed in 1 place")
	if got := remembered(t, eng, chat); strings.Contains(got, "never") {
		t.Errorf("remembered: %s", got)
	}
}

// What cannot be done says why, and everything typed stays.
func TestCorrection_Refusals(t *testing.T) {
	t.Parallel()
	s, _, _ := withWrong(t)
	s.Press("esc").Do(keys.Correct).See("1 match, 0 selected").Press("ctrl+s").See("nothing is selected")
	s.Press("shift+tab", "ctrl+u", "tab").See("enter the wrong sentence").Press("ctrl+s").See("enter the wrong sentence")
	s.Press("shift+tab", "shift+tab").PasteText("Pigs fly over Hull.").Press("tab").See("not found").Press("tab", "j", "k", "G", "g", "*", "space", "pgdown", "pgup")
	s.Press("esc").NotSee("Fix a fact everywhere")
}

func TestCorrection_EverySize(t *testing.T) {
	t.Parallel()
	s, _, _ := withWrong(t)
	s.Press("esc").Do(keys.Correct).See("1 match, 0 selected").Press("shift+tab", "down", "tab", "tab").See("1 selected")
	s.In(func(v *tui.Screen) {
		for w := 1; w <= 64; w += 7 {
			for h := 1; h <= 26; h += 5 {
				v.Update(tea.WindowSizeMsg{Width: w, Height: h})
				v.Paint()
			}
		}
	})
}
