package taste_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	enginetaste "github.com/ghostlight-theatre/ghostlight/engine/taste"
	lessons "github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/taste"
)

// session is a user in front of the taste pane.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) *session {
	t.Helper()
	return &session{tuitest.Begin(t, o)}
}

// withEdits makes the harbour's play with a storyboard of its second scene that the
// user has changed and confirmed.
func withEdits(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		tuitest.WithStory(t, tuitest.Harbour, false)(e)
		chat, _, err := e.Chats.Last()
		if err != nil {
			t.Fatal(err)
		}
		scenes, err := e.Scenes.List(chat)
		if err != nil {
			t.Fatal(err)
		}
		shot := func(kind, size, words string) map[string]any {
			return map[string]any{"kind": kind, "size": size, "job": "reaction", "description": words, "seconds": 3}
		}
		_, err = e.Boards.Call(chat, scenes.List[1].Break,
			toolCall(storyboard.InsertShot, map[string]any{"shots": []map[string]any{shot("key", "wide", "The lamp room, both of them."), shot("filler", "medium", "A hand on the rail."), shot("key", "medium", "She goes pale.")}}),
			toolCall(storyboard.ModifyShot, map[string]any{"shot": "s1", "size": "close_up"}),
			toolCall(storyboard.ModifyShot, map[string]any{"shot": "s3", "size": "close_up"}),
			toolCall(storyboard.RemoveShots, map[string]any{"shots": []string{"s2"}}),
			toolCall(storyboard.ConfirmShots, map[string]any{}))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// taste returns what is known of the open chat's story.
func (s *session) taste() enginetaste.View {
	s.T().Helper()
	scope, err := s.Engine.Chats.ScopeOf(s.Chat().Chat.ID)
	s.Must(err)
	v, err := s.Engine.Taste.View(scope)
	s.Must(err)
	return v
}

// card returns the one that has some words, nil for none.
func (s *session) card(words string) *lessons.Card {
	s.T().Helper()
	v := s.taste()
	i := slices.IndexFunc(v.Cards, func(c lessons.Card) bool { return strings.Contains(c.Preference, words) })
	if i < 0 {
		return nil
	}
	return &v.Cards[i]
}

// onTaste waits until a row of the taste pane's view has some words, and chooses it.
func (s *session) onTaste(words string) *session {
	s.T().Helper()
	s.Until("the row "+words, func() (found bool) {
		s.In(func(v *tui.Screen) {
			p := v.Host().Panes().Current().(*taste.Pane)
			for i := range p.Len() {
				if key, text := p.Line(i); key != "" && strings.Contains(text, words) && !found {
					p.Choose(i)
					found = true
				}
			}
		})
		return found
	})
	return s
}

// stored waits until all changes are stored, and said to be.
func (s *session) stored() *session {
	s.T().Helper()
	s.Until("the changes to be stored", func() (over bool) {
		s.In(func(v *tui.Screen) { over = !v.Host().Panes().Current().(*taste.Pane).Storing() })
		return over
	})
	return s
}

// From a storyboard that was changed to a card, and all that can be done to it.
func TestTaste_LearntAndDirected(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Learn: true, Answers: tuitest.Taught(), Prepare: withEdits(t), H: 40, W: 80})
	s.See("blue boat").Press("alt+a").See("No preferences learned", "learning queued").Press("r").See("othing learned")
	s.Press("W").See("Profile text for plans", "Empty: there is no profile").Press("esc").NotSee("Profile text for plans")
	s.Press("2").See("Nothing learned").Press("r").See("▸ Scene 2", "lesson")
	s.Until("the profile", func() bool { v := s.taste(); return !v.Working && len(v.Cards) > 0 })
	const card = "The framing goes closer"
	s.Press("z").See("▾ Scene 2", card, "you: The director").Press("j", "j", "z").See("▸ Scene 2").NotSee(card)
	s.Press("1").See(card, "learned from 1 scene")
	s.onTaste(card).See("evidence: ")
	s.Press("O").See("muted: not used", "–   "+card)
	if c := s.card(card); c == nil || !c.Muted {
		t.Fatalf("muted: %+v", c)
	}
	s.Press("O").See("unmuted", "●●○ "+card).Press("u").See("undone", "–   "+card).Silent().Press("u").See("undone", "●●○ "+card)

	s.Press("e").See("Edit a card").TypeText("Quietly: ").Press("ctrl+s").NotSee("Edit a card").See("saved", "Quietly: The framing", "yours")
	if c := s.card("Quietly"); c == nil || !c.Own {
		t.Errorf("edited: %+v", c)
	}
	s.Press("d").See("1 removed (v)")
	s.stored().Silent().NotSee("Quietly: The").Press("v").See("Removed", "✗   Quietly")
	s.onTaste("Quietly").Press("e").See("it is removed").Press("u").See("undone")
	s.stored().Silent().NotSee("✗   Quietly").See("Quietly: The framing")
	if c := s.card("Quietly"); c == nil || !c.Own || c.Deleted {
		t.Errorf("what was removed came back as %+v", c)
	}
	s.Press("ctrl+x", "t", "r").See("reset to the learned text").Silent().NotSee("Quietly")
	s.onTaste(card).Press("ctrl+x", "t", "r").See("no edits to undo").Press("esc", "esc").NotSee("no edits").Press("u").See("Quietly: The framing")
	s.stored()
	s.Press("d").See("✗   Quietly")
	s.stored()
	s.onTaste("Quietly").Press("d").See("restored").Silent().NotSee("Quietly")

	s.Press("ctrl+x", "t", "e").See("Summary of your").Press("ctrl+u").TypeText("Mine. ").Press("ctrl+s").See("summary saved", "edited by you").Press("u").See("undone").NotSee("Summary · edited")
	s.Press("n").See("New card").Press("ctrl+s").See("You prefer must not be empty").TypeText("Doors are shown.").Press("tab").TypeText("entrances").Press("tab", "tab", "left", "ctrl+s").See("saved", "●●○ Doors are shown.", "yours", "for entrances")
	if c := s.card("Doors"); c == nil || !c.Own || c.AppliesTo != "entrances" || c.Confidence != storage.MediumConfidence {
		t.Errorf("a card of one's own: %+v", c)
	}
	s.Press("W").See("key beats · 1 of", "Sent with").Press("right").See("filler strategy · 2 of").Press("left", "left").See("1 of").Press("G").Press("esc").NotSee("Profile text")

	s.Press("2", "d").See("Forget a scene's lessons", "Scene 2").Press("n").NotSee("Forget a").Press("enter").See("BROWSE").Press("alt+a", "2").See("▸ Scene 2").Press("r").See("learning from this scene")
	s.Until("the end of learning", func() bool { return !s.taste().Working })
	s.Press("1", "r").See("rebuilding the profile")
	s.Until("the new profile", func() bool { return !s.taste().Working })
	s.Press("2", "d").See("Forget a scene's").Press("y").See("forgotten", "Nothing learned").Press("1").See("Doors are shown").NotSee(card)
	s.Press("ctrl+x", "t", "d").See("Reset taste", "deletes: 1 card (1 edited by you)").Press("n").NotSee("Reset taste").Press("ctrl+x", "t", "d").See("Reset taste").Press("y").See("No preferences learned").NotSee("Doors are shown").Press("u").See("nothing to undo").Press("ctrl+x", "t", "d").See("nothing to forget")
	if v := s.taste(); len(v.Cards)+len(v.Memories) > 0 || v.Summary != "" {
		t.Errorf("after the reset: %+v", v)
	}
	s.Press("q").NotSee("No preferences")
}

// Keys in any order, while what is known changes under them, bring nothing down.
func TestTaste_Monkey(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, uint64(time.Now().UnixNano())} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 9))
			s := begin(t, tuitest.Options{Learn: true, Answers: tuitest.Taught(), Prepare: withEdits(t)})
			s.See("blue boat").Press("alt+a").See("No preferences").Press("2", "r").See("▸ Scene 2")
			names := strings.Fields("1 2 tab j k g G v z n e O d X r E w y S u U W enter esc left right up down pgup pgdown backspace ctrl+s shift+tab q é")
			for i := range 300 {
				s.Send(tuitest.KeyNamed(t, names[rng.IntN(len(names))]))
				if rng.IntN(15) == 0 {
					s.Send(tea.WindowSizeMsg{Width: 1 + rng.IntN(150), Height: 1 + rng.IntN(50)})
				}
				if i%10 == 0 {
					s.In(func(v *tui.Screen) {
						d := v.Host()
						if _, ok := d.Panes().Current().(*taste.Pane); !ok || v.Dialogs() == 0 && !v.PaneFocused() {
							d.Run(keys.PaneClose)
							v.Start(d.Run(keys.PaneTaste))
						}
					})
				}
			}
			s.In(func(v *tui.Screen) { v.CloseDialogs() })
			s.Size(80, 24)
			s.Now()
			tuitest.Scan(t, s.Written())
		})
	}
}

// toolCall makes a call of a tool.
func toolCall(tool string, with map[string]any) storage.ToolCall {
	raw, err := json.Marshal(with)
	if err != nil {
		panic(err)
	}
	return storage.ToolCall{Tool: tool, Params: raw}
}
