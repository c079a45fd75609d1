package enginetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// NewStudio returns a harness with a running queue and one message of the user.
func NewStudio(t testing.TB, change ...func(*Setup)) *Harness {
	t.Helper()
	s := NewHarness(t, change...)
	s.Say("*I lift the lamp.* \"Is this where it happened?\"")
	Must(t, s.Start())
	return s
}

// Drafted asks for the prompt of a picture and waits for it.
func (s *Harness) Drafted(r pictures.CaptureRequest) storage.Capture {
	s.T.Helper()
	c, err := s.Pictures.Capture(s.Chat, r)
	Must(s.T, err)
	if c.Status != storage.CapturePrompting {
		s.T.Fatalf("asked for: %+v", c)
	}
	return s.SettledAs(c.ID, storage.CaptureDraft)
}

// SettledAs waits until the store has a capture with a status.
func (s *Harness) SettledAs(id storage.CaptureID, status storage.CaptureStatus) storage.Capture {
	s.T.Helper()
	c := s.Stored(id)
	for c.Status != status {
		Until(s, func(ev pictures.CaptureChanged) bool { return ev.Capture.ID == id })
		c = s.Stored(id)
	}
	return c
}

func (s *Harness) Stored(id storage.CaptureID) (c storage.Capture) {
	s.T.Helper()
	Must(s.T, s.Core().Store.View(func(tx *storage.Tx) (err error) {
		c, err = storage.Captures.Get(tx, id)
		return err
	}))
	return c
}

// Small returns an edit for a picture that is quickly painted.
func Small(c storage.Capture) pictures.CaptureEdit {
	return pictures.CaptureEdit{ImagePrompt: c.Prompt, NegativePrompt: c.NegativePrompt, Width: 64, Height: 64}
}

func (s *Harness) Send(c storage.Capture, e pictures.CaptureEdit) storage.Capture {
	s.T.Helper()
	c, err := s.Pictures.SendCapture(c.ID, e)
	Must(s.T, err)
	return c
}

// Files returns the names in the folder of pictures.
func (s *Harness) Files() (names []string) {
	s.T.Helper()
	list, err := os.ReadDir(filepath.Join(s.Cfg.DataDir, "captures"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.T.Fatal(err)
	}
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// Hung counts the messages that show a capture.
func (s *Harness) Hung(id storage.CaptureID) (n int) {
	for _, m := range s.Nodes() {
		if m.Capture == id {
			n++
		}
	}
	return n
}

// Paintable is a checkpoint that the demo server has.
const Paintable = "ghostlight-demo.safetensors"

// Checkpoint returns a quick workflow that asks for a file by name.
func Checkpoint(name string) string {
	return `{"1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "` + name +
		`"}, "_meta": {"title": "My Loader"}},
 "2": {"class_type": "CLIPTextEncode", "inputs": {"text": "{{prompt}}", "clip": ["1", 1]}},
 "3": {"class_type": "EmptyLatentImage", "inputs": {"width": 64, "height": 64, "batch_size": 1}},
 "4": {"class_type": "KSampler", "inputs": {"model": ["1", 0], "positive": ["2", 0], "negative": ["2", 0], "latent_image": ["3", 0],
   "seed": "{{seed}}", "steps": 2, "cfg": 7, "sampler_name": "euler", "scheduler": "normal", "denoise": 1}},
 "5": {"class_type": "VAEDecode", "inputs": {"samples": ["4", 0], "vae": ["1", 2]}},
 "6": {"class_type": "SaveImage", "inputs": {"images": ["5", 0], "filename_prefix": "x"}}}`
}
