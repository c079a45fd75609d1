package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/library/movein"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// isFolder tells whether a path that was dropped is moved in as a whole.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || strings.EqualFold(filepath.Ext(path), ".zip"))
}

// AskMoveIn asks for the folder or the backup that is to be moved in.
func (r *Room) AskMoveIn() tea.Cmd {
	f := widget.Form{Title: "Move in", Notes: []string{"The folder where SillyTavern keeps its data, or the zip of its backup. You see first what will be done. " +
		"Dropping the folder into the terminal works too."},
		Fields: []*widget.Field{widget.LineField(r.desk.Look(), "Path", "", "~/SillyTavern/data")}, Foot: "enter look through it · esc close"}
	k := desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.Trim(strings.TrimSpace(f.Fields[0].Value()), `'"`))
		if path == "" {
			return nil, errors.New("enter the path of a folder or a backup")
		}
		return func() (func() tea.Cmd, error) {
			plan, err := r.desk.Engine().MoveIn.Look(r.desk.Context(), path, nil)
			return func() tea.Cmd { return r.showPlan(plan) }, err
		}, nil
	})
	k.BusyWords = "looking through it …"
	r.desk.Open(k)
	return nil
}

// moveIn looks through a folder and shows what moving it in would do.
func (r *Room) moveIn(path string) tea.Cmd {
	return tea.Batch(r.desk.Say(event.Info, "looking through "+safetext.Line(filepath.Base(path))+" …"), r.desk.Do(func() func() tea.Cmd {
		plan, err := r.desk.Engine().MoveIn.Look(r.desk.Context(), path, nil)
		return func() tea.Cmd {
			if err != nil {
				return desk.Explain(r.desk, "Nothing can be moved in", err)
			}
			return r.showPlan(plan)
		}
	}))
}

// movePlan shows what a move would do, and begins it.
type movePlan struct {
	widget.Reader
	room  *Room
	plan  movein.Plan
	newer bool
}

func (r *Room) showPlan(plan movein.Plan) tea.Cmd {
	p := &movePlan{room: r, plan: plan}
	p.Title = "Move in " + safetext.Line(filepath.Base(plan.Path))
	p.Lines = p.lines
	r.desk.Open(p)
	return nil
}

// Handle implements widget.Dialog.
func (p *movePlan) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch k := widget.Keystroke(msg); {
	case k == "enter" && p.useful():
		return p.room.beginMove(p.plan.Path, p.newer), true
	case k == "n" && p.plan.Newer() > 0:
		p.newer = !p.newer
		return nil, false
	}
	return p.Reader.Handle(msg)
}

// useful tells whether there is anything to be done.
func (p *movePlan) useful() bool { return p.plan.New() > 0 || p.newer && p.plan.Newer() > 0 }

// Hints implements widget.Dialog.
func (p *movePlan) Hints() string {
	begin, newer := "", ""
	if p.useful() {
		begin = "enter move in"
	}
	if p.plan.Newer() > 0 {
		newer = "n newer versions too"
		if p.newer {
			newer = "n leave newer versions"
		}
	}
	return widget.Hints(begin, newer, "esc close", "↑↓ scroll", "space page down", "b page up", widget.FullHelp)
}

// Draw implements widget.Dialog.
func (p *movePlan) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	in := look.Frame(buf, look.Centred(screen, 100, screen.Dy()), lk, p.Title, p.Hints())
	p.Show(buf, in, p.Lines(in.Dx()))
	return nil
}

func (p *movePlan) lines(w int) []string {
	lk := p.room.desk.Look()
	words := fmt.Sprintf("%d new ones will come in. Nothing in the folder is changed.", p.plan.New())
	switch n := p.plan.Newer(); {
	case p.plan.New() == 0 && n == 0:
		words = "There is nothing new in it."
	case n > 0 && p.newer:
		words += fmt.Sprintf(" %d newer versions are taken too; what you changed here stays.", n)
	case n > 0:
		words += fmt.Sprintf(" %d are newer there than here, and stay as they are here.", n)
	}
	out := widget.PlainLines(words)(w)
	out = append(out, "")
	out = append(out, kindLines(lk, p.plan.Kinds, "new", w)...)
	return append(out, moveLines(lk, "Left out", p.plan.Left, p.plan.More, w)...)
}

// kindLines are the counts of a move as a table; a narrow one leaves the newer ones out.
func kindLines(lk *look.Look, kinds []storage.MoveCount, done string, w int) []string {
	cell := 7
	if w < 50 {
		cell = 6
	}
	name := max(0, min(20, w-4*cell))
	row := func(title string, cells ...string) string {
		title = look.Clip(title, name)
		line := title + strings.Repeat(" ", max(0, name-len(title)))
		for i, c := range cells {
			if i != 3 || w >= name+5*cell {
				line += fmt.Sprintf("%*s", cell, c)
			}
		}
		return line
	}
	out := []string{lk.Dim.Styled(row("", "found", done, "here", "newer", "left"))}
	for _, k := range kinds {
		if k.Found > 0 {
			out = append(out, row(k.Kind, fmt.Sprint(k.Found), fmt.Sprint(k.New), fmt.Sprint(k.Here), fmt.Sprint(k.Newer), fmt.Sprint(k.Left)))
		}
	}
	return out
}

// mostShown is how many lines of a report are shown; the command prints all.
const mostShown = 500

func moveLines(lk *look.Look, title string, lines []storage.MoveLine, more, w int) []string {
	if len(lines) == 0 {
		return nil
	}
	out := []string{"", lk.Strong.Styled(title)}
	told := movein.Told(lines)
	for _, l := range told[:min(len(told), mostShown)] {
		out = append(out, widget.PlainLines(safetext.Line(l))(w)...)
	}
	if n := max(0, len(told)-mostShown) + more; n > 0 {
		out = append(out, fmt.Sprintf("and %d more: ghostlight move-in --report", n))
	}
	return out
}

func (r *Room) beginMove(path string, newer bool) tea.Cmd {
	words := "moving in"
	if way := r.desk.WayTo(keys.PaneQueue); way != "" {
		words += "; " + way + " shows how far it is"
	}
	return desk.Queue(r.desk, words, func() (storage.OperationID, error) { return r.desk.Engine().MoveIn.Begin(path, newer) })
}

// moveEnded tells what a move came to.
func (r *Room) moveEnded(m storage.MoveIn) tea.Cmd {
	var parts []string
	left := m.More
	for _, k := range m.Kinds {
		if k.New > 0 {
			parts = append(parts, look.Counted(k.New, singular(k.Kind), k.Kind))
		}
	}
	left += len(m.Left)
	words := "nothing new moved in"
	if len(parts) > 0 {
		words = "moved in: " + strings.Join(parts, ", ")
	}
	if left > 0 {
		words += fmt.Sprintf("; %d left out, see the report of the last move", left)
	}
	return r.desk.Say(event.Info, words)
}

// singular is one of a kind of things that moves in.
func singular(kind string) string {
	if one, ok := strings.CutSuffix(kind, "ies"); ok {
		return one + "y"
	}
	return strings.TrimSuffix(kind, "s")
}

// openMoveReport shows the report of the last move.
func (r *Room) openMoveReport() tea.Cmd {
	return desk.Get(r.desk, r.desk.Engine().MoveIn.Moves, func(list []storage.MoveIn) tea.Cmd {
		if len(list) == 0 {
			return r.desk.Say(event.Info, "nothing has moved in yet")
		}
		m, lk := list[0], r.desk.Look()
		r.desk.Open(&widget.Reader{Title: "Moved in from " + safetext.Line(filepath.Base(m.Path)), Lines: func(w int) []string {
			var out []string
			if m.Ended.IsZero() {
				out = append(widget.PlainLines("It is not over yet. Where it was cancelled, moving in again continues it.")(w), "")
			}
			out = append(out, kindLines(lk, m.Kinds, "new", w)...)
			out = append(out, moveLines(lk, "Left out", m.Left, m.More, w)...)
			return append(out, moveLines(lk, "Remarks", m.Remarks, 0, w)...)
		}})
		return nil
	})
}
