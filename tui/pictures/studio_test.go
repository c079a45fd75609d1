package pictures_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	enginepictures "github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// session is a user of the studio and of the gallery.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) *session {
	t.Helper()
	return &session{tuitest.Begin(t, o)}
}

// beginWith begins a session of a chat on an engine with other settings.
func beginWith(t testing.TB, change func(*config.Config)) *session {
	t.Helper()
	return begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Config: change})
}

// dialogOf returns the open dialog of a type; it must be called inside In.
func dialogOf[D widget.Dialog](v *tui.Screen) (found D, ok bool) {
	for _, d := range v.Host().Dialogs().All {
		if v, is := d.(D); is {
			found, ok = v, true
		}
	}
	return found, ok
}

// palette runs a command by its words.
func (s *session) palette(words string) *session {
	s.T().Helper()
	s.Press("ctrl+p").See("Commands").TypeText(words).See("› " + words).Press("enter")
	return s
}

// promptField returns the prompt of the open preview.
func (s *session) promptField() (text string) {
	s.T().Helper()
	s.In(func(v *tui.Screen) {
		if p, ok := dialogOf[*pictures.Preview](v); ok {
			text = p.Prompt()
		}
	})
	return text
}

// shots returns the captures of the open chat, newest first, from the store.
func (s *session) shots() []storage.Capture {
	s.T().Helper()
	all, err := s.Engine.Pictures.Captures(s.Chat().Chat.ID)
	s.Must(err)
	return all
}

// directed reports whether a prompt has the phrases of a camera.
func directed(prompt string, c storage.Camera) bool {
	return !slices.ContainsFunc(capture.Phrases(c), func(p string) bool { return !strings.Contains(strings.ToLower(prompt), strings.ToLower(p)) })
}

func TestSession_CameraActsOnThePrompt(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.").Press("ctrl+g").See("Why:")
	before := s.promptField()
	// The first shot and the second angle.
	s.Press("ctrl+k").See("Preset").Press("down", "right").See("Adds").Press("down", "right", "right").See("low angle").Press("ctrl+s")
	s.NotSee("Preset").See("extreme wide", "low angle", "written for another camera")
	want := storage.Camera{Shot: "extreme-wide", Angle: "low"}
	if got := s.promptField(); got == before || !directed(got, want) {
		t.Fatalf("the prompt is %q", got)
	}
	// Another shot takes the place of the first; the angle goes.
	s.Press("ctrl+k").See("Preset").Press("down", "right").See("wide shot, whole figures").Press("down", "left", "left").NotSee("looking up").Press("ctrl+s").NotSee("Preset")
	want = storage.Camera{Shot: "wide"}
	if got := s.promptField(); !directed(got, want) || directed(got, storage.Camera{Shot: "extreme-wide"}) {
		t.Fatalf("the prompt is %q", got)
	}
	s.Press("ctrl+s").NotSee("Negative prompt")
	s.Until("the picture with its camera", func() bool {
		caps := s.shots()
		return len(caps) == 1 && caps[0].Camera == want && caps[0].ImagePath != ""
	})
}

func TestSession_CameraPresets(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("ctrl+g").See("Why:").Press("ctrl+k").See("Preset")
	s.Press("ctrl+n").See("choose a setting first")
	s.Press("down", "right", "ctrl+n").See("Save this camera").TypeText("far away").Press("enter").See("saved as far away", "‹ far away ›")
	s.Press("ctrl+u").See("No camera settings").Press("up", "up", "right").See("‹ far away ›", "‹ Extreme wide ›")
	s.Golden("camera-preset")
	s.Press("ctrl+d").See("far away deleted").NotSee("‹ far away ›")
	kept, err := s.Engine.Pictures.Cameras.List()
	s.Must(err)
	if slices.ContainsFunc(kept, func(c enginepictures.NamedCamera) bool { return c.Name == "far away" }) {
		t.Errorf("still there: %+v", kept)
	}
	s.Press("right").See("‹ portrait ›").Press("ctrl+d").See("is built in").Press("esc").NotSee("Preset")
}

// What the user types while the prompt is being written, or written again, stays.
func TestSession_PreviewKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Engine.Queue.Pause()
	s.Press("ctrl+g").See("The queue is paused").TypeText("Mine alone.").See("Mine alone.", "2 words, better 100–300")
	s.Engine.Queue.Resume()
	s.See("Why:", "^Z shows the other version")
	if got := s.promptField(); got != "Mine alone." {
		t.Fatalf("the prompt is %q", got)
	}
	s.Press("ctrl+z").NotSee("Mine alone.")
	model := s.promptField()
	if capture.CountWords(model) < 50 {
		t.Fatalf("the model's prompt is %q", model)
	}
	s.Press("ctrl+z").See("Mine alone.")

	// Another prompt takes the place of what stood there when it was asked for.
	s.Press("ctrl+r").NotSee("Mine alone.").See("^Z shows")
	s.Press("ctrl+z").See("Mine alone.")

	// But not of what is written after that.
	s.Engine.Queue.Pause()
	s.Press("ctrl+r").See("The queue is paused").Press("end").TypeText(" And more.").See("And more.")
	s.Engine.Queue.Resume()
	s.NotSee("The queue is paused", "being written").See("^Z shows")
	if got := s.promptField(); !strings.Contains(got, "And more.") {
		t.Errorf("the prompt is %q", got)
	}
}

// A camera that is chosen before the prompt is there is added to it when it comes.
func TestSession_CameraBeforeThePrompt(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Engine.Queue.Pause()
	s.Press("ctrl+g").See("The queue is paused").Press("ctrl+k").See("Preset").Press("down", "right").See("extreme wide").Press("ctrl+s").NotSee("Preset")
	s.Engine.Queue.Resume()
	s.See("Why:", "Camera      extreme wide")
	text := s.promptField()
	if capture.CountWords(text) < 50 || !directed(text, storage.Camera{Shot: "extreme-wide"}) {
		t.Errorf("the prompt is %q", text)
	}
}

func TestSession_DraftWaitsForComfy(t *testing.T) {
	t.Parallel()
	s := beginWith(t, func(cfg *config.Config) { cfg.Comfy = []string{"http://127.0.0.1:1"} })
	s.See("‹1/3›").Say("I hold up the letter.").Press("ctrl+g").See("Why:").See("ComfyUI is offline")
	s.Press("ctrl+s").See("saved as a draft").Still()
	s.Until("the waiting draft", func() bool {
		caps := s.shots()
		return len(caps) == 1 && caps[0].Status == storage.CaptureDraft && caps[0].Waiting
	})
}

func TestSession_CaptureOfAMessage(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.").Say("Two.")
	first := s.Chat().Messages[2].ID
	s.Press("esc").See("BROWSE").Press("k", "k", "c").See("Scene Capture").See("Why:").Press("esc").NotSee("Negative prompt")
	s.Press("alt+v").See("✦ Scene Video", "‹ text-to-video ›").See("Why:")
	// It is counted in what the workflow's encoder reads, and still has a video's length.
	s.See("of 512 tokens (T5)").PasteText(strings.Repeat("rain ", 60)).See("a video's should have at most 150").Press("esc")
	caps := s.shots()
	if len(caps) != 2 || caps[0].At != first || caps[0].Kind != string(capture.Video) || caps[1].At != first || caps[1].Kind != string(capture.Image) {
		t.Errorf("the captures are %+v", caps)
	}
}

func TestSession_SeveralAngles(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.palette("several angles")
	s.See("Several angles", "✓ Eye level", "4 captures")
	s.Golden("angles").GoldenStyled("angles")
	s.Press("space").See("– Eye level", "3 captures").Press("down", "space").See("– Low", "2 captures")
	s.Press("ctrl+k").See("Preset").Press("up").Press("right").See("‹ portrait ›").Press("ctrl+s").NotSee("Preset").See("window")
	s.Press("ctrl+s").NotSee("Several angles").See("Gallery")
	s.Still()
	caps := s.shots()
	if len(caps) != 2 || caps[0].Batch == "" || caps[0].Batch != caps[1].Batch {
		t.Fatalf("the captures are %+v", caps)
	}
}

func TestSession_SeveralAnglesOfAMessage(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.").Say("Two.")
	first := s.Chat().Messages[2].ID
	s.Press("esc").See("BROWSE").Press("k", "k")
	s.palette("several angles")
	s.See("Several angles", "4 captures")
	s.Press("ctrl+s").NotSee("Several angles").See("Gallery").Still()
	caps := s.shots()
	if len(caps) != 4 || caps[0].At != first || caps[3].At != first {
		t.Errorf("the captures are %+v", caps)
	}
}

func TestSession_SeriesThroughTheChat(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.").Say("Two.")
	s.palette("captures throughout")
	s.See("Capture series", "1 capture")
	s.Press("right").See("one every N", "0 captures").Press("tab", "backspace", "backspace").See("how many messages?").TypeText("2")
	s.See("2 captures").Golden("series-captures", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	n := 0
	s.In(func(v *tui.Screen) {
		n = pictures.RoomOf(v.Host()).SeriesSize(enginepictures.BatchRequest{By: storage.ByEvery, Every: 2})
	})
	s.Press("ctrl+s").NotSee("Capture series").See("Gallery").Still()
	if caps := s.shots(); len(caps) != n {
		t.Errorf("%d captures were said, %d were made", n, len(caps))
	}
}

// chooseFact chooses the line of the open sheet that says something.
func (s *session) chooseFact(text string) *session {
	s.T().Helper()
	s.Until("the line "+text, func() (found bool) {
		s.In(func(v *tui.Screen) {
			if d, ok := dialogOf[*pictures.FactsDialog](v); ok {
				if i := slices.IndexFunc(d.Facts(), func(f storage.Fact) bool { return f.Text == text }); i >= 0 {
					d.ChooseFact(i)
					found = true
				}
			}
		})
		return found
	})
	return s
}

func TestSession_ContinuitySheet(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.").Press("alt+t").See("Continuity", "Appearance")
	before, err := s.Engine.Pictures.Continuity.Facts(s.Chat().Chat.ID)
	s.Must(err)
	s.Press("n").See("New continuity line").TypeText("a scarf of green wool").Press("shift+tab").TypeText("Tove").Press("up").See("About").Press("right").See("‹ Clothes ›")
	s.Press("ctrl+s").NotSee("New continuity line").See("Tove: a scarf of green wool", "you")
	s.chooseFact("a scarf of green wool")
	s.Press("n").See("New continuity line").TypeText("a ladder in the aisle").Press("up", "up", "right").See("‹ Place ›").Press("ctrl+s").NotSee("New continuity line").See("a ladder in the aisle")
	s.chooseFact("a scarf of green wool")
	s.Press("O").See("muted")
	s.chooseFact("a scarf of green wool")
	s.Press("O").NotSee("muted")
	s.chooseFact("a scarf of green wool")
	s.Press("d").NotSee("green wool").Press("u").See("green wool")
	s.chooseFact("a scarf of green wool")
	s.Press("enter").See("Edit continuity line").TypeText(", and damp").Press("ctrl+s").NotSee("Edit continuity line").See("and damp")
	s.Press("esc").NotSee("Continuity sheet")
	facts, err := s.Engine.Pictures.Continuity.Facts(s.Chat().Chat.ID)
	s.Must(err)
	if len(facts) != len(before)+2 {
		t.Errorf("the sheet is %+v", facts)
	}
}

func TestGolden_Continuity(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+t").See("Continuity", "Appearance")
	show := func(facts ...storage.Fact) {
		s.In(func(v *tui.Screen) {
			d, _ := dialogOf[*pictures.FactsDialog](v)
			d.ChooseFact(0)
			d.Take(facts)
			d.ChooseFact(min(2, max(0, len(facts)-1)))
		})
	}
	show()
	s.Golden("continuity-empty")
	show(storage.Fact{ID: "1", Kind: storage.FactAppearance, Who: "Tove", Text: "grey eyes", Source: storage.FactFromLore},
		storage.Fact{ID: "2", Kind: storage.FactAppearance, Who: "Tove", Text: "copper-brown hair held up by a pencil", Source: storage.FactFromLore, Muted: true},
		storage.Fact{ID: "3", Kind: storage.FactClothes, Who: "Tove", Text: "a moss-green cardigan with leather elbows over a black shirt, and dark work trousers", Source: storage.FactFromCapture},
		storage.Fact{ID: "4", Kind: storage.FactPlace, Text: "the stage of the Halfmoon, the ladder beside the curtain", Source: storage.FactFromUser},
		storage.Fact{ID: "5", Kind: storage.FactLight, Text: "one warm lamp", Source: storage.FactFromCapture},
		storage.Fact{ID: "6", Kind: storage.FactProps, Who: "Robin", Text: "an envelope of cream paper", Source: storage.FactFromCapture})
	s.Golden("continuity").GoldenStyled("continuity")
}

// A prompt that was written for another camera is marked, and a key has it written again.
func TestSession_AnotherCameraIsWrittenAgain(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.").Press("ctrl+g").See("Why:").NotSee("! ")
	s.Press("ctrl+k").See("Preset").Press("down", "right").See("Adds").Press("ctrl+s").NotSee("Preset").See("! ", "written for another camera")
	s.Press("ctrl+r").NotSee("written for another camera")
	s.Until("the prompt for the camera", func() bool {
		list := s.shots()
		return len(list) == 1 && list[0].Status == storage.CaptureDraft && list[0].Camera.Shot == "extreme-wide" && list[0].Wrote.Camera == list[0].Camera
	})
}

func TestSession_Workflows(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	s.palette("workflows")
	s.See("Workflows", "text-to-image", "built in").Golden("workflows").GoldenStyled("workflows")
	s.Press("r").See("has everything needed")
	s.Press("enter").See("it uses placeholders").Press("esc").NotSee("built in")
}

// ownWorkflow returns a workflow without placeholders. With a second text between the
// sampler and its prompt it is not clear which of them takes the prompt.
func ownWorkflow(clear bool) string {
	positive, more := `["6",0]`, ""
	if !clear {
		positive = `["10",0]`
		more = `"10":{"class_type":"ConditioningCombine","inputs":{"conditioning_1":["6",0],"conditioning_2":["11",0]}},
			"11":{"class_type":"CLIPTextEncode","inputs":{"text":"on a wall","clip":["4",1]},"_meta":{"title":"Where it sits"}},`
	}
	return `{"3":{"class_type":"KSampler","inputs":{"seed":1,"steps":4,"cfg":7,"sampler_name":"euler","scheduler":"normal","denoise":1,
			"model":["4",0],"positive":` + positive + `,"negative":["7",0],"latent_image":["5",0]}},` + more + `
		"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"ghostlight-demo.safetensors"}},
		"5":{"class_type":"EmptyLatentImage","inputs":{"width":512,"height":512,"batch_size":1}},
		"6":{"class_type":"CLIPTextEncode","inputs":{"text":"a cat","clip":["4",1]},"_meta":{"title":"What is seen"}},
		"7":{"class_type":"CLIPTextEncode","inputs":{"text":"rain","clip":["4",1]},"_meta":{"title":"What is not"}},
		"8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["4",2]}},
		"9":{"class_type":"SaveImage","inputs":{"images":["8",0],"filename_prefix":"x"}}}`
}

// withWorkflows begins a session of somebody who has workflows, by their names.
func withWorkflows(t *testing.T, files map[string]string) *session {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "workflows"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "workflows", name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return beginWith(t, func(cfg *config.Config) { cfg.ConfigDir = dir })
}

// An ambiguous workflow must be confirmed once, and is then used.
func TestSession_WorkflowIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	s := withWorkflows(t, map[string]string{"mine": ownWorkflow(true)})
	s.See("‹1/3›").Say("I hold up the letter.").Press("ctrl+g").See("Why:").Press("tab", "tab").TypeText("mine").See("› mine").Press("enter")
	s.See("‹ mine ›", "input mapping not confirmed").Press("ctrl+s").See("Input mapping of mine", "What is seen", "a cat").Golden("workflow-map").GoldenStyled("workflow-map")
	s.Press("ctrl+s").NotSee("Input mapping").See("mine confirmed").NotSee("input mapping not confirmed")
	s.Press("ctrl+s").NotSee("Negative prompt").Still()
	s.Until("the picture", func() bool { c := s.shots(); return len(c) == 1 && c[0].ImagePath != "" })
	if w := s.shots()[0].Workflow; w != "mine" {
		t.Errorf("it was painted by %q", w)
	}
	// What painted last is offered again.
	s.Press("ctrl+g").See("Why:", "‹ mine ›", "set by you").NotSee("input mapping not confirmed")
}

func TestSession_AmbiguousWorkflow(t *testing.T) {
	t.Parallel()
	s := withWorkflows(t, map[string]string{"unclear": ownWorkflow(false), "broken": "{"})
	s.See("‹1/3›")
	s.palette("workflows")
	s.See("! unclear", "not clear").Press("end").See("What is", "broken").Golden("workflows-unclear", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("enter").See("Input mapping of unclear", "nowhere").Press("right").See("What is").Press("ctrl+s").NotSee("Input mapping of").See("confirmed")
	if _, confirmed, err := s.Engine.Pictures.Workflows.Map("unclear"); err != nil || !confirmed {
		t.Errorf("confirmed: %v, %v", confirmed, err)
	}
	s.Press("enter").See("Input mapping of unclear").Press("ctrl+x").NotSee("Input mapping of").See("mapping deleted", "not clear")
}

// No dialog of the studio breaks at any size.
func TestSession_StudioAtEverySize(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.").Press("ctrl+g").See("Why:")
	run := func(act keys.Name) func(*tui.Screen) tea.Cmd {
		return func(v *tui.Screen) tea.Cmd { return v.Host().Run(act) }
	}
	for _, open := range []func(*tui.Screen) tea.Cmd{
		func(*tui.Screen) tea.Cmd { return nil },
		func(v *tui.Screen) tea.Cmd {
			return pictures.RoomOf(v.Host()).OpenCamera(storage.Camera{Shot: "wide", Mood: "tense"}, nil)
		},
		run(keys.CaptureAngles), run(keys.CaptureSeries), run(keys.Ask), run(keys.Continuity), run(keys.Workflows),
		run(keys.NewCharacter),
	} {
		s.In(func(v *tui.Screen) {
			was := v.Dialogs()
			if cmd := open(v); cmd != nil {
				if f, ok := cmd().(pane.Callback); ok {
					f()
				}
			}
			for _, w := range []int{1, 2, 4, 8, 13, 20, 30, 40, 52, 64} {
				for _, h := range []int{1, 2, 3, 5, 8, 12, 18, 26} {
					v.Update(tea.WindowSizeMsg{Width: w, Height: h})
					v.Paint()
				}
			}
			v.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
			v.Paint()
			if all := v.Host().Dialogs().All; len(all) > was {
				v.Host().Dialogs().Close(all[len(all)-1])
			}
		})
	}
}

// The painted lines under the play: two at most, and a line for the others.
func TestSession_SeveralArePainted(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	s.In(func(v *tui.Screen) {
		chat, room := v.Host().Play().Chat().Chat.ID, pictures.RoomOf(v.Host())
		paint := func(id storage.OperationID, chat storage.ChatID, status storage.OperationStatus) {
			op := storage.Operation{ID: id, Type: pane.Paints, Status: status, Params: []byte(`{"capture":"` + string(id) + `","chat":"` + string(chat) + `"}`)}
			v.Event(queue.Changed{Operation: op})
			v.Event(queue.Progressed{ID: id, Type: pane.Paints, Progress: queue.Progress{Text: "sampling " + string(id), Step: 5, Of: 20}})
		}
		for _, id := range []storage.OperationID{"1", "2", "3", "4"} {
			paint(id, chat, storage.InProgress)
		}
		paint("5", "another", storage.InProgress)
		painting := func() string { return strings.Join(room.Painting(60, 20), "\n") }
		got := painting()
		for _, want := range []string{"sampling 1", "5/20", "sampling 2", "and 2 more are being generated"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not told of: %s", want, got)
			}
		}
		if strings.Count(got, "Scene Capture") != 2 {
			t.Errorf("it is not said what is painted: %s", got)
		}
		v.Event(enginepictures.CaptureChanged{Capture: storage.Capture{ID: "1", Chat: chat, Status: storage.CaptureGenerating, Requested: "the stage", Asked: true}})
		if got := painting(); strings.Count(got, "Scene Capture") != 1 || !strings.Contains(got, v.Host().Play().Chat().Character.Card.CharName()) {
			t.Errorf("a picture that was asked for is not the character's: %s", got)
		}
		v.Event(enginepictures.CaptureChanged{Capture: storage.Capture{ID: "2", Chat: chat, Status: storage.CaptureGenerating, Requested: "Tove: she waits", Board: "n1", Shot: "s1"}})
		if got := painting(); strings.Count(got, "Scene Capture") != 1 {
			t.Errorf("a sketch of a shot is not the character's: %s", got)
		}
		if strings.Contains(got, "sampling 3") || strings.Count(got, "\n") > 5 {
			t.Errorf("too much is told: %s", got)
		}
		for _, id := range []storage.OperationID{"1", "2", "3", "4", "5"} {
			paint(id, chat, storage.Completed)
		}
	})
}

// Closing a preview says what becomes of the prompt, and f1 shows the keys that
// the last row has no room for.
func TestSession_ClosedPreviewSaysSo(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.Size(80, 24)
	s.See("‹1/3›").Say("One.").Press("ctrl+g").See("Why:", "f1 keys").Press("f1").See("alt+e", "edit the prompt").Press("esc").NotSee("alt+e")
	s.Press("esc").See("kept as a draft in the gallery")
}
