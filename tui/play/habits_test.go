package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// written is a config file that records the changes.
type written chan [2]string

func (written) Path() string { return "/home/robin/config.toml" }

func (written) List() ([]config.Setting, error) { return nil, nil }

func (w written) Set(name, value string) (config.Setting, error) {
	w <- [2]string{name, value}
	return config.Setting{Name: name, Value: value}, nil
}

func (w written) Unset(name string) (config.Setting, error) { return w.Set(name, "") }

// repeating answers as models do that repeat themselves.
func repeating() demo.Options {
	answers := []string{"*She looks up.* A shiver runs down her spine. \"Well?\"",
		"*She looks up.* The rain softly stops. \"Come in, then.\"",
		"He waits, softly, and a shiver runs down her spine.", "*She looks up* and nods. What now?"}
	n := 0
	return demo.Options{Script: func([]storage.Node, int) string { n++; return answers[(n-1)%len(answers)] }}
}

func TestHabits(t *testing.T) {
	t.Parallel()
	file := make(written, 9)
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: repeating(),
		Screen: tui.Options{Settings: file},
		Config: func(c *config.Config) { c.Voice.Phrases = []string{"maybe, just maybe", "SOFTLY"} }})
	open := func() {
		s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.PaneHabits)) })
	}
	s.See("‹1/3›")
	open()
	s.See("Habits", "no replies in this chat yet").Golden("habits-none")
	s.In(func(v *tui.Screen) { v.Host().Panes().Uncover() })
	for range 4 {
		s.Say("Go on.")
	}
	open()
	s.See("last 4 replies", "she looks up", "3 of 4", "Phrases").Golden("habits").GoldenStyled("habits")

	// enter goes through the messages that have it, the newest first.
	s.Press("g").Press("enter").See("1 of 3")
	open()
	s.See("Phrases").Press("enter").See("2 of 3", "Come in")
	s.Size(200, 60)
	open()
	s.See("Phrases").Press("enter").See("3 of 3").Press("enter").See("1 of 3").Press("enter").See("2 of 3").Golden(
		"habits-there", tuitest.Size{W: 200, H: 60})

	s.Press("x").See("is banned", "undoes it")
	if got := <-file; got != [2]string{"voice.phrases", `["maybe, just maybe","SOFTLY","she looks up"]`} {
		t.Errorf("it wrote %q", got)
	}
	s.Press("u").See("undone")
	if got := <-file; got != [2]string{"voice.phrases", `["maybe, just maybe","SOFTLY"]`} {
		t.Errorf("it wrote %q", got)
	}
	s.Press("n").See("added to the author's note")
	s.Until("the note", func() bool {
		return s.Chat().Chat.AuthorNote == `Begin replies in other ways than with "she looks up".`
	})
	s.Press("n").See("already says so").Press("u").Until("the note has gone",
		func() bool { return s.Chat().Chat.AuthorNote == "" })
	s.Press("G", "x").See("this is not a phrase")
	if len(file) > 0 {
		t.Errorf("it wrote %q", <-file)
	}
}
