package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/config"
	"ghostlight/engine/pictures"
	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/queue"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// dialogOf is the open dialog of a type; it must be called inside in.
func dialogOf[D widget.Dialog](a *app) (found D, ok bool) {
	for _, d := range a.dialogs.All {
		if v, is := d.(D); is {
			found, ok = v, true
		}
	}
	return found, ok
}

// promptField is what stands in the prompt of the open preview.
func (s *session) promptField() (text string) {
	s.t.Helper()
	s.in(func(a *app) {
		if p, ok := dialogOf[*preview](a); ok {
			text = p.Fields[fieldPrompt].Value()
		}
	})
	return text
}

// shots are the captures of the open chat, newest first, from the store.
func (s *session) shots() []storage.Capture {
	s.t.Helper()
	all, err := s.eng.Pictures.Captures(s.chat().Chat.ID)
	s.must(err)
	return all
}

// palette runs a command by its words.
func (s *session) palette(words string) *session {
	s.t.Helper()
	return s.press("ctrl+p").see("Commands").typeText(words).see("› " + words).press("enter")
}

func TestSession_CameraActsOnThePrompt(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.").press("ctrl+g").see("Why:")
	before := s.promptField()
	// The first shot and the second angle.
	s.press("ctrl+k").see("Preset").press("down", "right").see("Adds").press("down", "right", "right").see("low angle").press("ctrl+s")
	s.notSee("Preset").see("extreme wide", "low angle")
	want := storage.Camera{Shot: "extreme-wide", Angle: "low"}
	if got := s.promptField(); got != capture.Direct(before, want) || got == before {
		t.Fatalf("the prompt is %q", got)
	}
	// Another shot takes the place of the first; the angle goes.
	s.press("ctrl+k").see("Preset").press("down", "right").see("wide shot, whole figures").press("down", "left", "left").notSee("looking up").press("ctrl+s").notSee("Preset")
	want = storage.Camera{Shot: "wide"}
	if got := s.promptField(); got != capture.Direct(before, want) {
		t.Fatalf("the prompt is %q", got)
	}
	s.press("ctrl+s").notSee("Negative prompt")
	s.until("the picture with its camera", func() bool {
		caps := s.shots()
		return len(caps) == 1 && caps[0].Camera == want && caps[0].ImagePath != ""
	})
}

func TestSession_CameraPresets(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("ctrl+g").see("Why:").press("ctrl+k").see("Preset")
	s.press("ctrl+n").see("choose something first")
	s.press("down", "right", "ctrl+n").see("Keep this camera").typeText("far away").press("enter").see("kept as far away", "‹ far away ›")
	s.press("ctrl+u").see("Nothing is added").press("up", "up", "right").see("‹ far away ›", "‹ Extreme wide ›")
	s.golden("camera-preset")
	s.press("ctrl+x").see("far away is forgotten").notSee("‹ far away ›")
	kept, err := s.eng.Pictures.CameraPresets()
	s.must(err)
	if slices.ContainsFunc(kept, func(c pictures.NamedCamera) bool { return c.Name == "far away" }) {
		t.Errorf("still there: %+v", kept)
	}
	s.press("right").see("‹ portrait ›").press("ctrl+x").see("comes with the program").press("esc").notSee("Preset")
}

// What the user types while the prompt is being written, or written anew, stays.
func TestSession_PreviewKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.")
	s.eng.House.QueuePause(true)
	s.press("ctrl+g").see("The queue is paused").typeText("Mine alone.").see("Mine alone.", "2 words, better 100–300")
	s.eng.House.QueuePause(false)
	s.see("Why:", "^Z brings the other text")
	if got := s.promptField(); got != "Mine alone." {
		t.Fatalf("the prompt is %q", got)
	}
	s.press("ctrl+z").notSee("Mine alone.")
	model := s.promptField()
	if capture.Words(model) < 50 {
		t.Fatalf("the model's prompt is %q", model)
	}
	s.press("ctrl+z").see("Mine alone.")

	// Another prompt takes the place of what stood there when it was asked for.
	s.press("ctrl+r").notSee("Mine alone.").see("^Z brings")
	s.press("ctrl+z").see("Mine alone.")

	// But not of what is written after that.
	s.eng.House.QueuePause(true)
	s.press("ctrl+r").see("The queue is paused").press("end").typeText(" And more.").see("And more.")
	s.eng.House.QueuePause(false)
	s.notSee("The queue is paused", "being written").see("^Z brings")
	if got := s.promptField(); !strings.Contains(got, "And more.") {
		t.Errorf("the prompt is %q", got)
	}
}

// beginWith begins a session of a chat on an engine with other settings.
func beginWith(t *testing.T, change func(*config.Config)) *session {
	t.Helper()
	s := begin(t, stageOptions{prepare: withChat(t), headless: true})
	s.must(s.eng.Close())
	cfg := config.Config{DataDir: s.dir, Program: "test", Ollama: s.house.OllamaURL, Comfy: []string{s.house.ComfyURL},
		Lore: config.Lore{NoFill: true}, Stage: config.Stage{NoDirector: true, NoMemories: true, NoHooks: true}}
	change(&cfg)
	e, err := engine.Open(cfg)
	s.must(err)
	s.eng = e
	s.must(e.Start())
	s.raise()
	return s
}

// A camera that is chosen before the prompt is there is added to it when it comes.
func TestSession_CameraBeforeThePrompt(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.")
	s.eng.House.QueuePause(true)
	s.press("ctrl+g").see("The queue is paused").press("ctrl+k").see("Preset").press("down", "right").see("extreme wide").press("ctrl+s").notSee("Preset")
	s.eng.House.QueuePause(false)
	s.see("Why:", "Camera      extreme wide")
	text := s.promptField()
	if capture.Words(text) < 50 || text != capture.Direct(text, storage.Camera{Shot: "extreme-wide"}) || !strings.Contains(text, "figures small in their surroundings") {
		t.Errorf("the prompt is %q", text)
	}
}

func TestSession_DraftWaitsForComfy(t *testing.T) {
	t.Parallel()
	s := beginWith(t, func(cfg *config.Config) { cfg.Comfy = []string{"http://127.0.0.1:1"} })
	s.see("‹1/3›").say("I hold up the letter.").press("ctrl+g").see("Why:").see("ComfyUI does not answer")
	s.press("ctrl+s").see("waits as a draft").still()
	s.until("the waiting draft", func() bool {
		caps := s.shots()
		return len(caps) == 1 && caps[0].Status == storage.CaptureDraft && caps[0].Waiting
	})
}

func TestSession_CaptureOfAMessage(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").say("Two.")
	first := s.chat().Messages[2].ID
	s.press("esc").see("BROWSE").press("k", "k", "c").see("Scene Capture").see("Why:").press("esc").notSee("Negative prompt")
	s.press("v").see("✦ Scene Video", "‹ text-to-video ›").see("Why:")
	s.see("at most 150").press("esc")
	caps := s.shots()
	if len(caps) != 2 || caps[0].At != first || caps[0].Kind != videoKind || caps[1].At != first || caps[1].Kind != imageKind {
		t.Errorf("the captures are %+v", caps)
	}
}

func TestSession_SeveralAngles(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.").palette("several angles").see("Several angles", "✓ Eye level", "4 captures")
	s.golden("angles").goldenStyled("angles")
	s.press("space").see("– Eye level", "3 captures").press("down", "space").see("– Low", "2 captures")
	s.press("ctrl+k").see("Preset").press("up").press("right").see("‹ portrait ›").press("ctrl+s").notSee("Preset").see("window")
	s.press("ctrl+s").notSee("Several angles").see("Gallery")
	s.still()
	caps := s.shots()
	if len(caps) != 2 || caps[0].Batch == "" || caps[0].Batch != caps[1].Batch {
		t.Fatalf("the captures are %+v", caps)
	}
}

func TestSession_SeveralAnglesOfAMessage(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").say("Two.")
	first := s.chat().Messages[2].ID
	s.press("esc").see("BROWSE").press("k", "k").palette("several angles").see("Several angles", "4 captures")
	s.press("ctrl+s").notSee("Several angles").see("Gallery").still()
	caps := s.shots()
	if len(caps) != 4 || caps[0].At != first || caps[3].At != first {
		t.Errorf("the captures are %+v", caps)
	}
}

func TestSession_SeriesThroughTheChat(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").say("Two.").palette("captures all").see("Capture series", "1 capture")
	s.press("right").see("one every so many", "0 captures").press("tab", "backspace", "backspace").see("how many messages?").typeText("2")
	s.see("2 captures").golden("series-captures", dims{40, 12}, dims{80, 24})
	n := 0
	s.in(func(a *app) { n = a.seriesSize(pictures.BatchRequest{By: storage.ByEvery, Every: 2}) })
	s.press("ctrl+s").notSee("Capture series").see("Gallery").still()
	if caps := s.shots(); len(caps) != n {
		t.Errorf("%d captures were said, %d were made", n, len(caps))
	}
}

// chooseFact chooses the line of the open sheet that says something.
func (s *session) chooseFact(text string) *session {
	s.t.Helper()
	s.until("the line "+text, func() (found bool) {
		s.in(func(a *app) {
			if d, ok := dialogOf[*factsDialog](a); ok {
				if i := slices.IndexFunc(d.facts, func(f storage.Fact) bool { return f.Text == text }); i >= 0 {
					d.choose(i)
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
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.").press("alt+t").see("Continuity", "Appearance")
	before, err := s.eng.Pictures.Continuity(s.chat().Chat.ID)
	s.must(err)
	s.press("a").see("New line").typeText("a scarf of green wool").press("shift+tab").typeText("Tove").press("up").see("About").press("right").see("‹ Clothes ›")
	s.press("ctrl+s").notSee("New line").see("Tove: a scarf of green wool", "you")
	s.chooseFact("a scarf of green wool").press("a").see("New line").typeText("a ladder in the aisle").press("up", "up", "right").see("‹ Place ›").press("ctrl+s").notSee("New line").see("a ladder in the aisle")
	s.chooseFact("a scarf of green wool").press("space").see("muted")
	s.chooseFact("a scarf of green wool").press("space").notSee("muted")
	s.chooseFact("a scarf of green wool").press("x").notSee("green wool").press("u").see("green wool")
	s.chooseFact("a scarf of green wool").press("enter").see("Edit a line").typeText(", and damp").press("ctrl+s").notSee("Edit a line").see("and damp")
	s.press("esc").notSee("Continuity")
	facts, err := s.eng.Pictures.Continuity(s.chat().Chat.ID)
	s.must(err)
	if len(facts) != len(before)+2 {
		t.Errorf("the sheet is %+v", facts)
	}
}

func TestGolden_Continuity(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+t").see("Continuity", "Appearance")
	show := func(facts ...storage.Fact) {
		s.in(func(a *app) {
			d, _ := dialogOf[*factsDialog](a)
			d.at = 0
			d.take(facts)
			d.at = min(2, max(0, len(facts)-1))
		})
	}
	show()
	s.golden("continuity-empty")
	show(storage.Fact{ID: "1", Kind: storage.FactAppearance, Who: "Tove", Text: "grey eyes", Source: storage.FactFromLore},
		storage.Fact{ID: "2", Kind: storage.FactAppearance, Who: "Tove", Text: "copper-brown hair held up by a pencil", Source: storage.FactFromLore, Muted: true},
		storage.Fact{ID: "3", Kind: storage.FactClothes, Who: "Tove", Text: "a moss-green cardigan with leather elbows over a black shirt, and dark work trousers", Source: storage.FactFromCapture},
		storage.Fact{ID: "4", Kind: storage.FactPlace, Text: "the stage of the Halfmoon, the ladder beside the curtain", Source: storage.FactFromUser},
		storage.Fact{ID: "5", Kind: storage.FactLight, Text: "one warm lamp", Source: storage.FactFromCapture},
		storage.Fact{ID: "6", Kind: storage.FactProps, Who: "Robin", Text: "an envelope of cream paper", Source: storage.FactFromCapture})
	s.golden("continuity").goldenStyled("continuity")
}

// A prompt that disagrees with the sheet is marked while it is typed.
func TestSession_ContradictionsWhileTyping(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.")
	_, err := s.eng.Pictures.PutFact(s.chat().Chat.ID, storage.Fact{Kind: storage.FactClothes, Who: "Tove", Text: "a green scarf", Source: storage.FactFromUser})
	s.must(err)
	s.press("ctrl+g").see("Why:").notSee("! ")
	s.typeText("Tove wears a red scarf. ").see("! ").see("scarf")
	s.golden("preview-contradiction", dims{40, 12}, dims{80, 24})
	s.press("alt+w").see("About this capture", "scarf").press("esc").notSee("About this capture")
	s.press("alt+t").see("Continuity", "green scarf").chooseFact("a green scarf").press("x").notSee("Tove: a green scarf").press("esc").notSee("Continuity").notSee("! ")
}

func TestSession_Workflows(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").palette("workflows").see("Workflows", "text-to-image", "built in").golden("workflows").goldenStyled("workflows")
	s.press("c").see("has all that it needs")
	s.press("enter").see("by its placeholders").press("esc").notSee("built in")
}

// ownWorkflow is a workflow without placeholders. With a second text between the
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
		"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"ghostlight-rehearsal.safetensors"}},
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

// A workflow of which it is not certain what goes where is asked about once, and
// painted with after that.
func TestSession_WorkflowIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	s := withWorkflows(t, map[string]string{"mine": ownWorkflow(true)})
	s.see("‹1/3›").say("I hold up the letter.").press("ctrl+g").see("Why:").press("tab", "tab", "right", "right")
	s.see("‹ mine ›", "nobody has confirmed").press("ctrl+s").see("What goes where in mine", "What is seen", "a cat").golden("workflow-map").goldenStyled("workflow-map")
	s.press("ctrl+s").notSee("What goes where").see("mine is confirmed").notSee("nobody has confirmed")
	s.press("ctrl+s").notSee("Negative prompt").still()
	s.until("the picture", func() bool { c := s.shots(); return len(c) == 1 && c[0].ImagePath != "" })
	if w := s.shots()[0].Workflow; w != "mine" {
		t.Errorf("it was painted by %q", w)
	}
	s.press("ctrl+g").see("Why:").press("tab", "tab", "right", "right").see("‹ mine ›", "as you said").notSee("nobody has confirmed")
}

func TestSession_AmbiguousWorkflow(t *testing.T) {
	t.Parallel()
	s := withWorkflows(t, map[string]string{"unclear": ownWorkflow(false), "broken": "{"})
	s.see("‹1/3›").palette("workflows").see("! unclear", "not clear").press("end").see("What is", "broken").golden("workflows-unclear", dims{40, 12}, dims{80, 24})
	s.press("enter").see("What goes where in unclear", "nowhere").press("right").see("What is").press("ctrl+s").notSee("What goes where in").see("confirmed")
	if _, confirmed, err := s.eng.Pictures.WorkflowMap("unclear"); err != nil || !confirmed {
		t.Errorf("confirmed: %v, %v", confirmed, err)
	}
	s.press("enter").see("What goes where in unclear").press("ctrl+x").notSee("What goes where in").see("forgotten", "not clear")
}

// The painted lines under the play: two at most, and a line for the others.
func TestPainting_SeveralAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›")
	s.in(func(a *app) {
		a.work.running = map[storage.OperationID]*job{}
		for _, id := range []storage.OperationID{"1", "2", "3", "4"} {
			j := &job{Job: desk.Job{Op: storage.Operation{ID: id, Type: desk.Paints}, Capture: storage.CaptureID(id), Chat: a.view.Chat.ID}}
			j.Progress = queue.Progress{Text: "sampling " + string(id), Step: 5, Of: 20}
			a.work.running[id] = j
		}
		a.work.running["5"] = &job{Job: desk.Job{Op: storage.Operation{ID: "5", Type: desk.Paints}, Capture: "5", Chat: "another"}}
		got := strings.Join(a.painting(60, 20), "\n")
		for _, want := range []string{"sampling 1", "5/20", "sampling 2", "and 2 more are being painted"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not told of: %s", want, got)
			}
		}
		if strings.Count(got, "Scene Capture") != 2 {
			t.Errorf("it is not said what is painted: %s", got)
		}
		a.captureChanged(storage.Capture{ID: "1", Chat: a.view.Chat.ID, Status: storage.CaptureGenerating, Requested: "the stage", Asked: true})
		if got := strings.Join(a.painting(60, 20), "\n"); strings.Count(got, "Scene Capture") != 1 || !strings.Contains(got, a.view.Character.Card.CharName()) {
			t.Errorf("a picture that was asked for is not the character's: %s", got)
		}
		a.captureChanged(storage.Capture{ID: "2", Chat: a.view.Chat.ID, Status: storage.CaptureGenerating, Requested: "Tove: she waits", Board: "n1", Shot: "s1"})
		if got := strings.Join(a.painting(60, 20), "\n"); strings.Count(got, "Scene Capture") != 1 {
			t.Errorf("a sketch of a shot is not the character's: %s", got)
		}
		if strings.Contains(got, "sampling 3") || strings.Count(got, "\n") > 5 {
			t.Errorf("too much is told: %s", got)
		}
		a.work.running = nil
	})
}

// No dialog of the studio breaks at any size.
func TestSession_StudioAtEverySize(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").press("ctrl+g").see("Why:")
	for _, open := range []func(*app) tea.Cmd{
		func(*app) tea.Cmd { return nil },
		func(a *app) tea.Cmd { return a.openCamera(storage.Camera{Shot: "wide", Mood: "tense"}, nil) },
		(*app).openAngles, (*app).openCaptureSeries, (*app).openRequested, (*app).openContinuity, (*app).openWorkflows,
		func(a *app) tea.Cmd { return a.editCharacter(a.view.Character) },
	} {
		var was widget.Dialog
		s.in(func(a *app) {
			was = a.dialogs.Top()
			if cmd := open(a); cmd != nil {
				if f, ok := cmd().(desk.Answer); ok {
					f()
				}
			}
			for _, w := range []int{1, 2, 4, 8, 13, 20, 30, 40, 52, 64} {
				for _, h := range []int{1, 2, 3, 5, 8, 12, 18, 26} {
					a.update(tea.WindowSizeMsg{Width: w, Height: h})
					a.paint()
				}
			}
			a.update(tea.WindowSizeMsg{Width: 200, Height: 60})
			a.paint()
			if d := a.dialogs.Top(); d != was {
				a.dialogs.Close(d)
			}
			a.mode = keys.Write
		})
	}
}

// Closing a preview says what becomes of the prompt, and f1 shows the keys that
// the last row has no room for.
func TestSession_ClosedPreviewSaysSo(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.size(80, 24)
	s.see("‹1/3›").say("One.").press("ctrl+g").see("Why:", "f1 keys").press("f1").see("alt+e editor").press("esc").notSee("alt+e editor")
	s.press("esc").see("stays as a draft in the gallery")
}

// However far down a list is, its bar stays inside.
func TestScrollbar_StaysInside(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›")
	s.in(func(a *app) {
		for top := range 40 {
			buf := uv.NewScreenBuffer(4, 20)
			look.Scrollbar(buf, uv.Rect(0, 0, 1, 10), top, 15, a.lk)
			n := 0
			for y := range 20 {
				if c := buf.CellAt(0, y); c != nil && c.Content == "┃" {
					n++
					if y >= 10 {
						t.Fatalf("top %d: the bar stands in line %d of 10", top, y)
					}
				}
			}
			if n == 0 {
				t.Fatalf("top %d: there is no bar", top)
			}
		}
	})
}
