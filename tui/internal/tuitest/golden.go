package tuitest

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

// Size is the size of the screen, in cells.
type Size struct{ W, H int }

var allSizes = []Size{{40, 12}, {80, 24}, {200, 60}}

var (
	clock = regexp.MustCompile(`\b\d+s\b`)
	seeds = regexp.MustCompile(`\bseed \d{5,}`)
	ulids = regexp.MustCompile(`\b01[0-9A-HJKMNP-TV-Z]{4,24}`)
)

// plainFrame returns a frame as a golden file stores it: text that differs between runs is
// replaced, and blanks at the ends of rows are removed.
func plainFrame(text string) string {
	text = clock.ReplaceAllString(text, "0s")
	text = ulids.ReplaceAllStringFunc(text, func(id string) string { return strings.Repeat("X", len(id)) })
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \r\n"))
		b.WriteByte('\n')
	}
	return b.String()
}

// Golden compares the screen, at each size, with a golden file. It waits for the expected frame, so
// it can be called before the last command is done.
func (s *Session) Golden(name string, sizes ...Size) *Session {
	s.t.Helper()
	return s.GoldenAfter(name, nil, sizes...)
}

// GoldenAfter does the same, but presses keys at each size first: a row in view at one size need
// not be at another.
func (s *Session) GoldenAfter(name string, keys []string, sizes ...Size) *Session {
	s.t.Helper()
	if len(sizes) == 0 {
		sizes = allSizes
	}
	path := filepath.Join("testdata", "golden", name+".txt")
	want := readGolden(s.t, path)
	if testing.Short() && !*update { // frames of other sizes exercise no other code
		sizes, want = sizes[:1], want[:min(1, len(want))]
	}
	var b strings.Builder
	for i, d := range sizes {
		head := fmt.Sprintf("=== %d×%d\n", d.W, d.H)
		b.WriteString(head)
		s.Size(d.W, d.H)
		s.Now() // keys work on what is laid out
		s.Press(keys...)
		right := ""
		if i < len(want) {
			right = strings.TrimPrefix(want[i], head)
		}
		b.WriteString(s.settled(right, func() string { return plainFrame(s.paint.Text()) }))
	}
	s.Size(s.o.W, s.o.H)
	s.Now()
	s.compare(path, want, b.String())
	return s
}

// Framed compares the screen, at a size, with a file that contains only its frame. The seeds of
// pictures differ each time; the file has a fixed one.
func (s *Session) Framed(path string, d Size) *Session {
	s.t.Helper()
	want := readGolden(s.t, path)
	s.Size(d.W, d.H)
	s.Now()
	got := s.settled(strings.Join(want, ""), func() string {
		return seeds.ReplaceAllString(plainFrame(s.paint.Text()), "seed 1234567890")
	})
	s.compare(path, want, got)
	return s
}

// GoldenStyled does the same with the styles, at 80×24.
func (s *Session) GoldenStyled(name string) *Session {
	s.t.Helper()
	path := filepath.Join("testdata", "golden", name+".styled.txt")
	want := readGolden(s.t, path)
	right := ""
	if len(want) > 0 {
		right = want[0]
	}
	d := Size{80, 24}
	s.Size(d.W, d.H)
	got := s.settled(right, func() string {
		return plainFrame(strings.ReplaceAll(s.paint.Styled(), "\x1b", "␛"))
	})
	s.compare(path, want, got)
	return s
}

// settled waits until the frame is want; while golden files are rewritten, it
// waits until nothing moves.
func (s *Session) settled(want string, get func() string) string {
	s.t.Helper()
	limit := patience / 3
	if *update {
		limit = 400 * time.Millisecond
	}
	s.In(func(*tui.Screen) {})
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		if got := get(); got == want && !*update {
			return got
		}
		select {
		case <-s.out.fresh:
			if *update {
				deadline.Reset(limit)
			}
		case <-deadline.C:
			return get()
		}
	}
}

func (s *Session) compare(path string, want []string, got string) {
	s.t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Join(want, ""), got); diff != "" {
		s.t.Errorf("%s differs (-want +got; go test -update rewrites it):\n%s", path, diff)
	}
}

// readGolden reads a golden file, split at its sizes.
func readGolden(t testing.TB, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		if !*update {
			t.Error(err)
		}
		return nil
	}
	var parts []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "=== ") || len(parts) == 0 {
			parts = append(parts, "")
		}
		parts[len(parts)-1] += line
	}
	return parts
}

// GoldenFrames compares the screen of a program that does not run, at each size, with a golden
// file.
func GoldenFrames(t testing.TB, v *tui.Screen, p *painter.Painter, name string, sizes ...Size) {
	t.Helper()
	if len(sizes) == 0 {
		sizes = allSizes
	}
	var b strings.Builder
	for _, d := range sizes {
		v.Update(tea.WindowSizeMsg{Width: d.W, Height: d.H})
		v.Paint()
		fmt.Fprintf(&b, "=== %d×%d\n%s", d.W, d.H, plainFrame(p.Text()))
	}
	path := filepath.Join("testdata", "golden", name+".txt")
	(&Session{t: t}).compare(path, readGolden(t, path), b.String())
}

// Still makes a screen without an engine, of 80 by 24 cells.
func Still(t testing.TB) (*tui.Screen, *painter.Painter) {
	t.Helper()
	set, _ := themes.Load("")
	p := painter.New(io.Discard)
	v := tui.NewScreen(t.Context(), nil, tui.Options{Themes: set, Images: "blocks", Log: slog.New(slog.DiscardHandler)},
		p)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	v.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return v, p
}
