// Package clipboard copies text to the user's clipboard and reports how certain the result is.
package clipboard

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// Timeout limits a copying program: one without its display never ends.
const Timeout = 2 * time.Second

// Clipboard describes how text gets to the user's clipboard. The screen also sends it through the
// terminal (OSC 52), which does not confirm it.
type Clipboard struct {
	// Tmux and Remote report whether the program runs within tmux, and on another machine than the
	// user's.
	Tmux, Remote bool
	// Programs are the programs that copy their standard input, with their arguments, the best one
	// first.
	Programs [][]string
}

// programs copy their standard input to the clipboard of the machine that they run on; each needs
// a variable to be set. pbcopy is for macOS, clip.exe for Windows and Linux within it,
// termux-clipboard-set for Android.
var programs = []struct {
	needs   string
	command []string
}{
	{"WAYLAND_DISPLAY", []string{"wl-copy"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard"}},
	{"DISPLAY", []string{"xsel", "--clipboard", "--input"}},
	{"", []string{"pbcopy"}},
	{"", []string{"termux-clipboard-set"}},
	{"", []string{"clip.exe"}},
}

// Find returns the copy methods for an environment. look finds a program, as exec.LookPath does.
func Find(getenv func(string) string, look func(string) (string, error)) Clipboard {
	c := Clipboard{Tmux: getenv("TMUX") != "", Remote: getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != ""}
	for _, p := range programs {
		if p.needs != "" && getenv(p.needs) == "" || p.needs == "" && c.Remote {
			continue // its clipboard would be on another machine, or unused
		}
		if _, err := look(p.command[0]); err == nil {
			c.Programs = append(c.Programs, p.command)
		}
	}
	return c
}

// Result says what is known about a copied text.
type Result int

const (
	// Sent means that the terminal got the text, but may have ignored it.
	Sent Result = iota
	// Buffered means that tmux has the text in its buffer and has passed it to its terminal.
	Buffered
	// Copied means that a program has set the clipboard.
	Copied
)

// Copy copies a text. It waits for each program up to Timeout.
func (c Clipboard) Copy(ctx context.Context, text string) Result {
	for _, p := range c.Programs {
		if runProgram(ctx, text, p) == nil {
			return Copied
		}
	}
	// Since 3.2, tmux passes a buffer to its terminal (-w).
	if c.Tmux && runProgram(ctx, text, []string{"tmux", "load-buffer", "-w", "-"}) == nil {
		return Buffered
	}
	return Sent
}

// runProgram runs a program with a text as its standard input.
func runProgram(ctx context.Context, text string, command []string) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), Timeout
	return cmd.Run()
}

// Message describes the result: "recap copied". what names the text, "" for any.
func (r Result) Message(what string) string {
	how := "sent to the terminal's clipboard"
	switch r {
	case Copied:
		how = "copied"
	case Buffered:
		how = "copied to tmux and its terminal"
	}
	return strings.TrimSpace(what + " " + how)
}

// Describe returns in one line how text is copied.
func (c Clipboard) Describe() string {
	var ways []string
	for _, p := range c.Programs {
		ways = append(ways, p[0])
	}
	if c.Tmux {
		ways = append(ways, "tmux's buffer")
	}
	words := strings.Join(append(ways, "the terminal (OSC 52)"), ", ")
	switch {
	case len(c.Programs) > 0:
		return words
	case c.Tmux:
		return words + "; tmux passes it on if set-clipboard is on or external"
	case c.Remote:
		return words + "; your local terminal has to allow this"
	}
	return words + "; install wl-copy, xclip or xsel for a reliable copy"
}
