package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

type dims struct{ w, h int }

var allSizes = []dims{{40, 12}, {80, 24}, {200, 60}}

var (
	clock = regexp.MustCompile(`\b\d+s\b`)
	ulids = regexp.MustCompile(`\b01[0-9A-HJKMNP-TV-Z]{4,24}`)
)

// plainFrame is a frame as a golden file holds it: what is not the same in every
// run is replaced, and blanks at the ends of rows are gone.
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

// golden compares the screen, at each size, with a golden file. It waits for
// the frame to become the right one, so it can be called before the last
// command is done.
func (s *session) golden(name string, sizes ...dims) *session {
	s.t.Helper()
	return s.goldenAfter(name, nil, sizes...)
}

// goldenAfter does the same and presses keys at each size first: what was in
// view at one size need not be at another.
func (s *session) goldenAfter(name string, keys []string, sizes ...dims) *session {
	s.t.Helper()
	if len(sizes) == 0 {
		sizes = allSizes
	}
	path := filepath.Join("testdata", "golden", name+".txt")
	want := readGolden(s.t, path)
	var b strings.Builder
	for i, d := range sizes {
		head := fmt.Sprintf("=== %d×%d\n", d.w, d.h)
		b.WriteString(head)
		s.size(d.w, d.h)
		s.now() // keys work on what is laid out
		s.press(keys...)
		right := ""
		if i < len(want) {
			right = strings.TrimPrefix(want[i], head)
		}
		b.WriteString(s.settled(right, func() string { return plainFrame(s.paint.Text()) }))
	}
	s.size(s.o.w, s.o.h)
	s.now()
	s.compare(path, want, b.String())
	return s
}

// goldenStyled does the same with the styles, at 80×24.
func (s *session) goldenStyled(name string) *session {
	s.t.Helper()
	path := filepath.Join("testdata", "golden", name+".styled.txt")
	want := readGolden(s.t, path)
	right := ""
	if len(want) > 0 {
		right = want[0]
	}
	d := dims{80, 24}
	s.size(d.w, d.h)
	got := s.settled(right, func() string {
		return plainFrame(strings.ReplaceAll(s.paint.Styled(), "\x1b", "␛"))
	})
	s.compare(path, want, got)
	return s
}

// settled waits until the frame is want; while golden files are rewritten, it
// waits until nothing moves.
func (s *session) settled(want string, get func() string) string {
	s.t.Helper()
	limit := patience / 3
	if *update {
		limit = 400 * time.Millisecond
	}
	s.in(func(*app) {})
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

func (s *session) compare(path string, want []string, got string) {
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
