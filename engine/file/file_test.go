package file_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/file"
)

func words(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// A disk that fills up leaves the file that was there, and nothing half.
func TestPut(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	if _, err := file.Put(path, file.Options{}, words("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Put(path, file.Options{}, words("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file was replaced unasked: %v", err)
	}
	if _, err := file.Put(path, file.Options{Replace: true}, words("three")); err != nil {
		t.Fatal(err)
	}
	failed := func(w io.Writer) error {
		_, _ = w.Write([]byte("fo"))
		return io.ErrUnexpectedEOF
	}
	if _, err := file.Put(path, file.Options{Replace: true}, failed); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("what could not be made is put in place: %v", err)
	}
	data, err := os.ReadFile(path)
	info, err2 := os.Stat(path)
	if err != nil || err2 != nil || string(data) != "three" || info.Mode().Perm() != 0o640 {
		t.Errorf("it holds %q with mode %v (%v, %v)", data, info.Mode(), err, err2)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v (%v)", list, err)
	}
}

// What is in the way is told apart, a link stays one, and the folder that is missing is named.
func TestPut_InTheWay(t *testing.T) {
	dir := t.TempDir()
	if _, err := file.Put(dir, file.Options{Replace: true}, words("x")); !errors.Is(err, file.ErrFolder) {
		t.Errorf("a folder: %v", err)
	}
	missing := filepath.Join(dir, "no", "such")
	if _, err := file.Put(missing, file.Options{}, words("x")); err == nil || !strings.Contains(err.Error(), filepath.Dir(missing)) {
		t.Errorf("a folder that is not there: %v", err)
	}
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no links here:", err)
	}
	size, err := file.Put(link, file.Options{Replace: true}, words("newer"))
	data, err2 := os.ReadFile(real)
	if err != nil || err2 != nil || size != 5 || string(data) != "newer" {
		t.Errorf("%d bytes, %q (%v, %v)", size, data, err, err2)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is one no more (%v)", err)
	}
}
