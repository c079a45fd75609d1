package tui

import (
	"fmt"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/settings"
)

// picture draws a layout: P the play, S the pane at the side, C the composer, =
// the status line. A pane that lies over the play hides it.
func (l layout) picture(w, h int) string {
	rows := make([][]byte, h)
	for i := range rows {
		rows[i] = []byte(strings.Repeat(".", w))
	}
	paint := func(r uv.Rectangle, c byte) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				rows[y][x] = c
			}
		}
	}
	paint(l.play, 'P')
	paint(l.composer, 'C')
	paint(l.status, '=')
	paint(l.pane, 'S')
	lines := make([]string, h)
	for i, r := range rows {
		lines[i] = squeeze(string(r))
	}
	return strings.Join(lines, "\n")
}

// squeeze writes runs of ten and more as their length: "P60S40".
func squeeze(line string) string {
	var b strings.Builder
	for len(line) > 0 {
		n := len(line) - len(strings.TrimLeft(line, line[:1]))
		if n >= 10 {
			fmt.Fprintf(&b, "%c%d", line[0], n)
		} else {
			b.WriteString(line[:n])
		}
		line = line[n:]
	}
	return b.String()
}

func TestArrange(t *testing.T) {
	tests := map[string]struct {
		w, h, lines int
		pane        bool
		want        string
		text        int
		over        bool
	}{
		"one cell":   {1, 1, 1, false, "=", 1, false},
		"two rows":   {3, 2, 1, false, "CCC\n===", 1, false},
		"three rows": {3, 3, 1, false, "PPP\nCCC\n===", 1, false},
		"no rule":    {5, 5, 4, false, "PPPPP\nPPPPP\nPPPPP\nCCCCC\n=====", 2, false},
		"smallest with a rule": {8, 6, 1, false, `
PPPPPPPP
PPPPPPPP
PPPPPPPP
CCCCCCCC
CCCCCCCC
========`, 5, false},
		"a long draft takes a third": {8, 10, 50, false, `
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
========`, 5, false},
		"pane over": {9, 7, 1, true, `
SSSSSSSSS
SSSSSSSSS
SSSSSSSSS
SSSSSSSSS
CCCCCCCCC
CCCCCCCCC
=========`, 6, true},
		"pane over up to 99 columns": {99, 6, 1, true, "S99\nS99\nS99\nC99\nC99\n=99", 96, true},
		"pane beside from 100 on":    {100, 6, 1, true, "P55S45\nP55S45\nP55S45\nC55S45\nC55S45\n=100", 52, false},
		"wide":                       {200, 6, 2, true, "P110S90\nP110S90\nP110S90\nC110S90\nC110S90\n=200", 100, false},
		"very wide":                  {300, 6, 1, true, "P204S96\nP204S96\nP204S96\nC204S96\nC204S96\n=300", 100, false},
		"nothing":                    {0, 0, 1, true, "", 1, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := arrange(tt.w, tt.h, tt.lines, tt.pane, settings.PaneSize{})
			if got := l.picture(tt.w, tt.h); got != strings.TrimPrefix(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if l.text != tt.text || l.over != tt.over {
				t.Errorf("text %d over %t, want %d %t", l.text, l.over, tt.text, tt.over)
			}
		})
	}
}

// Whatever the size, the parts cover the screen, overlap only where the pane lies
// over the play, and stay inside.
func TestArrange_CoversTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 320).Draw(t, "w"), rapid.IntRange(0, 90).Draw(t, "h")
		l := arrange(w, h, rapid.IntRange(1, 40).Draw(t, "lines"), rapid.Bool().Draw(t, "pane"), settings.PaneSize{Steps: rapid.IntRange(-9, 40).Draw(t, "steps")})
		cells := 0
		for _, r := range []uv.Rectangle{l.play, l.composer, l.status} {
			if !r.In(uv.Rect(0, 0, w, h)) || r.Dx() < 0 || r.Dy() < 0 {
				t.Fatalf("%v sticks out", r)
			}
			cells += r.Dx() * r.Dy()
		}
		if !l.over {
			cells += l.pane.Dx() * l.pane.Dy()
		} else if l.pane != l.play {
			t.Fatalf("the pane %v is not over the play %v", l.pane, l.play)
		}
		if cells != w*h {
			t.Fatalf("%d of %d cells are covered: %+v", cells, w*h, l)
		}
	})
}
