package main_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// shell begins a shell with job control in a terminal.
func (s *terminal) shell() {
	s.t.Helper()
	s.do("new-session", "-d", "-x", "100", "-y", "30", "sh")
}

// begin has the shell run the program, with variables before it.
func (s *terminal) begin(vars string) (pid int) {
	s.t.Helper()
	_ = os.Remove(s.path("pid"))
	s.enter("clear; " + vars + " sh -c 'echo $$ >" + s.path("pid") + "; exec " + s.path("ghostlight") + " --demo --data " + s.path("house") + "'; echo \"left with $?\"")
	s.until("the program's id", func(string) bool {
		data, err := os.ReadFile(s.path("pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil && pid > 0
	})
	return pid
}

// enter types a line and enter.
func (s *terminal) enter(line string) {
	s.t.Helper()
	s.do("send-keys", "-l", line)
	s.do("send-keys", "Enter")
}

// state is the letter that the system has for the state of a process, "" for one that has
// ended, whether its shell has noticed or not.
func state(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.TrimPrefix(rest[:min(1, len(rest))], "Z")
}

// stopped waits until a process is stopped.
func (s *terminal) stopped(pid int) {
	s.t.Helper()
	s.until("the program to be stopped", func(string) bool { return state(pid) == "T" })
}

// opened counts the files that a process has open.
func opened(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// underShell starts a chat below a shell, with an editor that adds what a command prints to
// the text.
func underShell(t *testing.T, prints string) (s *terminal, pid int) {
	t.Helper()
	s = demo(t)
	if err := os.WriteFile(s.path("edit"), []byte("#!/bin/sh\n"+prints+" >>\"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.set("EDITOR", s.path("edit"))
	s.shell()
	pid = s.begin("")
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Write a message", "WRITE")
	return s, pid
}

// However often the program is suspended and brought back, and an editor is run, it has as
// many files open as before.
func TestTerminal_SuspendingLeaksNothing(t *testing.T) {
	t.Parallel()
	s, pid := underShell(t, "echo more")
	s.do("send-keys", "-l", "kept")
	s.see("› kept")
	before := 0
	for round := range 6 {
		s.suspends()
		s.stopped(pid)
		s.until("the shell's screen", func(screen string) bool { return !strings.Contains(screen, "BROWSE") })
		s.enter("fg")
		s.see("› kept", "BROWSE")
		s.do("send-keys", "-l", "i")
		s.see("WRITE")
		s.do("send-keys", "M-e")
		lines := "more" + strings.Repeat("\nmore", round)
		s.until("what the editor left", func(screen string) bool { return strings.Count(screen, "more") == strings.Count(lines, "more") })
		if round == 0 {
			before = opened(t, pid) // what is opened once is open now
		}
	}
	s.until("as many files open as before", func(string) bool { return opened(t, pid) <= before })
}

// However often the program is suspended or an editor is run, keys come through afterwards.
func TestTerminal_KeysWorkAfterSuspending(t *testing.T) {
	t.Parallel()
	s, pid := underShell(t, "printf more")
	for round := range 20 {
		s.do("send-keys", "Escape")
		s.see("BROWSE")
		s.suspends()
		s.stopped(pid)
		s.until("the shell's screen", func(screen string) bool { return !strings.Contains(screen, "BROWSE") })
		s.enter("fg")
		s.see("BROWSE")
		s.do("send-keys", "-l", "i")
		s.see("WRITE")
		word := fmt.Sprintf("word%d", round)
		s.do("send-keys", "-l", word)
		s.see("› " + word)
		if round%4 == 3 {
			s.do("send-keys", "M-e")
			s.see("more")
			s.do("send-keys", "-l", "!")
			s.see("more!")
		}
		s.do("send-keys", "C-c") // clears the line
		s.see("Write a message")
	}
}

// SIGTERM and SIGHUP end the program whatever it is doing, and the shell gets its terminal
// back.
func TestTerminal_EndsFromEveryState(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.set("EDITOR", "tail -f")
	s.shell()
	first := true
	for _, c := range []struct {
		name, vars string
		reach      func(pid int)
	}{
		{"a dialog", "", func(int) { s.do("send-keys", "C-p"); s.see("Commands") }},
		{"a pane", "", func(int) { s.do("send-keys", "F3"); s.see("Queue") }},
		{"a reply", "GHOSTLIGHT_DEMO_DELAY=20s", func(int) { s.enter("I wait."); s.see("^C stop") }},
		{"an editor", "", func(int) {
			s.do("send-keys", "M-e")
			s.until("the editor", func(screen string) bool { return !strings.Contains(screen, "WRITE") })
		}},
		{"being suspended", "", func(pid int) { s.suspends(); s.stopped(pid) }},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
			pid := s.begin(c.vars)
			if first {
				s.welcomed()
				s.do("send-keys", "Enter")
				first = false
			}
			s.see("WRITE", "›")
			c.reach(pid)
			if err := signalTo(pid, signal); err != nil {
				t.Fatal(err)
			}
			if c.name == "being suspended" {
				_ = signalTo(pid, syscall.SIGCONT) // what is stopped hears of nothing until then
			}
			s.until(fmt.Sprintf("the end by %s in %s", signal, c.name), func(string) bool { return state(pid) == "" })
			s.until("the shell", func(screen string) bool { return !strings.Contains(screen, "WRITE") })
			if got := s.tell("#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); got != "0 0 1" {
				t.Errorf("%s, %s: alternate screen, mouse, cursor: %s", c.name, signal, got)
			}
		}
	}
}

// A program that some script runs as a terminal's own command is nobody's job either.
func TestTerminal_IsAScriptsChild(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.do("new-session", "-d", "-x", "100", "-y", "30", "sh -c '"+s.path("ghostlight")+" --demo --data "+s.path("house")+"; echo left with $?; exec cat'")
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Write a message", "WRITE")
	s.suspends()
	s.see("was not suspended")
	s.do("send-keys", "-l", "half a thought")
	s.see("› half a thought")
	s.do("send-keys", "C-q")
	s.see("left with 0")
}
