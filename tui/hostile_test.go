package tui

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ghostlight/engine"
	"ghostlight/engine/event"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// evil is text with everything in it that must never reach the terminal as it
// is. Its place and its colour are found in nothing that the painter writes.
const evil = "\x1b[66;77Hmoved\x1b]52;c;ZXZpbA==\x07 clip \x1b]0;owned\x1b\\ title \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1bP+q544e\x1b\\dcs " +
	"\x1bc reset \u009b66;77H c1 \u009d52;c;ZXZpbA==\u009c \x1b[?1049l\x1b[38;5;199mred\x1b[m \u202eright to left\u202c \u2066isolate\u2069 " +
	"Z\u0310\u030d\u0311\u0304\u0346\u031a\u0327a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307lgo \U0001F468\u200d\U0001F469\u200d\U0001F467 \U0001F44D\U0001F3FD ❤\ufe0f " +
	"\U000E0041\U000E0042 tag \x00nul\x07bel\x7fdel\b\b\bback\rover\x0bvt\x0cff \u2028line\u2029par \ufeffbom soft\u00adhyphen \u200bzero end"

// allowedFinals are the CSI sequences that the painter and its queries use, by
// their last byte.
const allowedFinals = "ABCDEFGHJKLMPSTXZ@bdfhlmprus"

// scan walks through what was written to a terminal and reports all that is not
// text or one of the painter's own sequences. It returns the window titles and
// the clipboard texts (still encoded) that were set.
func scan(t *testing.T, out string) (titles, clips []string) {
	t.Helper()
	for i := 0; i < len(out); {
		if out[i] != 0x1b {
			r, n := utf8.DecodeRuneInString(out[i:])
			if r == utf8.RuneError && n == 1 {
				t.Errorf("invalid UTF-8 at %q", around(out, i))
			}
			if !fit(r) {
				t.Errorf("%U at %q", r, around(out, i))
			}
			i += n
			continue
		}
		body, n := sequence(out[i:])
		switch {
		case n == 0:
			t.Fatalf("a sequence without an end at %q", around(out, i))
		case strings.HasPrefix(body, "["):
			if !strings.Contains(allowedFinals, body[len(body)-1:]) || body == "[66;77H" || strings.Contains(body, "38;5;199") {
				t.Errorf("CSI %q at %q", body, around(out, i))
			}
		case strings.HasPrefix(body, "]2;"):
			titles = append(titles, body[3:])
		case strings.HasPrefix(body, "]52;c;"):
			clips = append(clips, body[6:])
		case body == "M" || body == "7" || body == "8" || strings.HasPrefix(body, "_G") || body == "]11;?":
		default:
			t.Errorf("sequence %q at %q", body, around(out, i))
		}
		i += n
	}
	return titles, clips
}

// fit tells whether a rune may be written to a terminal.
func fit(r rune) bool {
	switch {
	case r == '\r' || r == '\n' || r == '\b':
		return true // the renderer moves with them
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return false
	case r == '\u200d' || r == '\ufe0f':
		return false // no two terminals agree on how wide these make a cluster
	}
	return !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Zl, r) && !unicode.Is(unicode.Zp, r)
}

// sequence is the escape sequence at the beginning of s, without its ESC and its
// terminator, and its whole length; 0 when it does not end.
func sequence(s string) (body string, n int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return s[1 : i+1], i + 1
			}
		}
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(s); i++ {
			if s[i] == 7 {
				return s[1:i], i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return s[1:i], i + 2
			}
		}
	default:
		return s[1:2], 2
	}
	return "", 0
}

func around(s string, i int) string { return s[max(0, i-30):min(len(s), i+30)] }

func TestScan_FindsWhatItShould(t *testing.T) {
	for _, bad := range []string{"\u009b2J", "\x1b]8;;x\x07", "\x1bPq\x1b\\", "\x1bc", "\x1b[66;77H", "\x1b[38;5;199m", "a\u202eb", "\x07", "\xff"} {
		var inner testing.T
		scan(&inner, bad)
		if !inner.Failed() {
			t.Errorf("%q was let through", bad)
		}
	}
	scan(t, "\x1b[38;2;66;77;73;48;2;5;199;72m▀") // of a picture
}

func TestHostile_NothingReachesTheTerminal(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{
		house: rehearsal.Options{Script: always("Hello " + evil)},
		prepare: func(e *engine.Engine) {
			c, err := e.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Eve " + evil, Description: evil, FirstMessage: evil + " greeting",
				AlternateGreetings: []string{evil, evil}, Tags: []string{evil}}, Immersion: storage.Full, Imagery: storage.Imagery{Appearance: evil}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Library.SavePersona(storage.Persona{Name: "P " + evil, Description: evil, Default: true}); err != nil {
				t.Fatal(err)
			}
			chat, err := e.Chats.New(c.ID, "Title "+evil)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Chats.Opened(chat.ID); err != nil {
				t.Fatal(err)
			}
			if err := e.Chats.SaveDraft(chat.ID, "draft "+evil); err != nil {
				t.Fatal(err)
			}
		}})
	s.size(120, 40)
	s.see("greeting", "› draft").press("enter").see("Hello").still()
	if got := s.texts(); !strings.Contains(got[len(got)-1], "\x1b]52") {
		t.Error("the store does not hold the text as it came")
	}
	s.press("ctrl+o").see("Chats").press("ctrl+d").see("Delete chat").press("esc")
	s.press("ctrl+t").see("Characters:").typeText("Eve").press("ctrl+e").see("Edit Eve").press("esc")
	s.press("f8").see("Personas").press("ctrl+e").see("Persona").press("esc")
	s.press("f4").see("tokens").press("enter").see("The next prompt").press("pgdown", "esc").press("alt+x")
	s.press("esc").see("BROWSE").press("e").see("Edit what").press("esc").press("d").see("Delete").press("esc")
	s.press("/").see("Search").typeText("x").pasteText(evil).press("enter").see("not found")
	s.press("i", "ctrl+g").see("Scene Capture", "Why:").press("esc", "esc", "esc")
	s.in(func(a *app) { a.dialogs.All = nil; a.Say(event.Error, "failed: "+evil) })
	s.see("failed:")
	s.now()
	titles, clips := scan(t, s.out.bytes())
	if len(clips) > 0 {
		t.Errorf("the clipboard was set: %q", clips)
	}
	if len(titles) == 0 {
		t.Error("no window title was set")
	}
	for _, title := range titles {
		for _, r := range title {
			if !fit(r) || r < ' ' {
				t.Errorf("the window's title holds %U: %q", r, title)
			}
		}
	}

	s.in(func(a *app) { a.play.Bottom() })
	s.press("esc", "y").see("copied")
	if _, clips := scan(t, s.out.bytes()); len(clips) != 1 {
		t.Errorf("copying set the clipboard %d times", len(clips))
	}
	s.press("ctrl+q")
	s.gone()
	scan(t, s.out.bytes())
	if !strings.HasSuffix(s.out.bytes(), "\x1b[?1049l\x1b[?25h") {
		t.Errorf("the terminal was left with %q", around(s.out.bytes(), len(s.out.bytes())))
	}
}

func TestHostile_FromTheServer(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]rehearsal.FaultKind{"escapes": rehearsal.Escapes, "html": rehearsal.HTML, "garbage": rehearsal.Garbage, "unavailable": rehearsal.Unavailable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Fault: onChat(kind, 5)}})
			s.see("‹1/3›").typeText("Well?").press("enter")
			s.until("the turn", func() bool { return len(s.texts()) >= 2 })
			s.still().now()
			scan(t, s.out.bytes())
		})
	}
}

func TestHostile_ErrorOfTheServer(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Fault: func(c rehearsal.Call) rehearsal.Fault {
		if c.Path != "/api/chat" {
			return rehearsal.Fault{}
		}
		return rehearsal.Fault{Kind: rehearsal.ServerError, Text: "failed " + evil}
	}}})
	s.see("‹1/3›").typeText("Well?").press("enter").see("failed")
	s.still().now()
	scan(t, s.out.bytes())
}
