package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine/comfy"
	"ghostlight/storage"
)

// What no workflow could take is refused before anything is kept of it.
func TestEditCapture_Refuses(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	below := int64(-1)
	long := strings.Repeat("x", comfy.LongestPrompt+1)
	tests := map[string]struct {
		change func(*CaptureEdit)
		says   string
	}{
		"too wide":             {func(e *CaptureEdit) { e.Width = 16385 }, "from 1 to 16384"},
		"too high":             {func(e *CaptureEdit) { e.Height = 1 << 40 }, "from 1 to 16384"},
		"below nothing":        {func(e *CaptureEdit) { e.Width = -1 }, "from 1 to 16384"},
		"a width alone":        {func(e *CaptureEdit) { e.Height = 0 }, "goes with a height"},
		"a height alone":       {func(e *CaptureEdit) { e.Width = 0 }, "goes with a height"},
		"a seed below nothing": {func(e *CaptureEdit) { e.Seed = &below }, "seed"},
		"a prompt too long":    {func(e *CaptureEdit) { e.ImagePrompt = long }, "the prompt has 65537 bytes"},
		"a negative too long":  {func(e *CaptureEdit) { e.NegativePrompt = long }, "the negative prompt has 65537 bytes"},
	}
	for name, tt := range tests {
		edit := small(c)
		tt.change(&edit)
		_, sent := s.SendCapture(c.ID, edit)
		for _, err := range []error{sent, s.SaveCapture(c.ID, edit)} {
			if !errors.Is(err, ErrNothing) || !strings.Contains(Words(err), tt.says) {
				t.Errorf("%s: %v, want %q", name, err, tt.says)
			}
		}
	}
	if diff := cmp.Diff(c, s.stored(c.ID)); diff != "" {
		t.Errorf("something was kept: %s", diff)
	}
}

// A picture says which workflow it was made by, also where nobody chose one, and is
// not turned into a draft.
func TestPicture_IsKeptAsItWasMade(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.painted()
	if c.Workflow != "text-to-image" {
		t.Errorf("made by %q", c.Workflow)
	}
	if err := s.SaveCapture(c.ID, CaptureEdit{ImagePrompt: "Something else."}); !errors.Is(err, ErrNothing) {
		t.Errorf("saving another prompt: %v", err)
	}
	if diff := cmp.Diff(c, s.stored(c.ID)); diff != "" {
		t.Errorf("the picture is another one: %s", diff)
	}
}

func TestCapture_WhatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	if _, err := s.Capture(s.chat, CaptureRequest{Requested: strings.Repeat("x", mostRequested+1)}); !errors.Is(err, ErrNothing) {
		t.Errorf("too long: %v", err)
	}
	if c := s.drafted(CaptureRequest{Requested: " \n"}); c.Requested != "" {
		t.Errorf("nothing was asked for: %q", c.Requested)
	}
}

// An avatar is a picture that can be shown, whatever became of the files.
func TestCaptureAsAvatar_DamagedFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	at := s.pathIDs()[0]
	whole := graphed(t, 9)
	none := s.pictured(storage.Capture{At: at}, "png", whole[:60], whole[:60])
	if err := s.CaptureAsAvatar(none.ID); err == nil || !strings.Contains(Words(err), "cannot be read") {
		t.Errorf("nothing that can be shown: %v", err)
	}
	if s.view().Character.HasAvatar {
		t.Error("there is an avatar")
	}
	half := s.pictured(storage.Capture{At: at}, "png", whole, whole[:60])
	must(t, s.CaptureAsAvatar(half.ID))
	if !s.view().Character.HasAvatar {
		t.Error("the picture itself was whole, and is no avatar")
	}
}

func TestPlaceFault(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	data := filepath.Join(root, "data")
	must(t, os.MkdirAll(filepath.Join(data, "captures"), 0o700))
	must(t, os.WriteFile(filepath.Join(data, "ghostlight.db"), nil, 0o600))
	must(t, os.Symlink(data, filepath.Join(root, "way")))
	must(t, os.Symlink(filepath.Join(data, "ghostlight.db"), filepath.Join(root, "pic.png")))
	for path, own := range map[string]bool{
		"data/ghostlight.db": true, "data/captures": true, "data/captures/x.png": true, "data/captures/no/x.png": true, "data/backups/x.db": true,
		"way/ghostlight.db": true, "way/captures/x.png": true, "pic.png": true, "data/exports/../ghostlight.db": true,
		"data/x.png": false, "data/exports/x.png": false, "x.png": false, "data/captures-of-mine/x.png": false, "ghostlight.db": false, "no/such/x.png": false,
	} {
		if err := PlaceFault(data, filepath.Join(root, path)); (err != nil) != own {
			t.Errorf("%s: %v", path, err)
		}
	}
}
