//go:build linux || darwin || freebsd

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
)

// A command that panics beside an open program ends alone: it says so with the place of its
// report, what it was about to store is undone, and the program does the next one.
func TestBeside_APanicEndsItsCommandAlone(t *testing.T) {
	h := homeWithChat(t)
	run := func(args ...string) *exec.Cmd {
		c := h.command(args...)
		path, err := exec.LookPath("ghostlight-faulty")
		if err != nil {
			t.Fatal(err)
		}
		c.Path, c.Args[0] = path, "ghostlight-faulty"
		return c
	}
	open := run("serve")
	out, err := open.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	open.Stderr = &said
	if err := open.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "accepts commands") {
		t.Fatalf("%q %v", line, err)
	}
	for range 3 { // none leaves anything behind that holds up the next
		var errs strings.Builder
		c := run("fault", "--json")
		c.Stderr = &errs
		text, _ := c.Output() // the exit code is checked instead
		var doc struct{ Error string }
		if err := json.Unmarshal(text, &doc); err != nil || c.ProcessState.ExitCode() != cli.ExitFailed {
			t.Fatalf("ends with %d: %s%s", c.ProcessState.ExitCode(), text, errs.String())
		}
		const want = "this command crashed; saved data is kept, and the open program keeps running"
		report := regexp.MustCompile(`crash report is in (\S+)$`).FindStringSubmatch(doc.Error)
		if !strings.HasPrefix(doc.Error, want) || report == nil || !strings.Contains(errs.String(), want) {
			t.Fatalf("%s\n%s", doc.Error, errs.String())
		}
		b, err := os.ReadFile(report[1])
		if err != nil || !strings.Contains(string(b), "amid a transaction") || !strings.Contains(string(b), "panicking_test.go") {
			t.Errorf("the report: %v\n%s", err, b)
		} else if rel, err := filepath.Rel(h.dir, report[1]); err != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("it lies in %s", report[1])
		}
		if doc, errs, code := h.run(t, "chat", "rename", "T", "T"); code != cli.ExitDone {
			t.Fatalf("the next command ends with %d: %v %s", code, doc, errs)
		}
	}
	h.run(t, "send", "T", "I light the lamp.")
	if doc, errs, code := h.run(t, "queue", "run"); code != cli.ExitDone {
		t.Errorf("the queue: %d, %v %s", code, doc, errs)
	}
	if err := open.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	if err := open.Wait(); err != nil || strings.Contains(said.String(), "crashed") {
		t.Errorf("the open program ends with %v and says %s", err, said.String())
	}
}
