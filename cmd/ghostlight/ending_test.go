package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// quickRace keeps a program built with the race detector from sleeping for a
// second at its end.
const quickRace = "GORACE=atexit_sleep_ms=0"

// quick makes the simulated servers of --demo answer without a delay.
const quick = "GHOSTLIGHT_DEMO_DELAY=0s"

// home is a user's folders, all in one.
type home struct {
	dir  string
	args []string // of every command
	env  []string // more environment for every command
}

// with returns the home with variables set in the environment of its commands.
func (h home) with(env ...string) home {
	h.env = slices.Concat(h.env, env)
	return h
}

func (h home) command(args ...string) *exec.Cmd {
	c := exec.Command("ghostlight", append(args, h.args...)...)
	c.Env = append(os.Environ(), "HOME="+h.dir, "XDG_DATA_HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir, "XDG_STATE_HOME="+h.dir, quickRace)
	c.Env = append(c.Env, h.env...)
	return c
}

// run runs a command with --json and returns what it printed and ended with.
func (h home) run(t *testing.T, args ...string) (doc map[string]any, errs string, code int) {
	t.Helper()
	c := h.command(append(args, "--json")...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	_ = c.Run() // the exit code is checked instead
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("%v: %v\n%s\n%s", args, err, stdout.String(), stderr.String())
	}
	return doc, stderr.String(), c.ProcessState.ExitCode()
}

// However a reply ends, the command says so, and what came is printed and kept.
func TestSend_OddEndings(t *testing.T) {
	t.Parallel()
	var fault atomic.Pointer[demo.Fault]
	fault.Store(&demo.Fault{})
	servers, err := demo.Start(demo.Options{Fault: func(c demo.Call) demo.Fault {
		if c.Path == "/api/chat" {
			return *fault.Load()
		}
		return demo.Fault{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	for _, c := range []struct {
		name  string
		fault demo.Fault
		code  int
		kept  bool // a message of the reply
	}{
		{"fine", demo.Fault{}, cli.ExitDone, true},
		{"dies", demo.Fault{Kind: demo.Die, After: 10}, cli.ExitFailed, true},
		{"error line", demo.Fault{Kind: demo.ErrorLine, After: 10, Text: "out of \x1b[31mmemory"}, cli.ExitFailed, true},
		{"no done", demo.Fault{Kind: demo.NoDone, After: 10}, cli.ExitFailed, true},
		{"page of another server", demo.Fault{Kind: demo.HTML}, cli.ExitFailed, false},
		{"busy", demo.Fault{Kind: demo.Unavailable}, cli.ExitFailed, false},
		{"escapes", demo.Fault{Kind: demo.Escapes}, cli.ExitDone, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := home{dir: t.TempDir(), args: []string{"--ollama", servers.OllamaURL, "--model", demo.Model}}
			h.run(t, "chat", "new", "--title", "T")
			fault.Store(&c.fault)
			doc, errs, code := h.run(t, "send", "T", "I light the lamp.")
			if code != c.code {
				t.Fatalf("ended with %d: %v %s", code, doc, errs)
			}
			if _, failed := doc["error"]; failed != (code != cli.ExitDone) {
				t.Errorf("the document is %v", doc)
			}
			if text, _ := doc["content"].(string); (text != "") != c.kept {
				t.Errorf("the content is %q", text)
			}
			if code == cli.ExitFailed && errs == "" || safetext.Block(errs) != errs {
				t.Errorf("standard error is %q", errs)
			}
			shown, _, _ := h.run(t, "chat", "show", "T")
			msgs, _ := shown["messages"].([]any)
			if want := map[bool]int{true: 3, false: 2}[c.kept]; len(msgs) != want {
				t.Errorf("%d messages are kept", len(msgs))
			}
		})
	}
}

// The thoughts of a model go to standard error, and only when asked for.
func TestSend_Thinking(t *testing.T) {
	t.Parallel()
	h := home{dir: t.TempDir(), args: []string{"--demo", "--model", demo.ThinkModel}, env: []string{quick}}
	h.run(t, "chat", "new", "--title", "T")
	for _, args := range [][]string{{"send", "T", "One."}, {"send", "T", "Two.", "--thinking"}} {
		c := h.command(args...)
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		if long := strings.Count(stderr.String(), "\n") > 1; long != (len(args) == 4) || strings.TrimSpace(stdout.String()) == "" {
			t.Errorf("%v: standard error is %q", args, stderr.String())
		}
	}
}
