//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// victimDisk makes the child run into the end of the disk instead.
const victimDisk = "GHOSTLIGHT_ENGINE_VICTIM_DISK"

func TestPictures_FolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	// Not even root can make a folder where a file is.
	folder := filepath.Join(s.cfg.DataDir, "captures")
	must(t, os.WriteFile(folder, nil, 0o600))
	s.send(c, small(c))
	c = s.settledAs(c.ID, storage.CaptureFailed)
	if !strings.Contains(c.Error, "captures") || c.ImagePrompt != c.Prompt || c.Seed == nil || s.hung(c.ID) != 0 {
		t.Errorf("left is %+v", c)
	}
	if turn := s.say("And yet the play goes on?"); turn.State != storage.Complete {
		t.Errorf("the play does not go on: %+v", turn)
	}
	must(t, os.Remove(folder))
	s.send(c, small(c))
	s.settledAs(c.ID, storage.CaptureCompleted)
	s.sound()
}

func TestOpen_Refusals(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, err := Open(s.cfg)
	var locked *storage.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || Words(err) != locked.Error() {
		t.Errorf("a second engine: %v", err)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "ghostlight.db"), []byte(strings.Repeat("this is no data file ", 999)), 0o600))
	if _, err := Open(Config{DataDir: dir}); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("a foreign file: %v", err)
	}
	for _, cfg := range []Config{{DataDir: dir, Ollama: "ftp://here"}, {DataDir: dir, Comfy: []string{"::"}}} {
		if _, err := Open(cfg); err == nil {
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
		{fmt.Errorf("send: %w", ErrTurnRunning), "a reply is still being written in this chat"},
		{fmt.Errorf("save: %w", storage.ErrDiskFull), "The disk is full"},
		{&os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "The disk is full"},
		{fail("import", &os.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT}), "does not exist: open /x"},
		{&os.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}, "does not allow"},
	} {
		if got := Words(tt.err); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%v is said as %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("before")
	s.close()
	if out, err := child(t, s.cfg.DataDir, victimDisk+"=yes").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	s.open()
	s.sound()
}

// performOnFullDisk runs into the limit of the file's size in the middle of a
// reply and when sending, and tries what still works.
func performOnFullDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	long := strings.Repeat("So it goes on, and the rain does not stop. ", 4000)
	house, err := rehearsal.Start(rehearsal.Options{Script: func([]storage.Node, int) string { return long }})
	if err != nil {
		return err
	}
	e, err := Open(Config{DataDir: dir, Ollama: house.OllamaURL, Comfy: []string{house.ComfyURL}, Model: rehearsal.Model,
		Sampling: storage.Profile{NumCtx: 32768, NumPredict: 9999}})
	if err != nil {
		return err
	}
	id, _, err := e.LastChat()
	if err != nil {
		return err
	}
	v, err := e.View(id, 0)
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, "ghostlight.db"))
	if err != nil {
		return err
	}
	play := func(text string) (Turn, error) {
		if _, err := e.Send(id, text); err != nil {
			return Turn{}, err
		}
		return e.Wait(context.Background(), id)
	}
	if err := limitFiles(uint64(info.Size())); err != nil {
		return err
	}
	// The file may have room for some of it.
	var turn Turn
	for range 60 {
		if turn, err = play("one " + long[:9000]); err != nil || turn.State == storage.Broken {
			break
		}
	}
	switch {
	case err == nil && (turn.State != storage.Broken || turn.Content == "" || !strings.Contains(turn.Fault, "disk is full")):
		return fmt.Errorf("the limit does not show: %s %q", turn.State, turn.Fault)
	case err != nil && !strings.Contains(Words(err), "disk is full"):
		return fmt.Errorf("the words are %q", Words(err))
	}
	if err := e.SaveDraft(id, strings.Repeat(long, 9)); err == nil || !strings.Contains(Words(err), "disk is full") {
		return fmt.Errorf("a draft larger than the disk: %w", err)
	}
	now, err := e.View(id, 3)
	if err != nil || len(now.Messages) != 3 || now.Running != "" || v.Messages[0].Content == "" {
		return fmt.Errorf("reading fails: %d messages, %w", len(now.Messages), err)
	}
	if turn.Message != "" && now.Messages[2].Content != turn.Content {
		return fmt.Errorf("the reply is off the screen")
	}
	if err := limitFiles(1 << 40); err != nil {
		return err
	}
	unsaved := turn
	if turn, err = play("two"); err != nil || turn.State == storage.Broken {
		return fmt.Errorf("with room again: %+v %w", turn.State, err)
	}
	if unsaved.Message != "" { // the reply that there was no room for
		v, err := e.View(id, 3)
		if err != nil || v.Messages[0].ID != unsaved.Message || v.Messages[0].Content != unsaved.Content || v.Messages[0].State == storage.Broken {
			return fmt.Errorf("the reply of the full disk is lost: %+v %w", v.Messages[0].State, err)
		}
	}
	return errors.Join(e.Close(), house.Close())
}

func limitFiles(n uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	l.Cur = min(n, l.Max)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
}
