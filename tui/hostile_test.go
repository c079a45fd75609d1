package tui_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

func TestHostile_NothingReachesTheTerminal(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{
		Servers: demo.Options{Script: tuitest.Always("Hello " + tuitest.Evil)},
		Answers: map[demo.Job][]any{demo.CaptureJob: {tuitest.Object{
			"reasoning": "Because " + tuitest.Evil, "prompt": "A lamp " + tuitest.Evil, "negative_prompt": tuitest.Evil}}},
		Prepare: func(e *engine.Engine) {
			c, err := e.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Eve " + tuitest.Evil, Description: tuitest.Evil, FirstMessage: tuitest.Evil + " greeting",
				AlternateGreetings: []string{tuitest.Evil, tuitest.Evil}, Tags: []string{tuitest.Evil}}, Immersion: storage.Full, Imagery: storage.Imagery{Appearance: tuitest.Evil}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Library.SavePersona(storage.Persona{Name: "P " + tuitest.Evil, Description: tuitest.Evil, Default: true}); err != nil {
				t.Fatal(err)
			}
			chat, err := e.Chats.New(c.ID, "Title "+tuitest.Evil)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Chats.Opened(chat.ID); err != nil {
				t.Fatal(err)
			}
			if err := e.Chats.SaveDraft(chat.ID, "draft "+tuitest.Evil); err != nil {
				t.Fatal(err)
			}
		}})
	s.Size(120, 40)
	s.See("greeting", "› draft").Press("enter").See("Hello").Still()
	if got := s.Texts(); !strings.Contains(got[len(got)-1], "\x1b]52") {
		t.Error("the store does not hold the text as it came")
	}
	s.Press("ctrl+o").See("Chats").Press("ctrl+d").See("Delete chat").Press("esc")
	s.Press("ctrl+t").See("Characters").TypeText("Eve").Press("ctrl+e").See("Edit Eve").Press("esc")
	s.Press("f8").See("Personas").Press("ctrl+e").See("Persona").Press("esc")
	s.Press("f4").See("tokens").Press("enter").See("The next prompt").Press("pgdown", "esc").Press("alt+x")
	s.Press("esc").See("BROWSE").Press("e").See("Edit what").Press("esc").Press("d").See("Delete").Press("esc")
	s.Press("/").See("Search").TypeText("x").PasteText(tuitest.Evil).See("not found").Press("enter")
	s.Press("i", "ctrl+g").See("Scene Capture", "Why:").Press("esc", "esc", "esc")
	s.In(func(v *tui.Screen) { v.CloseDialogs(); v.Host().Say(event.Error, "failed: "+tuitest.Evil) })
	s.See("failed:")
	s.Now()
	titles, clips := tuitest.Scan(t, s.Written())
	if len(clips) > 0 {
		t.Errorf("the clipboard was set: %q", clips)
	}
	if len(titles) == 0 {
		t.Error("no window title was set")
	}
	for _, title := range titles {
		for _, r := range title {
			if !tuitest.Fit(r) || r < ' ' {
				t.Errorf("the window's title holds %U: %q", r, title)
			}
		}
	}

	s.In(func(v *tui.Screen) { v.Host().Run(keys.Last) })
	s.Press("esc", "y").See("copied")
	if _, clips := tuitest.Scan(t, s.Written()); len(clips) != 1 {
		t.Errorf("copying set the clipboard %d times", len(clips))
	}
	s.Press("ctrl+q")
	s.Gone()
	tuitest.Scan(t, s.Written())
	if !strings.HasSuffix(s.Written(), "\x1b[?1049l\x1b[?25h") {
		t.Errorf("the terminal was left with %q", s.Written()[max(0, len(s.Written())-30):])
	}
}

func TestHostile_FromTheServer(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]demo.FaultKind{"escapes": demo.Escapes, "html": demo.HTML, "garbage": demo.Garbage, "unavailable": demo.Unavailable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Fault: tuitest.OnChat(kind, 5)}})
			s.See("‹1/3›").TypeText("Well?").Press("enter")
			s.Until("the turn", func() bool { return len(s.Texts()) >= 2 })
			s.Still().Now()
			tuitest.Scan(t, s.Written())
		})
	}
}

func TestHostile_ErrorOfTheServer(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Fault: func(c demo.Call) demo.Fault {
		if c.Path != "/api/chat" {
			return demo.Fault{}
		}
		return demo.Fault{Kind: demo.ServerError, Text: "failed " + tuitest.Evil}
	}}})
	s.See("‹1/3›").TypeText("Well?").Press("enter").See("failed")
	s.Still().Now()
	tuitest.Scan(t, s.Written())
}
