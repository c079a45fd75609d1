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
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// isFolder reports whether a dropped path is a folder or a backup to move in.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || strings.EqualFold(filepath.Ext(path), ".zip"))
}

// AskMoveIn asks for the folder or the backup to move in.
func (r *Part) AskMoveIn() tea.Cmd {
	f := widget.Form{Title: "Import a data folder",
		Notes: []string{"The SillyTavern data folder, or a zip backup of it. You see a preview first. " +
			"You can also drop the folder into the terminal."},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Path", "", "~/SillyTavern/data")}, Verb: "preview"}
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.Trim(strings.TrimSpace(f.Fields[0].Value()), `'"`))
		if path == "" {
			return nil, errors.New("enter the path of a folder or backup")
		}
		return func() (func() tea.Cmd, error) {
			plan, err := r.host.Engine().MoveIn.Preview(r.host.Context(), path, nil)
			return func() tea.Cmd { return r.showPlan(plan) }, err
		}, nil
	})
	k.BusyWords = "scanning …"
	r.host.Open(k)
	return nil
}

// moveIn reads a folder and shows the plan of the move.
func (r *Part) moveIn(path string) tea.Cmd {
	return tea.Batch(r.host.Say(event.Info, "scanning "+safetext.Line(filepath.Base(path))+" …"),
		r.host.Do(func() func() tea.Cmd {
			plan, err := r.host.Engine().MoveIn.Preview(r.host.Context(), path, nil)
			return func() tea.Cmd {
				if err != nil {
					return pane.Explain(r.host, "Nothing to import", err)
				}
				return r.showPlan(plan)
			}
		}))
}

// movePlan is the dialog that shows the plan of a move and begins it.
type movePlan struct {
	widget.Reader
	part  *Part
	plan  movein.Plan
	newer bool
}

func (r *Part) showPlan(plan movein.Plan) tea.Cmd {
	p := &movePlan{part: r, plan: plan}
	p.Title = "Import " + safetext.Line(filepath.Base(plan.Path))
	p.Lines = p.lines
	r.host.Open(p)
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
		{Name: keys.DialogEnter, Hint: "import", Visible: p.hasWork, Do: func() tea.Cmd {
			p.Close()
			return p.part.beginMove(p.plan.Path, p.newer)
		}},
		{Name: keys.PaneOnOff, Text: "include newer versions, or skip them", Label: newer,
			Visible: func() bool { return p.plan.Newer() > 0 },
			Do:      keys.Does(func() { p.newer = !p.newer; p.Relayout() })},
	}, p.Reader.Actions()...)
}

// hasWork reports whether the move would change anything.
func (p *movePlan) hasWork() bool { return p.plan.New() > 0 || p.newer && p.plan.Newer() > 0 }

func (p *movePlan) lines(w int, sty *draw.Styles) []string {
	words := fmt.Sprintf("%d new items will be imported. Nothing in the folder is changed.", p.plan.New())
	switch n := p.plan.Newer(); {
	case p.plan.New() == 0 && n == 0:
		words = "There is nothing new to import."
	case n > 0 && p.newer:
		words += fmt.Sprintf(" %d newer versions are imported too; your changes here are kept.", n)
	case n > 0:
		words += fmt.Sprintf(" %d are newer in the folder, but the versions here are kept.", n)
	}
	out := widget.PlainLines(words)(w, sty)
	out = append(out, "")
	out = append(out, kindLines(sty, p.plan.Kinds, "new", w)...)
	return append(out, moveLines(sty, "Skipped", p.plan.Left, p.plan.More, w)...)
}

// kindLines returns the counts of a move as a table; a narrow one leaves out the newer files.
func kindLines(sty *draw.Styles, kinds []storage.MoveCount, done string, w int) []string {
	cell := 7
	if w < 50 {
		cell = 6
	}
	name := max(0, min(20, w-4*cell))
	row := func(title string, cells ...string) string {
		title = draw.Clip(title, name)
		line := title + strings.Repeat(" ", max(0, name-len(title)))
		for i, c := range cells {
			if i != 3 || w >= name+5*cell {
				line += fmt.Sprintf("%*s", cell, c)
			}
		}
		return line
	}
	out := []string{sty.Dim.Styled(row("", "found", done, "here", "newer", "left"))}
	for _, k := range kinds {
		if k.Found > 0 {
			out = append(out, row(k.Kind, fmt.Sprint(k.Found), fmt.Sprint(k.New), fmt.Sprint(k.Here),
				fmt.Sprint(k.Newer), fmt.Sprint(k.Left)))
		}
	}
	return out
}

// maxShownLines is the maximum number of lines shown of a report; the command prints all.
const maxShownLines = 500

func moveLines(sty *draw.Styles, title string, lines []storage.MoveRemark, more, w int) []string {
	if len(lines) == 0 {
		return nil
	}
	out := []string{"", sty.Strong.Styled(title)}
	told := movein.ReportLines(lines)
	for _, l := range told[:min(len(told), maxShownLines)] {
		out = append(out, widget.PlainLines(safetext.Line(l))(w, sty)...)
	}
	if n := max(0, len(told)-maxShownLines) + more; n > 0 {
		out = append(out, fmt.Sprintf("and %d more: ghostlight move-in --report", n))
	}
	return out
}

func (r *Part) beginMove(path string, newer bool) tea.Cmd {
	words := "importing"
	if way := pane.PathTo(r.host, keys.PaneQueue); way != "" {
		words += "; " + way + " shows the progress"
	}
	return pane.Queue(r.host, words, func() (storage.OperationID, error) {
		return r.host.Engine().MoveIn.Begin(path, newer)
	})
}

// moveEnded reports the result of a move.
func (r *Part) moveEnded(m storage.MoveIn) tea.Cmd {
	var parts []string
	left := m.More
	for _, k := range m.Kinds {
		if k.New > 0 {
			parts = append(parts, draw.Counted(k.New, singular(k.Kind), k.Kind))
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
	return r.host.Say(event.Info, words)
}

// singular returns the singular of a kind.
func singular(kind string) string {
	if one, ok := strings.CutSuffix(kind, "ies"); ok {
		return one + "y"
	}
	return strings.TrimSuffix(kind, "s")
}

// openMoveReport shows the report of the last move.
func (r *Part) openMoveReport() tea.Cmd {
	return pane.Get(r.host, r.host.Engine().MoveIn.Moves, func(list []storage.MoveIn) tea.Cmd {
		if len(list) == 0 {
			return r.host.Say(event.Info, "no folder has been imported yet")
		}
		m := list[0]
		r.host.Open(&widget.Reader{Title: "Imported from " +
			safetext.Line(filepath.Base(m.Path)), Lines: func(w int, sty *draw.Styles) []string {
			var out []string
			if m.Ended.IsZero() {
				out = append(widget.PlainLines(
					"Not finished yet. If it was cancelled, importing the folder again continues it.")(w, sty), "")
			}
			out = append(out, kindLines(sty, m.Kinds, "new", w)...)
			out = append(out, moveLines(sty, "Skipped", m.Left, m.More, w)...)
			return append(out, moveLines(sty, "Notes", m.Remarks, 0, w)...)
		}})
		return nil
	})
}
