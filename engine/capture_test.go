package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostlight/engine/comfy"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// newStudio is a stage whose queue runs, with a line said already.
func newStudio(t testing.TB, change ...func(*setup)) *stage {
	t.Helper()
	s := newStage(t, change...)
	s.say("*I lift the lamp.* \"Is this where it happened?\"")
	must(t, s.Start())
	return s
}

// drafted asks for the prompt of a picture and waits for it.
func (s *stage) drafted(r CaptureRequest) storage.Capture {
	s.t.Helper()
	c, err := s.Capture(s.chat, r)
	must(s.t, err)
	if c.Status != storage.CapturePrompting {
		s.t.Fatalf("asked for: %+v", c)
	}
	return s.settledAs(c.ID, storage.CaptureDraft)
}

// settledAs waits until the store has a capture with a status.
func (s *stage) settledAs(id storage.CaptureID, status storage.CaptureStatus) storage.Capture {
	s.t.Helper()
	c := s.stored(id)
	for c.Status != status {
		until(s, func(ev CaptureChanged) bool { return ev.Capture.ID == id })
		c = s.stored(id)
	}
	return c
}

func (s *stage) stored(id storage.CaptureID) (c storage.Capture) {
	s.t.Helper()
	must(s.t, s.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }))
	return c
}

// small is an edit for a picture that is quickly painted.
func small(c storage.Capture) CaptureEdit {
	return CaptureEdit{ImagePrompt: c.Prompt, NegativePrompt: c.NegativePrompt, Width: 64, Height: 64}
}

func (s *stage) send(c storage.Capture, e CaptureEdit) storage.Capture {
	s.t.Helper()
	c, err := s.SendCapture(c.ID, e)
	must(s.t, err)
	return c
}

// painted is a capture all the way to its picture.
func (s *stage) painted() storage.Capture {
	s.t.Helper()
	c := s.drafted(CaptureRequest{})
	return s.settledAs(s.send(c, small(c)).ID, storage.CaptureCompleted)
}

// files are the names in the folder of pictures.
func (s *stage) files() (names []string) {
	s.t.Helper()
	list, err := os.ReadDir(filepath.Join(s.cfg.DataDir, "captures"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// hung counts the messages that show a capture.
func (s *stage) hung(id storage.CaptureID) (n int) {
	for _, m := range s.nodes() {
		if m.Capture == id {
			n++
		}
	}
	return n
}

func loaded(t *testing.T, s *stage) int {
	t.Helper()
	list, err := s.ollama.Running(s.context())
	must(t, err)
	return len(list)
}

func TestCapture_FromPromptToPicture(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	who := s.view().Character
	who.Imagery.TriggerWord = "ghlt style"
	_, err := s.SaveCharacter(who)
	must(t, err)
	before := s.view()

	c := s.drafted(CaptureRequest{Words: "close-up of the face"})
	if c.Prompt == "" || c.Reasoning == "" || len(c.Warnings) > 0 || c.Seed != nil || c.At != before.Chat.Head || !strings.HasSuffix(c.Prompt, "close-up of the face") {
		t.Errorf("drafted: %+v", c)
	}
	if loaded(t, s) == 0 {
		t.Fatal("no model is loaded")
	}
	edit := small(c)
	edit.ImagePrompt, edit.Width, edit.Height = "Tove under the lamp, her own words gone.", 800, 64
	c = s.send(c, edit)
	if c.Status != storage.CaptureGenerating {
		t.Errorf("sent: %+v", c)
	}
	c = s.settledAs(c.ID, storage.CaptureCompleted)
	if c.Seed == nil || *c.Seed < 0 || c.ImagePrompt != edit.ImagePrompt || c.FinalPrompt != "ghlt style, "+edit.ImagePrompt || c.Prompt == edit.ImagePrompt || c.Error != "" || c.GenerationTime <= 0 {
		t.Errorf("completed: %+v", c)
	}
	for rel, want := range map[string]int{c.ImagePath: 800, c.ThumbnailPath: thumbnailSide} {
		data, err := os.ReadFile(filepath.Join(s.cfg.DataDir, rel))
		must(t, err)
		if img, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || img.Width != want {
			t.Errorf("%s is %d wide, want %d (%v)", rel, img.Width, want, err)
		}
	}
	if want := []string{c.ImageID + ".png", c.ImageID + "_thumb.png"}; !slices.Equal(s.files(), want) {
		t.Errorf("the files are %v, want %v", s.files(), want)
	}
	added := until(s, func(ev MessageAdded) bool { return ev.Message.Role == storage.SceneCapture })
	v := s.view()
	m := v.Messages[len(v.Messages)-1]
	if v.Chat.Head != c.Node || m.ID != c.Node || m.Picture == nil || m.Picture.ID != c.ID || m.Content != "" || added.Message.ID != c.Node || m.Parent != before.Chat.Head {
		t.Errorf("hung: %+v, told: %+v", m, added)
	}
	if loaded(t, s) != 0 {
		t.Error("the language model was not unloaded for the picture")
	}
	for _, call := range s.asked() {
		if n, _ := options(t, call); n != DefaultContext {
			t.Errorf("request %d has num_ctx %d", call.N, n)
		}
	}
	s.sound()
}

func TestCapture_AgainAndGone(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama, o.cfg.VRAM.FreeComfy = true, true })
	first := s.painted()
	if loaded(t, s) == 0 {
		t.Error("the language model was unloaded against the setting")
	}
	if err := s.RedoCapturePrompt(first.ID); !errors.Is(err, ErrNothing) {
		t.Errorf("another prompt for a picture: %v", err)
	}
	second, err := s.ResendCapture(first.ID)
	must(t, err)
	if second.ID == first.ID || second.ImagePath != "" || second.Node != "" {
		t.Fatalf("sent again: %+v", second)
	}
	second = s.settledAs(second.ID, storage.CaptureCompleted)
	if now := s.stored(first.ID); now.Node != first.Node || now.ImagePath != first.ImagePath || *now.Seed != *first.Seed || now.Status != storage.CaptureCompleted {
		t.Errorf("the first picture became %+v", now)
	}
	if *second.Seed == *first.Seed || second.Node == first.Node || len(s.files()) != 4 {
		t.Errorf("the second: %+v, files %v", second, s.files())
	}
	list, err := s.Captures(s.chat)
	if err != nil || len(list) != 2 || list[0].ID != second.ID {
		t.Errorf("captures: %+v %v", list, err)
	}
	must(t, s.CaptureAsAvatar(first.ID))
	if data, err := s.Avatar(s.view().Character.ID); err != nil || len(data) == 0 {
		t.Errorf("avatar: %d bytes, %v", len(data), err)
	}

	must(t, s.DeleteCapture(first.ID))
	if got := s.files(); len(got) != 2 || !strings.HasPrefix(got[0], second.ImageID) {
		t.Errorf("after deleting: %v", got)
	}
	if v := s.view(); len(v.Messages) != 4 || v.Messages[3].ID != second.Node {
		t.Errorf("the story is %s", s.story())
	}
	if err := s.DeleteCapture(first.ID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleting it twice: %v", err)
	}
	s.say("two")
	s.sound()
	must(t, s.DeleteChat(s.chat))
	if got := s.files(); len(got) != 0 {
		t.Errorf("after deleting the chat: %v", got)
	}
}

func TestCapture_PromptThatBreaksTheRules(t *testing.T) {
	bad := `{"prompt": "I look at my own hands.", "negative_prompt": "blur", "reasoning": "mine"}`
	for times, warnings := range map[int]bool{1: false, 2: true} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			spoilt := 0
			s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
				if len(c.Format) == 0 || spoilt == times {
					return rehearsal.Fault{}
				}
				spoilt++
				return rehearsal.Fault{Kind: rehearsal.Say, Text: bad}
			})
			c := s.drafted(CaptureRequest{})
			if got := len(c.Warnings) > 0; got != warnings || warnings != (c.Prompt == "I look at my own hands.") {
				t.Errorf("prompt %q, warnings %q", c.Prompt, c.Warnings)
			}
			if warnings && !strings.Contains(strings.Join(c.Warnings, " "), "first person") {
				t.Errorf("warnings: %q", c.Warnings)
			}
			var asked []rehearsal.Call
			for _, call := range s.asked() {
				if len(call.Format) > 0 {
					asked = append(asked, call)
				}
			}
			if len(asked) != 2 || !strings.Contains(flat(asked[1]), "first person") {
				t.Errorf("the model was asked %d times", len(asked))
			}
			c = s.settledAs(s.send(c, small(c)).ID, storage.CaptureCompleted) // the user decides
			if c.Status != storage.CaptureCompleted {
				t.Errorf("sent: %+v", c)
			}
		})
	}
	t.Run("no answer at all", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		s.spoil(rehearsal.Fault{Kind: rehearsal.Say, Text: "No."})
		c, err := s.Capture(s.chat, CaptureRequest{})
		must(t, err)
		c = s.settledAs(c.ID, storage.CaptureFailed)
		if c.Error == "" {
			t.Errorf("failed without a word: %+v", c)
		}
		s.spoil(rehearsal.Fault{})
		must(t, s.RedoCapturePrompt(c.ID))
		if c = s.settledAs(c.ID, storage.CaptureDraft); c.Prompt == "" || c.Error != "" {
			t.Errorf("asked again: %+v", c)
		}
	})
}

func TestCapture_WhoAndWhat(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	who := s.view().Character
	who.Immersion = storage.Balanced
	_, err := s.SaveCharacter(who)
	must(t, err)
	if _, err = s.Capture(s.chat, CaptureRequest{}); err == nil || !strings.Contains(Words(err), "full") {
		t.Errorf("a scene of a character that is not immersed: %q", Words(err))
	}
	if _, err = s.Capture(s.chat, CaptureRequest{Kind: "sculpture"}); !errors.Is(err, ErrNothing) {
		t.Errorf("a sculpture: %v", err)
	}
	c := s.drafted(CaptureRequest{Requested: "show me the blue rope"})
	if c.Requested == "" || c.Prompt == "" {
		t.Errorf("requested: %+v", c)
	}
	if list, err := s.Captures(s.chat); err != nil || len(list) != 1 {
		t.Errorf("refused captures stay: %+v %v", list, err)
	}
	film := s.drafted(CaptureRequest{Kind: "video", Requested: "the rope swings"})
	film = s.settledAs(s.send(film, small(film)).ID, storage.CaptureCompleted)
	if film.ImagePath == "" || filepath.Ext(film.ImagePath) == ".png" {
		t.Errorf("a video without a workflow of its own became %+v", film)
	}
	must(t, s.SetPersona(s.chat, "nobody"))
	if _, err := s.SendCapture("nobody", small(c)); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("sending nothing: %v", err)
	}
	if _, err := s.SendCapture(c.ID, CaptureEdit{}); !errors.Is(err, ErrNothing) {
		t.Errorf("sending without a prompt: %v", err)
	}
}

// paintable is a checkpoint that the house has.
const paintable = "ghostlight-rehearsal.safetensors"

// checkpoint is a quick workflow that asks for a file by name.
func checkpoint(name string) string {
	return `{"1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "` + name + `"}, "_meta": {"title": "My Loader"}},
 "2": {"class_type": "CLIPTextEncode", "inputs": {"text": "{{prompt}}", "clip": ["1", 1]}},
 "3": {"class_type": "EmptyLatentImage", "inputs": {"width": 64, "height": 64, "batch_size": 1}},
 "4": {"class_type": "KSampler", "inputs": {"model": ["1", 0], "positive": ["2", 0], "negative": ["2", 0], "latent_image": ["3", 0],
   "seed": "{{seed}}", "steps": 2, "cfg": 7, "sampler_name": "euler", "scheduler": "normal", "denoise": 1}},
 "5": {"class_type": "VAEDecode", "inputs": {"samples": ["4", 0], "vae": ["1", 2]}},
 "6": {"class_type": "SaveImage", "inputs": {"images": ["5", 0], "filename_prefix": "x"}}}`
}

func withWorkflows(t *testing.T, files map[string]string) func(*setup) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "workflows"), 0o700))
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, "workflows", name), []byte(text), 0o600))
	}
	return func(o *setup) { o.cfg.ConfigDir = dir }
}

func TestSendCapture_Failures(t *testing.T) {
	tests := []struct {
		name     string
		faults   rehearsal.ComfyFaults
		workflow string
		words    []string
	}{
		{name: "out of memory", faults: rehearsal.ComfyFaults{OutOfMemory: true}, words: []string{"memory"}},
		{name: "a node fails", faults: rehearsal.ComfyFaults{NodeError: "the brush broke"}, words: []string{"the brush broke", "Sampler"}},
		{name: "another server", faults: rehearsal.ComfyFaults{HTML: true}, words: []string{"8188"}},
		{name: "missing checkpoint", workflow: "mine", words: []string{"gone.safetensors", "My Loader"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t, withWorkflows(t, map[string]string{"mine.json": checkpoint("gone.safetensors")}))
			c := s.drafted(CaptureRequest{})
			s.house.Comfy.SetFaults(tt.faults)
			edit := small(c)
			edit.ImagePrompt, edit.Workflow = "As I want it.", tt.workflow
			s.send(c, edit)
			c = s.settledAs(c.ID, storage.CaptureFailed)
			for _, w := range tt.words {
				if !strings.Contains(c.Error, w) {
					t.Errorf("the words are %q, want %q among them", c.Error, w)
				}
			}
			if c.ImagePrompt != edit.ImagePrompt || c.NegativePrompt != edit.NegativePrompt || c.Seed == nil || s.hung(c.ID) != 0 || len(s.files()) != 0 {
				t.Errorf("left is %+v, files %v", c, s.files())
			}
			s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
			edit.Workflow = ""
			s.send(c, edit)
			if c = s.settledAs(c.ID, storage.CaptureCompleted); c.Error != "" || s.hung(c.ID) != 1 {
				t.Errorf("sent again: %+v", c)
			}
			s.sound()
		})
	}
}

func TestSendCapture_ServerIsDown(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	must(t, s.house.Close())
	s.send(c, small(c))
	c = s.settledAs(c.ID, storage.CaptureDraft) // to be sent later
	if !strings.Contains(c.Error, "Is ComfyUI running") || c.ImagePrompt != c.Prompt {
		t.Errorf("the prompt is kept as %+v", c)
	}
	house, err := rehearsal.Start(rehearsal.Options{Record: true})
	must(t, err)
	s.house = house
	s.cfg.Ollama, s.cfg.Comfy = house.OllamaURL, []string{"127.0.0.1:1", house.ComfyURL}
	s.reopen()
	must(t, s.Start())
	s.send(c, small(c)) // of two servers the one that answers
	s.settledAs(c.ID, storage.CaptureCompleted)
	s.sound()
}

func TestSendCapture_BadWorkflows(t *testing.T) {
	t.Parallel()
	s := newStudio(t, withWorkflows(t, map[string]string{
		"editor.json": `{"last_node_id": 3, "last_link_id": 2, "nodes": [{"id": 1, "type": "EmptyImage"}], "links": [], "version": 0.4}`,
		"broken.json": `{"1": `,
	}))
	c := s.drafted(CaptureRequest{})
	for name, words := range map[string]string{"editor": "API", "broken": "broken", "absent": "absent"} {
		edit := small(c)
		edit.Workflow = name
		if _, err := s.SendCapture(c.ID, edit); err == nil || !strings.Contains(Words(err), words) {
			t.Errorf("%s: %q", name, Words(err))
		}
	}
	if now := s.stored(c.ID); now.Status != storage.CaptureDraft {
		t.Errorf("the capture became %+v", now)
	}
	ops, err := s.Operations()
	if err != nil || len(ops) != 1 {
		t.Errorf("operations: %+v %v", ops, err)
	}
	var editor *comfy.EditorFormatError
	if _, faults := s.Workflows(); len(faults) != 2 || !slices.ContainsFunc(faults, func(err error) bool { return errors.As(err, &editor) }) {
		t.Errorf("faults: %v", faults)
	}
}

func TestCancelCapture(t *testing.T) {
	t.Run("while it is painted", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		c := s.drafted(CaptureRequest{})
		s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
		s.send(c, small(c))
		until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
		if err := s.SaveCapture(c.ID, small(c)); !errors.Is(err, ErrCaptureBusy) {
			t.Errorf("changing it meanwhile: %v", err)
		}
		if _, err := s.SendCapture(c.ID, small(c)); !errors.Is(err, ErrCaptureBusy) {
			t.Errorf("sending it twice: %v", err)
		}
		must(t, s.CancelCapture(c.ID))
		if now := s.stored(c.ID); now.Status != storage.CaptureDraft || now.ImagePrompt != c.Prompt {
			t.Errorf("cancelled: %+v", now)
		}
		s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
		s.idle(laneComfy)
		if len(s.files()) != 0 || s.hung(c.ID) != 0 {
			t.Errorf("left behind: %v", s.files())
		}
		if running, pending, err := s.comfy[0].Queue(s.context()); running+pending != 0 || err != nil {
			t.Errorf("on the server are left %d and %d, %v", running, pending, err)
		}
		if err := s.CancelCapture(c.ID); !errors.Is(err, ErrNothing) {
			t.Errorf("cancelling twice: %v", err)
		}
		s.send(c, small(c))
		s.settledAs(c.ID, storage.CaptureCompleted)
		s.sound()
	})
	t.Run("while its prompt is written", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		s.spoil(rehearsal.Fault{Kind: rehearsal.Hang, After: 3})
		c, err := s.Capture(s.chat, CaptureRequest{})
		must(t, err)
		until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID })
		must(t, s.CancelCapture(c.ID))
		if now := s.stored(c.ID); now.Status != storage.CaptureDraft {
			t.Errorf("cancelled: %+v", now)
		}
		s.idle(laneOllama)
		s.spoil(rehearsal.Fault{})
		must(t, s.DeleteCapture(c.ID))
	})
	t.Run("by deleting it", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		c := s.drafted(CaptureRequest{})
		s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
		s.send(c, small(c))
		until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
		must(t, s.DeleteChat(s.chat))
		s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
		s.idle(laneComfy)
		if len(s.files()) != 0 {
			t.Errorf("left behind: %v", s.files())
		}
		s.sound()
	})
	t.Run("when it is just done", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		c := s.drafted(CaptureRequest{})
		for range 15 {
			s.send(c, small(c))
			until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID })
			err := s.CancelCapture(c.ID)
			s.idle(laneComfy)
			now := s.stored(c.ID)
			if now.Status == storage.CaptureCompleted {
				if len(s.files()) != 2 || s.hung(c.ID) != 1 {
					t.Fatalf("completed: %+v, files %v", now, s.files())
				}
				break
			}
			// The files of a picture that was finished at the last moment go
			// with the news of the cancelling.
			until(s, func(ev OperationChanged) bool { return ev.Operation.Status == storage.Cancelled })
			if err != nil || now.Status != storage.CaptureDraft || s.hung(c.ID) != 0 || len(s.files()) != 0 {
				t.Fatalf("cancelled (%v): %+v, files %v", err, now, s.files())
			}
		}
		s.sound()
	})
}

// idle waits until nothing runs on a lane.
func (s *stage) idle(lane string) {
	s.t.Helper()
	release, err := s.queue.Hold(s.context(), lane)
	must(s.t, err)
	release()
}

func TestCapture_GivesWayToTheUser(t *testing.T) {
	t.Parallel()
	s := newStudio(t, slow)
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if len(c.Format) > 0 {
			return rehearsal.Fault{Kind: rehearsal.Hang, After: 4}
		}
		return rehearsal.Fault{}
	})
	c, err := s.Capture(s.chat, CaptureRequest{})
	must(t, err)
	until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID })
	user, err := s.Send(s.chat, "But first of all, listen.")
	must(t, err)
	s.spoilBy(nil)
	until(s, func(ev ReplyStarted) bool { return ev.Message.Parent == user })
	if turn, err := s.ended(); err != nil || turn.State != storage.Complete {
		t.Errorf("the user's turn: %+v, %v", turn, err)
	}
	if c = s.settledAs(c.ID, storage.CaptureDraft); c.Prompt == "" {
		t.Errorf("and then: %+v", c)
	}
	if op := s.operation(c.ID); op.Attempts != 1 {
		t.Errorf("%d attempts were counted", op.Attempts)
	}
	if last := func(ev OperationChanged) bool { return ev.Operation.Status == storage.Completed }; !slices.ContainsFunc(s.seen, func(ev Event) bool {
		op, ok := ev.(OperationChanged)
		return ok && last(op)
	}) {
		until(s, last)
	}
	// It ran, was put back, and ran again when the turn had ended.
	var order []string
	for _, ev := range s.seen {
		switch ev := ev.(type) {
		case OperationChanged:
			order = append(order, string(ev.Operation.Status))
		case ReplyEnded:
			order = append(order, "ended")
		}
	}
	got := strings.Join(slices.Compact(order[1:]), " ")
	if !strings.Contains(got, "in_progress pending ended") || !strings.HasSuffix(got, "in_progress completed") && !strings.HasSuffix(got, "ended completed") {
		t.Errorf("the order was %s", got)
	}
}

// operation is the newest one that works on a capture.
func (s *stage) operation(id storage.CaptureID) (op storage.Operation) {
	s.t.Helper()
	ops, err := s.Operations()
	must(s.t, err)
	for _, o := range ops {
		if paramsOf(o).Capture == id && o.ID > op.ID {
			op = o
		}
	}
	return op
}

func TestSendCapture_WaitsForTheReply(t *testing.T) {
	t.Parallel()
	s := newStudio(t, slow, withWorkflows(t, map[string]string{"mine.json": checkpoint(paintable)}))
	c := s.drafted(CaptureRequest{})
	s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
	_, reply := talking(s)
	edit := small(c)
	edit.Workflow = "mine"
	s.send(c, edit)
	until(s, func(ev OperationProgress) bool { return strings.Contains(ev.Progress.Text, "unloading") })
	for range 10 {
		until[ReplyDelta](s, nil)
	}
	for _, call := range s.house.Calls() {
		if call.Path == "/api/ps" || call.Path == "/api/chat" && len(call.Messages) == 0 {
			t.Fatal("the model was unloaded in the middle of a reply")
		}
	}
	s.Stop(s.chat)
	s.wait(nil)
	s.settledAs(c.ID, storage.CaptureCompleted)
	if v := s.view(); v.Messages[3+1].ID != reply || v.Messages[5].Role != storage.SceneCapture {
		t.Errorf("the story is %s", s.story())
	}
}

func TestCapture_GoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	s := newStudio(t, slow)
	c := s.drafted(CaptureRequest{})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{}) // counts from here
	s.send(c, small(c))
	until(s, func(ev OperationProgress) bool { return ev.Progress.Text == "Sampler" })
	s.reopen()
	was := s.stored(c.ID)
	if op := s.operation(c.ID); op.Status != storage.Pending || was.Status != storage.CaptureGenerating || was.Job == "" || was.Server == "" {
		t.Errorf("after closing: %+v, %+v", op, was)
	}
	must(t, s.Start())
	c = s.settledAs(c.ID, storage.CaptureCompleted)
	if s.hung(c.ID) != 1 || len(s.files()) != 2 || c.Job != was.Job || *c.Seed != *was.Seed {
		t.Errorf("hung %d times, files %v, %+v", s.hung(c.ID), s.files(), c)
	}
	if n := s.house.Comfy.Answered("POST /prompt"); n != 1 {
		t.Errorf("the job was sent %d times", n)
	}
}

// TestCapture_NoQueue is what a command does that runs no queue, or works it off
// and ends.
func TestCapture_NoQueue(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c, err := s.Capture(s.chat, CaptureRequest{})
	must(t, err)
	must(t, s.QueueCancel(s.operation(c.ID).ID))
	if now := s.stored(c.ID); now.Status != storage.CaptureDraft {
		t.Errorf("cancelled: %+v", now)
	}
	must(t, s.QueueRetry(s.operation(c.ID).ID))
	if now := s.stored(c.ID); now.Status != storage.CapturePrompting {
		t.Errorf("tried again: %+v", now)
	}
	sum, err := s.QueueDrain(s.context())
	if err != nil || sum.Done != 1 {
		t.Errorf("worked off: %+v %v", sum, err)
	}
	c = s.stored(c.ID)
	if c.Status != storage.CaptureDraft || c.Prompt == "" {
		t.Errorf("drafted: %+v", c)
	}
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{OutOfMemory: true})
	s.send(c, small(c))
	if sum, err = s.QueueDrain(s.context()); err == nil || sum.Failed != 1 || s.stored(c.ID).Status != storage.CaptureFailed {
		t.Errorf("failed: %+v %v, %+v", sum, err, s.stored(c.ID))
	}
	failed := s.operation(c.ID)
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
	s.send(c, small(c))
	if _, err = s.QueueDrain(s.context()); err != nil || s.stored(c.ID).Status != storage.CaptureCompleted {
		t.Errorf("sent: %v, %+v", err, s.stored(c.ID))
	}
	// The failed one tried again finds that there is a picture already.
	must(t, s.QueueRetry(failed.ID))
	if _, err = s.QueueDrain(s.context()); err != nil || s.stored(c.ID).Status != storage.CaptureCompleted || s.hung(c.ID) != 1 || len(s.files()) != 2 {
		t.Errorf("a retry too late: %v, %+v, files %v", err, s.stored(c.ID), s.files())
	}
	s.sound()
}

// TestCapture_NewsThatNobodyHeard is a process that died after an operation had
// ended and before its capture said so.
func TestCapture_NewsThatNobodyHeard(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var ids []storage.CaptureID
	must(t, s.store.Update(func(tx *storage.Tx) error {
		for _, status := range []storage.OperationStatus{storage.Failed, storage.Cancelled, ""} {
			c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.chat, Kind: "image", ImagePrompt: "mine", Status: storage.CaptureGenerating}
			ids = append(ids, c.ID)
			if err := storage.Captures.Put(tx, c.ID, c); err != nil {
				return err
			}
			if status == "" {
				continue // its operation was forgotten
			}
			params, err := json.Marshal(captureParams{Capture: c.ID, Chat: s.chat})
			if err != nil {
				return err
			}
			op := storage.Operation{ID: storage.OperationID(storage.NewID()), Type: opCaptureSend, Lane: laneComfy, Status: status, Params: params, Error: "it fell over"}
			if err := storage.Operations.Put(tx, op.ID, op); err != nil {
				return err
			}
		}
		return nil
	}))
	s.reopen()
	must(t, s.Start())
	for i, want := range []storage.CaptureStatus{storage.CaptureFailed, storage.CaptureDraft, storage.CaptureDraft} {
		c := s.settledAs(ids[i], want)
		if (c.Error == "it fell over") != (want == storage.CaptureFailed) || c.ImagePrompt != "mine" {
			t.Errorf("%d is %+v", i, c)
		}
		s.send(c, CaptureEdit{ImagePrompt: c.ImagePrompt, Width: 64, Height: 64})
		s.settledAs(c.ID, storage.CaptureCompleted)
	}
	s.sound()
}

// TestCapture_ManyAtOnce looks for a capture that lags behind its operation.
func TestCapture_ManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	c := s.painted()
	var ids []storage.CaptureID
	for range 12 {
		again := s.send(c, small(c))
		ids = append(ids, again.ID)
	}
	sum, err := s.QueueDrain(s.context())
	if err != nil || sum.Failed+sum.Blocked > 0 {
		t.Errorf("%+v %v", sum, err)
	}
	for _, id := range ids {
		if c := s.stored(id); c.Status != storage.CaptureCompleted || s.hung(id) != 1 {
			t.Errorf("%s is %s, hung %d times", id, c.Status, s.hung(id))
		}
	}
	s.close() // all news is delivered then
	s.open()
	for _, id := range ids {
		if c := s.stored(id); c.Status != storage.CaptureCompleted {
			t.Errorf("%s became %s afterwards", id, c.Status)
		}
	}
	if v := s.view(); len(v.Messages) != 3+1+len(ids) {
		t.Errorf("%d messages", len(v.Messages))
	}
	s.sound()
}

func TestSettled(t *testing.T) {
	const (
		prompting, generating = storage.CapturePrompting, storage.CaptureGenerating
		draft, failed, done   = storage.CaptureDraft, storage.CaptureFailed, storage.CaptureCompleted
	)
	tests := []struct {
		was  storage.CaptureStatus
		typ  string
		op   storage.OperationStatus
		want storage.CaptureStatus
	}{
		{draft, opCapturePrompt, storage.Pending, prompting},
		{failed, opCaptureSend, storage.InProgress, generating},
		{done, opCaptureSend, storage.Pending, done},
		{done, opCaptureSend, storage.Failed, done},
		{draft, opCapturePrompt, storage.Failed, draft}, // the user has written it meanwhile
		{prompting, opCapturePrompt, storage.Failed, failed},
		{generating, opCaptureSend, storage.Failed, failed},
		{generating, opCaptureSend, storage.Cancelled, draft},
		{failed, opCaptureSend, storage.Cancelled, failed},
		{draft, opCapturePrompt, storage.Completed, draft},
		{done, opCaptureSend, storage.Completed, done},
		{generating, "", "", draft},
	}
	for _, tt := range tests {
		c := settled(storage.Capture{Status: tt.was}, storage.Operation{Type: tt.typ, Status: tt.op, Error: "why"})
		if c.Status != tt.want || (c.Error == "why") != (tt.want == failed && tt.was != failed) {
			t.Errorf("%s with a %s that is %s becomes %s, error %q", tt.was, tt.typ, tt.op, c.Status, c.Error)
		}
	}
}

func TestCancelCapture_FilesGo(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, hung := range []bool{false, true} {
		c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.chat, Kind: "image", Status: storage.CaptureGenerating}
		for _, end := range []string{".png", "_thumb.png"} {
			must(t, s.writeFile("captures/"+string(c.ID)+end, []byte("x")))
		}
		if hung {
			c.ImagePath = "captures/" + string(c.ID) + ".png"
		}
		params, err := json.Marshal(captureParams{Capture: c.ID, Chat: s.chat})
		must(t, err)
		must(t, s.store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, c.ID, c) }))
		s.operationChanged(storage.Operation{Type: opCaptureSend, Status: storage.Cancelled, Params: params})
		if got := s.files(); (len(got) == 2) != hung {
			t.Errorf("hung: %t, files %v", hung, got)
		}
	}
}
