package main_test

import (
	"os"
	"testing"
)

// An evening with a lorebook, played with --demo in a terminal: a book is brought in, an entry
// triggers while the line is being written and is in the prompt, a scene's recap teaches the chat's
// own book, and a branch from before knows nothing of it.
func TestTerminal_TheBookFillsItself(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.set("GHOSTLIGHT_DEMO_DELAY", "200us")
	book := s.path("harbour.json")
	doc := `{"entries":{"0":{"uid":0,"key":["inn"],"comment":"Gull Inn","content":"[location-Gull Inn: built on piles]"}}}`
	if err := os.WriteFile(book, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--demo", "--data", s.path("house")}
	var made struct{ Name string }
	s.command(&made, append([]string{"lore", "import", book}, flags...)...)
	if made.Name != "harbour" {
		t.Fatalf("imported: %+v", made)
	}

	s.start(flags...)
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Write a message", "WRITE")
	s.do("send-keys", "-l", "Let us go to the inn.")
	s.see("› Let us go to the inn.")
	s.do("send-keys", "M-l")
	s.see("Lorebooks", "Gull Inn")
	s.do("send-keys", "2")
	s.see("Triggered now", "Gull Inn", "the key “inn” matched")
	s.do("send-keys", "M-x")
	s.see("WRITE", "› Let us go to the inn.")
	s.do("send-keys", "Enter")
	s.until("the end of the turn", turnEnded)
	s.do("send-keys", "Escape")
	s.see("BROWSE")
	s.do("send-keys", "b")
	s.see("── 1 ·", "messages ")
	s.do("send-keys", "C-r") // an ended scene is recapped by itself
	s.see("Recap · 1")
	s.recapped("v1/1", "r")
	s.do("send-keys", "M-l")
	s.see("Lorebooks", "▾ Tove Halloran", "The Halfmoon")
	s.do("send-keys", "g") // a learnt entry may be above the former first row
	s.do("send-keys", "Down")
	s.see("Lorebooks", "only on this branch")
	s.do("send-keys", "C-q")
	s.until("the program's end", func(screen string) bool { return screen == "" })

	var rows []struct {
		Name, Type string
		BookName   string `json:"book_name"`
	}
	s.command(&rows, append([]string{"lore", "list", "Tove Halloran", "--entries"}, flags...)...)
	taught := 0
	for _, r := range rows {
		if r.BookName == "Tove Halloran" && r.Type != "" {
			taught++
		}
	}
	if taught == 0 {
		t.Errorf("the recap has taught nothing: %+v", rows)
	}
	var chat struct {
		Messages []struct{ ID string }
	}
	s.command(&chat, append([]string{"chat", "show", "Tove Halloran"}, flags...)...)
	var branched struct{ Head string }
	s.command(&branched, append([]string{"chat", "branch", "Tove Halloran", chat.Messages[0].ID}, flags...)...)
	rows = nil
	s.command(&rows, append([]string{"lore", "list", "Tove Halloran", "--entries"}, flags...)...)
	for _, r := range rows {
		if r.BookName == "Tove Halloran" {
			t.Errorf("a branch from before the scene knows of %s", r.Name)
		}
	}
}
