package lore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func dashes(n int) string { return strings.Repeat("─", max(0, n)) }

// triggeredIn returns the names of a book's entries that the text triggers.
func (t *testBox) triggeredIn(book storage.LorebookID) []string {
	var out []string
	for i := range t.does.Triggered {
		if tr := &t.does.Triggered[i]; tr.Book == book && tr.Verdict == activation.Triggered && !tr.Constant {
			out = append(out, traceName(tr))
		}
	}
	return out
}

// saveCase saves the tested text with the names of the triggered entries as a case of a book.
func (t *testBox) saveCase() tea.Cmd {
	switch {
	case draw.Blank(t.in.Value()):
		return t.Host.Say(event.Info, "enter a text")
	case t.busy:
		t.save = true
		return nil
	case t.in.Value() != t.text || t.book != t.tried:
		t.save = true
		return t.try()
	case t.Fault != nil:
		return t.Host.Say(event.Info, "the text could not be tested")
	case t.book != "":
		t.openCase(t.book)
		return nil
	}
	var entries []widget.Entry
	for _, b := range t.books {
		triggered := t.triggeredIn(b.ID)
		if !b.On && len(triggered) == 0 {
			continue
		}
		entries = append(entries, widget.Entry{Title: b.Name, Detail: strings.Join(triggered, ", "),
			Right: fmt.Sprintf("%d triggered", len(triggered)), Value: b.ID})
	}
	if len(entries) == 1 {
		t.openCase(entries[0].Value.(storage.LorebookID))
		return nil
	}
	p := widget.NewPicker(t.Host.Styles(), "Add the test case to which lorebook?", entries,
		func(e widget.Entry) tea.Cmd {
			t.openCase(e.Value.(storage.LorebookID))
			return nil
		})
	p.Empty = "no lorebook is enabled in this chat"
	t.Host.Open(p)
	return nil
}

// openCase asks for the name of a test case and the expected entries.
func (t *testBox) openCase(book storage.LorebookID) {
	text := t.text
	f := widget.Form{Title: "Save as a test case", Notes: []string{
		"This text must trigger the entries in the first list, one per line, and none of those in the second."},
		Fields: []*widget.Field{
			widget.LineField(t.Host.Styles(), "Name", draw.Truncate(text, 40), "what the test case checks"),
			widget.TextField(t.Host.Styles(), "Must trigger", strings.Join(t.triggeredIn(book), "\n"), 4),
			widget.TextField(t.Host.Styles(), "Must not trigger", "", 2),
		}}
	t.Host.Open(pane.NewSavingForm(t.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		c := storage.LoreCase{Name: strings.TrimSpace(f.Fields[0].Value()), Text: text,
			Fires: namesIn(f.Fields[1].Value()), Not: namesIn(f.Fields[2].Value())}
		switch {
		case c.Name == "":
			return nil, errors.New("enter a name")
		case len(c.Fires)+len(c.Not) == 0:
			return nil, errors.New("enter at least one entry that must or must not trigger")
		}
		return func() (func() tea.Cmd, error) {
			replaced, err := keepCase(t.Host.Engine(), book, c)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				words := "test case “" + draw.Truncate(c.Name, 60) + "” saved"
				if replaced {
					words += ", replacing the old one"
				}
				return t.Host.Say(event.Info, words+draw.Separator+t.Key(keys.DialogAgain)+" runs the test cases")
			}, nil
		}, nil
	}))
}

// namesIn returns the names in a text, one per line, each once.
func namesIn(text string) []string {
	out := []string{}
	for line := range strings.Lines(text) {
		if name := strings.TrimSpace(line); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// keepCase stores a case in a book, and replaces one of the same name.
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

// dropCase removes a case from a book.
func dropCase(e *engine.Engine, book storage.LorebookID, name string) error {
	b, err := e.Lore.FindBook(string(book))
	if err != nil {
		return err
	}
	b.Cases = slices.DeleteFunc(slices.Clone(b.Cases), func(c storage.LoreCase) bool { return c.Name == name })
	return e.Lore.EditBook(b)
}

// bookCase is the result of a book's case.
type bookCase struct {
	lore.CaseResult
	book     storage.LorebookID
	bookName string
}

// caseSheet is a dialog of the saved test cases of books, failing ones first.
type caseSheet struct {
	pane.ListDialog[bookCase]
	test *testBox
}

// openCases runs the test cases of a book, or of all books that are on in the chat.
func (r *Part) openCases(t *testBox, book storage.LorebookID) tea.Cmd {
	c := &caseSheet{test: t}
	c.List = pane.NewList[bookCase](r.host, 2)
	c.Title, c.Everywhere, c.LoadingText = "Test cases", true, "Running the test cases …"
	c.Source = func() func(storage.ChatID) ([]bookCase, func(), error) {
		return func(storage.ChatID) ([]bookCase, func(), error) {
			cases, err := runCases(r.host.Engine(), t.chat, book)
			return cases, nil, err
		}
	}
	c.ID = func(bc *bookCase) string { return string(bc.book) + " " + bc.Name }
	c.Row, c.Above = c.row, c.result
	c.Empty = func() string {
		return "No test cases yet. " + t.Key(keys.DialogSave) +
			" in the test box saves its text with the entries it triggered."
	}
	onCase := keys.When(c.Has,
		keys.Action{Name: keys.DialogEnter, Hint: "test its text", Do: c.On(c.load)},
		keys.Action{Name: keys.PaneDelete, Hint: "delete", Do: c.On(c.askDrop)})
	c.Own = append(onCase, keys.Action{Name: keys.PaneRegenerate, Hint: "run again", Do: c.Read})
	r.host.Open(c)
	return c.Read()
}

// refresh runs the cases again after a change.
func (c *caseSheet) refresh() tea.Cmd { return c.Read() }

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
		results, err := e.Lore.RunCases(b.ID)
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

// load puts a case's text into the test box.
func (c *caseSheet) load(bc bookCase) tea.Cmd {
	c.Close()
	c.test.in.Set(bc.Text)
	c.test.book, c.test.inRows = bc.book, true
	c.test.refocus()
	return c.test.try()
}

func (c *caseSheet) askDrop(bc bookCase) tea.Cmd {
	text := "Delete the test case “" + draw.Truncate(bc.Name, 80) + "” of " + draw.Truncate(bc.bookName, 60) + "?"
	c.Host.Open(&widget.Confirm{Title: "Delete a test case", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "delete", Do: func() tea.Cmd {
			return c.Host.Do(func() func() tea.Cmd {
				err := dropCase(c.Host.Engine(), bc.book, bc.Name)
				return func() tea.Cmd {
					if err != nil {
						return c.Host.Fail(err)
					}
					return c.Read()
				}
			})
		}}}})
	return nil
}

// result returns a line with the number of passing cases.
func (c *caseSheet) result(_, h int) []string {
	sty, bad := c.Host.Styles(), 0
	for i := range c.Items {
		if !c.Items[i].OK {
			bad++
		}
	}
	switch {
	case h < 4 || len(c.Items) == 0:
		return nil
	case bad > 0:
		return []string{sty.Failure.Styled(fmt.Sprintf("%d of %s fail", bad, draw.Plural(len(c.Items), "case"))), ""}
	}
	return []string{sty.Success.Styled(fmt.Sprintf("all %d pass", len(c.Items))), ""}
}

func (c *caseSheet) row(bc *bookCase, _ int) pane.Row {
	sty := c.Host.Styles()
	r := pane.Row{Sign: "✓", SignStyle: sty.Success, More: caseWords(bc)}
	r.Text, r.Right = draw.Truncate(bc.Name, 120), draw.Truncate(bc.bookName, 40)
	if !bc.OK {
		r.Sign, r.SignStyle = "✗", sty.Failure
	}
	return r
}

// caseWords describes the result of a case.
func caseWords(bc *bookCase) string {
	var parts []string
	add := func(words string, names []string) {
		if len(names) > 0 {
			parts = append(parts, words+draw.Truncate(strings.Join(names, ", "), 200))
		}
	}
	add("did not trigger: ", bc.Missing)
	add("must not trigger: ", bc.Extra)
	add("no entry named: ", bc.Unknown)
	if len(parts) == 0 {
		add("triggers ", bc.Fires)
	}
	if len(parts) == 0 {
		return "triggers no unwanted entry"
	}
	return strings.Join(parts, draw.Separator)
}
