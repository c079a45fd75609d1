package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A disk that fills up leaves the file that was there, and nothing half.
func TestPlaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	if _, err := placeFile(path, false, whole([]byte("one"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := placeFile(path, false, whole([]byte("two"))); err == nil {
		t.Error("a file was replaced unasked")
	}
	if _, err := placeFile(path, true, whole([]byte("three"))); err != nil {
		t.Fatal(err)
	}
	failed := func(w io.Writer) error {
		_, _ = w.Write([]byte("fo"))
		return io.ErrUnexpectedEOF
	}
	if _, err := placeFile(path, true, failed); !errors.Is(err, io.ErrUnexpectedEOF) {
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
