package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// terminal is the program in a terminal of its own, which nobody else sees.
type terminal struct {
	t    *testing.T
	dir  string
	env  []string
	name string // of the terminal's server
	// patience is how long the test waits for an expected result.
	patience time.Duration
}

const (
	terminalPatience = 90 * time.Second
	terminalLook     = 50 * time.Millisecond
)

// newTerminal makes folders for the program, which is the test binary under its name (see
// TestMain). Without tmux the test is skipped.
func newTerminal(t *testing.T) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("NOT TESTED in a terminal: there is no tmux")
	}
	dir, err := os.MkdirTemp("", "term-") // short: it holds a socket, whose path has a limit
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t: t, dir: dir, name: fmt.Sprintf("ghostlight-%d", os.Getpid()), patience: terminalPatience}
	s.env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+s.path("data"), "XDG_CONFIG_HOME="+s.path("config"),
		"XDG_STATE_HOME="+s.path("state"), "TMUX_TMPDIR="+dir, "TMUX=", "LC_ALL=C.UTF-8")
	t.Cleanup(func() {
		_ = s.tmux("kill-server").Run() // there is none if the test ended before it
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	program, err := exec.LookPath("ghostlight")
	if err == nil {
		err = os.Symlink(program, s.path("ghostlight"))
	}
	if err != nil {
		t.Fatal(err)
	}
	// Else it goes with its last program, and one that starts meanwhile goes with it.
	s.do("start-server", ";", "set-option", "-s", "exit-empty", "off")
	return s
}

func (s *terminal) path(name string) string { return filepath.Join(s.dir, name) }

func (s *terminal) tmux(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-u", "-f", os.DevNull, "-L", s.name}, args...)...)
	c.Env = s.env
	return c
}

func (s *terminal) do(args ...string) string {
	s.t.Helper()
	out, err := s.tmux(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// set sets an environment variable for later commands of the terminal, because the terminal's
// server passes on only the variables that it started with.
func (s *terminal) set(name, value string) {
	s.t.Helper()
	s.env = append(s.env, name+"="+value)
	s.do("set-environment", "-g", name, value)
}

// start runs the program in a terminal of 100 × 30 cells.
func (s *terminal) start(args ...string) {
	s.t.Helper()
	words := []string{"new-session", "-d", "-x", "100", "-y", "30", s.path("ghostlight")}
	s.do(append(words, args...)...)
}

// screen returns the content of the terminal, "" when the program has ended.
func (s *terminal) screen() string {
	out, err := s.tmux("capture-pane", "-p").Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// until waits for a screen and returns it.
func (s *terminal) until(what string, ok func(screen string) bool) string {
	s.t.Helper()
	tick := time.NewTicker(terminalLook)
	defer tick.Stop()
	late := time.After(s.patience)
	for {
		screen := s.screen()
		if ok(screen) {
			return screen
		}
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("waited in vain for %s; the screen:\n%s", what, screen)
		}
	}
}

func (s *terminal) see(words ...string) string {
	s.t.Helper()
	return s.until(strings.Join(words, ", "), func(screen string) bool {
		for _, w := range words {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

// command runs one of the program's commands and reads its document.
func (s *terminal) command(into any, args ...string) {
	s.t.Helper()
	c := exec.Command(s.path("ghostlight"), append(args, "--json")...)
	c.Env = s.env
	out, err := c.Output()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	if err := json.Unmarshal(out, into); err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// turnEnded reports whether a screen shows that nothing is being written and that the text has been
// counted. A tip may be shown in place of the count.
func turnEnded(screen string) bool {
	return strings.Contains(screen, "› Write a message") && !strings.Contains(screen, "^C stop") &&
		(strings.Contains(screen, "%") || strings.Contains(screen, "Tip:"))
}

// realOllama is the address and the model of a real server. Without one the test
// is skipped.
func realOllama(t *testing.T) (url, model string) {
	t.Helper()
	if url = os.Getenv("GHOSTLIGHT_TEST_OLLAMA"); url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./cmd/ghostlight`, or set GHOSTLIGHT_TEST_OLLAMA")
	}
	if model = os.Getenv("GHOSTLIGHT_TEST_MODEL"); model == "" {
		model = "tiny"
	}
	return url, model
}

// TestReal_WholeTurn plays from the first start to a stored reply, with the
// whole program, a terminal and a real Ollama, and looks at what is kept.
func TestReal_WholeTurn(t *testing.T) {
	url, model := realOllama(t)
	s := newTerminal(t)
	// A tiny model needs a token for nearly every letter of the prompt.
	config := s.path("config.toml")
	if err := os.WriteFile(config, []byte("[ollama]\nnum_ctx = 16384\nnum_predict = 80\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--config", config, "--ollama", url, "--model", model}
	s.start(flags...)
	s.welcomed()
	s.do("send-keys", "Enter")
	s.until("the first chat", func(screen string) bool {
		return strings.Contains(screen, "Write a message") && strings.Contains(screen, "Tove") && !strings.Contains(screen, "Choose a character")
	})
	s.see("WRITE  Tove Halloran")
	for try := 1; try <= 8; try++ {
		line := fmt.Sprintf("I knock %d times.", try)
		s.do("send-keys", "-l", line)
		s.see("› " + line)
		s.do("send-keys", "Enter")
		s.until("the end of the turn", func(screen string) bool {
			return strings.Contains(screen, line) && (turnEnded(screen) || strings.Contains(screen, "no reply:"))
		})
		s.do("send-keys", "C-q")
		s.until("the program's end", func(screen string) bool { return screen == "" })
		if s.kept(line) != "" {
			return
		}
		s.start(flags...) // a model of random weights sometimes says nothing at all
		s.see("Write a message", line)
	}
	t.Fatal("the model never said anything")
}

// kept returns the stored reply to a message of the user's.
func (s *terminal) kept(line string) string {
	s.t.Helper()
	var chats []struct{ ID string }
	s.command(&chats, "chat", "list")
	if len(chats) != 1 {
		s.t.Fatalf("%d chats", len(chats))
	}
	var chat struct {
		Messages []struct{ Role, Content, State string }
	}
	s.command(&chat, "chat", "show", chats[0].ID)
	for i, m := range chat.Messages {
		if m.Role != "user" || m.Content != line {
			continue
		}
		if i+1 == len(chat.Messages) {
			return ""
		}
		reply := chat.Messages[i+1]
		if reply.Role != "assistant" || reply.State != "complete" && reply.State != "cut" {
			s.t.Errorf("the reply is %+v", reply)
		}
		return reply.Content
	}
	s.t.Fatalf("what the user said is not kept: %+v", chat.Messages)
	return ""
}
