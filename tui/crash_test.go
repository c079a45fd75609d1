package tui_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The child's environment: where to crash, and the directory to do it in.
const (
	crashPlace = "GHOSTLIGHT_TEST_CRASH"
	crashDir   = "GHOSTLIGHT_TEST_CRASH_DIR"
)

// crashes are the places where a program can go wrong.
var crashes = map[string]func(*tui.Screen) tea.Cmd{
	"update": func(*tui.Screen) tea.Cmd { panic("the ghost walks") },
	"command": func(scr *tui.Screen) tea.Cmd {
		return scr.Host().Do(func() func() tea.Cmd { panic("the ghost walks") })
	},
	"drawing": func(scr *tui.Screen) tea.Cmd {
		scr.Host().Open(&widget.Reader{Lines: func(int, *draw.Styles) []string { panic("the ghost walks") }})
		return nil
	},
	"goroutine": func(*tui.Screen) tea.Cmd {
		crash.Go("a test", func() { panic("the ghost walks") })
		return nil
	},
}

// crashHere is the child: a screen on standard output that goes wrong.
func crashHere(place, dir string) {
	e, err := engine.Open(config.Config{DataDir: dir, Ollama: "http://127.0.0.1:1", Comfy: []string{"http://127.0.0.1:1"}})
	if err != nil {
		panic(err)
	}
	set, _ := themes.Load("")
	p := painter.New(os.Stdout)
	crash.Prepare(filepath.Join(dir, "crash"), "ghostlight", p.Leave)
	in, _ := io.Pipe()
	scr := tui.NewScreen(context.Background(), e, tui.Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, p, tea.WithInput(in), tea.WithOutput(io.Discard))
	go func() {
		scr.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
		scr.Send(pane.Callback(func() tea.Cmd { return crashes[place](scr) }))
	}()
	_, _ = scr.Show()
}

func TestCrash_GivesTheTerminalBack(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for place := range crashes {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), crashPlace+"="+place, crashDir+"="+dir)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("the program ended with %v\n%s", err, errs.String())
			}
			for _, seq := range []string{"\x1b[?1049l", "\x1b[?2004l", "\x1b[?25h", "\x1b[<1u"} {
				if !strings.Contains(out.String(), seq) {
					t.Errorf("%q is missing at the end: %q", seq, out.String()[max(0, out.Len()-30):])
				}
			}
			if after := out.String()[strings.LastIndex(out.String(), "\x1b[?1049l"):]; strings.Contains(after, "Ghostlight") {
				t.Errorf("painted after leaving: %q", after)
			}
			reports, _ := filepath.Glob(filepath.Join(dir, "crash", "crash-*.txt"))
			if len(reports) != 1 {
				t.Fatalf("reports: %q\n%s", reports, errs.String())
			}
			text, err := os.ReadFile(reports[0])
			if err != nil || !strings.Contains(string(text), "the ghost walks") || !strings.Contains(string(text), "goroutine") {
				t.Errorf("the report: %v %s", err, text)
			}
			if !strings.Contains(errs.String(), reports[0]) || !strings.Contains(errs.String(), "saved") {
				t.Errorf("the user is told %q", errs.String())
			}
		})
	}
}
