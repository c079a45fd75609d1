package lore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func dashes(n int) string { return strings.Repeat("─", max(0, n)) }

// firedIn are the names of the entries of a book that the text has fired.
func (t *testBox) firedIn(book storage.LorebookID) []string {
	var out []string
	for i := range t.does.Fired {
		if tr := &t.does.Fired[i]; tr.Book == book && tr.Verdict == activation.Fired && !tr.Constant {
			out = append(out, traceName(tr))
		}
	}
	return out
}

// saveCase keeps the text, with the names that it has fired, as a case of a book:
// once it has been tried.
func (t *testBox) saveCase() tea.Cmd {
	switch {
	case look.Blank(t.in.Value()):
		return t.d.Say(event.Info, "enter a text")
	case t.busy:
		t.save = true
		return nil
	case t.in.Value() != t.text || t.book != t.tried:
		t.save = true
		return t.try()
	case t.fault != nil:
		return t.d.Say(event.Info, "the text could not be tested")
	case t.book != "":
		t.openCase(t.book)
		return nil
	}
	var entries []widget.Entry
	for _, b := range t.books {
		fired := t.firedIn(b.ID)
		if !b.On && len(fired) == 0 {
			continue
		}
		entries = append(entries, widget.Entry{Title: b.Name, Detail: strings.Join(fired, ", "), Right: fmt.Sprintf("%d triggered", len(fired)), Value: b.ID})
	}
	if len(entries) == 1 {
		t.openCase(entries[0].Value.(storage.LorebookID))
		return nil
	}
	p := widget.NewPicker(t.d.Look(), "Add the test case to which lorebook?", entries, func(e widget.Entry) tea.Cmd {
		t.openCase(e.Value.(storage.LorebookID))
		return nil
	})
	p.Empty = "no lorebook is enabled in this chat"
	t.d.Open(p)
	return nil
}

// openCase asks how the case is called and what it is to hold.
func (t *testBox) openCase(book storage.LorebookID) {
	text := t.text
	f := widget.Form{Title: "Save as a test case", Notes: []string{"This text must trigger the entries in the first list, one per line, and none of those in the second."},
		Fields: []*widget.Field{
			widget.LineField(t.d.Look(), "Name", look.Within(text, 40), "what the test case checks"),
			widget.TextField(t.d.Look(), "Must trigger", strings.Join(t.firedIn(book), "\n"), 4),
			widget.TextField(t.d.Look(), "Must not trigger", "", 2),
		}}
	t.d.Open(desk.NewKeptForm(t.d, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		c := storage.LoreCase{Name: strings.TrimSpace(f.Fields[0].Value()), Text: text, Fires: namesIn(f.Fields[1].Value()), Not: namesIn(f.Fields[2].Value())}
		switch {
		case c.Name == "":
			return nil, errors.New("enter a name")
		case len(c.Fires)+len(c.Not) == 0:
			return nil, errors.New("enter at least one entry that must or must not trigger")
		}
		return func() (func() tea.Cmd, error) {
			replaced, err := keepCase(t.d.Engine(), book, c)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				words := "test case “" + look.Within(c.Name, 60) + "” saved"
				if replaced {
					words += ", replacing the old one"
				}
				return t.d.Say(event.Info, words+look.Separator+t.Key(keys.DialogAgain)+" runs the test cases")
			}, nil
		}, nil
	}))
}

// namesIn are the names of a text, one to a line, each once.
func namesIn(text string) []string {
	out := []string{}
	for line := range strings.Lines(text) {
		if name := strings.TrimSpace(line); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// keepCase stores a case in a book, in place of one of the same name.
func keepCase(e *engine.Engine, book storage.LorebookID, c storage.LoreCase) (replaced bool, err error) {
	b, err := e.Lore.FindBook(string(book))
	if err != nil {
		return false, err
	}
	b.Cases = slices.Clone(b.Cases)
	if i := slices.IndexFunc(b.Cases, func(old storage.LoreCase) bool { return old.Name == c.Name }); i >= 0 {
		b.Cases[i] = c
		return true, e.Lore.EditBook(b)
	}
	b.Cases = append(b.Cases, c)
	return false, e.Lore.EditBook(b)
}

// dropCase takes a case out of a book.
func dropCase(e *engine.Engine, book storage.LorebookID, name string) error {
	b, err := e.Lore.FindBook(string(book))
	if err != nil {
		return err
	}
	b.Cases = slices.DeleteFunc(slices.Clone(b.Cases), func(c storage.LoreCase) bool { return c.Name == name })
	return e.Lore.EditBook(b)
}

// bookCase is what a case of a book came to.
type bookCase struct {
	lore.CaseResult
	book     storage.LorebookID
	bookName string
}

// caseSheet is a dialog over the saved cases of books, those that fail first.
type caseSheet struct {
	widget.Base
	widget.Outline
	d      desk.Desk
	room   *Room
	test   *testBox
	book   storage.LorebookID // "": all that count in the chat
	cases  []bookCase
	reads  widget.Latest
	loaded bool
	fault  error
	area   uv.Rectangle
}

// openCases runs the cases of a book, or of all that are on in the chat.
func (r *Room) openCases(t *testBox, book storage.LorebookID) tea.Cmd {
	c := &caseSheet{d: r.desk, room: r, test: t, book: book}
	r.desk.Open(c)
	return c.run()
}

// refresh runs the cases again on what has changed.
func (c *caseSheet) refresh() tea.Cmd { return c.run() }

// run runs the cases.
func (c *caseSheet) run() tea.Cmd {
	chat, book := c.test.chat, c.book
	newest := c.reads.Begin()
	return c.d.Do(func() func() tea.Cmd {
		cases, err := runCases(c.d.Engine(), chat, book)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if c.loaded, c.fault = true, err; err != nil {
				return nil
			}
			c.cases = cases
			shape := make([]widget.OutlineRow, len(cases))
			for i := range cases {
				shape[i] = widget.OutlineRow{Height: 2}
			}
			c.Outline.Fill(shape)
			return nil
		}
	})
}

func runCases(e *engine.Engine, chat storage.ChatID, book storage.LorebookID) ([]bookCase, error) {
	books, err := e.Lore.Books(chat)
	if err != nil {
		return nil, err
	}
	var bad, good []bookCase
	for _, b := range books {
		if book != "" && b.ID != book || book == "" && chat != "" && !b.On || len(b.Cases) == 0 {
			continue
		}
		results, err := e.Lore.LoreUnit(b.ID)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			if bc := (bookCase{r, b.ID, b.Name}); r.OK {
				good = append(good, bc)
			} else {
				bad = append(bad, bc)
			}
		}
	}
	return append(bad, good...), nil
}

// Actions implements widget.Dialog.
func (c *caseSheet) Actions() []keys.Action {
	on := func(do func(bc bookCase) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd { return do(c.cases[c.Outline.Chosen()]) }
	}
	onCase := keys.At(func() bool { return c.Outline.Chosen() >= 0 },
		keys.Action{Name: keys.DialogEnter, Hint: "test its text", Do: on(c.load)},
		keys.Action{Name: keys.PaneDelete, Hint: "delete", Do: on(c.askDrop)})
	return slices.Concat(onCase, []keys.Action{{Name: keys.PaneRegenerate, Hint: "run again", Do: c.run}, c.Closing()},
		choosing(&c.Outline))
}

// Handle implements widget.Dialog.
func (c *caseSheet) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		c.Outline.Move(1)
		if m.Button == tea.MouseWheelUp {
			c.Outline.Move(-2)
		}
	case tea.MouseClickMsg:
		c.Outline.Click(m.Y - c.area.Min.Y)
	}
	return nil, false
}

// choosing are the actions of a dialog with rows of two lines, in which one is chosen.
func choosing(o *widget.Outline) []keys.Action {
	return append(widget.Choosing(o.Move, func() int { return max(1, o.Page/2) }), widget.Ends(o.Move)...)
}

// load puts a case's text into the test box.
func (c *caseSheet) load(bc bookCase) tea.Cmd {
	c.Close()
	c.test.in.Set(bc.Text)
	c.test.book, c.test.inRows = bc.book, true
	c.test.refocus()
	return c.test.try()
}

func (c *caseSheet) askDrop(bc bookCase) tea.Cmd {
	c.d.Open(&widget.Confirm{Title: "Delete a test case", Text: "Delete the test case “" + look.Within(bc.Name, 80) + "” of " + look.Within(bc.bookName, 60) + "?", Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "delete", Do: func() tea.Cmd {
			return c.d.Do(func() func() tea.Cmd {
				err := dropCase(c.d.Engine(), bc.book, bc.Name)
				return func() tea.Cmd {
					if err != nil {
						return c.d.Fail(err)
					}
					return c.run()
				}
			})
		}}}})
	return nil
}

// Draw implements widget.Dialog.
func (c *caseSheet) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	in := look.Frame(buf, look.Centred(screen, 100, max(8, 2*len(c.cases)+5)), lk, "Test cases", c.Hints())
	c.area = in
	switch {
	case in.Dy() < 1:
		return nil
	case c.fault != nil:
		look.PutWrapped(buf, in, lk.Failure, failure.Words(c.fault))
		return nil
	case !c.loaded:
		look.Put(buf, in.Min.X, in.Min.Y, in.Dx(), lk.Dim, "Running the test cases …")
		return nil
	case len(c.cases) == 0:
		look.PutWrapped(buf, in, lk.Dim, "No test cases yet. "+c.test.Key(keys.DialogSave)+
			" in the test box saves its text with the entries it triggered.")
		return nil
	}
	bad := 0
	for i := range c.cases {
		if !c.cases[i].OK {
			bad++
		}
	}
	c.First = 0
	if in.Dy() >= 5 {
		words, st := fmt.Sprintf("all %d pass", len(c.cases)), lk.Success
		if bad > 0 {
			words, st = fmt.Sprintf("%d of %s fail", bad, look.Plural(len(c.cases), "case")), lk.Failure
		}
		look.Put(buf, in.Min.X, in.Min.Y, in.Dx(), st, words)
		c.First = 2
	}
	rows := uv.Rect(in.Min.X, in.Min.Y+c.First, in.Dx(), max(0, in.Dy()-c.First))
	c.Outline.Show(rows, func(i int, room uv.Rectangle) { c.drawRow(buf, room, &c.cases[i], i == c.Outline.Chosen(), lk) })
	return nil
}

func (c *caseSheet) drawRow(buf uv.ScreenBuffer, room uv.Rectangle, bc *bookCase, chosen bool, lk *look.Look) {
	x, y, w := room.Min.X, room.Min.Y, room.Dx()
	mark, st, base, dim := "✓", lk.Success, lk.Base, lk.Dim
	if !bc.OK {
		mark, st = "✗", lk.Failure
	}
	if chosen {
		base, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), base)
		st.Bg = base.Bg
	}
	look.Put(buf, x, y, 1, st, mark)
	end := look.PutRight(buf, x, y, w, dim, look.Within(bc.bookName, 40))
	look.Put(buf, x+2, y, end-x-3, base, look.Within(bc.Name, 120))
	if room.Dy() > 1 {
		look.Put(buf, x+2, y+1, w-2, lk.Dim, caseWords(bc))
	}
}

// caseWords say what a case came to.
func caseWords(bc *bookCase) string {
	var parts []string
	add := func(words string, names []string) {
		if len(names) > 0 {
			parts = append(parts, words+look.Within(strings.Join(names, ", "), 200))
		}
	}
	add("did not trigger: ", bc.Missing)
	add("must not trigger: ", bc.Extra)
	add("no entry named: ", bc.Unknown)
	if len(parts) == 0 {
		add("fires ", bc.Fires)
	}
	if len(parts) == 0 {
		return "triggers no unwanted entry"
	}
	return strings.Join(parts, look.Separator)
}
