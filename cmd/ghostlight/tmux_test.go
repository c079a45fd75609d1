package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// demo returns a terminal with the built-in simulated servers. The test is skipped with -short.
func demo(t *testing.T) *terminal {
	t.Helper()
	if testing.Short() {
		t.Skip("NOT TESTED in a terminal: -short")
	}
	s := newTerminal(t)
	s.set("GHOSTLIGHT_DEMO_DELAY", "8ms")
	return s
}

// tell returns a property of the terminal, by tmux's format names.
func (s *terminal) tell(format string) string {
	s.t.Helper()
	return strings.TrimSpace(s.do("display-message", "-p", format))
}

// written waits until a text is in the store. Other work writes too, so that it
// has to be looked for: in a copy, as the program holds the file itself.
func (s *terminal) written(text string) {
	s.t.Helper()
	s.until("a write to the store", func(string) bool {
		data, err := os.ReadFile(s.path("house/ghostlight.db"))
		if err != nil || !bytes.Contains(data, []byte(text)) {
			return false
		}
		at := filepath.Join(s.t.TempDir(), "copy.db")
		if err := os.WriteFile(at, data, 0o600); err != nil {
			s.t.Fatal(err)
		}
		return holds(at, text)
	})
}

// holds reports whether what was committed to a data file has a text in it. A copy
// that was taken amid a write may not be readable: it holds nothing.
func holds(path, text string) (found bool) {
	defer func() { found = recover() == nil && found }()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return false
	}
	defer func() { _ = db.Close() }() // was only read
	var look func(b *bolt.Bucket) error
	look = func(b *bolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return look(b.Bucket(k))
			}
			found = found || bytes.Contains(v, []byte(text))
			return nil
		})
	}
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return look(b) })
	})
	return found && err == nil
}

// signalTo sends a signal, on every system that this file is compiled for.
func signalTo(pid int, signal os.Signal) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Signal(signal)
}

// welcomed answers the questions of the first evening but the last, by enter.
func (s *terminal) welcomed() {
	s.t.Helper()
	s.see("Your name")
	s.do("send-keys", "Enter")
	s.see("Choose a character", "› Tove Halloran")
}

// suspends presses the key that suspends the program, where no text is written.
func (s *terminal) suspends() {
	s.t.Helper()
	if strings.Contains(s.screen(), " WRITE ") {
		s.do("send-keys", "Escape")
		s.see("BROWSE")
	}
	s.do("send-keys", "C-z")
}

// A whole evening in a real terminal: from the first key to a reply, through a
// resize while it streams, and a kill -9, after which everything is there.
func TestTerminal_SurvivesBeingKilled(t *testing.T) {
	t.Parallel()
	s := demo(t)
	flags := []string{"--demo", "--data", s.path("house")}
	s.start(flags...)
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Where,", "Write a message", "WRITE")
	if s.tell("#{alternate_on} #{mouse_any_flag}") != "1 1" {
		t.Error("the program does not own the screen and the mouse")
	}
	if title := s.tell("#{pane_title}"); title != "Tove Halloran – Ghostlight" {
		t.Errorf("the window is called %q", title)
	}
	s.do("send-keys", "-l", "I light the lamp. É 你好")
	s.see("› I light the lamp. É 你好")
	s.do("send-keys", "Enter")
	s.see("^C stop")
	s.do("resize-window", "-x", "60", "-y", "18")
	s.do("resize-window", "-x", "40", "-y", "12")
	s.do("resize-window", "-x", "90", "-y", "26")
	s.until("the reply", func(screen string) bool {
		return strings.Contains(screen, "you to do?") && !strings.Contains(screen, "^C stop")
	})

	s.do("send-keys", "-l", "half a thought")
	s.see("› half a thought")
	s.written("half a thought")
	pid, err := strconv.Atoi(s.tell("#{pane_pid}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := signalTo(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.until("the program's end", func(screen string) bool { return screen == "" })
	s.start(flags...)
	s.see("I light the lamp. É 你好", "you to do?", "› half a thought")
	s.do("send-keys", "C-q")
	s.until("the program's end", func(screen string) bool { return screen == "" })
}

// Whoever ends the program gets a clean terminal back, with what was typed kept.
func TestTerminal_IsLeftClean(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.do("new-session", "-d", "-x", "80", "-y", "24", "sh")
	run := "sh -c 'echo $$ >" + s.path("pid") + "; exec " + s.path("ghostlight") + " --demo --data " + s.path("house") + "'; echo \"left with $?\""
	for _, how := range []struct {
		name  string
		leave func(pid int)
	}{
		{"ctrl+q", func(int) { s.do("send-keys", "C-q") }},
		{"SIGTERM", func(pid int) { _ = signalTo(pid, syscall.SIGTERM) }},
		{"SIGHUP", func(pid int) { _ = signalTo(pid, syscall.SIGHUP) }},
	} {
		s.do("send-keys", "-l", "clear; "+run)
		s.do("send-keys", "Enter")
		s.until("the screen", func(screen string) bool {
			return strings.Contains(screen, "Your name") || strings.Contains(screen, "› kept after")
		})
		if strings.Contains(s.screen(), "Your name") {
			s.welcomed()
			s.do("send-keys", "Enter")
			s.see("Where,", "› Write a message")
		}
		s.do("send-keys", "C-u")
		s.do("send-keys", "-l", "kept after "+how.name)
		s.see("› kept after " + how.name)
		data, err := os.ReadFile(s.path("pid"))
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		how.leave(pid)
		s.see("left with 0")
		if got := s.tell("#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{keypad_flag}"); got != "0 0 1 0" {
			t.Errorf("%s: alternate screen, mouse, cursor, keypad: %s", how.name, got)
		}
		if screen := s.screen(); strings.Contains(screen, "Tove") {
			t.Errorf("%s leaves on the screen:\n%s", how.name, screen)
		}
		s.do("send-keys", "-l", "clear; stty -a | tr ' ' '\\n' | grep -c -e '^icanon' -e '^echo$' -e '^isig'")
		s.do("send-keys", "Enter")
		s.until("a sane terminal after "+how.name, func(screen string) bool { return strings.Contains("\n"+screen, "\n3\n") })
	}
}

// Where no shell could bring it back the program is not suspended, and it ends when it is
// asked to, also while an editor has the terminal.
func TestTerminal_IsNobodysJob(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.set("EDITOR", "tail -f")
	flags := []string{"--demo", "--data", s.path("house")}
	s.start(flags...)
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Write a message", "WRITE")
	s.suspends()
	s.see("was not suspended")
	s.do("send-keys", "-l", "half a thought")
	s.see("› half a thought")
	s.end(syscall.SIGTERM)

	s.start(flags...)
	s.see("› half a thought")
	s.do("send-keys", "M-e")
	s.until("the editor", func(screen string) bool { return strings.HasPrefix(screen, "half a thought\n") })
	s.end(syscall.SIGHUP)
}

// end asks the program to end, and waits until it has.
func (s *terminal) end(signal os.Signal) {
	s.t.Helper()
	pid, err := strconv.Atoi(s.tell("#{pane_pid}"))
	if err == nil {
		err = signalTo(pid, signal)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.until("the program's end", func(screen string) bool { return screen == "" })
}
