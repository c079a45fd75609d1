package tui

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/storyboard"
	"ghostlight/engine/taste"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// withEdits makes the harbour's play with a storyboard of its second scene that the
// user has changed and confirmed.
func withEdits(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		withStory(t, harbour, false)(e)
		chat, _, err := e.LastChat()
		if err != nil {
			t.Fatal(err)
		}
		scenes, err := e.Scenes(chat)
		if err != nil {
			t.Fatal(err)
		}
		shot := func(kind, size, words string) params {
			return params{"kind": kind, "size": size, "job": "reaction", "description": words, "seconds": 3}
		}
		_, err = e.CallBoard(chat, scenes.List[1].Break,
			toolCall(storyboard.InsertShot, params{"shots": []params{shot("key", "wide", "The lamp room, both of them."), shot("filler", "medium", "A hand on the rail."), shot("key", "medium", "She goes pale.")}}),
			toolCall(storyboard.ModifyShot, params{"shot": "s1", "size": "close_up"}),
			toolCall(storyboard.ModifyShot, params{"shot": "s3", "size": "close_up"}),
			toolCall(storyboard.RemoveShots, params{"shots": []string{"s2"}}),
			toolCall(storyboard.ConfirmShots, params{}))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// taste is what is known of the open chat's story.
func (s *session) taste() engine.TasteView {
	s.t.Helper()
	scope, err := s.eng.ScopeOf(s.chat().Chat.ID)
	s.must(err)
	v, err := s.eng.Taste(scope)
	s.must(err)
	return v
}

// card is the one that has some words, nil for none.
func (s *session) card(words string) *taste.Card {
	s.t.Helper()
	v := s.taste()
	i := slices.IndexFunc(v.Cards, func(c taste.Card) bool { return strings.Contains(c.Preference, words) })
	if i < 0 {
		return nil
	}
	return &v.Cards[i]
}

// onTaste waits until a row of the taste pane's view has some words, and chooses it.
func (s *session) onTaste(words string) *session {
	s.t.Helper()
	s.until("the row "+words, func() (found bool) {
		s.in(func(a *app) {
			l := thePane[*tastePane](a).list()
			for i, it := range l.items {
				if it.key != "" && strings.Contains(it.lines[0].text, words) && !found {
					l.Choose(i)
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
	s.t.Helper()
	s.until("the changes to be stored", func() (over bool) {
		s.in(func(a *app) { over = !thePane[*tastePane](a).order.Busy })
		return over
	})
	return s
}

// From a storyboard that was changed to a card, and all that can be done to it.
func TestTaste_LearntAndDirected(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{learn: true, prepare: withEdits(t), h: 40, w: 80})
	s.see("blue boat").press("alt+a").see("Nothing is known yet", "learning waits").press("r").see("has taught anything yet")
	s.press("w").see("What a plan is told", "Nothing: there is no profile").press("esc").notSee("What a plan is told")
	s.press("2").see("No scene of this story").press("r").see("▸ Scene 2", "lesson")
	s.until("the profile", func() bool { v := s.taste(); return !v.Working && len(v.Cards) > 0 })
	const card = "The framing goes closer"
	s.press("z").see("▾ Scene 2", card, "you: ").press("j", "j", "z").see("▸ Scene 2").notSee("you: The user did")
	s.press("1").see(card, "learnt from 1 scene").onTaste(card).see("evidence: ")
	s.press("O").see("muted: not told", "–   "+card)
	if c := s.card(card); c == nil || !c.Muted {
		t.Fatalf("muted: %+v", c)
	}
	s.press("O").see("told again", "●○○ "+card).press("u").see("undone", "–   "+card).silent().press("u").see("undone", "●○○ "+card)

	s.press("e").see("Edit a card").typeText("Quietly: ").press("ctrl+s").notSee("Edit a card").see("saved", "Quietly: The framing", "yours")
	if c := s.card("Quietly"); c == nil || !c.Own {
		t.Errorf("edited: %+v", c)
	}
	s.press("d").see("1 removed (v)").stored().silent().notSee("Quietly: The").press("v").see("Removed", "✗   Quietly").onTaste("Quietly").press("e").see("it is removed").press("u").see("undone").stored().silent().notSee("✗   Quietly").see("Quietly: The framing")
	if c := s.card("Quietly"); c == nil || !c.Own || c.Deleted {
		t.Errorf("what was removed came back as %+v", c)
	}
	s.press("X").see("is as it was learnt").silent().notSee("Quietly").onTaste(card).press("X").see("nothing of yours").press("u").see("Quietly: The framing").stored()
	s.press("d").see("✗   Quietly").stored().onTaste("Quietly").press("d").see("brought back").silent().notSee("Quietly")

	s.press("E").see("in short").press("ctrl+u").typeText("Mine. ").press("ctrl+s").see("summary saved", "in your words").press("u").see("undone").notSee("In short · in")
	s.press("n").see("New card").press("ctrl+s").see("needs words").typeText("Doors are shown.").press("tab").typeText("entrances").press("tab", "tab", "left", "ctrl+s").see("saved", "●●○ Doors are shown.", "yours", "for entrances")
	if c := s.card("Doors"); c == nil || !c.Own || c.AppliesTo != "entrances" || c.Confidence != storage.MediumConfidence {
		t.Errorf("a card of one's own: %+v", c)
	}
	s.press("w").see("key beats · 1 of", "Told with").press("right").see("filler strategy · 2 of").press("left", "left").see("1 of").press("G").press("esc").notSee("What a plan")

	s.press("2", "d").see("Forget a scene's lessons", "Scene 2").press("n").notSee("Forget a").press("enter").see("BROWSE").press("alt+a", "2").see("▸ Scene 2").press("r").see("this scene is learnt from")
	s.until("the end of learning", func() bool { return !s.taste().Working })
	s.press("1", "r").see("the profile is made anew")
	s.until("the new profile", func() bool { return !s.taste().Working })
	s.press("2", "d").see("Forget a scene's").press("y").see("forgotten", "No scene of this story").press("1").see("Doors are shown").notSee(card)
	s.press("R").see("Reset taste", "This goes: 1 card (1 in your words)").press("n").notSee("Reset taste").press("R").see("Reset taste").press("y").see("Nothing is known yet").press("u").see("nothing was changed here").press("R").see("nothing to forget")
	if v := s.taste(); len(v.Cards)+len(v.Memories) > 0 || v.Summary != "" {
		t.Errorf("after the reset: %+v", v)
	}
	s.press("t").see("Storyboard").press("t").see("Nothing is known yet").press("alt+a").notSee("Nothing is known")
}

// Keys in any order, while what is known changes under them, bring nothing down.
func TestTaste_Monkey(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, uint64(time.Now().UnixNano())} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 9))
			s := begin(t, stageOptions{learn: true, prepare: withEdits(t)})
			s.see("blue boat").press("alt+a").see("Nothing is known").press("2", "r").see("▸ Scene 2")
			names := strings.Fields("1 2 tab j k g G v z n e O d X r E w y S u enter esc left right up down pgup pgdown backspace ctrl+s shift+tab q é")
			for i := range 300 {
				s.prog.Send(keyNamed(t, names[rng.IntN(len(names))]))
				if rng.IntN(15) == 0 {
					s.prog.Send(tea.WindowSizeMsg{Width: 1 + rng.IntN(150), Height: 1 + rng.IntN(50)})
				}
				if i%10 == 0 {
					s.in(func(a *app) {
						if _, ok := paneOf[*tastePane](a); !ok || a.dialogs.Top() == nil && a.mode != keys.Pane {
							a.closePane()
							a.send2(a.run(keys.PaneTaste))
						}
					})
				}
			}
			s.in(func(a *app) { a.dialogs.All = nil })
			s.size(80, 24)
			s.now()
			scan(t, s.out.bytes())
		})
	}
}
