package pictures_test

import (
	"bytes"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What is painted where the data is encrypted lies nowhere below the data folder as a
// picture, and is shown all the same.
func TestEncrypted_Painted(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	s := enginetest.NewStudio(t, enginetest.Encrypted)
	c := s.Drafted(pictures.CaptureRequest{})
	c = s.Send(c, enginetest.Small(c))
	c = s.SettledAs(c.ID, storage.CaptureCompleted)
	for _, small := range []bool{false, true} {
		data, err := s.Pictures.Gallery.Picture(c, small)
		if err != nil || media.Sniff(data) != media.PNG {
			t.Errorf("small %t: %v", small, err)
		}
	}
	if _, err := s.Pictures.Gallery.Small(c); err != nil {
		t.Error(err)
	}
	path, plain, err := s.Pictures.Gallery.ViewablePath(c)
	if err != nil || !plain {
		t.Errorf("to be shown: %q, %t, %v", path, plain, err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = png.Decode(f)
	if _ = f.Close(); err != nil {
		t.Errorf("what another program is shown: %v", err)
	}
	if _, err := s.Pictures.Gallery.Export(c.ID, filepath.Join(t.TempDir(), "out.png"), pictures.ExportOptions{}); err != nil {
		t.Error(err)
	}
	files := 0
	enginetest.Must(t, core.EachDataFile(s.Cfg.DataDir, func(path string, _ fs.FileInfo) error {
		files++
		encrypted, err := core.IsEncryptedFile(path)
		if !encrypted {
			t.Errorf("%s is not encrypted", path)
		}
		return err
	}))
	if files < 2 { // picture and thumbnail
		t.Errorf("there are %d files", files)
	}
	pictureless(t, s.Cfg.DataDir)
}

// A file that was too large for memory, and came plain, is not kept so.
func TestEncrypted_LargeFile(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t, enginetest.Encrypted)
	data := flat(t, 9000, 7600)
	spool := filepath.Join(s.Cfg.DataDir, "captures", ".part-x.download")
	c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Kind: "image"}
	enginetest.Must(t, os.MkdirAll(filepath.Dir(spool), 0o700))
	enginetest.Must(t, os.WriteFile(spool, data, 0o600))
	enginetest.Must(t, pictures.KeepPicture(s.Pictures, &c, comfy.Output{Format: media.PNG, Path: spool}, nil))
	if got, err := s.Pictures.Gallery.Picture(c, false); err != nil || !bytes.Equal(got, data) {
		t.Errorf("what was kept: %v", err)
	}
	pictureless(t, s.Cfg.DataDir)
}

// pictureless looks whether no file in a folder is a picture.
func pictureless(t *testing.T, dir string) {
	t.Helper()
	enginetest.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("\x89PNG")) || bytes.Contains(data, []byte("IHDR")) {
			t.Errorf("%s has a picture in it", path)
		}
		return err
	}))
}
