package tui_test

import (
	"context"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine"
	bundled "github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/clipboard"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

func TestSession_FirstChatInThreeKeys(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true})
	s.See("Your name").Press("enter").See("Choose a model", "demo")
	shown := time.Now() // what comes up by itself takes no key at first
	s.Until("options that take keys", func() bool { return time.Since(shown) > 300*time.Millisecond })
	s.Press("enter").See("Choose a character").Press("enter").See("Tove ‹1/3›")
	s.TypeText("Good evening.").See("› Good evening.").Press("enter").See("Robin", "Dry yourself first").Still()
	if v := s.Chat(); len(v.Messages) != 3 || v.Messages[1].Content != "Good evening." {
		t.Errorf("the chat holds %q", s.Texts())
	}
}

func TestSession_RealBytes(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	write := s.Write
	write("h\xc3\xa9llo ")
	s.See("› héllo")
	write("\x1b[200~pasted\rlines\x1b[201~")
	s.See("› héllo pasted", "lines")
	write("\x1b[13;2u") // shift+enter, as the Kitty protocol says it
	write("third\r")    // and enter
	s.Until("the reply", func() bool { return len(s.Texts()) == 3 })
	s.Still()
	if got := s.Texts()[1]; got != "héllo pasted\nlines\nthird" {
		t.Errorf("sent %q", got)
	}
	write("\x1b[<64;10;5M") // the wheel, up
	s.See("↓ more")
	write("\x1b[105;5u") // ctrl+i is not tab here
	write("\x10")        // ctrl+p
	s.See("Commands")
	write("\x1b")
	s.NotSee("Commands")
}

func TestSession_PastedFile(t *testing.T) {
	t.Parallel()
	card := filepath.Join(t.TempDir(), "a card.json")
	if err := os.WriteFile(card, bundled.CardJSON(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	s.PasteText("'" + card + "'").See("Imported Tove").Press("esc").NotSee("Imported")
	s.PasteText("file://" + strings.ReplaceAll(card, " ", "%20") + "\n").See("Imported Tove").Press("y").See("Tove Halloran (2)")
	s.PasteText("./no such file.png").See("› ./no such file.png")
}

func TestSession_Mouse(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.")
	wheel := func(b tea.MouseButton) { s.Send(tea.MouseWheelMsg{X: 10, Y: 5, Button: b}) }
	click := func(x, y int) { s.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	wheel(tea.MouseWheelUp)
	wheel(tea.MouseWheelUp)
	s.See("↓ more")
	for range 4 {
		wheel(tea.MouseWheelDown)
	}
	s.NotSee("↓ more")
	row := -1
	for y, line := range strings.Split(s.Now(), "\n") {
		if strings.Contains(line, "One.") {
			row = y
		}
	}
	click(5, row)
	s.See("BROWSE", "▌ One.")
	click(5, 22)
	s.See("WRITE")
	click(5, 23)
	s.See("Commands")
	wheel(tea.MouseWheelDown)
	s.TypeText("hotkeys").See("keyboard help")
	click(10, 4) // the first entry, which is chosen already: it does not act
	s.See("Commands", "enter run")
	click(10, 4)
	click(10, 4)
	s.See("Keys while").Press("esc").NotSee("Keys while")
	s.Press("f3").See("Queue")
	click(2, 1)
	s.See("PANE")
}

func TestSession_ThemeIsRemembered(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f10").See("Themes").TypeText("Foot").Press("enter").NotSee("Themes")
	s.Until("the theme in the store", func() bool { return s.Engine.Settings.Theme() != "" })
	before := s.Styled()
	s.Press("f10").See("Themes").Press("ctrl+l")
	s.In(func(v *tui.Screen) {
		if v.Host().Styles().Dark {
			t.Error("the light variant is not shown")
		}
	})
	s.Press("esc").NotSee("Themes")
	s.Now()
	if s.Styled() != before {
		t.Error("leaving the list did not bring the colours back")
	}
}

func TestSession_Rebinding(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{Keys: map[string][]string{
		"palette": {"ctrl+b"}, "dance": {"f12"}, "capture": {"ctrl+q"}}}})
	s.See("‹1/3›", "^B commands").Press("ctrl+p").Press("ctrl+b").See("Commands").Press("esc").NotSee("Commands")
	s.In(func(v *tui.Screen) {
		if len(v.Warnings()) != 2 {
			t.Errorf("warnings: %q", v.Warnings())
		}
	})
}

func TestSession_Palette(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.")
	s.Press("ctrl+p").See("Commands").TypeText("rename").Press("enter").See("Rename this chat")
	s.TypeText(" II").Press("enter").NotSee("Rename this chat").See("Tove Halloran II")
	s.Press("ctrl+p").See("Commands").TypeText("author").Press("enter").See("Author's note").TypeText("Slowly.").Press("ctrl+s")
	s.Until("the note", func() bool { return s.Chat().Chat.AuthorNote == "Slowly." })
	s.Press("ctrl+p").See("Commands").TypeText("regenerate").Press("enter").See("‹2/2›").Still()
	s.Press("ctrl+p").See("Commands").TypeText("export this").Press("enter").See("Export this chat").Press("esc").NotSee("Export this chat")
	s.Press("ctrl+p").See("Commands").TypeText("unload").Press("enter").See("unloaded demo")
	s.Press("ctrl+p").See("Commands").TypeText("zzzz").See("no match").Press("enter").See("Commands").Press("esc")
}

// Every command of the palette does something or says why not, with a chat and
// without one.
func TestSession_EveryActionIsSafe(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*engine.Engine){"no chat": nil, "chat": tuitest.WithChat(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tuitest.Begin(t, tuitest.Options{Prepare: prepare})
			s.See("demo:latest")
			m, _ := tui.Keys(nil)
			for _, b := range m.Bindings() {
				if b.Action == keys.Quit || b.Action == keys.Interrupt || b.Action == keys.Suspend || b.Action == keys.Backup { // a backup may be written while its folder is removed
					continue
				}
				known := false
				s.In(func(v *tui.Screen) { known = v.Does(b.Action) })
				if !known && b.Group != keys.PaneGroup && b.Group != keys.DialogGroup {
					t.Errorf("%s does nothing", b.Action)
				}
				for _, mode := range []keys.Mode{keys.Write, keys.Browse, keys.Pane} {
					s.In(func(v *tui.Screen) {
						v.SetMode(mode)
						v.Start(v.Host().Run(b.Action))
					})
					s.Press("esc", "esc", "esc")
				}
			}
			s.Still().Now()
		})
	}
}

// The dialog about an offline server stays until the user asks again, even if the server is back:
// no key must hit another question.
func TestSession_TheServerComes(t *testing.T) {
	t.Parallel()
	late := httptest.NewUnstartedServer(nil)
	address := late.Listener.Addr().String()
	s := tuitest.Begin(t, tuitest.Options{Bare: true, Ollama: "http://" + address, Prepare: func(*engine.Engine) { _ = late.Listener.Close() }})
	s.See("Your name").Press("enter").See("Welcome", "› Try the demo", "is not running")
	target, err := url.Parse(s.Servers().OllamaURL)
	s.Must(err)
	late.Config.Handler = httputil.NewSingleHostReverseProxy(target)
	late.Listener, err = net.Listen("tcp", address)
	if err != nil {
		t.Skip("somebody took the port: ", err)
	}
	late.Start()
	defer late.Close()
	s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.Retry)) })
	s.See("Ollama is online", "› Try the demo").Press("down", "down", "enter").See("Choose a model", "› demo-think:latest")
	shown := time.Now() // what comes up by itself takes no key at first
	s.Until("options that take keys", func() bool { return time.Since(shown) > 300*time.Millisecond })
	s.Press("enter").See("Choose a character")
}

// Copied text goes to the terminal too, and the notice only says what is certain.
func TestSession_Copies(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{
		Copy: func(_ context.Context, text string) clipboard.Result { asked <- text; return clipboard.Buffered }}})
	s.See("‹1/3›").Press("esc").See("BROWSE").Press("y").See("copied to tmux and its terminal")
	text := <-asked
	if want := ansi.SetSystemClipboard(text); text != s.Texts()[0] || !strings.Contains(s.Written(), want) {
		t.Errorf("%q was copied", text)
	}
}

// Whoever writes a character at the first start plays with it then.
func TestSession_SomebodyNew(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true})
	s.See("Your name").Press("enter").See("Choose a model", "demo")
	shown := time.Now() // what comes up by itself takes no key at first
	s.Until("options that take keys", func() bool { return time.Since(shown) > 300*time.Millisecond })
	s.Press("enter").See("Choose a character").Press("down", "down", "down", "enter").See("New character")
	s.TypeText("Vera").Press("ctrl+s").See("WRITE  Vera").NotSee("New character", "Choose a character")
	if v := s.Chat(); v.Character.Card.Name != "Vera" {
		t.Errorf("the chat is with %q", v.Character.Card.Name)
	}
}
