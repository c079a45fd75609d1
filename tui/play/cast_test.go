package play_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

// addCharacter puts a character into the library.
func addCharacter(t testing.TB, e *engine.Engine, name, about string) storage.CharacterID {
	t.Helper()
	c, err := e.Library.SaveCharacter(storage.Character{
		Card: storage.Card{Name: name, Description: about, FirstMessage: "Here I am."}, Immersion: storage.Full})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// withTroupe makes a chat with Mara and Ilse beside Tove, for prepare; Berta is in the library.
func withTroupe(t testing.TB, order storage.TurnOrder) func(*engine.Engine) {
	return func(e *engine.Engine) {
		chat := tuitest.NewChat(t, e)
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

// session is a session with what the tests of the play look at.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) *session { return &session{tuitest.Begin(t, o)} }

// cast returns the cast of the open chat, from the store.
func (s *session) cast() chats.CastList {
	s.T().Helper()
	list, err := s.Engine.Play.Cast(s.Chat().Chat.ID)
	s.Must(err)
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

// speakers returns the speakers of the open chat's messages.
func (s *session) speakers() []string {
	var out []string
	for _, m := range s.Chat().Messages {
		out = append(out, m.Name)
	}
	return out
}

// replied waits until the screen shows n messages, the last one a complete reply with the given
// number of swipes.
func (s *session) replied(n, siblings int) *tuitest.Session {
	s.T().Helper()
	s.Until("a whole reply", func() (ok bool) {
		s.In(func(v *tui.Screen) {
			if m, any := v.Host().Play().LastMessage(); any && play.RoomOf(v.Parts()).Items() == n &&
				!v.Host().Play().Replying() {
				ok = m.Role == storage.Assistant && m.State == storage.Complete && m.Siblings == siblings
			}
		})
		return ok
	})
	return s.Still()
}

func TestCast_Dialog(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withTroupe(t, storage.OrderRoundRobin)})
	s.See("answers").Press("alt+c").See("Cast", "main character", "Turn order").Golden("cast").GoldenStyled("cast")
	s.Press("j", "space").See("away").Until("Mara is away", func() bool {
		return slices.Contains(castNames(s.cast().List, func(v chats.CastView) bool { return v.Away }), "Mara")
	})
	s.See("– 2 Mara").Press("alt+k").See("Mara is away: space brings them back").Press("space").NotSee(
		"– 2 Mara").NotSee("is away")
	s.Press("n").See("Add a character", "Berta").Press("enter").NotSee("Add a character").See("4 Berta")
	s.Press("ctrl+o").See("Who speaks next?", "last character mentioned").Press("down", "down", "down",
		"enter").NotSee("Who speaks next?").See("Turn order: you choose")
	s.Press("k", "d").See("cannot be removed: space marks them as away").Press("j",
		"d").NotSee("2 Mara").See("3 Berta").Press("u").See("2 Mara").Press("k", "d").NotSee("2 Mara")
	if diff := cmp.Diff([]string{"Ilse", "Berta"}, castNames(s.cast().List, nil)[1:]); diff != "" {
		t.Error(diff)
	}
	if got := s.cast().Order; got != storage.OrderUser {
		t.Errorf("the order is %q", got)
	}
	s.Press("esc").NotSee("Turn order").See("choose who answers")
}

// A newcomer can be set to have been present earlier, and that can be undone.
func TestCast_SinceWhen(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withTroupe(t, storage.OrderRoundRobin)})
	since := func() (int, bool) { m := s.cast().List[1]; return m.Since, m.Said }
	was, _ := since()
	s.See("answers").Press("alt+c").See("Cast").Press("e").See("is present from the start")
	s.Press("j", "e").See("Since when is Mara present?", "Since they joined").TypeText("from the start").Press(
		"enter").NotSee("Since when is")
	s.See("Mara is present from the start", "u undoes it", "present from the start")
	if n, said := since(); n != 1 || !said {
		t.Errorf("since %d, said %v", n, said)
	}
	s.Press("u").NotSee("2 Mara  present from the start")
	s.Until("it to be taken back", func() bool { n, said := since(); return n == was && !said })
	s.Press("u").See("nothing to undo").Press("esc")
}

// A chat with one character can be given others, and says so.
func TestCast_Alone(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		tuitest.NewChat(t, e)
		addCharacter(t, e, "Berta", "rows the ferry")
	}})
	s.See("‹1/3›").Press("alt+c").See("No other characters yet").Golden("cast-alone")
	s.Press("n").See("Berta").Press("enter").See("2 Berta",
		"Turn order").Press("esc").NotSee("Turn order").See("answers")
	s.Press("alt+w").See("Whisper to whom?").Press("esc")
}

func TestCast_UserChoosesWhoAnswers(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withTroupe(t, storage.OrderUser)})
	s.See("choose who answers").TypeText("Who was it?").Press("enter").See("Who answers?", "Mara").Golden("cast-answer")
	s.Press("esc").NotSee("Who answers?").See("Who was it?")
	if n := len(s.Texts()); n != 1 {
		t.Fatalf("esc has sent: %d messages", n)
	}
	s.Press("enter").See("Who answers?").TypeText("ilse").Press("enter").NotSee("Who answers?")
	s.replied(3, 1).See("Ilse")
	if got := s.speakers(); got[2] != "Ilse" {
		t.Errorf("%q have spoken", got)
	}
	s.See("Write a message")
}

func TestCast_SpeakNow(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withTroupe(t, storage.OrderRoundRobin)})
	s.See("answers").Press("alt+k").See("Who speaks now?").TypeText("Mara").Press("enter").NotSee("Who speaks")
	s.replied(2, 1)
	if got := s.speakers(); got[1] != "Mara" {
		t.Errorf("%q have spoken", got)
	}
	s.Press("alt+c").See("Cast").Press("alt+k").NotSee("Turn order") // the main character, who is chosen
	s.replied(3, 1)
	if got := s.speakers(); !strings.HasPrefix(got[2], "Tove") {
		t.Errorf("%q have spoken", got)
	}
}

// Where only one plays, the key makes that one speak, and no question is asked.
func TestCast_SpeakAlone(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("I was about to say it.")}})
	s.See("‹1/3›").Press("alt+k").See("about to say").Still()
}
