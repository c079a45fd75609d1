package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// ctrl+c clears the composer before it quits, a key restores the text, and it is still the draft
// when the user leaves.
func TestInterrupt_ClearsBeforeItQuits(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	long := strings.Repeat("a line of sixty\n", 59) + "the last one"
	s.See("‹1/3›").PasteText(long).See("the last one").Press("ctrl+c").See("cleared; alt+↑ restores it",
		"› Write a message")
	s.Press("up").See("the last one")
	s.In(func(v *tui.Screen) {
		if v.Host().Play().Draft() != long {
			t.Error("something else came back")
		}
	})
	s.Press("ctrl+c").See("› Write a message").Press("ctrl+c")
	s.Gone()
	s.Reopen()
	s.See("the last one")
}

// ctrl+c stops a line that is being written for the user.
func TestInterrupt_StopsImpersonating(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("One two three four five six seven eight nine ten."),
			Fault: tuitest.OnChat(demo.Hang, 12)}})
	s.See("‹1/3›").Press("alt+i").See("› One")
	s.Press("ctrl+c")
	s.Until("the end of it", func() bool { return !s.Engine.Play.Running(s.Chat().Chat.ID) })
	s.See("› One")
}

// If there is no other take, a notice says which one this is.
func TestTakes_NoOther(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("esc", "left").See("this is the first of 3 swipes: → shows the others")
	s.Press("right").See("‹2/3›").Press("right").See("‹3/3›").Press("right").See("this is the last of 3 swipes")
	s.Press("i").Say("Only once.").Press("esc", "up").See("▌ Only once.").Press("left").See("only one swipe")
}

// Deleting asks whether this take is meant or all of them.
func TestTakes_Delete(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›").Say("Good evening.").Press("esc", "r").See("‹2/2›").Still().Press("d").See(
		"delete this swipe, 2 of 2", "delete all its swipes")
	s.Press("t").NotSee("She nods").See("Good evening.")
	s.Press("u").See("‹2/2›").Press("G", "d").See("this swipe, 2 of 2").Press("d").NotSee("‹2/2›").See("She nods")
	s.Press("u").See("‹2/2›")
}

// From the start of a branch the arrow goes back immediately, while browsing and in an empty
// composer.
func TestBranch_ArrowsLeadBack(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›").Say("Good evening.").See("She nods").Press("esc", "up", "up", "B")
	begun := func() *tuitest.Session {
		s.See("a new branch starts here with your next message").Silent() // the status line stays for 12 seconds
		return s.See("a new branch starts here; ← goes back")
	}
	begun().NotSee("Good evening.")
	s.Press("left").See("Good evening.", "She nods").NotSee("a new branch starts here; ←")
	s.Press("esc", "g", "B")
	begun().Press("esc", "left").See("Good evening.")
	s.Press("g", "B")
	begun().TypeText("Hello!").Press("enter").See("Hello!", "‹2/2›").NotSee("a new branch starts here; ←")
}

// While nothing is written, left and right lead through the swipes of the last reply, a new
// one included; in a line that is begun they move the cursor.
func TestSwipe_FromTheEmptyLine(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›", "← → swipes").Press("right").See("‹2/3›", "WRITE").Press("left").See("‹1/3›").Press("left").See(
		"the first of 3")
	s.TypeText("ac").Press("left").TypeText("b").See("› abc", "‹1/3›").Press("ctrl+z", "ctrl+z",
		"ctrl+z").See("Write a message")
	s.Press("right").See("‹2/3›").Say("Good evening.").Press("right").See("‹2/2›").Still()
	if v := s.Chat(); len(v.Messages) != 3 {
		t.Errorf("the chat holds %q", s.Texts())
	}
}
