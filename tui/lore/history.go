package lore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// historyDialog is a dialog over the states of an entry, newest first, and what
// each changed in the one before it.
type historyDialog struct {
	widget.Base
	widget.List
	d     desk.Desk
	room  *Room
	p     *entriesView
	k     entryKey
	name  string
	state []lore.State
	reads widget.Latest
	whole bool // the content as it was, instead of what changed
	sheet widget.Sheet
	area  uv.Rectangle // of the list

	lines []string
	of    historyView // that lines show
}

// historyView names what is laid out.
type historyView struct {
	rev   storage.RevisionID
	w     int
	gen   int
	whole bool
}

func (r *Room) openHistory(p *entriesView, k entryKey) tea.Cmd {
	h := &historyDialog{d: r.desk, room: r, p: p, k: k}
	return h.load(func() tea.Cmd {
		if len(h.state) == 0 {
			return r.desk.Say(event.Info, "this entry has no history")
		}
		r.desk.Open(h)
		return nil
	})
}

// load reads the states, then does what is asked.
func (h *historyDialog) load(then func() tea.Cmd) tea.Cmd {
	chat, newest := h.p.chat, h.reads.Begin()
	return h.d.Do(func() func() tea.Cmd {
		v, err := h.d.Engine().Lore.Entry(h.k.book, h.k.entry, chat)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if err != nil {
				h.d.Close(h)
				return h.d.Fail(err)
			}
			h.take(v)
			if then == nil {
				return nil
			}
			return then()
		}
	})
}

func (h *historyDialog) refresh() tea.Cmd { return h.load(nil) }

// take shows the states of an entry; a chosen one stays chosen.
func (h *historyDialog) take(v lore.EntryView) {
	was := storage.RevisionID("")
	if h.At < len(h.state) && h.At > 0 {
		was = h.state[h.At].Revision
	}
	h.name, h.state, h.of = entryName(&v.Row), nil, historyView{}
	for i := len(v.History) - 1; i >= 0; i-- {
		if v.History[i].Revision == was {
			h.At = len(h.state)
		}
		h.state = append(h.state, v.History[i])
	}
	if was == "" {
		h.At = 0
	}
}

// causeWords says who made a state.
func causeWords(s lore.State) string {
	words := string(s.Cause.Origin)
	switch s.Cause.Origin {
	case storage.LoreByUser:
		words = "you"
	case storage.LoreByScene:
		if words = look.Within(s.Scene, 60); words == "" {
			words = "a scene"
		}
	case storage.LoreByUndo:
		words = "undoing"
	case storage.LoreByTakeBack:
		words = "undo of a scene"
	}
	if s.Cause.Model != "" {
		words += " (" + look.Within(s.Cause.Model, 30) + ")"
	}
	return words
}

// Actions implements widget.Dialog.
func (h *historyDialog) Actions() []keys.Action {
	other := func() string {
		if h.whole {
			return "diff"
		}
		return "full text"
	}
	move := func(n int) { h.choose(h.At + n) }
	rows := widget.Choosing(move, nil)[:2] // pages are those of the text
	rows[0].Hint = "version"
	return slices.Concat(rows, []keys.Action{
		{Name: keys.PaneDiff, Label: other, Do: keys.Does(func() { h.whole, h.sheet.Top = !h.whole, 0 })},
		{Name: keys.DialogEnter, Hint: "restore", Do: h.restore},
		{Name: keys.PaneUndo, Hint: "undo the newest", Do: h.undo},
		h.Closing(),
	}, widget.Ends(move), h.sheet.Scrolling())
}

// Handle implements widget.Dialog.
func (h *historyDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		h.sheet.Handle(msg)
	case tea.MouseClickMsg:
		if i := h.Top + m.Y - h.area.Min.Y; m.Y >= h.area.Min.Y && m.Y < h.area.Max.Y && i < len(h.state) {
			h.choose(i)
		}
	}
	return nil, false
}

func (h *historyDialog) choose(i int) {
	h.At, h.sheet.Top = max(0, min(i, len(h.state)-1)), 0
}

// restore asks before the chosen state becomes the present one again.
func (h *historyDialog) restore() tea.Cmd {
	if h.At >= len(h.state) {
		return nil
	}
	s := h.state[h.At]
	if s.Current {
		return h.d.Say(event.Info, "this is the current version")
	}
	chat, k, p, back := h.p.chat, h.k, h.p, h.back()
	h.d.Open(&widget.Confirm{Title: "Restore", Text: fmt.Sprintf("Restore “%s” as of %s, by %s? The current version stays in the history.", h.name, look.AgoWords(s.UpdatedAt), causeWords(s)), Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "restore", Do: func() tea.Cmd {
			return p.Change("“"+h.name+"” restored", func() error { return h.d.Engine().Lore.Restore(k.book, chat, k.entry, s.Revision) }, back)
		}}}})
	return nil
}

// undo takes the newest change of the entry back.
func (h *historyDialog) undo() tea.Cmd {
	eng, chat, k, back := h.d.Engine(), h.p.chat, h.k, h.back()
	return h.p.Change("“"+h.name+"” set back by one version", func() error {
		_, err := eng.Lore.Undo(k.book, chat, k.entry)
		return err
	}, back)
}

// back brings the present state of the entry back, from any other.
func (h *historyDialog) back() func() error {
	chat, k, eng := h.p.chat, h.k, h.d.Engine()
	for _, s := range h.state {
		if s.Current {
			now := s.Revision
			return func() error { return eng.Lore.Restore(k.book, chat, k.entry, now) }
		}
	}
	return nil
}

// Draw implements widget.Dialog.
func (h *historyDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	lines := h.laid(max(1, w-5), lk)
	rows := min(len(h.state), max(2, screen.Dy()/3))
	in := look.Frame(buf, look.Centred(screen, w, rows+1+len(lines)+2), lk, "History of "+h.name, h.Hints())
	if in.Dy() < 3 {
		return nil
	}
	h.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), min(rows, in.Dy()-2))
	from, to := h.View(len(h.state), 1, h.area.Dy())
	for i := from; i < to; i++ {
		h.row(buf, in.Min.X, in.Min.Y+i-from, in.Dx(), i, lk)
	}
	look.Scrollbar(buf, uv.Rect(in.Max.X, in.Min.Y, 1, h.area.Dy()), from, len(h.state), lk)
	look.Put(buf, in.Min.X, h.area.Max.Y, in.Dx(), lk.Border, strings.Repeat("─", in.Dx()))
	h.sheet.Draw(buf, uv.Rect(in.Min.X, h.area.Max.Y+1, in.Dx(), in.Max.Y-h.area.Max.Y-1), lines, lk)
	return nil
}

// row is a state: its number, who made it and when, and where it holds.
func (h *historyDialog) row(buf uv.ScreenBuffer, x, y, w, i int, lk *look.Look) {
	s := h.state[i]
	st, dim := lk.Base, lk.Dim
	if !s.OnPath && !s.Current {
		st = lk.Dim
	}
	if i == h.At {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), st)
	}
	room := look.PutRight(buf, x, y, w, dim, look.Ago(time.Now(), s.UpdatedAt)) - x - 1
	mark := "  "
	if s.Current {
		mark = "● "
	}
	words := fmt.Sprintf("%s%d  %s", mark, len(h.state)-i, causeWords(s))
	if s.Removed {
		words += look.Separator + "deleted"
	}
	n := look.Put(buf, x, y, room, st, words)
	if !s.OnPath && !s.Current && room-n > 10 {
		look.Put(buf, x+n+2, y, room-n-2, dim, "on another branch")
	}
}

// laid are the lines about the chosen state, laid out once until something
// changes.
func (h *historyDialog) laid(w int, lk *look.Look) []string {
	if h.At >= len(h.state) {
		return nil
	}
	s := h.state[h.At]
	if of := (historyView{s.Revision, w, lk.Gen, h.whole}); h.of != of {
		t := look.Lines{Width: w}
		if h.whole {
			t.Add(lk.Base, look.UpTo(s.Content, look.LongestRead))
		} else {
			h.difference(&t, s, lk)
		}
		h.lines, h.of = t.Text, of
	}
	return h.lines
}

// difference is what a state changed in the one before it.
func (h *historyDialog) difference(t *look.Lines, s lore.State, lk *look.Look) {
	before, first := storage.NewLoreEntry(), true
	for _, o := range h.state {
		if o.Revision == s.Before {
			before, first = o.LoreEntry, false
		}
	}
	for _, l := range differing(&s.LoreEntry, &before, "Content") {
		was := ""
		for _, o := range differing(&before, &s.LoreEntry, "Content") {
			if o.label == l.label {
				was = o.text
			}
		}
		words := look.Within(l.text, 200)
		if words == "" {
			words = "nothing"
		}
		if was = look.Within(was, 200); !first && was != "" {
			words = was + " → " + words
		}
		t.Hang(lk.Dim.Styled(fmt.Sprintf("%-*s", desk.LabelWidth, l.label)), lk.Base, words)
	}
	if s.Removed != before.Removed && s.Removed {
		t.Add(lk.Failure, "The entry was deleted.")
	}
	defer leftOut(t, s.Cause, lk)
	same := s.Content == before.Content
	if same && len(t.Text) == 0 {
		t.Add(lk.Dim, "No visible changes.")
	}
	if same {
		return
	}
	if len(t.Text) > 0 {
		t.Blank()
	}
	for _, d := range contentDiff(before.Content, s.Content) {
		mark, st := "  ", lk.Dim
		switch d.Op {
		case '+':
			mark, st = "+ ", lk.Success
		case '-':
			mark, st = "− ", lk.Failure
		}
		t.Hang(st.Styled(mark), st, d.Text)
	}
}

// leftOut says which facts a change left out and why, and which the model would have.
func leftOut(t *look.Lines, c storage.LoreCause, lk *look.Look) {
	head := func(i int, words string) {
		if i == 0 {
			t.Blank()
			t.Add(look.Heading(lk), words)
		}
	}
	for i, d := range c.Dropped[:min(len(c.Dropped), mostHunks)] {
		head(i, "Left out of this version")
		t.Hang("• ", lk.Base, look.Within(d.Fact, 400)+" ("+look.Within(d.Why, 200)+")")
	}
	for i, f := range c.Carried[:min(len(c.Carried), mostHunks)] {
		head(i, "Missed by the model, kept word for word")
		t.Hang("• ", lk.Base, look.Within(f, 400))
	}
}

// contentDiff compares two contents fact by fact.
func contentDiff(before, after string) []scene.DiffLine {
	return scene.Diff(factLines(before), factLines(after))
}

func factLines(content string) string {
	facts := plist.Facts(look.UpTo(content, look.LongestRead))
	for i, f := range facts {
		facts[i] = strings.Join(strings.Fields(f), " ")
	}
	if typ, name, ok := plist.Head(content); ok {
		facts = append([]string{typ + "-" + name}, facts...)
	}
	return strings.Join(facts, "\n")
}
