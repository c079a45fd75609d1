package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// leader is a box of all systems, each with a letter; a system's box has its actions, each with a
// letter. Both are built from the table of actions, so the leader has everything that the palette
// offers.
type leader struct {
	widget.Base
	a      *app
	system keys.System // the system whose actions are shown, "" for all systems
	at     int
	top    int
	area   uv.Rectangle // of the rows in the last frame
	cols   int
	clicks widget.Clicks
}

func (a *app) openLeader() tea.Cmd {
	a.dialogs.Open(&leader{a: a})
	return a.count()
}

// leaderRow is a line of the box.
type leaderRow struct {
	letter, words, brief, more string
	off                        string
	system                     keys.System
	act                        keys.Binding
}

// rows returns the rows of the box.
func (l *leader) rows() (out []leaderRow) {
	for _, s := range keys.Systems() {
		if l.system == "" {
			out = append(out, leaderRow{letter: s.Letter(), words: s.Description(), brief: string(s),
				more: l.a.countsOf(s), system: s})
		}
	}
	for _, b := range l.a.keys.Bindings() {
		if b.Offered() && b.System == l.system &&
			(b.Pane == "" || b.Pane == nameOf(l.a.pane) && l.a.paneAction(b.Action) != nil) {
			out = append(out, leaderRow{letter: b.Letter, words: b.Description(), brief: b.Description(),
				more: l.a.counts[b.Action], off: l.a.whyNot(b.Action), act: b})
		}
	}
	return out
}

// countsOf returns the counts of a system's actions.
func (a *app) countsOf(s keys.System) string {
	var parts []string
	for _, b := range a.keys.Bindings() {
		if words := a.counts[b.Action]; words != "" && b.System == s {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, draw.Separator)
}

// Handle implements widget.Dialog.
func (l *leader) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			l.move(-1)
		} else {
			l.move(1)
		}
	case tea.MouseClickMsg:
		if i, ok := l.rowAt(m.X, m.Y); ok {
			l.at = i
			if l.clicks.IsDouble(m) {
				return l.choose(i)
			}
		}
	case tea.KeyPressMsg:
		name := widget.KeyName(m)
		for i, r := range l.rows() {
			if r.letter == name {
				return l.choose(i)
			}
		}
	}
	return nil, false
}

// Actions implements widget.Dialog.
func (l *leader) Actions() []keys.Action {
	inSystem := func() bool { return l.system != "" }
	back := keys.Does(func() { l.show("") })
	choosing := widget.Choosing(l.move, func() int { return max(1, l.area.Dy()*l.cols) })
	column := func(name keys.Name, step int) keys.Action {
		return keys.Action{Name: name, Do: keys.Does(func() { l.move(step * l.area.Dy()) })}
	}
	return slices.Concat([]keys.Action{
		{Name: keys.DialogClose, Hint: "back", Visible: inSystem, Do: back},
		{Name: keys.LeaderHere, Hint: "all commands", Do: l.all}, {Name: keys.Leader, Text: "all commands", Do: l.all},
		{Name: keys.Palette, Text: "all commands", Do: l.all},
		l.Closing()}, choosing, []keys.Action{column(keys.DialogLeft, -1), column(keys.DialogRight, 1),
		{Name: keys.DialogEnter, Text: "choose", Do: func() tea.Cmd {
			cmd, done := l.choose(l.at)
			if done {
				l.Close()
			}
			return cmd
		}}})
}

// Typing implements widget.Dialog: letters choose.
func (*leader) Typing() bool { return true }

// all opens the palette in place of the leader.
func (l *leader) all() tea.Cmd {
	l.Close()
	return l.a.openPalette()
}

// show goes to the box of a system, or back to all of them.
func (l *leader) show(s keys.System) {
	was := l.system
	l.system, l.at, l.top = s, 0, 0
	for i, r := range l.rows() {
		if s == "" && r.system == was {
			l.at = i
		}
	}
}

func (l *leader) move(n int) { l.at = max(0, min(l.at+n, len(l.rows())-1)) }

// choose opens the box of a system, or runs an action. An action that is not available shows its
// reason and keeps the box open. It reports whether the box is done.
func (l *leader) choose(i int) (tea.Cmd, bool) {
	list := l.rows()
	if i < 0 || i >= len(list) {
		return nil, false
	}
	r := list[i]
	switch {
	case r.system != "":
		l.show(r.system)
		return nil, false
	case r.off != "":
		l.at = i
		return l.a.Say(event.Info, r.off), false
	}
	return l.a.runNamed(r.act), true
}

// rowAt returns the clicked row.
func (l *leader) rowAt(x, y int) (i int, ok bool) {
	if l.cols == 0 || l.area.Empty() || !(uv.Pos(x, y).In(l.area)) {
		return 0, false
	}
	i = l.top + (x-l.area.Min.X)/max(1, l.area.Dx()/l.cols)*l.area.Dy() + y - l.area.Min.Y
	return i, i < len(l.rows())
}

// Draw implements widget.Dialog.
func (l *leader) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	list := l.rows()
	least := 36 // cells of a column
	title := "What would you like to do?"
	if l.system == "" {
		least = 17
	} else {
		title = l.system.Description()
	}
	w := min(screen.Dx(), 96)
	high := max(1, screen.Dy()-4)
	l.cols = max(1, min((len(list)+high-1)/high, (w-4)/least))
	if l.system == "" && screen.Dy() > len(list)+6 {
		w = min(w, 72)
	}
	n := (len(list) + l.cols - 1) / l.cols
	area := draw.Centred(screen, w, min(n+4, screen.Dy()))
	area = area.Add(uv.Pos(0, max(0, screen.Max.Y-1-area.Max.Y))) // above the status line
	in := draw.Frame(buf, area, sty, title, l.Hints())
	say := 0
	if in.Dy() > 3 {
		say = min(2, in.Dy()-n)
		if say < 1 {
			say = 1
		}
	}
	l.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), max(1, in.Dy()-say))
	page := l.area.Dy() * l.cols
	l.at = max(0, min(l.at, len(list)-1))
	if l.top = max(0, min(l.top, l.at)); l.at >= l.top+page {
		l.top = l.at - page + 1
	}
	l.top = max(0, min(l.top, len(list)-page))
	cw := l.area.Dx() / l.cols
	for i := l.top; i < len(list) && i < l.top+page; i++ {
		x, y := l.area.Min.X+(i-l.top)/l.area.Dy()*cw, l.area.Min.Y+(i-l.top)%l.area.Dy()
		l.row(buf, uv.Rect(x, y, cw-1, 1), list[i], i == l.at, sty)
	}
	if say > 0 && len(list) > 0 {
		l.drawDetail(buf, uv.Rect(in.Min.X, in.Max.Y-say, in.Dx(), say), list, sty)
	}
	return nil
}

func (l *leader) row(buf uv.ScreenBuffer, area uv.Rectangle, r leaderRow, chosen bool, sty *draw.Styles) {
	key, base, dim := sty.Key, sty.Base, sty.Dim
	if r.off != "" {
		key, base, dim, r.more = sty.Faint, sty.Faint, sty.Faint, "not now"
	}
	if chosen {
		key, base, dim = sty.Selected, sty.Selected, sty.SelectedDim
		draw.Fill(buf, area, base)
	}
	x, y, end := area.Min.X, area.Min.Y, area.Max.X
	x += draw.Put(buf, x, y, 2, key, r.letter) + 1
	words := r.words
	if ansi.StringWidth(words)+len(r.more)+2 > end-x {
		words = r.brief
	}
	x += draw.Put(buf, x, y, end-x, base, words) + 2
	if more := safetext.Line(r.more); more != "" && end-x > 3 {
		draw.Put(buf, x, y, end-x, dim, ansi.Truncate(more, end-x, "…"))
	}
}

// drawDetail draws details of the chosen row: why it is not available, a hint that more rows
// follow, or the command that does the same.
func (l *leader) drawDetail(buf uv.ScreenBuffer, area uv.Rectangle, list []leaderRow, sty *draw.Styles) {
	r := list[l.at]
	switch {
	case r.off != "":
		draw.PutWrapped(buf, area, sty.Warning, "not now: "+r.off)
	case l.top+l.area.Dy()*l.cols < len(list):
		draw.Put(buf, area.Min.X, area.Max.Y-1, area.Dx(), sty.Dim, "↓ more")
	case r.system == "" && r.act.Command != "":
		draw.Put(buf, area.Min.X, area.Max.Y-1, area.Dx(), sty.Dim, "$ "+l.a.commandOf(r.act))
	}
}
