package tui

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/look"
)

// addCharacter puts a character into the library.
func addCharacter(t testing.TB, e *engine.Engine, name, about string) storage.CharacterID {
	t.Helper()
	c, err := e.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: name, Description: about, FirstMessage: "Here I am."}, Immersion: storage.Full})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// withTroupe makes a chat in which Mara and Ilse play beside Tove, to be used as
// prepare; Berta is in the library.
func withTroupe(t testing.TB, order storage.TurnOrder) func(*engine.Engine) {
	return func(e *engine.Engine) {
		chat := newToveChat(t, e)
		for _, name := range []string{"Mara", "Ilse"} {
			if err := e.Chats.JoinCast(chat, addCharacter(t, e, name, "keeps the "+name+" books")); err != nil {
				t.Fatal(err)
			}
		}
		addCharacter(t, e, "Berta", "rows the ferry")
		if err := e.Chats.SetTurnOrder(chat, order); err != nil {
			t.Fatal(err)
		}
	}
}

// cast is who plays in the open chat, from the store.
func (s *session) cast() chats.CastList {
	s.t.Helper()
	list, err := s.eng.Play.Cast(s.chat().Chat.ID)
	s.must(err)
	return list
}

func castNames(list []chats.CastView, is func(chats.CastView) bool) []string {
	var out []string
	for _, v := range list {
		if is == nil || is(v) {
			out = append(out, v.Name)
		}
	}
	return out
}

// speakers are who said the messages of the open chat.
func (s *session) speakers() []string {
	var out []string
	for _, m := range s.chat().Messages {
		out = append(out, m.Name)
	}
	return out
}

// replied waits until the screen shows n messages, the last of them a whole reply
// of so many to choose from.
func (s *session) replied(n, siblings int) *session {
	s.t.Helper()
	s.until("a whole reply", func() (ok bool) {
		s.in(func(a *app) {
			if i := len(a.play.Items) - 1; i == n-1 && !a.turn.running {
				m := a.play.Items[i].Msg
				ok = m.Role == storage.Assistant && m.State == storage.Complete && m.Siblings == siblings
			}
		})
		return ok
	})
	return s.still()
}

func TestCast_Dialog(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withTroupe(t, storage.OrderRobin)})
	s.see("answers").press("alt+c").see("Cast", "main character", "Turn order").golden("cast").goldenStyled("cast")
	s.press("j", "space").see("away").until("Mara is away", func() bool {
		return slices.Contains(castNames(s.cast().List, func(v chats.CastView) bool { return v.Away }), "Mara")
	})
	s.see("– 2 Mara").press("s").see("Mara is away: space brings a character back").press("space").notSee("– 2 Mara").notSee("is away")
	s.press("a").see("Who joins the cast?", "Berta").press("enter").notSee("Who joins").see("4 Berta")
	s.press("o").see("Who speaks next?", "whoever was named last").press("down", "down", "down", "enter").notSee("Who speaks next?").see("Turn order: you choose")
	s.press("k", "x").see("sends the main character away").press("j", "x").notSee("Mara").see("3 Berta")
	if diff := cmp.Diff([]string{"Ilse", "Berta"}, castNames(s.cast().List, nil)[1:]); diff != "" {
		t.Error(diff)
	}
	if got := s.cast().Order; got != storage.OrderUser {
		t.Errorf("the order is %q", got)
	}
	s.press("esc").notSee("Turn order").see("you choose who answers")
}

// A chat with one character can be given others, and says so.
func TestCast_Alone(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: func(e *engine.Engine) { newToveChat(t, e); addCharacter(t, e, "Berta", "rows the ferry") }})
	s.see("‹1/3›").press("alt+c").see("Nobody else plays yet").golden("cast-alone")
	s.press("a").see("Berta").press("enter").see("2 Berta", "Turn order").press("esc").notSee("Turn order").see("answers")
	s.press("alt+w").see("Whisper to whom?").press("esc")
}

func TestCast_UserChoosesWhoAnswers(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withTroupe(t, storage.OrderUser)})
	s.see("you choose who answers").typeText("Who was it?").press("enter").see("Who answers?", "Mara").golden("cast-answer")
	s.press("esc").notSee("Who answers?").see("Who was it?")
	if n := len(s.texts()); n != 1 {
		t.Fatalf("esc has sent: %d messages", n)
	}
	s.press("enter").see("Who answers?").typeText("ilse").press("enter").notSee("Who answers?")
	s.replied(3, 1).see("Ilse")
	if got := s.speakers(); got[2] != "Ilse" {
		t.Errorf("%q have spoken", got)
	}
	s.see("Write your line")
}

func TestCast_SpeakNow(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withTroupe(t, storage.OrderRobin)})
	s.see("answers").press("alt+k").see("Who speaks now?").typeText("Mara").press("enter").notSee("Who speaks")
	s.replied(2, 1)
	if got := s.speakers(); got[1] != "Mara" {
		t.Errorf("%q have spoken", got)
	}
	s.press("alt+c").see("Cast").press("s").notSee("Turn order") // the main character, who is chosen
	s.replied(3, 1)
	if got := s.speakers(); !strings.HasPrefix(got[2], "Tove") {
		t.Errorf("%q have spoken", got)
	}
}

// Where only one plays, the key makes that one speak, and no question is asked.
func TestCast_SpeakAlone(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Script: always("I was about to say it.")}})
	s.see("‹1/3›").press("alt+k").see("about to say").still()
}

func TestVoices_TellCharactersApart(t *testing.T) {
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, theme := range set {
		for _, dark := range []bool{true, false} {
			lk := look.New(theme, dark, 1)
			all := append(lk.Voices(), lk.Palette.User, lk.Palette.Character)
			if len(all) < 4 {
				t.Errorf("%s: %d colours for names", theme.Name, len(all))
			}
			for i, c := range all {
				if slices.ContainsFunc(all[:i], func(o color.Color) bool { return look.SameColor(c, o) }) && i < len(all)-2 {
					t.Errorf("%s: a colour twice", theme.Name)
				}
			}
		}
	}
}
