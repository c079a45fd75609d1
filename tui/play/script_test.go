package play_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	engineplay "github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

// prompted is a session with a prompt pane that shows v.
func prompted(t testing.TB, v engineplay.PromptView) *tuitest.Session {
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f4").See("tokens").Still()
	s.In(func(scr *tui.Screen) {
		open := scr.Host().Play().Chat()
		open.Chat.Play.Cast = []storage.CastMember{{Character: "mara"}}
		scr.OpenChat(open)
		scr.Host().Panes().Current().(*play.Pane).Take(open.Chat.ID, v)
	})
	return s
}

func TestPrompt_Views(t *testing.T) {
	t.Parallel()
	s := prompted(t, play.SomePrompt())
	s.See("description (card: Tove) changed", "on this computer",
		"Mara speaks").Golden("prompt-parts").GoldenStyled("prompt-parts")
	s.Press("j", "j", "z").See("▸ lore").Press("*").See("▾ lore")
	s.Press("2").See("▸ system").Golden("prompt-messages")
	s.Press("enter").See("She keeps the light.").Press("G", "enter").See("A word of the reply. A word").Golden(
		"prompt-messages-open", tuitest.Size{W: 80, H: 24}, tuitest.Size{W: 200, H: 60})
	s.Press("3").See("processed again from here").Golden("prompt-changes").GoldenStyled("prompt-changes")
	s.Press("G", "enter").See("1 Parts", "+ messages 1 to 20") // message 181 is no part by itself
	s.Press("3").See("moved").Press("g", "j", "enter").See("no longer in the prompt")
	s.Press("j", "enter").See("▾ lore", "+ The island")
	s.In(func(v *tui.Screen) {
		p := v.Host().Panes().Current().(*play.Pane)
		if p.ChosenPart() != "The island" {
			t.Errorf("view %d, chosen %q", p.At(), p.ChosenPart())
		}
	})
	s.Press("enter").See("The next prompt", "── system ──").Press("esc").NotSee("The next prompt")
	s.Press("2", "g").See("▾ system").Press("y").See("copied")
}

func TestPrompt_NothingToCompare(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f4").See("tokens").Press("3").See("no earlier prompt").Golden("prompt-first",
		tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

// The user's changes since the last reply are named, with the place from which the prompt is
// processed again.
func TestPrompt_TellsWhatChanged(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("Is anybody here?").Say("I hold up the letter.")
	tove := s.Chat().Character
	tove.Card.Description += "\n\nShe has a limp."
	_, err := s.Engine.Library.SaveCharacter(tove)
	s.Must(err)
	s.Press("f4").See("! description (", "last prompt").Press("3").See("processed again from here",
		"~ changed  description")
	s.Press("enter").See("1 Parts", "─ processed again from here", "+ description")
}

func TestPrompt_HostileText(t *testing.T) {
	t.Parallel()
	v := play.SomePrompt()
	v.Speaker, v.Miss.What, v.Warnings = tuitest.Evil, tuitest.Evil, []string{tuitest.Evil}
	for i := range v.Parts {
		v.Parts[i].Source, v.Parts[i].Reason, v.Parts[i].Layer = tuitest.Evil, tuitest.Evil, tuitest.Evil
	}
	for i := range v.Changes {
		v.Changes[i].Source, v.Changes[i].Layer = tuitest.Evil, tuitest.Evil
	}
	for i := range v.Messages {
		v.Messages[i].Content, v.Messages[i].Role = tuitest.Evil+"\n"+tuitest.Evil, tuitest.Evil
	}
	s := prompted(t, v)
	for _, k := range []string{"1", "*", "2", "*", "3", "enter", "2", "enter"} {
		s.Press(k).Now()
	}
	tuitest.Scan(t, s.Written())
}

// notices counts the notices in the status line.
type notices struct {
	pane.Host
	n int
}

func (d *notices) Say(level event.Level, text string) tea.Cmd {
	d.n++
	return d.Host.Say(level, text)
}

// The user is notified once for each cause, and only about the open chat.
func TestPromptNews_ToldOnce(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Still()
	chat := s.Chat().Chat.ID
	ev := engineplay.CacheMissed{Chat: chat,
		Miss: engineplay.CacheMiss{Layer: "description", What: "the description changed", Tokens: 3912, Seconds: 12}}
	var avail *play.Part
	var d *notices
	s.In(func(v *tui.Screen) {
		d = &notices{Host: v.Host()}
		avail = play.New(d, nil)
	})
	told := func(ev engineplay.CacheMissed) (n int) {
		s.In(func(*tui.Screen) { was := d.n; avail.Event(ev); n = d.n - was })
		return n
	}
	if told(ev) != 1 {
		t.Error("the user was not told")
	}
	s.See("the description changed: about 3,900 tokens, 12 s on this computer")
	if told(ev) != 0 {
		t.Error("the user was told again")
	}
	other := ev
	other.Miss.What = "an entry was switched off"
	if told(other) != 1 {
		t.Error("another cause was not told")
	}
	other.Chat, other.Miss.What = "elsewhere", "something else"
	if told(other) != 0 {
		t.Error("the user was told of a chat that is not open")
	}
}

func TestPromptNews_ReadingAhead(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Still().NotSee("warming cache")
	chat := s.Chat().Chat.ID
	tell := func(ev engineplay.Warming) { s.In(func(v *tui.Screen) { v.Event(ev) }) }
	tell(engineplay.Warming{Chat: "elsewhere"})
	s.NotSee("warming cache")
	tell(engineplay.Warming{Chat: chat, Tokens: 4000})
	s.See("warming cache").Golden("prompt-ahead", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	tell(engineplay.Warming{Chat: "elsewhere", Over: true})
	s.See("warming cache")
	tell(engineplay.Warming{Chat: chat, Over: true})
	s.NotSee("warming cache")
}

// Going to another chat ends the session in the one before, and so does quitting.
func TestPromptVisits_LeavingEndsTheSession(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("Is anybody here?")
	first := s.Chat().Chat.ID
	sessions := func(chat storage.ChatID) int {
		v, err := s.Engine.Director.View(chat)
		s.Must(err)
		return v.Engagement.Sessions
	}
	s.Press("ctrl+n").Until("the other chat", func() bool { return s.Chat().Chat.ID != first })
	s.Until("the end of the session", func() bool { return sessions(first) == 1 })
	second := s.Chat().Chat.ID
	s.See("‹1/3›").Say("And here?")
	if n := sessions(second); n != 0 {
		t.Errorf("%d sessions have ended in the open chat", n)
	}
	s.Press("ctrl+q")
	s.Gone()
	if n := sessions(second); n != 1 {
		t.Errorf("%d sessions have ended when the program does", n)
	}
}

func TestPrompt_TabsByMouse(t *testing.T) {
	t.Parallel()
	s := prompted(t, play.SomePrompt())
	s.See("1 Parts")
	at := func() (at, row int) {
		s.In(func(v *tui.Screen) {
			p := v.Host().Panes().Current().(*play.Pane)
			v.Paint()
			at, row = p.At(), p.TabsRow()
		})
		return at, row
	}
	_, row := at()
	for _, c := range []struct{ x, want int }{{14, play.Messages}, {27, play.Changes}, {79, play.Changes},
		{2, play.Parts}} {
		s.Send(tea.MouseClickMsg{X: c.x, Y: row, Button: tea.MouseLeft})
		got, now := at()
		if got != c.want {
			t.Errorf("a click at %d shows view %d, not %d", c.x, got, c.want)
		}
		row = now
	}
}
