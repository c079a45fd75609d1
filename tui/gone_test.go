package tui_test

import (
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// A missing data file is reported for as long as it is missing. Nothing is confirmed as saved
// meanwhile, and a copy of everything, with the unsent text, can be saved elsewhere.
func TestSession_TheDataFileGoesAway(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I light the lamp.")
	chat := s.Chat().Chat.ID
	path := filepath.Join(s.Dir(), "ghostlight.db")
	if err := os.Rename(path, path+".old"); err != nil {
		t.Skip("NOT TESTED: what is open cannot be moved here: ", err)
	}
	s.See("CHANGES ARE NOT BEING SAVED", "h c")
	s.TypeText("I wait.").See("› I wait.").Press("enter").See("I wait.", "CHANGES ARE NOT BEING SAVED")
	s.Press("f1").See("Keys").Press("esc").See("CHANGES ARE NOT BEING SAVED", "I wait.")
	if got := s.Texts(); len(got) != 3 {
		t.Errorf("the chat holds %q", got)
	}
	s.Press("ctrl+q").See("Unsaved changes are lost").Press("c").See("Save a copy of everything")
	to := t.TempDir()
	s.Press("ctrl+u").TypeText(to).Press("enter").See("everything saved to")
	copied, err := storage.Open(filepath.Join(to, "ghostlight.db"), storage.Options{ReadOnly: true})
	s.Must(err)
	s.Must(copied.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		nodes, err := tx.Path(chat, c.Head, 0)
		if len(nodes) != 3 {
			t.Errorf("the copy has %d messages", len(nodes))
		}
		if text, err := tx.Text("draft", string(chat)); text != "I wait." || err != nil {
			t.Errorf("the copy has the draft %q, %v", text, err)
		}
		return err
	}))
	s.Must(copied.Close())

	s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Run(keys.CopyTo) })
	s.See("Save a copy of everything").Press("ctrl+u").TypeText(to).Press("enter").See("choose another file name").Press("esc", "esc").NotSee("Save a copy of everything")
	s.Must(os.Rename(path+".old", path))
	s.NotSee("CHANGES ARE NOT BEING SAVED")
	s.Press("enter").Until("the reply", func() bool { return len(s.Texts()) == 5 })
	s.Still()
}

// A reply that is being written when the data file goes away is in the copy, as far as it
// has come.
func TestSession_TheDataFileGoesAwayWhileAReplyIsWritten(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	path := filepath.Join(s.Dir(), "ghostlight.db")
	chat := s.Chat().Chat.ID
	s.TypeText("I light the lamp.").Press("enter").Until("the message", func() bool { return len(s.Texts()) >= 2 })
	if err := os.Rename(path, path+".old"); err != nil {
		t.Skip("NOT TESTED: what is open cannot be moved here: ", err)
	}
	s.See("CHANGES ARE NOT BEING SAVED").Until("the end of the reply", func() bool { return !s.Engine.Play.Running(chat) })
	want := s.Texts()
	to, err := s.Engine.Play.CopyTo(filepath.Join(t.TempDir(), "copy.db"), "", "")
	s.Must(err)
	s.Must(os.Rename(path+".old", path))
	copied, err := storage.Open(to, storage.Options{ReadOnly: true})
	s.Must(err)
	defer func() { s.Must(copied.Close()) }()
	s.Must(copied.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		nodes, err := tx.Path(chat, c.Head, 0)
		if len(nodes) != 3 || len(want) != 3 || nodes[2].Content != want[2] || want[2] == "" {
			t.Errorf("the copy has %d messages, the screen %q", len(nodes), want)
		}
		return err
	}))
}
