//go:build unix

package play_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestPictures_FolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	// Not even root can create a folder in place of a file.
	folder := filepath.Join(s.Cfg.DataDir, "captures")
	enginetest.Must(t, os.WriteFile(folder, nil, 0o600))
	s.Send(c, enginetest.Small(c))
	c = s.SettledAs(c.ID, storage.CaptureFailed)
	if !strings.Contains(c.Error, "captures") || c.ImagePrompt != c.Prompt || c.Seed == nil || s.Hung(c.ID) != 0 {
		t.Errorf("left is %+v", c)
	}
	if turn := s.Say("And yet the play goes on?"); turn.State != storage.Complete {
		t.Errorf("the play does not go on: %+v", turn)
	}
	enginetest.Must(t, os.Remove(folder))
	s.Send(c, enginetest.Small(c))
	s.SettledAs(c.ID, storage.CaptureCompleted)
	s.Sound()
}

func TestOpen_Refusals(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	_, err := engine.Open(s.Cfg)
	var locked *storage.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || failure.Text(err) != locked.Error() {
		t.Errorf("a second engine: %v", err)
	}
	dir := t.TempDir()
	enginetest.Must(t, os.WriteFile(filepath.Join(dir, "ghostlight.db"),
		[]byte(strings.Repeat("this is no data file ", 999)), 0o600))
	if _, err := engine.Open(config.Config{DataDir: dir}); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("a foreign file: %v", err)
	}
	for _, cfg := range []config.Config{{DataDir: dir, Ollama: "ftp://here"}, {DataDir: dir, Comfy: []string{"::"}}} {
		if _, err := engine.Open(cfg); err == nil {
			t.Errorf("an address that is none: %+v", cfg)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{fmt.Errorf("send: %w", failure.ErrTurnRunning), "a reply is still being written in this chat"},
		{fmt.Errorf("save: %w", storage.ErrDiskFull), "The disk is full"},
		{&os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "The disk is full"},
		{failure.Wrap("import", &os.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT}), "File not found: open /x"},
		{&os.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}, "Permission denied"},
	} {
		if got := failure.Text(tt.err); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%v is said as %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Say("before")
	s.Shut()
	if out, err := enginetest.Child(t, s.Cfg.DataDir, "full disk").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	s.Open()
	s.Sound()
}
