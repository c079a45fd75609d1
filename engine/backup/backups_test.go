package backup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The newest backup is the one that was made last, not the one with the latest date.
func TestBackups_NewestFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := []string{
		"ghostlight-20261101T000000.000Z-000003.db", "ghostlight-20261102T000000.000Z-000002-replaced.db", "ghostlight-20310101T000000.000Z-000001.db",
		"ghostlight-20320101T000000.000Z.db", "by hand.db", "ghostlight-20250101T000000.000Z-before-v2.db",
	}
	others := []string{"notes.txt", "ghostlight-20261103T000000.000Z-000004-damaged.db"} // which cannot be restored
	for _, name := range append(others, want...) {
		path := filepath.Join(dir, "backups", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "backups", "by hand.db"), at, at); err != nil {
		t.Fatal(err)
	}
	list, err := backup.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range list {
		got = append(got, filepath.Base(b.Path))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q and not %q", got, want)
	}
}

// A data file that is reached by a link is made smaller and restored where it lies.
func TestRestore_LeavesALink(t *testing.T) {
	t.Parallel()
	dir, far := t.TempDir(), t.TempDir()
	link, real := filepath.Join(dir, "ghostlight.db"), filepath.Join(far, "play.db")
	s, err := storage.Open(real, storage.Options{})
	if err == nil {
		err = errors.Join(s.Close(), os.Symlink(real, link))
	}
	if err != nil {
		t.Skip("NOT TESTED: no links here: ", err)
	}
	if _, _, err := backup.Compact(dir, nil); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(real)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	if s, err = storage.Open(other, storage.Options{}); err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(dir, other, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if after, err := os.Stat(real); err != nil || os.SameFile(before, after) {
		t.Errorf("what the link leads to was not replaced: %v", err)
	}
}

// The doctor tells which unfinished copies a killed program had left, and that they are gone.
func TestDoctor_TellsWhatWasSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, ".unfinished-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(config.Config{DataDir: dir, Ollama: "http://127.0.0.1:1", Comfy: []string{"http://127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	c := e.Doctor(t.Context())[0]
	if !c.OK || !strings.Contains(c.Detail, "removed 1 unfinished file") || !strings.Contains(c.Detail, left) {
		t.Errorf("the doctor says %+v", c)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
