package pictures_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	enginepictures "github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
)

// paintOne has the open chat's moment painted, from the play.
func (s *session) paintOne() *session {
	s.T().Helper()
	n := len(s.shots())
	s.Press("ctrl+g").See("Scene Capture").See("Tove, a tall").Press("ctrl+s").NotSee("Negative prompt")
	s.Until("a picture", func() bool {
		all := s.shots()
		return len(all) > n && all[0].ImagePath != ""
	})
	s.Still()
	return s
}

// listed waits until the gallery lists n captures.
func (s *session) listed(n int) *session {
	s.T().Helper()
	s.Until("the captures in the gallery", func() bool {
		got := -1
		s.In(func(v *tui.Screen) {
			if g, ok := v.Host().Panes().Current().(*pictures.Gallery); ok && g.Loaded && !g.Busy {
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
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 120, H: 40})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.paintOne()
	s.Press("f2").See("Gallery", "1 capture", "completed · seed")
	s.listed(1)
	s.Press("v").See("there are no variants yet")
	s.Press("r")
	s.listed(2)
	s.See("variant 2/2").Still()
	s.Press("h").See("variant 1/2").Press("h").See("variant 2/2")
	s.Press("v").See("Variants").Press("left", "enter").NotSee("Variants").See("variant 1/2")

	file := filepath.Join(dir, "alone.png")
	s.Do("gallery-export").See("Export the picture").Press("ctrl+u").TypeText(file).Press("ctrl+s").See("written to")
	if data, err := os.ReadFile(file); err != nil || len(data) == 0 {
		t.Errorf("the exported picture: %d bytes, %v", len(data), err)
	}
	s.Do("gallery-export").See("Export the picture").Press("ctrl+u").TypeText(file).Press("ctrl+s").See("File exists").Press("y").NotSee("File exists")
	s.Do(keys.ContactSheet).See("Contact sheet").Press("ctrl+u").TypeText(filepath.Join(dir, "sheet")).Press("ctrl+s").See("written to " + filepath.Join(dir, "sheet.png"))
	s.Do(keys.ContactSheet).See("Contact sheet").Press("ctrl+u").TypeText(filepath.Join(dir, "page")).Press("tab", "right", "ctrl+s").See("written to " + filepath.Join(dir, "page.html"))

	s.Press("/").TypeText("zebra").See("no match").Press("esc")
	s.listed(2)
	s.Press("/").TypeText("moss-green").Press("enter")
	s.listed(2)
	s.See("/ moss-green").Press("esc").NotSee("/ moss")
	s.Press("W").See("About this picture", "Negative prompt").Press("esc").NotSee("About this")
	s.Do("gallery-avatar").See("avatar").Press("y").See("prompt copied")
	s.Press("enter").See("Already generated", "^S send").Press("ctrl+d").See("this capture already has a picture").Press("esc").NotSee("^S send", "as a draft")
	s.listed(2)
	s.Press("*").See("2 selected").Press("enter").See("none of the selected captures is a draft")
	s.Press("d").See("Delete these 2 captures").Press("n").NotSee("Delete these")
	s.listed(2)
	s.Press("d").See("Delete these 2 captures").Press("y").See("No captures in this chat yet")
	s.Until("their files to be gone", func() bool {
		left, err := filepath.Glob(filepath.Join(s.Dir(), "captures", "*"))
		return err == nil && len(left) == 0
	})
}

// While ComfyUI is away captures wait; one key sends them all when it is back.
func TestSession_DraftsWait(t *testing.T) {
	t.Parallel()
	h, err := demo.Start(tove.New().Options())
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Offline: true, Ollama: h.OllamaURL, W: 120, H: 40})
	t.Cleanup(func() {
		if s.Servers() == nil {
			_ = h.Close()
		}
	})
	s.See("‹1/3›").Say("I hold up the letter.")
	for n := 1; n <= 2; n++ {
		s.Press("ctrl+g").See("Scene Capture").See("Tove, a tall").Press("ctrl+s").NotSee("Negative prompt")
		s.Until("a draft that waits", func() bool {
			all, err := s.Engine.Pictures.WaitingDrafts(s.Chat().Chat.ID)
			return err == nil && len(all) == n
		})
		s.Still()
	}
	s.Press("f2")
	s.listed(2)
	s.See("2 pending", "^X i d sends the pending", "waits: ").Press("f2")
	s.SetServers(h)
	s.Again()
	s.See("Tove").Press("f2")
	s.listed(2)
	s.Do(keys.SendDrafts).See("send 2 captures").Press("esc").NotSee("send 2 captures")
	s.Do(keys.SendDrafts).See("send 2 captures").Press("y")
	s.Until("two pictures", func() bool {
		n := 0
		for _, c := range s.shots() {
			if c.ImagePath != "" {
				n++
			}
		}
		return n == 2
	})
	s.Still().Do(keys.SendDrafts).See("no capture is waiting for ComfyUI")
}

// A picture that is asked for in the talk shows its preview; not while the user
// types.
func TestSession_PictureAsked(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Press("ctrl+g").See("Tove, a tall").Press("ctrl+d").See("saved as a draft").NotSee("^S send")
	c := s.shots()[0]
	s.TypeText("She ")
	s.In(func(v *tui.Screen) { v.Event(enginepictures.PictureRequested{Capture: c}) })
	s.See("picture requested: f2 shows it").TypeText("turns.").See("She turns.")
	s.Press("ctrl+u").NotSee("She turns.")
	s.In(func(v *tui.Screen) { v.Start(v.Event(enginepictures.PictureRequested{Capture: c})) })
	s.See("Scene Capture", "^S send").Press("esc")
	if v := s.Frame(); strings.Contains(v, "She turns.") {
		t.Error("what was typed came back")
	}
}

// A batch is at the top of the gallery: enter sends all its drafts, and it disappears when the last
// one is painted.
func TestSession_BatchInTheGallery(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 120, H: 40})
	s.See("‹1/3›").Say("I hold up the letter.").Press("f2").See("Gallery")
	_, err := s.Engine.Pictures.CaptureBatch(s.Chat().Chat.ID, enginepictures.BatchRequest{By: storage.ByAngles, Angles: []string{"eye", "low"}})
	s.Must(err)
	s.See("angles 0/2 · 2 drafts").Still()
	s.listed(2)
	s.Press("g").See("x cancel all").Press("d").See("this is a batch: enter sends its drafts, x cancels it")
	s.Press("enter").See("Generate 2 drafts of this batch?").Press("n").NotSee("of this batch")
	s.Press("enter").See("Generate 2 drafts of this batch?").Press("y").NotSee("angles", "draft")
	s.Until("two pictures", func() bool {
		n := 0
		for _, c := range s.shots() {
			if c.ImagePath != "" {
				n++
			}
		}
		return n == 2
	})
	s.Press("j").See("completed · seed")
}

func TestSession_CaptureEndToEnd(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Press("ctrl+g").See("Scene Capture").See("Why:")
	s.TypeText("Rain. ").Press("tab", "tab", "tab").TypeText("x").Press("ctrl+s").See("seed must be a whole number")
	s.Press("backspace").TypeText("42").Press("ctrl+s").NotSee("Negative prompt").See("▀")
	s.Press("f2").See("completed · seed 42")
	caps, err := s.Engine.Pictures.Captures(s.Chat().Chat.ID)
	s.Must(err)
	if len(caps) != 1 || caps[0].Seed == nil || *caps[0].Seed != 42 || !strings.HasPrefix(caps[0].ImagePrompt, "Rain. ") {
		t.Fatalf("captures: %+v", caps)
	}
	if _, err := os.Stat(s.Engine.Pictures.Gallery.Path(caps[0])); err != nil {
		t.Error(err)
	}
	v, err := s.Engine.Play.Prompt(t.Context(), s.Chat().Chat.ID, "")
	s.Must(err)
	for _, m := range v.Messages {
		if strings.Contains(m.Content, "Rain.") {
			t.Error("the picture's prompt is told to the model")
		}
	}

	s.Press("r")
	s.Until("a second picture", func() bool {
		caps, _ = s.Engine.Pictures.Captures(s.Chat().Chat.ID)
		return len(caps) == 2 && caps[0].ImagePath != ""
	})
	s.Press("y").See("prompt copied")
	s.Do("gallery-avatar").Press("d").See("Delete capture").Press("y").NotSee("Delete capture")
	s.Until("one picture", func() bool {
		n := 0
		s.In(func(v *tui.Screen) { n = v.Host().Panes().Current().(*pictures.Gallery).Count() })
		return n == 1
	})
	s.Press("enter").See("Already generated", "^S send").Press("ctrl+d").See("this capture already has a picture").Press("esc").NotSee("^S send")
	s.Press("alt+x").NotSee("Gallery")

	s.Press("ctrl+p").See("Commands").TypeText("picture of something").Press("enter").See("Picture of what?")
	s.TypeText("the gallery").Press("enter").See("Picture: the gallery").See("Why:").Press("esc")
}

func TestSession_QueueCancelAndRetry(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.Servers().Comfy.SetFaults(demo.ComfyFaults{Hang: true})
	s.See("‹1/3›").Press("ctrl+g").See("Why:").Press("ctrl+s").NotSee("Negative prompt")
	s.Press("f3").See("▶ generating a picture").Press("g", "x").See("cancelled")
	s.Servers().Comfy.SetFaults(demo.ComfyFaults{NodeError: "no more paint"})
	s.Press("r").See("✗ generating a picture", "no more paint")
	s.Press("O").See("Queue (paused)").Until("the pause", s.Engine.Queue.Paused)
	s.Press("R").See("· generating a picture")
	s.Servers().Comfy.SetFaults(demo.ComfyFaults{})
	s.Press("O").See("✓ generating a picture").NotSee("paused")
	s.Press("enter").See("status: completed").Press("esc").Press("alt+x").NotSee("Queue").See("▀")
}

func TestGolden_Capture(t *testing.T) {
	t.Parallel()
	// The model stays loaded: what of the prompt it would read again after a picture is none of this.
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), VRAM: config.VRAM{KeepOllama: true}})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Press("ctrl+g").See("Scene Capture", "^S send").Still()
	s.See("Why:").Golden("preview").GoldenStyled("preview")
	s.Press("ctrl+k").See("Preset").Golden("camera")
	s.Press("esc").NotSee("Preset")
	s.Press("tab", "tab", "tab").TypeText("77").Press("tab").TypeText("512x384")
	s.Press("ctrl+s").NotSee("Negative prompt")
	s.painted(1)
	s.See("Scene Capture", "▀").NotSee("loading picture").Golden("picture")
	s.Press("f2").See("Gallery", "seed 77").Golden("captures").GoldenStyled("captures")
}

func TestGolden_CaptureWarnings(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("ctrl+g").See("Scene Capture").Still().See("Why:")
	s.In(func(v *tui.Screen) {
		if p, ok := dialogOf[*pictures.Preview](v); ok {
			c := p.Capture()
			c.ID = "made up" // no news of the real one is for it
			c.Warnings = []string{"the prompt names Tove; picture models do not know names", "the prompt has 24 words; 60 to 120 make better pictures, and this warning is long enough to wrap"}
			c.Reasoning = "The envelope is the one thing that both of them look at, and the lamp is the only light."
			p.Fill(c)
		}
	})
	s.See("picture models").Golden("preview-warnings")
}

// A line of the sheet that is muted is not chosen again where the user has gone on.
func TestFacts_GoOnAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	chat := s.Chat().Chat.ID
	for _, text := range []string{"a green scarf", "a ladder"} {
		_, err := s.Engine.Pictures.Continuity.Save(chat, storage.Fact{Kind: storage.FactProps, Text: text, Source: storage.FactFromUser})
		s.Must(err)
	}
	s.See("‹1/3›").Press("alt+t").See("Continuity", "a ladder")
	s.chooseFact("a green scarf")
	mute := s.Pressed("O")
	s.Press("down")
	if s.Pressed("O") != nil {
		t.Fatal("two changes are stored at once")
	}
	s.In(func(v *tui.Screen) { v.Start(mute) })
	s.Until("both to be muted", func() bool {
		facts, err := s.Engine.Pictures.Continuity.Facts(chat)
		s.Must(err)
		return !slices.ContainsFunc(facts, func(f storage.Fact) bool { return f.Kind == storage.FactProps && !f.Muted })
	})
	s.Until("the reading", func() (over bool) {
		s.In(func(v *tui.Screen) {
			d, _ := dialogOf[*pictures.FactsDialog](v)
			f, ok := d.Fact()
			over = ok && f.Muted && f.Text == "a ladder" && !d.Storing()
		})
		return over
	})
}

// painted waits until n pictures are painted and the newest hangs in the play.
func (s *session) painted(n int) *session {
	s.T().Helper()
	s.Until("the pictures", func() bool {
		done := 0
		for _, c := range s.shots() {
			if c.ImagePath != "" {
				done++
			}
		}
		return done == n
	})
	s.Still()
	return s
}

// Leaving the preview by ctrl+c says what became of it, as leaving by esc does.
func TestSession_CaptureLeftByInterrupt(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Press("ctrl+g").See("Why:").Press("ctrl+c").NotSee("^S send").See("not sent; kept as a draft")
}

// A preview that is left before its prompt is there ends the writing of it: the next one does not wait.
func TestSession_CaptureLeftWhileWriting(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	defer close(open)
	var asked atomic.Bool // a request that is ended on its way would leave the fault to the next
	wait := demo.Times(1, demo.Fault{Kind: demo.Wait, Until: open}, func(c demo.Call) bool {
		prompt := strings.Contains(string(c.Format), `"negative_prompt"`)
		asked.Store(asked.Load() || prompt)
		return prompt
	})
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Fault: wait}})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Press("ctrl+g").See("The prompt is being written").Until("the request for it", asked.Load)
	s.Press("esc").See("not written; an empty draft")
	s.Press("ctrl+g").See("Tove, a tall").Press("esc").See("not sent")
	drafts := 0
	for _, c := range s.shots() {
		if c.Status == storage.CaptureDraft {
			drafts++
		}
	}
	if drafts != 2 {
		t.Errorf("%d drafts stay", drafts)
	}
}
