package lore

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// testBox is a dialog that takes a text and shows the entries that it would trigger: in one book,
// or in those of the open chat.
type testBox struct {
	widget.Base
	activationList
	room   *Part
	chat   storage.ChatID
	books  []lore.Book // that can be chosen
	book   storage.LorebookID
	in     *widget.Input
	inRows bool // the rows have the focus
	near   []lore.NearMiss
	text   string // that was tested
	tried  storage.LorebookID
	tries  widget.Latest
	armed  bool
	busy   bool
	reads  widget.Latest // of the books
	save   bool          // the text is saved as a case once it was tested
	cancel context.CancelFunc
	area   uv.Rectangle // of the rows in the last frame
}

const (
	afterTyping = 120 * time.Millisecond // pause in typing before the text is tested
	testBeside  = 96                     // columns from which the rows are beside the text
)

// openTest asks for a text and shows the entries that it would trigger: in one book, or in those of
// the open chat if book is "".
func openTest(r *Part, book storage.LorebookID) tea.Cmd {
	t := &testBox{room: r, chat: r.host.Play().Chat().Chat.ID, book: book, in: widget.NewInput(false)}
	t.begin(r.host)
	t.Above = func(w, h int) []string {
		if h < 5 {
			return nil
		}
		return t.budget(w)
	}
	t.Empty = func() string {
		if t.busy {
			return "…"
		}
		return "No entries triggered."
	}
	t.in.SetStyles(r.host.Styles())
	t.in.Area.Placeholder = "Type or paste a text"
	t.in.Set(r.news.tried)
	t.in.Focus()
	r.host.Open(t)
	return tea.Batch(t.readBooks(), t.try())
}

// readBooks reads the books to choose from.
func (t *testBox) readBooks() tea.Cmd {
	chat := t.chat
	newest := t.reads.Begin()
	return t.Host.Do(func() func() tea.Cmd {
		books, err := t.Host.Engine().Lore.Books(chat)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if err != nil {
				t.Fault = err
				return nil
			}
			t.books = books
			if t.book == "" && chat == "" && len(books) > 0 {
				t.book = books[0].ID
				return t.try()
			}
			return nil
		}
	})
}

// refresh tests the text again after a change.
func (t *testBox) refresh() tea.Cmd { return tea.Batch(t.readBooks(), t.try()) }

// try tests the text.
func (t *testBox) try() tea.Cmd {
	if t.cancel != nil {
		t.cancel()
		t.cancel = nil
	}
	newest := t.tries.Begin()
	chat, book, text := t.chat, t.book, t.in.Value()
	t.text, t.tried, t.busy = text, book, true
	t.room.news.tried = text
	if draw.Blank(text) || chat == "" && book == "" {
		t.busy, t.near = false, nil
		t.setActivation(lore.Activation{})
		return nil
	}
	ctx, cancel := context.WithCancel(t.Host.Context())
	t.cancel = cancel
	return t.Host.Do(func() func() tea.Cmd {
		defer cancel()
		act, err := t.Host.Engine().Lore.Test(ctx, chat, book, text)
		var near []lore.NearMiss
		if err == nil {
			near, err = t.Host.Engine().Lore.NearMisses(ctx, chat, book, text)
		}
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if t.busy, t.Fault = false, err; err == nil {
				t.setActivation(act)
				t.near = near
			}
			if t.save {
				t.save = false
				return t.saveCase()
			}
			return nil
		}
	})
}

// edited tests the text after a pause in typing.
func (t *testBox) edited() tea.Cmd {
	if t.armed || t.in.Value() == t.text && t.book == t.tried {
		return nil
	}
	t.armed = true
	return tea.Tick(afterTyping, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			t.armed = false
			if t.in.Value() == t.text && t.book == t.tried {
				return nil
			}
			return t.try()
		})
	})
}

// Actions implements widget.Dialog. Those of the rows are there while the keys go to these.
func (t *testBox) Actions() []keys.Action {
	other := func() string {
		if t.inRows {
			return "text"
		}
		return "rows"
	}
	change := keys.Does(func() { t.inRows = !t.inRows; t.refocus() })
	list := []keys.Action{
		{Name: keys.DialogNext, Label: other, Do: change},
		{Name: keys.DialogEnter, Hint: "why", Visible: t.onTrace, Do: keys.Does(func() {
			t.room.openTrace(*t.Item().trace, t.does, inAText, t.Close)
		})},
		{Name: keys.DialogBrowse, Hint: "book", Text: "next lorebook",
			Do: func() tea.Cmd { t.nextBook(); return t.try() }},
		{Name: keys.DialogSave, Hint: "save as test case", Do: t.saveCase},
		{Name: keys.DialogAgain, Hint: "run test cases", Do: func() tea.Cmd { return t.room.openCases(t, t.book) }},
		t.Closing(),
		{Name: keys.DialogPrevious, Text: "rows or text", Do: change},
	}
	choosing := append(widget.Choosing(t.Move, func() int { return t.Page }), widget.Ends(t.Move)...)
	return append(list, keys.When(func() bool { return t.inRows }, choosing...)...)
}

// onTrace reports whether the keys go to the rows, and the chosen one can be explained.
func (t *testBox) onTrace() bool {
	r := t.Item()
	return t.inRows && r != nil && r.trace != nil
}

// Typing implements widget.Dialog.
func (t *testBox) Typing() bool { return !t.inRows }

// Handle implements widget.Dialog.
func (t *testBox) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			t.Move(-1)
		} else {
			t.Move(1)
		}
	case tea.MouseClickMsg:
		t.inRows = m.X >= t.area.Min.X && m.Y >= t.area.Min.Y
		if t.inRows {
			t.Click(m.X, m.Y)
		}
		t.refocus()
	case tea.PasteMsg:
		t.inRows = false
		t.refocus()
		return tea.Batch(t.in.Update(msg), t.edited()), false
	case tea.KeyPressMsg:
		if !t.inRows {
			return tea.Batch(t.in.Update(m), t.edited()), false
		}
	}
	return nil, false
}

func (t *testBox) refocus() {
	if t.inRows {
		t.in.Blur()
	} else {
		t.in.Focus()
	}
}

// nextBook selects the next book; the choice of all books comes before the first one.
func (t *testBox) nextBook() {
	if len(t.books) == 0 {
		return
	}
	at := -1
	for i := range t.books {
		if t.books[i].ID == t.book {
			at = i
		}
	}
	at++
	switch {
	case at < len(t.books):
		t.book = t.books[at].ID
	case t.chat != "":
		t.book = ""
	default:
		t.book = t.books[0].ID
	}
}

// bookName returns the name of the tested book, or words for all of them.
func (t *testBox) bookName() string {
	for i := range t.books {
		if t.books[i].ID == t.book && t.book != "" {
			return draw.Truncate(t.books[i].Name, 60)
		}
	}
	if t.book == "" {
		return "all lorebooks of this chat"
	}
	return "one lorebook"
}

// Draw implements widget.Dialog.
func (t *testBox) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	area := draw.Centred(screen, 160, screen.Dy())
	if area.Dy() >= 12 {
		area.Max.Y-- // the status line below shows notices
	}
	in := draw.Frame(buf, area, sty, "Trigger test · "+t.bookName(), t.Hints())
	if in.Dy() < 3 {
		return nil
	}
	text, rows := in, in
	if in.Dx() >= testBeside {
		half := in.Dx() / 2
		text.Max.X = in.Min.X + half - 1
		rows.Min.X = in.Min.X + half + 1
		for y := in.Min.Y; y < in.Max.Y; y++ {
			draw.Put(buf, in.Min.X+half-1, y, 1, sty.Border, "│")
		}
	} else {
		t.in.Resize(in.Dx(), t.in.Area.Height())
		h := max(1, min(t.in.Rows(max(1, in.Dy()/2-1)), in.Dy()/2-1))
		text.Max.Y = in.Min.Y + h
		rows.Min.Y = text.Max.Y
		draw.Put(buf, in.Min.X, rows.Min.Y, in.Dx(), sty.Border, dashes(in.Dx()))
		rows.Min.Y++
	}
	cur := t.in.Draw(buf, text)
	t.area = rows
	t.drawRows(buf, rows, sty)
	if t.inRows {
		return nil
	}
	return cur
}

// drawRows shows the entries that the text triggers.
func (t *testBox) drawRows(buf uv.ScreenBuffer, area uv.Rectangle, sty *draw.Styles) {
	if t.Fault != nil {
		draw.PutWrapped(buf, area, sty.Failure, failure.Text(t.Fault))
		return
	}
	if draw.Blank(t.text) {
		words := "As you type, this shows which entries this text triggers."
		if t.chat == "" && len(t.books) == 0 {
			words = "No lorebooks yet."
		}
		draw.PutWrapped(buf, area, sty.Dim, words)
		return
	}
	area.Max.Y -= t.drawNear(buf, area, sty)
	t.activationList.Draw(buf, area, t.inRows)
}

// mostNear is the maximum number of near misses in the box.
const mostNear = 3

// drawNear lists at the bottom the entries that nearly trigger, and why they do not. It returns the
// number of lines.
func (t *testBox) drawNear(buf uv.ScreenBuffer, area uv.Rectangle, sty *draw.Styles) int {
	n := min(len(t.near), mostNear, area.Dy()/3)
	for i, m := range t.near[:n] {
		draw.Put(buf, area.Min.X, area.Max.Y-n+i, area.Dx(), sty.Warning,
			"*"+draw.Truncate(m.Word, 30)+"*: "+m.Why+", so “"+draw.Truncate(m.Name, 30)+"” does not trigger")
	}
	return n
}
