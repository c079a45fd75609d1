package main_test

import (
	"os"
	"testing"
)

// In a real terminal: the folder of the data is renamed, another appears in its place, and
// all that there is goes to a file that restores.
func TestTerminal_TheDataFileGoesAway(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.start("--demo", "--data", s.path("house"))
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Write a message", "WRITE")
	s.do("send-keys", "-l", "I light the lamp.")
	s.see("› I light the lamp.")
	s.do("send-keys", "Enter")
	s.until("the end of the turn", turnEnded)
	if err := os.Rename(s.path("house"), s.path("away")); err != nil {
		t.Fatal(err)
	}
	s.see("CHANGES ARE NOT BEING SAVED")
	if err := os.MkdirAll(s.path("house"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path("house/ghostlight.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.do("send-keys", "C-q")
	s.see("Unsaved changes are lost", "CHANGES ARE NOT BEING SAVED")
	s.do("send-keys", "c")
	s.see("Save a copy of everything")
	s.do("send-keys", "C-u")
	s.do("send-keys", "-l", s.path("copy.db"))
	s.see("copy.db")
	s.do("send-keys", "Enter")
	s.see("everything saved to")
	s.do("send-keys", "C-q")
	s.see("Unsaved changes are lost")
	s.do("send-keys", "q")
	s.until("the program's end", func(screen string) bool { return screen == "" })

	if info, err := os.Stat(s.path("house/ghostlight.db")); err != nil || info.Size() != 0 {
		t.Errorf("the file that was put there has changed: %v", err)
	}
	s.command(new(any), "restore", s.path("copy.db"), "--data", s.path("new"))
	var chats []struct{ ID string }
	s.command(&chats, "chat", "list", "--data", s.path("new"))
	if len(chats) != 1 {
		t.Fatalf("%d chats were restored", len(chats))
	}
	var chat struct{ Messages []struct{ Content string } }
	s.command(&chat, "chat", "show", chats[0].ID, "--data", s.path("new"))
	if len(chat.Messages) != 3 || chat.Messages[1].Content != "I light the lamp." {
		t.Errorf("what was restored: %+v", chat)
	}
}
