package house

import (
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// rowDesk is as much of a desk as a row needs.
type rowDesk struct {
	desk.Desk
	lk *look.Look
}

func (d *rowDesk) Look() *look.Look  { return d.lk }
func (d *rowDesk) Jobs() []*desk.Job { return nil }

// What an operation is called ends before its age begins.
func TestQueue_WordsAndAgeStandApart(t *testing.T) {
	t.Parallel()
	set, _ := themes.Load("")
	d := &rowDesk{lk: look.New(set[0], true, 1)}
	p := newQueue(d, nil)
	p.take([]storage.Operation{{ID: "a", Type: "after_turn", CreatedAt: time.Now().Add(-4 * time.Minute)}}, nil)
	for w := 12; w < 60; w++ {
		buf := uv.NewScreenBuffer(w, 2)
		p.row(buf, uv.Rect(0, 0, w, 2), 0, 0, false)
		if line, _, _ := strings.Cut(ansi.Strip(buf.Render()), "\n"); !strings.Contains(line, " 4 min") {
			t.Errorf("%d cells: %q", w, line)
		}
	}
}
