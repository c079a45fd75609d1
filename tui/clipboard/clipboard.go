// Package clipboard copies text to the clipboard of the machine that the user sits at, and knows
// whether that is certain.
package clipboard

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// Timeout is how long a program that copies may take: one whose display is gone never ends.
const Timeout = 2 * time.Second

// Clipboard is how text gets to the user's clipboard. The screen always sends it through the terminal
// too (OSC 52), of which no terminal says whether it has taken it.
type Clipboard struct {
	// Tmux and Remote say where the program runs: within tmux, and on another machine than the user.
	Tmux, Remote bool
	// Programs are those that copy what they read, with their arguments, the best one first.
	Programs [][]string
}

// programs are those that copy what they read into the clipboard of the machine that they run on, with
// the variable that has to be set for it. pbcopy is macOS's, clip.exe that of Windows and of Linux
// within it, termux-clipboard-set Android's.
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

// Find returns the ways of an environment. look finds a program, as exec.LookPath does.
func Find(getenv func(string) string, look func(string) (string, error)) Clipboard {
	c := Clipboard{Tmux: getenv("TMUX") != "", Remote: getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != ""}
	for _, p := range programs {
		if p.needs != "" && getenv(p.needs) == "" || p.needs == "" && c.Remote {
			continue // its clipboard would be another machine's, or nobody's
		}
		if _, err := look(p.command[0]); err == nil {
			c.Programs = append(c.Programs, p.command)
		}
	}
	return c
}

// Result is what is known of a text that was copied.
type Result int

const (
	// Sent is a text that the terminal was given, which may have dropped it.
	Sent Result = iota
	// Buffered is one that tmux has in its buffer, and has given to its terminal.
	Buffered
	// Copied is one that a program has put into the clipboard.
	Copied
)

// Copy copies a text. It waits for each program up to Patience.
func (c Clipboard) Copy(ctx context.Context, text string) Result {
	for _, p := range c.Programs {
		if runProgram(ctx, text, p) == nil {
			return Copied
		}
	}
	// Since 3.2, tmux hands a buffer on to the terminal that it runs in (-w).
	if c.Tmux && runProgram(ctx, text, []string{"tmux", "load-buffer", "-w", "-"}) == nil {
		return Buffered
	}
	return Sent
}

// runProgram has a program read a text.
func runProgram(ctx context.Context, text string, command []string) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), Timeout
	return cmd.Run()
}

// Message says what became of a text: "recap copied". what names the text, "" for any.
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

// Describe says in a line how text is copied here.
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
