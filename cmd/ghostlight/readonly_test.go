//go:build linux || darwin || freebsd

package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
)

// nobody is a user whom the rights of files bind, also where the tests run as one whom they
// do not.
const nobody = 65534

// bound is a command that may read a data folder and write nowhere in it.
func (h home) bound(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	c := h.command(args...)
	if os.Geteuid() == 0 {
		c.Path = filepath.Join(h.dir, "bin", "ghostlight")
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		c.Dir = h.dir
	}
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	if err := c.Run(); c.ProcessState == nil {
		t.Skipf("no program can be run here as somebody else: %v", err)
	}
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

// forReading lets everybody read a data folder and nobody write in it, until the test ends. Who
// runs the tests may be bound by nothing: the program stands in the data folder too then, where
// somebody else can run it.
func (h home) forReading(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		self, err := exec.LookPath("ghostlight")
		if err == nil {
			self, err = filepath.EvalSymlinks(self)
		}
		if err == nil {
			err = os.Mkdir(filepath.Join(h.dir, "bin"), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Link(self, filepath.Join(h.dir, "bin", "ghostlight")); err != nil {
			t.Skipf("the program cannot stand where somebody else could run it: %v", err)
		}
	}
	mode := func(dir, file fs.FileMode) {
		err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				return os.Chmod(path, dir)
			case d.Type().IsRegular() && filepath.Base(filepath.Dir(path)) != "bin":
				return os.Chmod(path, file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(h.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	mode(0o555, 0o444)
	t.Cleanup(func() { mode(0o700, 0o600) })
}

// Where the data folder can read-only, commands that read do so, and those that write say
// why they do not.
func TestReadOnly_CommandsThatRead(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t)
	if _, errs, code := h.said("", "send", "T", "I light the lamp."); code != cli.ExitDone {
		t.Fatal(errs)
	}
	h.forReading(t)
	for _, args := range [][]string{{"chat", "list"}, {"chat", "show", "T"}, {"chat", "search", "lamp"}, {"character", "list"}, {"scene", "list", "T"}, {"voice", "show", "T"}, {"prompt", "T"}} {
		out, errs, code := h.bound(t, args...)
		if code != cli.ExitDone || out == "" {
			t.Errorf("%v ended with %d: %q %s", args, code, out, errs)
		}
		if args[1] == "show" && args[0] == "chat" && !strings.Contains(out, "I light the lamp.") {
			t.Errorf("it shows %q", out)
		}
	}
	for _, args := range [][]string{{"send", "T", "And now?"}, {"chat", "new", "--title", "U"}} {
		if _, errs, code := h.bound(t, args...); code != cli.ExitFailed || !strings.Contains(errs, "read-only") && !strings.Contains(errs, "cannot be written") {
			t.Errorf("%v ended with %d: %s", args, code, errs)
		}
	}
}
