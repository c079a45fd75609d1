package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/library/movein"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
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
	f := widget.Form{Title: "Import a data folder", Notes: []string{"The SillyTavern data folder, or a zip backup of it. You see a preview first. " +
		"You can also drop the folder into the terminal."},
		Fields: []*widget.Field{widget.LineField(r.desk.Look(), "Path", "", "~/SillyTavern/data")}, Verb: "preview"}
	k := desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.Trim(strings.TrimSpace(f.Fields[0].Value()), `'"`))
		if path == "" {
			return nil, errors.New("enter the path of a folder or backup")
		}
		return func() (func() tea.Cmd, error) {
			plan, err := r.desk.Engine().MoveIn.Look(r.desk.Context(), path, nil)
			return func() tea.Cmd { return r.showPlan(plan) }, err
		}, nil
	})
	k.BusyWords = "scanning …"
	r.desk.Open(k)
	return nil
}

// moveIn looks through a folder and shows what moving it in would do.
func (r *Room) moveIn(path string) tea.Cmd {
	return tea.Batch(r.desk.Say(event.Info, "scanning "+safetext.Line(filepath.Base(path))+" …"), r.desk.Do(func() func() tea.Cmd {
		plan, err := r.desk.Engine().MoveIn.Look(r.desk.Context(), path, nil)
		return func() tea.Cmd {
			if err != nil {
				return desk.Explain(r.desk, "Nothing to import", err)
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
	p.Title = "Import " + safetext.Line(filepath.Base(plan.Path))
	p.Lines = p.lines
	r.desk.Open(p)
	return nil
}

// Actions implements widget.Dialog.
func (p *movePlan) Actions() []keys.Action {
	newer := func() string {
		if p.newer {
			return "skip newer"
		}
		return "include newer"
	}
	return append([]keys.Action{
		{Name: keys.DialogEnter, Hint: "import", Here: p.useful, Do: func() tea.Cmd {
			p.Close()
			return p.room.beginMove(p.plan.Path, p.newer)
		}},
		{Name: keys.PaneOnOff, Words: "include newer versions, or skip them", Label: newer,
			Here: func() bool { return p.plan.Newer() > 0 }, Do: keys.Does(func() { p.newer = !p.newer; p.Renew() })},
	}, p.Reader.Actions()...)
}

// useful reports whether there is anything to be done.
func (p *movePlan) useful() bool { return p.plan.New() > 0 || p.newer && p.plan.Newer() > 0 }

func (p *movePlan) lines(w int, lk *look.Look) []string {
	words := fmt.Sprintf("%d new items will be imported. Nothing in the folder is changed.", p.plan.New())
	switch n := p.plan.Newer(); {
	case p.plan.New() == 0 && n == 0:
		words = "There is nothing new to import."
	case n > 0 && p.newer:
		words += fmt.Sprintf(" %d newer versions are imported too; your changes here are kept.", n)
	case n > 0:
		words += fmt.Sprintf(" %d are newer in the folder, but the versions here are kept.", n)
	}
	out := widget.PlainLines(words)(w, lk)
	out = append(out, "")
	out = append(out, kindLines(lk, p.plan.Kinds, "new", w)...)
	return append(out, moveLines(lk, "Skipped", p.plan.Left, p.plan.More, w)...)
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
		out = append(out, widget.PlainLines(safetext.Line(l))(w, lk)...)
	}
	if n := max(0, len(told)-mostShown) + more; n > 0 {
		out = append(out, fmt.Sprintf("and %d more: ghostlight move-in --report", n))
	}
	return out
}

func (r *Room) beginMove(path string, newer bool) tea.Cmd {
	words := "importing"
	if way := desk.WayTo(r.desk, keys.PaneQueue); way != "" {
		words += "; " + way + " shows the progress"
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
	words := "nothing new imported"
	if len(parts) > 0 {
		words = "imported: " + strings.Join(parts, ", ")
	}
	if left > 0 {
		words += fmt.Sprintf("; %d skipped, see the import report", left)
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
			return r.desk.Say(event.Info, "no folder has been imported yet")
		}
		m := list[0]
		r.desk.Open(&widget.Reader{Title: "Imported from " + safetext.Line(filepath.Base(m.Path)), Lines: func(w int, lk *look.Look) []string {
			var out []string
			if m.Ended.IsZero() {
				out = append(widget.PlainLines("Not finished yet. If it was cancelled, importing the folder again continues it.")(w, lk), "")
			}
			out = append(out, kindLines(lk, m.Kinds, "new", w)...)
			out = append(out, moveLines(lk, "Skipped", m.Left, m.More, w)...)
			return append(out, moveLines(lk, "Notes", m.Remarks, 0, w)...)
		}})
		return nil
	})
}
