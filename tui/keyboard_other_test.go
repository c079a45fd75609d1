//go:build !windows

package tui

import (
	"errors"
	"io"
	"os"
	"testing"
)

// Pause may come between two reads or during one: the read then returns the end, and a read after
// Resume returns what is typed after it.
func TestKeyboard_PauseBetweenReadsAndInOne(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), out.Close() }()
	k := newKeyboard(in)
	read := func(want string) {
		t.Helper()
		p := make([]byte, 8)
		if n, err := k.Read(p); err != nil || string(p[:n]) != want {
			t.Fatalf("read %q, %v, not %q", p[:n], err, want)
		}
	}
	write := func(s string) {
		t.Helper()
		if _, err := out.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		write("a")
		read("a")
		k.Pause()
		k.Resume()
		write("b")
		read("b")

		ended := make(chan error)
		go func() {
			_, err := k.Read(make([]byte, 8))
			ended <- err
		}()
		k.Pause()
		if err := <-ended; !errors.Is(err, io.EOF) {
			t.Fatalf("a read of what is lent: %v", err)
		}
		if _, err := k.Read(nil); !errors.Is(err, io.EOF) {
			t.Fatalf("a read that begins while it is lent: %v", err)
		}
		k.Resume()
		write("c")
		read("c")
	}
}
