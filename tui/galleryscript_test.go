package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	bundled "ghostlight/engine/library/bundled"
	"ghostlight/engine/pictures"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// paintOne has the open chat's moment painted, from the play.
func (s *session) paintOne() *session {
	s.t.Helper()
	n := len(s.taken())
	s.press("ctrl+g").see("Scene Capture").see("Medium wide shot").press("ctrl+s").notSee("Negative prompt")
	s.until("a picture", func() bool {
		all := s.taken()
		return len(all) > n && all[0].ImagePath != ""
	})
	return s.still()
}

func (s *session) taken() []storage.Capture {
	s.t.Helper()
	all, err := s.eng.Pictures.Captures(s.chat().Chat.ID)
	s.must(err)
	return all
}

// listed waits until the gallery lists n captures.
func (s *session) listed(n int) *session {
	s.t.Helper()
	s.until("the captures in the gallery", func() bool {
		got := -1
		s.in(func(a *app) {
			if g, ok := paneOf[*gallery](a); ok && g.Loaded && !g.Busy {
				got = len(g.Lines) - len(g.Groups)
			}
		})
		return got == n
	})
	return s
}

func TestSession_Gallery(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begin(t, stageOptions{prepare: withChat(t), w: 120, h: 40})
	s.see("‹1/3›").say("I hold up the letter.").paintOne()
	s.press("f2").see("Gallery", "1 capture", "completed · seed").listed(1)
	s.press("v").see("no variants of it yet")
	s.press("s").listed(2).see("variant 2/2").still()
	s.press("h").see("variant 1/2").press("h").see("variant 2/2")
	s.press("v").see("Variants").press("left", "enter").notSee("Variants").see("variant 1/2")

	file := filepath.Join(dir, "alone.png")
	s.press("W").see("Export the picture").press("ctrl+u").typeText(file).press("ctrl+s").see("written to")
	if data, err := os.ReadFile(file); err != nil || len(data) == 0 {
		t.Errorf("the exported picture: %d bytes, %v", len(data), err)
	}
	s.press("W").see("Export the picture").press("ctrl+u").typeText(file).press("ctrl+s").see("The file exists").press("y").notSee("The file exists")
	s.press("t").see("Contact sheet").press("ctrl+u").typeText(filepath.Join(dir, "sheet")).press("ctrl+s").see("written to " + filepath.Join(dir, "sheet.png"))
	s.press("t").see("Contact sheet").press("ctrl+u").typeText(filepath.Join(dir, "page")).press("tab", "right", "ctrl+s").see("written to " + filepath.Join(dir, "page.html"))

	s.press("/").typeText("zebra").see("no capture has all these words").press("esc").listed(2)
	s.press("/").typeText("medium wide").press("enter").listed(2).see("/ medium wide").press("esc").notSee("/ medium")
	s.press("w").see("About this picture", "Negative prompt").press("esc").notSee("About this")
	s.press("a").see("avatar").press("y").see("prompt copied")
	s.press("enter").see("painted already", "^S send").press("ctrl+d").see("this is a picture already").press("esc").notSee("^S send", "as a draft").listed(2)
	s.press("*").see("2 marked").press("enter").see("none of the marked captures is a draft")
	s.press("d").see("Delete these 2 captures").press("n").notSee("Delete these").listed(2)
	s.press("d").see("Delete these 2 captures").press("y").see("No captures in this chat yet")
	if left, err := filepath.Glob(filepath.Join(s.dir, "captures", "*")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}

// While ComfyUI is away captures wait; one key sends them all when it is back.
func TestSession_DraftsWait(t *testing.T) {
	t.Parallel()
	h, err := rehearsal.Start(rehearsal.Options{Script: bundled.Reply})
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, stageOptions{prepare: withChat(t), noHouse: true, ollama: h.OllamaURL, w: 120, h: 40})
	defer func() {
		if s.house == nil {
			_ = h.Close()
		}
	}()
	s.see("‹1/3›").say("I hold up the letter.")
	for n := 1; n <= 2; n++ {
		s.press("ctrl+g").see("Scene Capture").see("Medium wide shot").press("ctrl+s").notSee("Negative prompt")
		s.until("a draft that waits", func() bool {
			all, err := s.eng.Pictures.WaitingDrafts(s.chat().Chat.ID)
			return err == nil && len(all) == n
		})
		s.still()
	}
	s.press("f2").listed(2).see("2 waiting (R sends)", "waits: ").press("f2")
	s.house = h
	s.again()
	s.see("Tove").press("f2").listed(2).press("R").see("send 2 captures").press("esc").notSee("send 2 captures")
	s.press("R").see("send 2 captures").press("y")
	s.until("two pictures", func() bool {
		n := 0
		for _, c := range s.taken() {
			if c.ImagePath != "" {
				n++
			}
		}
		return n == 2
	})
	s.still().press("R").see("no capture waits for ComfyUI")
}

// A picture that is asked for in the talk shows its preview; not while the user
// types.
func TestSession_PictureAsked(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.")
	s.press("ctrl+g").see("Medium wide shot").press("ctrl+d").see("draft").notSee("^S send")
	c := s.taken()[0]
	s.typeText("She ")
	s.in(func(a *app) {
		if a.pictureAsked(c); !strings.Contains(a.notice.text, "a picture was asked for: f2 shows it") {
			t.Errorf("said: %q", a.notice.text)
		}
	})
	s.typeText("turns.").see("She turns.")
	s.in(func(a *app) { a.composer.in.Set(""); a.mode = keys.Write })
	s.prog.Send(desk.Answer(func() tea.Cmd { return s.app.pictureAsked(c) }))
	s.see("Scene Capture", "^S send").press("esc")
	if v := s.frame(); strings.Contains(v, "She turns.") {
		t.Error("what was typed came back")
	}
}

// A batch stands at the top of the gallery: enter sends all its drafts, and it
// goes when the last one is painted.
func TestSession_BatchInTheGallery(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), w: 120, h: 40})
	s.see("‹1/3›").say("I hold up the letter.").press("f2").see("Gallery")
	_, err := s.eng.Pictures.CaptureBatch(s.chat().Chat.ID, pictures.BatchRequest{By: storage.ByAngles, Angles: []string{"eye", "low"}})
	s.must(err)
	s.see("angles 0/2 · 2 drafts").still().listed(2).press("g").see("x cancel all of it")
	s.press("enter").see("Have 2 drafts of this batch painted?").press("n").notSee("of this batch")
	s.press("enter").see("Have 2 drafts of this batch painted?").press("y").notSee("angles", "draft")
	s.until("two pictures", func() bool {
		n := 0
		for _, c := range s.taken() {
			if c.ImagePath != "" {
				n++
			}
		}
		return n == 2
	})
	s.press("j").see("completed · seed")
}
