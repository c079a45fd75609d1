package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// Each change is undone in its order and done again, and the words of all of them are
// there after the program was closed.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›").Press("esc", "H").See("nothing has been changed in this chat yet").Press("i")
	s.Say("Good evening.").See("She nods").Press("esc", "k").See("▌ Good evening.")
	edit := func(text string) {
		s.Press("e").See("Edit what").Press("ctrl+e", "ctrl+u").TypeText(text).Press("ctrl+s").NotSee(
			"Edit what").See(text)
	}
	edit("A fine evening.")
	edit("A dark evening.")
	s.Press("d").See("delete this").Press("d").NotSee("A dark evening.")
	s.Press("u").See("undone: deleted message 2 of Robin", "A dark evening.")
	s.Reopen()
	s.See("A dark evening.").Press("esc", "k", "H").See("Edit history", "3 edited message 2", "can be redone",
		"can be undone")
	s.Press("U").See("again: deleted message 2", "She nods").Press("u").See("undone: deleted")
	s.Press("tab").See("Edit history of", "− A fine", "+ A dark").NotSee("deleted message").Press("G").See("− Good")
	s.Press("D").See("Good evening.").Press("enter").See("earlier text restored",
		"restored an earlier text").Press("esc").See("Good evening.")
	s.Press("u").See("undone: restored", "A dark evening.").Press("u").See("A fine evening.").Press("u").See(
		"Good evening.")
	s.Press("u").See("nothing to undo").Press("H").See("Edit history").Press("U").See("again: edited").Press("esc").See(
		"A fine evening.")
}

// A text is offered back only by changes that took one away.
func TestChanges_OffersATextWhereThereIsOne(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›").Say("Good evening.").See("She nods").Press("esc", "k").See("▌ Good evening.")
	s.Press("e").See("Edit what").Press("ctrl+e", "ctrl+u").TypeText("A fine evening.").Press("ctrl+s").NotSee(
		"Edit what").See("A fine evening.")
	if err := s.Engine.Chats.SetSampling(s.Chat().Chat.ID, "top_k", "20"); err != nil {
		t.Fatal(err)
	}
	s.Press("H").See("Edit history", "u undo").NotSee("restore text", "old text")
	s.Press("enter").See("this change removed no text").Press("down").See("enter restore text")
}

func TestGolden_Changes(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›").Say("Good evening.").See("She nods").Press("esc", "k").See("▌ Good evening.")
	s.Press("e").See("Edit what").Press("ctrl+e", "ctrl+u").TypeText("A fine evening, and a late one.").Press(
		"ctrl+s").See("A fine evening")
	s.Press("d").See("delete this").Press("d").NotSee("A fine evening").Press("u").See("A fine evening").Press("G").See(
		"▌ She nods").Press("k").See("▌ A fine evening").Silent()
	s.Press("H").See("Edit history").Golden("changes").Press("down").See("− Good").Golden("changes-words")
}
