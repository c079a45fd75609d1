package pictures_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What no workflow could take is refused before anything is kept of it.
func TestEditCapture_Refuses(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	below := int64(-1)
	long := strings.Repeat("x", comfy.MaxPrompt+1)
	tests := map[string]struct {
		change func(*pictures.CaptureEdit)
		says   string
	}{
		"too wide":             {func(e *pictures.CaptureEdit) { e.Width = 16385 }, "from 1 to 16384"},
		"too high":             {func(e *pictures.CaptureEdit) { e.Height = 1 << 40 }, "from 1 to 16384"},
		"below nothing":        {func(e *pictures.CaptureEdit) { e.Width = -1 }, "from 1 to 16384"},
		"a width alone":        {func(e *pictures.CaptureEdit) { e.Height = 0 }, "give both width and height"},
		"a height alone":       {func(e *pictures.CaptureEdit) { e.Width = 0 }, "give both width and height"},
		"a seed below nothing": {func(e *pictures.CaptureEdit) { e.Seed = &below }, "seed"},
		"a prompt too long":    {func(e *pictures.CaptureEdit) { e.ImagePrompt = long }, "the prompt has 65537 bytes"},
		"a negative too long":  {func(e *pictures.CaptureEdit) { e.NegativePrompt = long }, "the negative prompt has 65537 bytes"},
	}
	for name, tt := range tests {
		edit := enginetest.Small(c)
		tt.change(&edit)
		_, sent := s.Pictures.SendCapture(c.ID, edit)
		for _, err := range []error{sent, s.Pictures.SaveCapture(c.ID, edit)} {
			if !errors.Is(err, failure.ErrRefused) || !strings.Contains(failure.Text(err), tt.says) {
				t.Errorf("%s: %v, want %q", name, err, tt.says)
			}
		}
	}
	if diff := cmp.Diff(c, s.Stored(c.ID)); diff != "" {
		t.Errorf("something was kept: %s", diff)
	}
}

// A picture says which workflow it was made by, also where nobody chose one, and is
// not turned into a draft.
func TestPicture_IsKeptAsItWasMade(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.painted()
	if c.Workflow != "text-to-image" {
		t.Errorf("made by %q", c.Workflow)
	}
	if err := s.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: "Something else."}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("saving another prompt: %v", err)
	}
	if diff := cmp.Diff(c, s.Stored(c.ID)); diff != "" {
		t.Errorf("the picture is another one: %s", diff)
	}
}

func TestCapture_WhatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	if _, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{Requested: strings.Repeat("x", pictures.MaxRequested+1)}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("too long: %v", err)
	}
	if c := s.Drafted(pictures.CaptureRequest{Requested: " \n"}); c.Requested != "" {
		t.Errorf("nothing was asked for: %q", c.Requested)
	}
}

// An avatar is a picture that can be shown, whatever became of the files.
func TestCaptureAsAvatar_DamagedFiles(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	at := s.PathIDs()[0]
	whole := enginetest.Graphed(t, 9)
	none := s.pictured(storage.Capture{At: at}, "png", whole[:60], whole[:60])
	if err := s.Pictures.CaptureAsAvatar(none.ID); err == nil || !strings.Contains(failure.Text(err), "cannot be read") {
		t.Errorf("nothing that can be shown: %v", err)
	}
	if s.View().Character.HasAvatar {
		t.Error("there is an avatar")
	}
	half := s.pictured(storage.Capture{At: at}, "png", whole, whole[:60])
	enginetest.Must(t, s.Pictures.CaptureAsAvatar(half.ID))
	if !s.View().Character.HasAvatar {
		t.Error("the picture itself was whole, and is no avatar")
	}
}

func TestPlaceFault(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	data := filepath.Join(root, "data")
	enginetest.Must(t, os.MkdirAll(filepath.Join(data, "captures"), 0o700))
	enginetest.Must(t, os.WriteFile(filepath.Join(data, "ghostlight.db"), nil, 0o600))
	enginetest.Must(t, os.Symlink(data, filepath.Join(root, "way")))
	enginetest.Must(t, os.Symlink(filepath.Join(data, "ghostlight.db"), filepath.Join(root, "pic.png")))
	for path, own := range map[string]bool{
		"data/ghostlight.db": true, "data/captures": true, "data/captures/x.png": true, "data/captures/no/x.png": true, "data/backups/x.db": true,
		"way/ghostlight.db": true, "way/captures/x.png": true, "pic.png": true, "data/exports/../ghostlight.db": true,
		"data/x.png": false, "data/exports/x.png": false, "x.png": false, "data/captures-of-mine/x.png": false, "ghostlight.db": false, "no/such/x.png": false,
	} {
		if err := pictures.CheckExportPath(data, filepath.Join(root, path)); (err != nil) != own {
			t.Errorf("%s: %v", path, err)
		}
	}
}
