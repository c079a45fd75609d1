//go:build linux || darwin || freebsd

package main_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// of waits until a session's terminal shows all of some words, and returns what it shows.
func (s *stage) of(session string, words ...string) (screen string) {
	s.t.Helper()
	s.until(session+": "+strings.Join(words, ", "), func(string) bool {
		out, err := s.tmux("capture-pane", "-p", "-t", session).Output()
		screen = "\n" + string(out)
		for _, w := range words {
			if err != nil || !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
	return screen
}

// Two screens and a script play the same story: what one does the others see, each has a
// frame of its own, and one that is left leaves the others alone.
func TestTerminal_Attached(t *testing.T) {
	s := rehearse(t)
	s.start("--rehearse", "--data", s.path("house"))
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Where,", "Write a message", "WRITE")
	data := []string{"--data", s.path("house")}
	var chats []struct {
		ID string `json:"id"`
	}
	s.command(&chats, append([]string{"chat", "list"}, data...)...)
	if len(chats) != 1 {
		t.Fatalf("%d chats", len(chats))
	}
	var turn struct {
		Content string `json:"content"`
	}
	s.command(&turn, append([]string{"send", chats[0].ID, "A script says this."}, data...)...)
	s.see("A script says this.", "Only now does she bend")
	var renamed any
	s.command(&renamed, append([]string{"chat", "rename", chats[0].ID, "Called by a script"}, data...)...)
	s.until("the new title", func(string) bool { return strings.HasPrefix(s.tell("#{pane_title}"), "Called by a script") })

	const one, two = "=0:", "=two:"
	s.do("new-session", "-d", "-s", "two", "-x", "70", "-y", "20", "sh")
	run := "clear; " + s.path("ghostlight") + " --attach --data " + s.path("house") + "; echo \"left with $?\""
	attach := func() {
		s.do("send-keys", "-t", two, "-l", run)
		s.do("send-keys", "-t", two, "Enter")
		s.of(two, "WRITE", "Write a message")
	}
	attach()
	s.do("send-keys", "-t", two, "-l", "From the other terminal.")
	s.of(two, "› From the other terminal.")
	if screen, err := s.tmux("capture-pane", "-p", "-t", one).Output(); err != nil || strings.Contains(string(screen), "From the other terminal.") {
		t.Errorf("what is typed in one terminal stands in the other: %v\n%s", err, screen)
	}
	s.do("send-keys", "-t", two, "Enter")
	s.of(one, "From the other terminal.", "always lit") // the reply
	s.of(two, "It sings")
	s.do("resize-window", "-t", two, "-x", "50", "-y", "16")
	s.of(two, "It sings", "WRITE")
	s.do("send-keys", "-t", two, "C-q")
	s.of(two, "left with 0")
	left := func() {
		t.Helper()
		s.do("send-keys", "-t", two, "-l", "clear; stty -a | tr ' ' '\\n' | grep -c -e '^icanon' -e '^echo$' -e '^isig'")
		s.do("send-keys", "-t", two, "Enter")
		s.of(two, "\n3\n")
		if got := strings.TrimSpace(s.do("display-message", "-p", "-t", two, "#{alternate_on} #{mouse_any_flag} #{cursor_flag}")); got != "0 0 1" {
			t.Errorf("alternate screen, mouse, cursor: %s", got)
		}
	}
	left()
	s.of(one, "It sings", "WRITE")

	attach()
	pid, err := strconv.Atoi(strings.TrimSpace(s.do("display-message", "-p", "-t", one, "#{pane_pid}")))
	if err == nil {
		err = signalTo(pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.of(two, "ended before", "left with 1")
	left()
}
