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
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
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

func TestSession_StopKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Fault: onChat(rehearsal.Hang, 30)}})
	s.see("‹1/3›").typeText("Well?").press("enter").see("She comes the rest", "replying")
	s.typeText("not yet").press("enter").see("still being written")
	s.press("ctrl+c").see("stopped").still()
	v := s.chat()
	last := v.Messages[len(v.Messages)-1]
	if last.State != storage.Stopped || !strings.HasPrefix(bundled.Reply(nil, 0)+last.Content, bundled.Reply(nil, 0)+"*She comes the rest") {
		t.Errorf("kept %q as %s", last.Content, last.State)
	}
	s.see("› not yet")
}

func TestSession_ServerDiesMidStream(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Fault: onChat(rehearsal.Hang, 30)}})
	s.see("‹1/3›").typeText("Well?").press("enter").see("She comes the rest", "replying")
	s.must(s.house.Close())
	s.see("written is kept").still()
	if last := s.texts()[2]; !strings.HasPrefix(last, "*She comes the rest") {
		t.Errorf("kept %q", last)
	}
	s.press("esc", "r").see("cannot be reached").still()
	if last := s.texts()[2]; !strings.HasPrefix(last, "*She comes the rest") {
		t.Errorf("after another try the reply is %q", last)
	}
}

func TestSession_Browse(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").say("Two.")
	reply := s.texts()[4]

	s.press("esc").see("BROWSE").press("r").see("‹2/2›").still()
	if got := s.texts(); len(got) != 5 || got[4] == reply {
		t.Fatalf("another reply: %q", got)
	}
	s.press("left").see("‹1/2›")
	s.until("the first reply", func() bool { return s.texts()[4] == reply })
	s.press("right").see("‹2/2›").press("right").see("‹3/3›").still()
	s.press("h").see("‹2/3›")

	before := s.texts()[4]
	s.press("m")
	s.until("more of the reply", func() bool { return len(s.texts()[4]) > len(before) })
	s.still()
	if got := s.texts(); len(got) != 5 || !strings.HasPrefix(got[4], before) {
		t.Fatalf("continued: %q", got)
	}

	s.press("k", "e").see("Edit what Robin said")
	s.press("ctrl+s").notSee("Edit what")
	s.press("e").see("Edit what").typeText("Two and a half. ").press("ctrl+s").notSee("Edit what").see("Two and a half.", "edited")

	s.press("d").see("Delete").press("esc").notSee("Delete")
	s.press("d").see("Delete").press("d").notSee("Two and a half.")
	s.press("u").see("Two and a half.")
	s.press("G", "k", "d").see("Delete").press("a").notSee("Two and a half.")
	s.until("three messages", func() bool { return len(s.texts()) == 3 })
	s.press("u").see("Two and a half.")

	s.press("g", "j").see("BROWSE").press("B").see("new branch").see("WRITE").notSee("Two and")
	s.until("the branch", func() bool { return len(s.texts()) == 2 })
	s.say("Another way.").see("Another way.")
	if got := s.texts(); got[2] != "Another way." {
		t.Errorf("the branch: %q", got)
	}
	s.press("esc", "k", "left").see("Dry yourself first")
	s.until("the old branch", func() bool { v := s.texts(); return len(v) >= 3 && strings.Contains(v[2], "Dry yourself") })
	s.press("i").see("WRITE")
}

func TestSession_Impersonate(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+i")
	text := ""
	s.until("a line in the composer", func() bool { s.in(func(a *app) { text = a.composer.in.Value() }); return len(text) > 10 })
	if n := len(s.texts()); n != 1 {
		t.Errorf("the chat has %d messages", n)
	}
}

func TestSession_DraftsAndHistory(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("The first line.").say("The second line.")
	s.press("up").see("› The second line.").press("up").see("› The first line.").press("down", "down").see("› Write your line")
	first := s.chat().Chat.ID
	s.typeText("half a thought").press("ctrl+n").see("Tove ‹1/3›", "› Write your line")
	s.typeText("another").press("ctrl+o").see("Chats").in(func(a *app) {
		p := a.dialogs.Top().(*widget.Picker)
		for i, at := range p.Shown {
			if p.All[at].Value.(storage.Chat).ID == first {
				p.At = i
			}
		}
	})
	s.press("enter").see("› half a thought")
	s.again()
	s.see("› half a thought")
	s.press("alt+up").see("› The second line.").press("alt+down").see("› half a thought")
	s.press("ctrl+o").see("Chats").press("enter").see("› another")
}

// What was typed is safe however the program ends, also within the moment that a
// draft waits before it is stored.
func TestSession_NothingTypedIsLost(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").typeText("kept by SIGTERM")
	s.in(func(*app) {})
	s.prog.Quit() // as the signal handler does
	s.gone()
	s.close()
	s.open()
	s.raise()
	s.see("› kept by SIGTERM").press("enter", "ctrl+q")
	s.gone()
	s.close()
	s.open()
	if got := s.texts(); len(got) < 2 || got[1] != "kept by SIGTERM" {
		t.Errorf("the chat holds %q", got)
	}
	if d := s.chat().Draft; d != "" {
		t.Errorf("what was sent is a draft still: %q", d)
	}
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

func TestSession_Search(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: func(e *engine.Engine) { longChat(t, e, 900) }})
	s.see("line 899").press("esc", "/").see("Search this chat").typeText("needle 450").press("enter").see("▌ The needle 450")
	s.press("n").see("not found further up")
	s.press("G").see("line 899").press("/").see("Search this chat")
	for range len("needle 450") {
		s.press("backspace")
	}
	s.typeText("needle").press("enter").see("needle 750").press("n").see("needle 600").press("n").see("needle 450")
}

func TestSession_OlderMessagesComeAsNeeded(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: func(e *engine.Engine) { longChat(t, e, 900) }})
	s.see("line 899")
	s.in(func(a *app) {
		if n := len(a.play.Items); n != firstRead {
			t.Errorf("%d messages were read at first", n)
		}
	})
	s.until("the beginning", func() bool {
		s.press("pgup")
		return strings.Contains(s.now(), "line 0 ")
	})
	s.press("esc", "G").see("line 899").press("g").see("line 0 ")
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

func TestSession_AskingAgain(t *testing.T) {
	t.Parallel()
	fail := onChat(rehearsal.ServerError, 0)
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Fault: func(c rehearsal.Call) rehearsal.Fault {
		if c.Nth > 1 {
			return rehearsal.Fault{}
		}
		return fail(c)
	}}})
	s.see("‹1/3›").typeText("Well?").press("enter").see("no reply", "enter ask for a reply")
	s.press("enter").see("Dry yourself").still().notSee("no reply", "ask for a reply")
	if got := s.texts(); len(got) != 3 {
		t.Errorf("the chat holds %q", got)
	}
}

// What is typed while another chat is being read belongs to the one on the screen.
func TestSession_TypingAheadOfAChat(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›")
	first := s.chat().Chat.ID
	s.press("ctrl+n").typeText("early").see("Tove Halloran (2)")
	s.until("the draft", func() bool {
		v, err := s.eng.Play.View(first, 1)
		s.must(err)
		in := ""
		s.in(func(a *app) { in = a.composer.in.Value() })
		return v.Draft+in == "early"
	})
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
