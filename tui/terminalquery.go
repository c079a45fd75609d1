package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
)

// recordAnswer records an answer of the terminal. cols and rows are its size.
func recordAnswer(a *picture.Answers, msg any, cols, rows int) {
	switch m := msg.(type) {
	case uv.KittyGraphicsEvent:
		if ok, ours := picture.Answer(m.Options.ID, m.Payload); ours {
			a.Kitty = ok
		}
	case uv.TerminalVersionEvent:
		a.Version = bounded(m.Name)
	case tea.TerminalVersionMsg:
		a.Version = bounded(m.Name)
	case uv.CellSizeEvent:
		if c := (picture.Cell{W: m.Width, H: m.Height}); c.Known() {
			a.Cell = c
		}
	case uv.PixelSizeEvent:
		if c := (picture.Cell{W: m.Width / max(cols, 1), H: m.Height / max(rows, 1)}); c.Known() && !a.Cell.Known() {
			a.Cell = c
		}
	case uv.PrimaryDeviceAttributesEvent:
		a.Attributes, a.Fenced = m, true
	}
}

// bounded limits a terminal's name to a reasonable length, and makes it safe to show.
func bounded(name string) string { return draw.Truncate(name, 80) }

// handleTerminalAnswer handles an answer of the terminal to query.
func (a *app) handleTerminalAnswer(msg tea.Msg) tea.Cmd {
	said := a.display.Answers()
	first := !said.Fenced
	recordAnswer(&said, msg, a.width, a.height)
	a.display.SetAnswers(said)
	if !first || !said.Fenced {
		return nil
	}
	if !said.Multiplexed() {
		return a.rememberTerminal()
	}
	return a.Do(func() func() tea.Cmd {
		t := askTmux(a.ctx, os.Environ())
		return func() tea.Cmd {
			said := a.display.Answers()
			said.Tmux = t
			a.display.SetAnswers(said)
			return a.rememberTerminal()
		}
	})
}

// rememberTerminal stores how pictures are shown, for commands that run without a terminal.
func (a *app) rememberTerminal() tea.Cmd {
	words := showsWords(a.display.Mode())
	return pane.Try(a, func() error { return a.eng.Settings.RememberTerminal(words) })
}

func showsWords(mode picture.Mode, why string) string {
	names := map[picture.Mode]string{picture.Kitty: "Kitty graphics", picture.Sixel: "Sixel",
		picture.ITerm:  "iTerm2 inline images",
		picture.Blocks: "half blocks", picture.Off: "no pictures"}
	return names[mode] + ": " + why
}

// askTmux queries tmux for the terminal around it. env is the environment of the terminal's
// programs.
func askTmux(ctx context.Context, env []string) picture.Tmux {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	args := []string{"display-message", "-p"}
	for _, e := range env {
		if pane, ok := strings.CutPrefix(e, "TMUX_PANE="); ok && pane != "" {
			args = append(args, "-t", pane)
		}
	}
	//nolint:gosec // the pane is what tmux itself has set
	c := exec.CommandContext(ctx, "tmux", append(args, picture.TmuxFormat)...)
	c.Env = env
	out, err := c.Output()
	if err != nil {
		return picture.Tmux{} // it is not on this machine, or has ended
	}
	return picture.ParseTmux(string(out))
}

// answerPatience is how long a terminal may take to answer.
const answerPatience = time.Second

// ExamineTerminal asks the terminal of in and out how it can show pictures, and describes the
// result in words, with the reasons. images is the setting ui.images. The terminal is in raw mode
// meanwhile, for a second at most, and is then restored; text typed in that time is lost.
func ExamineTerminal(ctx context.Context, in, out *os.File, images string) (string, error) {
	a, err := askTerminal(ctx, in, out)
	if err != nil {
		return "", err
	}
	forced := picture.Mode(images)
	words := showsWords(picture.Choose(a, forced))
	if forced != picture.Auto && forced != "" {
		words += "; auto-detection would choose " + showsWords(picture.Choose(a, picture.Auto))
	}
	return words, nil
}

func askTerminal(ctx context.Context, in, out *os.File) (a picture.Answers, err error) {
	state, err := term.MakeRaw(in.Fd())
	if err != nil {
		return a, fmt.Errorf("ask the terminal: %w", err)
	}
	defer func() { err = errors.Join(err, term.Restore(in.Fd(), state)) }()
	if _, err := out.WriteString(picture.Queries()); err != nil {
		return a, fmt.Errorf("ask the terminal: %w", err)
	}
	cols, rows, _ := term.GetSize(out.Fd()) // 0 on an error, which recordAnswer allows for
	a = listen(ctx, in, cols, rows)
	a.TrueColor = colorprofile.Detect(out, os.Environ()) >= colorprofile.TrueColor
	if a.Multiplexed() {
		a.Tmux = askTmux(ctx, os.Environ())
	}
	return a, nil
}

// listen reads the terminal's answers up to the one that all terminals give. If the terminal does
// not give it, a reader stays behind that waits for it.
func listen(ctx context.Context, in *os.File, cols, rows int) (a picture.Answers) {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	heard := make(chan []byte, 1)
	crash.Go("the terminal's answers", func() {
		var have []byte
		buf := make([]byte, 4096)
		for !lastAnswer().Match(have) && len(have) < 1<<16 && ctx.Err() == nil {
			n, err := in.Read(buf)
			if err != nil {
				break
			}
			have = append(have, buf[:n]...)
		}
		heard <- have
	})
	select {
	case have := <-heard:
		parseAnswers(&a, have, cols, rows)
	case <-ctx.Done():
	}
	return a
}

// lastAnswer is the answer to the last question.
var lastAnswer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[\\?[0-9;]*c") })

// parseAnswers parses the answers in have.
func parseAnswers(a *picture.Answers, have []byte, cols, rows int) {
	var d uv.EventDecoder
	for len(have) > 0 {
		n, ev := d.Decode(have)
		if n <= 0 {
			return
		}
		recordAnswer(a, ev, cols, rows)
		have = have[n:]
	}
}
