//go:build unix

package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Pipes and devices are of Unix.
func TestReadFiles_Refusals(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(dir, "big.jsonl") // a hole: it takes no space
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, MaxChatFile+1); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, words string
		kind        error
	}{
		{dir, "directory", ErrNotFile},
		{pipe, "named pipe", ErrNotFile},
		{"/dev/null", "device", ErrNotFile},
		{filepath.Join(dir, "none.json"), "no such file", fs.ErrNotExist},
		{filepath.Join(dir, "none.json"), "no such file", ErrNotFile},
		{filepath.Join(dir, "a\x00b.json"), "", ErrNotFile},
		{big, "the limit", ErrTooLarge},
	} {
		_, cardErr := ReadCardFile(tt.path)
		_, chatErr := ReadChatFile(tt.path)
		for _, err := range []error{cardErr, chatErr} {
			if !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprint(err), tt.words) {
				t.Errorf("%q: %v", tt.path, err)
			}
		}
	}
}
