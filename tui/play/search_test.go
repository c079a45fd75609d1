package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

// What is typed replaces what was looked for last; the hits are counted and gone through.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) { tuitest.LongChat(t, e, 900) }})
	s.See("line 899").Press("esc", "/").See("Search this branch").TypeText("needle 450").See("1/1").Press("enter").See(
		"▌ The needle 450")
	s.Press("f").See("not found in older messages")
	s.Press("G").See("line 899").Press("/").See("Search this branch", "needle 450").TypeText("needle").See("1/",
		"needle 750").Press("enter")
	s.Press("f").See("▌ The needle 600").Press("f").See("▌ The needle 450")
	s.Press("/").See("Search this branch").Press("up").See("2/").Press("down").See("1/",
		"needle 750").Press("esc").NotSee("Search this branch")
}

// A hit far down a long message is in view, and highlighted.
func TestSearch_InsideALongMessage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A line that says nothing of it at all, but is long enough to be one.\n\n", 25) +
		"And here is the quarry at last.\n\n" + strings.Repeat("Nothing more.\n\n", 25)
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always(long)}})
	s.See("‹1/3›").Say("Go on.").Press("esc", "/").See("Search this branch").TypeText("quarry").See("1/1",
		"here is the quarry at last")
	if !strings.Contains(s.Styled(), ";7mquarry") && !strings.Contains(s.Styled(), "[7mquarry") {
		t.Errorf("the hit does not stand out: %q", s.Styled())
	}
	s.Press("esc").NotSee("Search this branch")
}

// tab looks elsewhere, with a list of what is found there.
func TestSearch_Elsewhere(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›").Say("The quarry is north.").Press("ctrl+n").See("Tove Halloran (2)")
	s.Until("the other chat", func() bool { return s.Chat().Chat.Title == "Tove Halloran (2)" })
	s.Say("No stone here.")
	s.Press("esc", "/").See("Search this branch").TypeText("quarry").See("not found")
	s.Press("tab").See("Search this chat", "not found").Press("tab").See("Search all chats", "1/1",
		"The quarry is north.")
	s.Press("tab").See("Search recaps", "not found").Press("shift+tab").See("Search all chats", "1/1")
	s.Press("enter").See("▌ The quarry is north.").NotSee("Search all chats")
}

func TestChat_OlderMessagesComeAsNeeded(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) { tuitest.LongChat(t, e, 900) }})
	s.See("line 899")
	s.In(func(v *tui.Screen) {
		if n := play.RoomOf(v.Parts()).Items(); n != play.FirstRead {
			t.Errorf("%d messages were read at first", n)
		}
	})
	s.Until("the beginning", func() bool {
		s.Press("pgup")
		return strings.Contains(s.Now(), "line 0 ")
	})
	s.Press("esc", "G").See("line 899").Press("g").See("line 0 ")
}

// The first message of a long chat is gone to without those between, which come as
// the user goes down.
func TestChat_FirstMessageAlone(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) { tuitest.LongChat(t, e, 900) }})
	s.See("line 899").Press("esc", "g").See("line 0 ")
	s.In(func(v *tui.Screen) {
		if n := play.RoomOf(v.Parts()).Items(); n > 2*play.FirstRead {
			t.Errorf("%d messages are at hand", n)
		}
	})
	s.Until("the end", func() bool {
		s.Press("pgdown")
		return strings.Contains(s.Now(), "line 899")
	})
}

// Who types fast goes on to the next hit before the first one is known, and is not
// asked again what to look for.
func TestSearch_TypedFast(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) { tuitest.LongChat(t, e, 900) }})
	s.See("line 899").Press("esc", "/").TypeText("needle").Press("enter",
		"f").See("▌ The needle 600").NotSee("Search this branch")
	s.Press("/", "up", "up", "down").See("2/", "▌ The needle 600")
	s.Press("tab", "tab").See("Search all chats", "1/").TypeText("needle").Press("down", "down", "up").See("2/")
}

// tab goes on to what lorebooks and memories say, and enter opens these where it was found.
func TestSearch_LoreAndMemory(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		chat := tuitest.NewChat(t, e)
		book, err := e.Lore.AddBook(storage.Lorebook{Name: "Gazetteer", Kind: storage.GlobalBook})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"A mill that nobody owns.", "The quarry lies north of the harbour."} {
			_, err = e.Lore.SaveEntry(book.ID, chat,
				storage.LoreEntry{Name: strings.Fields(text)[1], Content: text, Keys: []string{"north"}})
			if err != nil {
				t.Fatal(err)
			}
		}
		scope, err := e.Chats.ScopeOf(chat)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Robin likes tea.", "Robin was born in the quarry."} {
			_, err = e.Memory.Save(scope, storage.Memory{Type: storage.FactMemory, Content: text})
			if err != nil {
				t.Fatal(err)
			}
		}
	}, Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›").Press("esc", "/").See("Search this branch").TypeText("quar").See("not found")
	s.Press("shift+tab").See("Search memory", "1/1", "born in the quarry")
	if !strings.Contains(s.Styled(), ";7mquarry") && !strings.Contains(s.Styled(), "[7mquarry") {
		t.Errorf("the hit does not stand out: %q", s.Styled())
	}
	s.Press("shift+tab").See("Search lore", "1/1", "The quarry lies")
	s.Press("enter").NotSee("Search lore").See("Lorebooks", "Gazetteer", "quarry")
	s.Press("esc", "/").See("Search this branch").Press("shift+tab").See("Search memory",
		"1/1").Press("enter").NotSee("Search memory")
	s.See("Memory", "Robin was born in the quarry")
}
