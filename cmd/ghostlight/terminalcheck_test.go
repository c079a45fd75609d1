package main_test

import (
	"strings"
	"testing"
)

// The doctor examines the terminal that it runs on, and restores it. Without a terminal it reports
// what the screen found.
func TestTerminal_TheDoctorAsks(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.do("new-session", "-d", "-x", "100", "-y", "30", "sh")
	run := func(line string) {
		s.do("send-keys", "-l", "clear; "+s.path("ghostlight")+" "+line+"; stty -a | grep -o '[-]*icanon'; echo done")
		s.do("send-keys", "Enter")
	}
	flat := func(screen string) string { return strings.Join(strings.Fields(screen), "") } // a line may end at any space
	run("doctor --demo --data " + s.path("house"))
	s.until("what tmux says of itself", func(screen string) bool {
		return strings.Contains(screen, "done") && strings.Contains(flat(screen), flat("half blocks: tmux")) && !strings.Contains(screen, "-icanon")
	})
	run("--demo --data " + s.path("house"))
	s.see("Your name")
	s.written("half blocks: tmux")
	s.do("send-keys", "C-q")
	s.until("the shell again", func(screen string) bool { // what is typed before goes to the program
		return strings.Contains(screen, "\ndone") && !strings.Contains(screen, "Your name")
	})
	run("doctor --demo --data " + s.path("house") + " | cat")
	s.until("what the screen found", func(screen string) bool {
		return strings.Contains(flat(screen), flat("the screen last used half blocks: tmux"))
	})
}
