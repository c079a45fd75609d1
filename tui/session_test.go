package tui

import (
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	bundled "ghostlight/engine/library/bundled"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

func TestSession_FirstChatInThreeKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{bare: true})
	s.see("Models:").press("enter").see("Characters:").press("enter").see("Tove ‹1/3›")
	s.typeText("Good evening.").see("› Good evening.").press("enter").see("Robin", "Dry yourself first").still()
	if v := s.chat(); len(v.Messages) != 3 || v.Messages[1].Content != "Good evening." {
		t.Errorf("the chat holds %q", s.texts())
	}
}

func TestSession_RealBytes(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›")
	write := func(bytes string) {
		if _, err := s.typed.Write([]byte(bytes)); err != nil {
			t.Fatal(err)
		}
	}
	write("h\xc3\xa9llo ")
	s.see("› héllo")
	write("\x1b[200~pasted\rlines\x1b[201~")
	s.see("› héllo pasted", "lines")
	write("\x1b[13;2u") // shift+enter, as the Kitty protocol says it
	write("third\r")    // and enter
	s.until("the reply", func() bool { return len(s.texts()) == 3 })
	s.still()
	if got := s.texts()[1]; got != "héllo pasted\nlines\nthird" {
		t.Errorf("sent %q", got)
	}
	write("\x1b[<64;10;5M") // the wheel, up
	s.see("↓ more")
	write("\x1b[105;5u") // ctrl+i is not tab here
	write("\x10")        // ctrl+p
	s.see("Commands")
	write("\x1b")
	s.notSee("Commands")
}

func TestSession_Paste(t *testing.T) {
	t.Parallel()
	card := filepath.Join(t.TempDir(), "a card.json")
	if err := os.WriteFile(card, bundled.CardJSON(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := begin(t, stageOptions{prepare: withChat(t)})
	long := strings.Repeat("ten chars ", 1000)
	s.see("‹1/3›").pasteText(long)
	s.in(func(a *app) {
		if got := a.composer.in.Value(); got != long {
			t.Errorf("%d characters of %d came through", len(got), len(long))
		}
	})
	s.now()
	s.press("ctrl+u")
	s.in(func(a *app) { a.composer.in.Set("") })

	s.pasteText("a\r\nb\x1b[31mred\x1b]52;c;eHh4\x07\u202eevil\u0085\u009b2J\x00end")
	s.see("red", "evil")
	s.in(func(a *app) {
		for _, r := range a.composer.in.Value() {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e') {
				t.Errorf("%q was let into the composer", r)
			}
		}
		a.composer.in.Set("")
	})

	s.pasteText("'" + card + "'").see("Imported Tove").press("esc").notSee("Imported")
	s.pasteText("file://" + strings.ReplaceAll(card, " ", "%20") + "\n").see("Imported Tove").press("y").see("Tove Halloran (2)")
	s.pasteText("./no such file.png").see("› ./no such file.png")
}

func TestSession_Mouse(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.")
	wheel := func(b tea.MouseButton) { s.prog.Send(tea.MouseWheelMsg{X: 10, Y: 5, Button: b}) }
	click := func(x, y int) { s.prog.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	wheel(tea.MouseWheelUp)
	wheel(tea.MouseWheelUp)
	s.see("↓ more")
	for range 4 {
		wheel(tea.MouseWheelDown)
	}
	s.notSee("↓ more")
	row := -1
	for y, line := range strings.Split(s.now(), "\n") {
		if strings.Contains(line, "One.") {
			row = y
		}
	}
	click(5, row)
	s.see("BROWSE", "▌ One.")
	click(5, 22)
	s.see("WRITE")
	click(5, 23)
	s.see("Commands")
	wheel(tea.MouseWheelDown)
	click(10, 4) // the first entry
	s.see("Help").press("esc").notSee("Help")
	s.press("f3").see("Queue")
	click(2, 1)
	s.see("PANE")
}

// longChat makes a chat of n messages, every 150th with a needle in it.
func longChat(t testing.TB, e *engine.Engine, n int) storage.ChatID {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Tove - long.jsonl")
	var b strings.Builder
	b.WriteString(`{"user_name":"Robin","character_name":"Tove","create_date":"2026-01-01T00:00:00Z"}` + "\n")
	for i := range n {
		word := "word"
		if i%150 == 0 && i > 0 {
			word = "The needle " + itoa(i) + " is in this one:"
		}
		b.WriteString(`{"name":"` + []string{"Tove", "Robin"}[i%2] + `","is_user":` + []string{"false", "true"}[i%2] +
			`,"send_date":"2026-01-01T00:00:00Z","mes":"` + word + ` *a gesture* and \"speech\" in line ` + itoa(i) + ` of the long evening, which goes on for a while."}` + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := e.Library.ImportChat(path, "")
	if err == nil {
		err = e.Chats.Opened(got.Chat.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got.Chat.ID
}

func TestSession_ThemeIsRemembered(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("f10").see("Themes").typeText("Foot").press("enter").notSee("Themes")
	s.until("the theme in the store", func() bool { return s.eng.House.Theme() != "" })
	before := s.paint.Styled()
	s.press("f10").see("Themes").press("ctrl+l")
	s.in(func(a *app) {
		if a.lk.Dark {
			t.Error("the light variant is not shown")
		}
	})
	s.press("esc").notSee("Themes")
	s.now()
	if s.paint.Styled() != before {
		t.Error("leaving the list did not bring the colours back")
	}
}

func TestSession_Rebinding(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), screen: Options{Keys: map[string][]string{
		"palette": {"ctrl+b"}, "dance": {"f12"}, "capture": {"ctrl+q"}}}})
	s.see("‹1/3›", "^B commands").press("ctrl+p").press("ctrl+b").see("Commands").press("esc").notSee("Commands")
	s.in(func(a *app) {
		if len(a.opts.Warnings) != 2 {
			t.Errorf("warnings: %q", a.opts.Warnings)
		}
	})
}

func TestSession_Palette(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.")
	s.press("ctrl+p").see("Commands").typeText("rename").press("enter").see("Rename this chat")
	s.typeText(" II").press("enter").notSee("Rename this chat").see("Tove Halloran II")
	s.press("ctrl+p").see("Commands").typeText("author").press("enter").see("Author's note").typeText("Slowly.").press("ctrl+s")
	s.until("the note", func() bool { return s.chat().Chat.AuthorNote == "Slowly." })
	s.press("ctrl+p").see("Commands").typeText("another reply").press("enter").see("‹2/2›").still()
	s.press("ctrl+p").see("Commands").typeText("export this").press("enter").see("written to")
	s.press("ctrl+p").see("Commands").typeText("unload").press("enter").see("unloaded rehearsal")
	s.press("ctrl+p").see("Commands").typeText("zzzz").see("nothing matches").press("enter").see("Commands").press("esc")
}

// Every command of the palette does something or says why not, with a chat and
// without one.
func TestSession_EveryActionIsSafe(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*engine.Engine){"no chat": nil, "chat": withChat(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, stageOptions{prepare: prepare})
			s.see("rehearsal:latest")
			m, _ := Keys(nil)
			for _, b := range m.Bindings() {
				if b.Action == keys.Quit || b.Action == keys.Interrupt || b.Action == keys.Suspend {
					continue
				}
				if _, plain := newActions().plain[b.Action]; !plain && s.app.actions.declared[b.Action] == nil && newActions().message[b.Action] == nil && b.Group != "The pane" {
					t.Errorf("%s does nothing", b.Action)
				}
				for _, mode := range []keys.Mode{keys.Write, keys.Browse, keys.Pane} {
					s.in(func(a *app) {
						a.mode = mode
						if cmd := a.Run(b.Action); cmd != nil {
							go a.send(tea.BatchMsg{cmd})
						}
					})
					s.press("esc", "esc", "esc")
				}
			}
			s.still().now()
		})
	}
}

func itoa(n int) string {
	const digits = "0123456789"
	if n < 10 {
		return digits[n : n+1]
	}
	return itoa(n/10) + digits[n%10:n%10+1]
}

// The dialog that says that there is no server goes when there is one.
func TestSession_TheServerComes(t *testing.T) {
	t.Parallel()
	late := httptest.NewUnstartedServer(nil)
	address := late.Listener.Addr().String()
	s := begin(t, stageOptions{bare: true, ollama: "http://" + address, prepare: func(*engine.Engine) { _ = late.Listener.Close() }})
	s.see("No Ollama").press("r").see("it was still away")
	target, err := url.Parse(s.house.OllamaURL)
	s.must(err)
	late.Config.Handler = httputil.NewSingleHostReverseProxy(target)
	late.Listener, err = net.Listen("tcp", address)
	if err != nil {
		t.Skip("somebody took the port: ", err)
	}
	late.Start()
	defer late.Close()
	s.press("r").notSee("No Ollama").see("Models:", "rehearsal:latest").press("enter").see("Characters:")
}
