package pictures_test

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

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// painted returns a capture all the way to its picture.
func (s *harness) painted() storage.Capture {
	s.T.Helper()
	c := s.Drafted(pictures.CaptureRequest{})
	return s.SettledAs(s.Send(c, enginetest.Small(c)).ID, storage.CaptureCompleted)
}

func loaded(t *testing.T, s *harness) int {
	t.Helper()
	list, err := s.Models.Ollama.Running(s.Context())
	enginetest.Must(t, err)
	return len(list)
}

func TestCapture_FromPromptToPicture(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Servers.TokenDelay = 1 })}) // pictures as large as they are asked for
	who := s.View().Character
	who.Imagery.TriggerWord = "ghlt style"
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	before := s.View()

	c := s.Drafted(pictures.CaptureRequest{Words: "close-up of the face"})
	if c.Prompt == "" || c.Reasoning == "" || len(c.Warnings) > 0 || c.Seed != nil || c.At != before.Chat.Head || !strings.HasSuffix(c.Prompt, "close-up of the face") {
		t.Errorf("drafted: %+v", c)
	}
	if loaded(t, s) == 0 {
		t.Fatal("no model is loaded")
	}
	edit := enginetest.Small(c)
	edit.ImagePrompt, edit.Width, edit.Height = "Tove under the lamp, her own words gone.", 800, 64
	c = s.Send(c, edit)
	if c.Status != storage.CaptureGenerating {
		t.Errorf("sent: %+v", c)
	}
	c = s.SettledAs(c.ID, storage.CaptureCompleted)
	if c.Seed == nil || *c.Seed < 0 || c.ImagePrompt != edit.ImagePrompt || c.FinalPrompt != "ghlt style, "+edit.ImagePrompt || c.Prompt == edit.ImagePrompt || c.Error != "" || c.GenerationTime <= 0 {
		t.Errorf("completed: %+v", c)
	}
	for rel, want := range map[string]int{c.ImagePath: 800, c.ThumbnailPath: pictures.ThumbnailSide} {
		data, err := os.ReadFile(filepath.Join(s.Cfg.DataDir, rel))
		enginetest.Must(t, err)
		if img, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || img.Width != want {
			t.Errorf("%s is %d wide, want %d (%v)", rel, img.Width, want, err)
		}
	}
	if want := []string{c.ImageID + ".png", c.ImageID + "_thumb.png"}; !slices.Equal(s.Files(), want) {
		t.Errorf("the files are %v, want %v", s.Files(), want)
	}
	added := enginetest.Until(s.Harness, func(ev chats.MessageAdded) bool { return ev.Message.Role == storage.SceneCapture })
	v := s.View()
	m := v.Messages[len(v.Messages)-1]
	if v.Chat.Head != c.Node || m.ID != c.Node || m.Picture == nil || m.Picture.ID != c.ID || m.Content != "" || added.Message.ID != c.Node || m.Parent != before.Chat.Head {
		t.Errorf("hung: %+v, told: %+v", m, added)
	}
	if loaded(t, s) != 0 {
		t.Error("the language model was not unloaded for the picture")
	}
	for _, call := range s.Asked() {
		if n, _ := enginetest.Options(t, call); n != config.DefaultContext {
			t.Errorf("request %d has num_ctx %d", call.N, n)
		}
	}
	s.Sound()
}

func TestCapture_AgainAndGone(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama, o.Cfg.VRAM.FreeComfy = true, true })})
	first := s.painted()
	if loaded(t, s) == 0 {
		t.Error("the language model was unloaded against the setting")
	}
	if err := s.Pictures.RedoCapturePrompt(first.ID); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("another prompt for a picture: %v", err)
	}
	second, err := s.Pictures.ResendCapture(first.ID)
	enginetest.Must(t, err)
	if second.ID == first.ID || second.ImagePath != "" || second.Node != "" {
		t.Fatalf("sent again: %+v", second)
	}
	second = s.SettledAs(second.ID, storage.CaptureCompleted)
	if now := s.Stored(first.ID); now.Node != first.Node || now.ImagePath != first.ImagePath || *now.Seed != *first.Seed || now.Status != storage.CaptureCompleted {
		t.Errorf("the first picture became %+v", now)
	}
	if *second.Seed == *first.Seed || second.Node == first.Node || len(s.Files()) != 4 {
		t.Errorf("the second: %+v, files %v", second, s.Files())
	}
	list, err := s.Pictures.Captures(s.Chat)
	if err != nil || len(list) != 2 || list[0].ID != second.ID {
		t.Errorf("captures: %+v %v", list, err)
	}
	enginetest.Must(t, s.Pictures.CaptureAsAvatar(first.ID))
	if data, err := s.Library.Avatar(s.View().Character.ID); err != nil || len(data) == 0 {
		t.Errorf("avatar: %d bytes, %v", len(data), err)
	}

	enginetest.Must(t, s.Pictures.DeleteCapture(first.ID))
	if got := s.Files(); len(got) != 2 || !strings.HasPrefix(got[0], second.ImageID) {
		t.Errorf("after deleting: %v", got)
	}
	if v := s.View(); len(v.Messages) != 4 || v.Messages[3].ID != second.Node {
		t.Errorf("the story is %s", s.Story())
	}
	if err := s.Pictures.DeleteCapture(first.ID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleting it twice: %v", err)
	}
	s.Say("two")
	s.Sound()
	enginetest.Must(t, s.Play.DeleteChat(s.Chat))
	if got := s.Files(); len(got) != 0 {
		t.Errorf("after deleting the chat: %v", got)
	}
}

func TestCapture_PromptThatBreaksTheRules(t *testing.T) {
	bad := `{"prompt": "Robin looks at the hands.", "negative_prompt": "blur", "reasoning": "mine"}`
	for times, warnings := range map[int]bool{1: false, 2: true} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewStudio(t)})
			spoilt := 0
			s.SpoilBy(func(c demo.Call) demo.Fault {
				if len(c.Format) == 0 || spoilt == times {
					return demo.Fault{}
				}
				spoilt++
				return demo.Fault{Kind: demo.Say, Text: bad}
			})
			c := s.Drafted(pictures.CaptureRequest{})
			if got := len(c.Warnings) > 0; got != warnings || warnings != strings.HasPrefix(c.Prompt, "Robin looks at the hands.") {
				t.Errorf("prompt %q, warnings %q", c.Prompt, c.Warnings)
			}
			if warnings && !strings.Contains(strings.Join(c.Warnings, " "), "has 5 words") {
				t.Errorf("warnings: %q", c.Warnings)
			}
			var asked []demo.Call
			for _, call := range s.Asked() {
				if len(call.Format) > 0 {
					asked = append(asked, call)
				}
			}
			if len(asked) != 2 || !strings.Contains(enginetest.Flat(asked[1]), "has only 5 words") {
				t.Errorf("the model was asked %d times", len(asked))
			}
			c = s.SettledAs(s.Send(c, enginetest.Small(c)).ID, storage.CaptureCompleted) // the user decides
			if c.Status != storage.CaptureCompleted {
				t.Errorf("sent: %+v", c)
			}
		})
	}
	t.Run("no answer at all", func(t *testing.T) {
		t.Parallel()
		s := (&harness{enginetest.NewStudio(t)})
		s.Spoil(demo.Fault{Kind: demo.Say, Text: "No."})
		c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
		enginetest.Must(t, err)
		c = s.SettledAs(c.ID, storage.CaptureFailed)
		if c.Error == "" {
			t.Errorf("failed without a word: %+v", c)
		}
		s.Spoil(demo.Fault{})
		enginetest.Must(t, s.Pictures.RedoCapturePrompt(c.ID))
		if c = s.SettledAs(c.ID, storage.CaptureDraft); c.Prompt == "" || c.Error != "" {
			t.Errorf("asked again: %+v", c)
		}
	})
}

func TestCapture_WhoAndWhat(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	who := s.View().Character
	who.Immersion = storage.Balanced
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	if _, err = s.Pictures.Capture(s.Chat, pictures.CaptureRequest{}); err == nil || !strings.Contains(failure.Text(err), "full") {
		t.Errorf("a scene of a character that is not immersed: %q", failure.Text(err))
	}
	if _, err = s.Pictures.Capture(s.Chat, pictures.CaptureRequest{Kind: "sculpture"}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a sculpture: %v", err)
	}
	c := s.Drafted(pictures.CaptureRequest{Requested: "show me the blue rope"})
	if c.Requested == "" || c.Prompt == "" {
		t.Errorf("requested: %+v", c)
	}
	if list, err := s.Pictures.Captures(s.Chat); err != nil || len(list) != 1 {
		t.Errorf("refused captures stay: %+v %v", list, err)
	}
	film := s.Drafted(pictures.CaptureRequest{Kind: "video", Requested: "the rope swings"})
	film = s.SettledAs(s.Send(film, enginetest.Small(film)).ID, storage.CaptureCompleted)
	if film.ImagePath == "" || filepath.Ext(film.ImagePath) == ".png" {
		t.Errorf("a video without a workflow of its own became %+v", film)
	}
	enginetest.Must(t, s.Chats.SetPersona(s.Chat, "nobody"))
	if _, err := s.Pictures.SendCapture("nobody", enginetest.Small(c)); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("sending nothing: %v", err)
	}
	if _, err := s.Pictures.SendCapture(c.ID, pictures.CaptureEdit{}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("sending without a prompt: %v", err)
	}
}

func withWorkflows(t *testing.T, files map[string]string) func(*enginetest.Setup) {
	dir := t.TempDir()
	enginetest.Must(t, os.MkdirAll(filepath.Join(dir, "workflows"), 0o700))
	for name, text := range files {
		enginetest.Must(t, os.WriteFile(filepath.Join(dir, "workflows", name), []byte(text), 0o600))
	}
	return func(o *enginetest.Setup) { o.Cfg.ConfigDir = dir }
}

func TestSendCapture_Failures(t *testing.T) {
	tests := []struct {
		name     string
		faults   demo.ComfyFaults
		workflow string
		words    []string
	}{
		{name: "out of memory", faults: demo.ComfyFaults{OutOfMemory: true}, words: []string{"memory"}},
		{name: "a node fails", faults: demo.ComfyFaults{NodeError: "the brush broke"}, words: []string{"the brush broke", "Sampler"}},
		{name: "another server", faults: demo.ComfyFaults{HTML: true}, words: []string{"8188"}},
		{name: "missing checkpoint", workflow: "mine", words: []string{"gone.safetensors", "My Loader"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewStudio(t, withWorkflows(t, map[string]string{"mine.json": enginetest.Checkpoint("gone.safetensors")}))})
			c := s.Drafted(pictures.CaptureRequest{})
			s.Servers.Comfy.SetFaults(tt.faults)
			edit := enginetest.Small(c)
			edit.ImagePrompt, edit.Workflow = "As I want it.", tt.workflow
			s.Send(c, edit)
			c = s.SettledAs(c.ID, storage.CaptureFailed)
			for _, w := range tt.words {
				if !strings.Contains(c.Error, w) {
					t.Errorf("the words are %q, want %q among them", c.Error, w)
				}
			}
			if c.ImagePrompt != edit.ImagePrompt || c.NegativePrompt != edit.NegativePrompt || c.Seed == nil || s.Hung(c.ID) != 0 || len(s.Files()) != 0 {
				t.Errorf("left is %+v, files %v", c, s.Files())
			}
			s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
			edit.Workflow = ""
			s.Send(c, edit)
			if c = s.SettledAs(c.ID, storage.CaptureCompleted); c.Error != "" || s.Hung(c.ID) != 1 {
				t.Errorf("sent again: %+v", c)
			}
			s.Sound()
		})
	}
}

func TestSendCapture_ServerIsDown(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	enginetest.Must(t, s.Servers.Close())
	s.Send(c, enginetest.Small(c))
	c = s.SettledAs(c.ID, storage.CaptureDraft) // to be sent later
	if !strings.Contains(c.Error, "Check that ComfyUI is running") || c.ImagePrompt != c.Prompt {
		t.Errorf("the prompt is kept as %+v", c)
	}
	servers, err := demo.Start(demo.Options{Record: true})
	enginetest.Must(t, err)
	s.Servers = servers
	s.Cfg.Ollama, s.Cfg.Comfy = servers.OllamaURL, []string{"127.0.0.1:1", servers.ComfyURL}
	s.Reopen()
	enginetest.Must(t, s.Start())
	s.Send(c, enginetest.Small(c)) // of two servers the one that answers
	s.SettledAs(c.ID, storage.CaptureCompleted)
	s.Sound()
}

func TestSendCapture_BadWorkflows(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, withWorkflows(t, map[string]string{
		"editor.json": `{"last_node_id": 3, "last_link_id": 2, "nodes": [{"id": 1, "type": "EmptyImage"}], "links": [], "version": 0.4}`,
		"broken.json": `{"1": `,
	}))})
	c := s.Drafted(pictures.CaptureRequest{})
	for name, words := range map[string]string{"editor": "API", "broken": "broken", "absent": "absent"} {
		edit := enginetest.Small(c)
		edit.Workflow = name
		if _, err := s.Pictures.SendCapture(c.ID, edit); err == nil || !strings.Contains(failure.Text(err), words) {
			t.Errorf("%s: %q", name, failure.Text(err))
		}
	}
	if now := s.Stored(c.ID); now.Status != storage.CaptureDraft {
		t.Errorf("the capture became %+v", now)
	}
	ops, err := s.Queue.List()
	if err != nil || len(ops) != 1 {
		t.Errorf("operations: %+v %v", ops, err)
	}
	var editor *comfy.EditorFormatError
	if _, faults := s.Pictures.Workflows.List(); len(faults) != 2 || !slices.ContainsFunc(faults, func(err error) bool { return errors.As(err, &editor) }) {
		t.Errorf("faults: %v", faults)
	}
}

func TestCancelCapture(t *testing.T) {
	t.Run("while it is painted", func(t *testing.T) {
		t.Parallel()
		s := (&harness{enginetest.NewStudio(t)})
		c := s.Drafted(pictures.CaptureRequest{})
		s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
		s.Send(c, enginetest.Small(c))
		enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
		if err := s.Pictures.SaveCapture(c.ID, enginetest.Small(c)); !errors.Is(err, pictures.ErrCaptureBusy) {
			t.Errorf("changing it meanwhile: %v", err)
		}
		if _, err := s.Pictures.SendCapture(c.ID, enginetest.Small(c)); !errors.Is(err, pictures.ErrCaptureBusy) {
			t.Errorf("sending it twice: %v", err)
		}
		enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
		if now := s.Stored(c.ID); now.Status != storage.CaptureDraft || now.ImagePrompt != c.Prompt {
			t.Errorf("cancelled: %+v", now)
		}
		s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
		s.idle(queue.LaneComfy)
		if len(s.Files()) != 0 || s.Hung(c.ID) != 0 {
			t.Errorf("left behind: %v", s.Files())
		}
		if running, pending, err := s.Models.Comfy[0].Queue(s.Context()); running+pending != 0 || err != nil {
			t.Errorf("on the server are left %d and %d, %v", running, pending, err)
		}
		if err := s.Pictures.CancelCapture(c.ID); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("cancelling twice: %v", err)
		}
		s.Send(c, enginetest.Small(c))
		s.SettledAs(c.ID, storage.CaptureCompleted)
		s.Sound()
	})
	t.Run("while its prompt is written", func(t *testing.T) {
		t.Parallel()
		s := (&harness{enginetest.NewStudio(t)})
		s.SpoilBy(hangsInAnswer)
		c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
		enginetest.Must(t, err)
		enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID })
		enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
		if now := s.Stored(c.ID); now.Status != storage.CaptureDraft {
			t.Errorf("cancelled: %+v", now)
		}
		s.idle(queue.LaneOllama)
		s.Spoil(demo.Fault{})
		enginetest.Must(t, s.Pictures.DeleteCapture(c.ID))
	})
	t.Run("by deleting it", func(t *testing.T) {
		t.Parallel()
		s := (&harness{enginetest.NewStudio(t)})
		c := s.Drafted(pictures.CaptureRequest{})
		s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
		s.Send(c, enginetest.Small(c))
		enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
		enginetest.Must(t, s.Play.DeleteChat(s.Chat))
		s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
		s.idle(queue.LaneComfy)
		if len(s.Files()) != 0 {
			t.Errorf("left behind: %v", s.Files())
		}
		s.Sound()
	})
	t.Run("when it is just done", func(t *testing.T) {
		t.Parallel()
		s := (&harness{enginetest.NewStudio(t)})
		c := s.Drafted(pictures.CaptureRequest{})
		for range 15 {
			s.Send(c, enginetest.Small(c))
			enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID })
			err := s.Pictures.CancelCapture(c.ID)
			s.idle(queue.LaneComfy)
			now := s.Stored(c.ID)
			if now.Status == storage.CaptureCompleted {
				if len(s.Files()) != 2 || s.Hung(c.ID) != 1 {
					t.Fatalf("completed: %+v, files %v", now, s.Files())
				}
				break
			}
			// The files of a picture that was finished at the last moment go
			// with the news of the cancelling.
			enginetest.Until(s.Harness, func(ev queue.Changed) bool { return ev.Operation.Status == storage.Cancelled })
			if err != nil || now.Status != storage.CaptureDraft || s.Hung(c.ID) != 0 || len(s.Files()) != 0 {
				t.Fatalf("cancelled (%v): %+v, files %v", err, now, s.Files())
			}
		}
		s.Sound()
	})
}

// idle waits until nothing runs on a lane.
func (s *harness) idle(lane string) {
	s.T.Helper()
	release, err := s.Core().Queue.Hold(s.Context(), lane)
	enginetest.Must(s.T, err)
	release()
}

// hangsInAnswer returns a server that stops in the middle of an answer in a form. The prompt before it
// may be read by requests of their own, which bring nothing.
func hangsInAnswer(c demo.Call) demo.Fault {
	if len(c.Format) == 0 {
		return demo.Fault{}
	}
	return demo.Fault{Kind: demo.Hang, After: 4}
}

func TestCapture_GivesWayToTheUser(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, enginetest.Slow)})
	s.SpoilBy(hangsInAnswer)
	c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
	enginetest.Must(t, err)
	enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID })
	user, err := s.Play.Send(s.Chat, "But first of all, listen.")
	enginetest.Must(t, err)
	s.SpoilBy(nil)
	enginetest.Until(s.Harness, func(ev play.ReplyStarted) bool { return ev.Message.Parent == user })
	if turn, err := s.Ended(); err != nil || turn.State != storage.Complete {
		t.Errorf("the user's turn: %+v, %v", turn, err)
	}
	if c = s.SettledAs(c.ID, storage.CaptureDraft); c.Prompt == "" {
		t.Errorf("and then: %+v", c)
	}
	if op := s.operation(c.ID); op.Attempts != 1 {
		t.Errorf("%d attempts were counted", op.Attempts)
	}
	if last := func(ev queue.Changed) bool { return ev.Operation.Status == storage.Completed }; !slices.ContainsFunc(s.Seen, func(ev event.Event) bool {
		op, ok := ev.(queue.Changed)
		return ok && last(op)
	}) {
		enginetest.Until(s.Harness, last)
	}
	// It ran, was put back, and ran again when the turn had ended.
	var order []string
	for _, ev := range s.Seen {
		switch ev := ev.(type) {
		case queue.Changed:
			order = append(order, string(ev.Operation.Status))
		case play.ReplyEnded:
			order = append(order, "ended")
		}
	}
	got := strings.Join(slices.Compact(order[1:]), " ")
	if !strings.Contains(got, "in_progress pending ended") || !strings.HasSuffix(got, "in_progress completed") && !strings.HasSuffix(got, "ended completed") {
		t.Errorf("the order was %s", got)
	}
}

// operation returns the newest one that works on a capture.
func (s *harness) operation(id storage.CaptureID) (op storage.Operation) {
	s.T.Helper()
	ops, err := s.Queue.List()
	enginetest.Must(s.T, err)
	for _, o := range ops {
		if pictures.ParamsOf(o).Capture == id && o.ID > op.ID {
			op = o
		}
	}
	return op
}

func TestSendCapture_WaitsForTheReply(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, enginetest.Slow, withWorkflows(t, map[string]string{"mine.json": enginetest.Checkpoint(enginetest.Paintable)}))})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Spoil(demo.Fault{Kind: demo.Endless})
	_, reply := enginetest.Talking(s.Harness)
	edit := enginetest.Small(c)
	edit.Workflow = "mine"
	s.Send(c, edit)
	enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return strings.Contains(ev.Progress.Text, "unloading") })
	for range 10 {
		enginetest.Until[play.ReplyDelta](s.Harness, nil)
	}
	for _, call := range s.Servers.Calls() {
		if call.Path == "/api/ps" || call.Path == "/api/chat" && len(call.Messages) == 0 {
			t.Fatal("the model was unloaded in the middle of a reply")
		}
	}
	s.Play.Stop(s.Chat)
	s.Wait(nil)
	s.SettledAs(c.ID, storage.CaptureCompleted)
	if v := s.View(); v.Messages[3+1].ID != reply || v.Messages[5].Role != storage.SceneCapture {
		t.Errorf("the story is %s", s.Story())
	}
}

func TestCapture_GoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, enginetest.Slow)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{}) // counts from here
	s.Send(c, enginetest.Small(c))
	enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Progress.Text == "Sampler" })
	s.Reopen()
	was := s.Stored(c.ID)
	if op := s.operation(c.ID); op.Status != storage.Pending || was.Status != storage.CaptureGenerating || was.Job == "" || was.Server == "" {
		t.Errorf("after closing: %+v, %+v", op, was)
	}
	enginetest.Must(t, s.Start())
	c = s.SettledAs(c.ID, storage.CaptureCompleted)
	if s.Hung(c.ID) != 1 || len(s.Files()) != 2 || c.Job != was.Job || *c.Seed != *was.Seed {
		t.Errorf("hung %d times, files %v, %+v", s.Hung(c.ID), s.Files(), c)
	}
	if n := s.Servers.Comfy.Answered("POST /prompt"); n != 1 {
		t.Errorf("the job was sent %d times", n)
	}
}

// TestCapture_NoQueue is what a command does that runs no queue, or works it off
// and ends.
func TestCapture_NoQueue(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Queue.Cancel(s.operation(c.ID).ID))
	if now := s.Stored(c.ID); now.Status != storage.CaptureDraft {
		t.Errorf("cancelled: %+v", now)
	}
	enginetest.Must(t, s.Queue.Retry(s.operation(c.ID).ID))
	if now := s.Stored(c.ID); now.Status != storage.CapturePrompting {
		t.Errorf("tried again: %+v", now)
	}
	sum, err := s.Queue.Drain(s.Context())
	if err != nil || sum.Done != 1 {
		t.Errorf("worked off: %+v %v", sum, err)
	}
	c = s.Stored(c.ID)
	if c.Status != storage.CaptureDraft || c.Prompt == "" {
		t.Errorf("drafted: %+v", c)
	}
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{OutOfMemory: true})
	s.Send(c, enginetest.Small(c))
	if sum, err = s.Queue.Drain(s.Context()); err == nil || sum.Failed != 1 || s.Stored(c.ID).Status != storage.CaptureFailed {
		t.Errorf("failed: %+v %v, %+v", sum, err, s.Stored(c.ID))
	}
	failed := s.operation(c.ID)
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
	s.Send(c, enginetest.Small(c))
	if _, err = s.Queue.Drain(s.Context()); err != nil || s.Stored(c.ID).Status != storage.CaptureCompleted {
		t.Errorf("sent: %v, %+v", err, s.Stored(c.ID))
	}
	// The failed one tried again finds that there is a picture already.
	enginetest.Must(t, s.Queue.Retry(failed.ID))
	if _, err = s.Queue.Drain(s.Context()); err != nil || s.Stored(c.ID).Status != storage.CaptureCompleted || s.Hung(c.ID) != 1 || len(s.Files()) != 2 {
		t.Errorf("a retry too late: %v, %+v, files %v", err, s.Stored(c.ID), s.Files())
	}
	s.Sound()
}

// TestCapture_NewsThatNobodyHeard is a process that died after an operation had
// ended and before its capture said so.
func TestCapture_NewsThatNobodyHeard(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	var ids []storage.CaptureID
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		for _, status := range []storage.OperationStatus{storage.Failed, storage.Cancelled, ""} {
			c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.Chat, Kind: "image", ImagePrompt: "mine", Status: storage.CaptureGenerating}
			ids = append(ids, c.ID)
			if err := storage.Captures.Put(tx, c.ID, c); err != nil {
				return err
			}
			if status == "" {
				continue // its operation was forgotten
			}
			params, err := json.Marshal(pictures.CaptureParams{Capture: c.ID, Chat: s.Chat})
			if err != nil {
				return err
			}
			op := storage.Operation{ID: storage.OperationID(storage.NewID()), Type: pictures.OpCaptureSend, Lane: queue.LaneComfy, Status: status, Params: params, Error: "it fell over"}
			if err := storage.Operations.Put(tx, op.ID, op); err != nil {
				return err
			}
		}
		return nil
	}))
	s.Reopen()
	enginetest.Must(t, s.Start())
	for i, want := range []storage.CaptureStatus{storage.CaptureFailed, storage.CaptureDraft, storage.CaptureDraft} {
		c := s.SettledAs(ids[i], want)
		if (c.Error == "it fell over") != (want == storage.CaptureFailed) || c.ImagePrompt != "mine" {
			t.Errorf("%d is %+v", i, c)
		}
		s.Send(c, pictures.CaptureEdit{ImagePrompt: c.ImagePrompt, Width: 64, Height: 64})
		s.SettledAs(c.ID, storage.CaptureCompleted)
	}
	s.Sound()
}

// TestCapture_ManyAtOnce looks for a capture that lags behind its operation.
func TestCapture_ManyAtOnce(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	c := s.painted()
	var ids []storage.CaptureID
	for range 12 {
		again := s.Send(c, enginetest.Small(c))
		ids = append(ids, again.ID)
	}
	sum, err := s.Queue.Drain(s.Context())
	if err != nil || sum.Failed+sum.Blocked > 0 {
		t.Errorf("%+v %v", sum, err)
	}
	for _, id := range ids {
		if c := s.Stored(id); c.Status != storage.CaptureCompleted || s.Hung(id) != 1 {
			t.Errorf("%s is %s, hung %d times", id, c.Status, s.Hung(id))
		}
	}
	s.Shut() // all news is delivered then
	s.Open()
	for _, id := range ids {
		if c := s.Stored(id); c.Status != storage.CaptureCompleted {
			t.Errorf("%s became %s afterwards", id, c.Status)
		}
	}
	if v := s.View(); len(v.Messages) != 3+1+len(ids) {
		t.Errorf("%d messages", len(v.Messages))
	}
	s.Sound()
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
		{draft, pictures.OpCapturePrompt, storage.Pending, prompting},
		{failed, pictures.OpCaptureSend, storage.InProgress, generating},
		{done, pictures.OpCaptureSend, storage.Pending, done},
		{done, pictures.OpCaptureSend, storage.Failed, done},
		{draft, pictures.OpCapturePrompt, storage.Failed, draft}, // the user has written it meanwhile
		{prompting, pictures.OpCapturePrompt, storage.Failed, failed},
		{generating, pictures.OpCaptureSend, storage.Failed, failed},
		{generating, pictures.OpCaptureSend, storage.Cancelled, draft},
		{failed, pictures.OpCaptureSend, storage.Cancelled, failed},
		{draft, pictures.OpCapturePrompt, storage.Completed, draft},
		{done, pictures.OpCaptureSend, storage.Completed, done},
		{generating, "", "", draft},
	}
	for _, tt := range tests {
		c := pictures.Settled(storage.Capture{Status: tt.was}, storage.Operation{Type: tt.typ, Status: tt.op, Error: "why"})
		if c.Status != tt.want || (c.Error == "why") != (tt.want == failed && tt.was != failed) {
			t.Errorf("%s with a %s that is %s becomes %s, error %q", tt.was, tt.typ, tt.op, c.Status, c.Error)
		}
	}
}

func TestCancelCapture_FilesGo(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	for _, hung := range []bool{false, true} {
		c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.Chat, Kind: "image", Status: storage.CaptureGenerating}
		for _, end := range []string{".png", "_thumb.png"} {
			enginetest.Must(t, s.Pictures.WriteFile("captures/"+string(c.ID)+end, []byte("x")))
		}
		if hung {
			c.ImagePath = "captures/" + string(c.ID) + ".png"
		}
		params, err := json.Marshal(pictures.CaptureParams{Capture: c.ID, Chat: s.Chat})
		enginetest.Must(t, err)
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, c.ID, c) }))
		for _, k := range s.Pictures.Kinds() {
			if k.Type == pictures.OpCaptureSend {
				k.Changed(storage.Operation{Type: k.Type, Status: storage.Cancelled, Params: params})
			}
		}
		if got := s.Files(); (len(got) == 2) != hung {
			t.Errorf("hung: %t, files %v", hung, got)
		}
	}
}
