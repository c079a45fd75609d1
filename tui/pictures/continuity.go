package pictures

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// factKindText returns the label of a fact's kind.
func factKindText(f *storage.Fact) string { return capture.FactFields.Find("kind").Display(f) }

// factSourceText returns the label of a fact's source.
func factSourceText(s storage.FactSource) string {
	switch s {
	case storage.FactFromUser:
		return "you"
	case storage.FactFromCapture:
		return "a capture"
	case storage.FactFromLore:
		return "card"
	}
	return string(s)
}

// factsDialog is the continuity sheet of a chat.
type factsDialog struct {
	pane.ListDialog[storage.Fact]
	part    *Part
	chat    storage.ChatID
	order   widget.Sequence // of the changes
	removed *storage.Fact   // the last removed line
}

func (r *Part) openContinuity() tea.Cmd {
	if r.host.Play().Chat().Chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.openFacts(r.host.Play().Chat().Chat.ID)
}

// openFacts shows the continuity sheet of a chat.
func (r *Part) openFacts(chat storage.ChatID) tea.Cmd {
	d := &factsDialog{part: r, chat: chat}
	d.List = pane.NewList[storage.Fact](r.host, 1)
	d.Title, d.Wide, d.Everywhere = "Continuity sheet", 90, true
	d.Source = func() func(storage.ChatID) ([]storage.Fact, func(), error) {
		return func(storage.ChatID) ([]storage.Fact, func(), error) {
			facts, err := r.host.Engine().Pictures.Continuity.Facts(chat)
			return facts, nil, err
		}
	}
	d.ID = func(f *storage.Fact) string { return string(f.ID) }
	d.Head = factKindText
	d.Row, d.Text, d.Own = d.row, d.text, d.own()
	d.Empty = func() string {
		return "The sheet is empty. Captures fill it; " + d.Key(keys.PaneNew) + " adds a line. " +
			"Picture prompts use these lines until the story changes them."
	}
	r.host.Open(d)
	return d.Read()
}

// own returns the actions on the sheet. The key that opened it also closes it.
func (d *factsDialog) own() []keys.Action {
	edit := d.onChosen(keys.PaneEdit, "edit", func(f storage.Fact) tea.Cmd { d.openForm(f); return nil })
	enter := edit
	enter.Name, enter.Hint, enter.Text = keys.DialogEnter, "", "edit"
	undo := keys.Action{Name: keys.PaneUndo, Hint: "undo", Do: d.restore, Unavailable: func() string {
		if d.removed == nil {
			return "nothing to undo"
		}
		return ""
	}}
	return []keys.Action{
		{Name: keys.PaneNew, Hint: "new", Do: keys.Does(d.add)}, edit, enter,
		d.onChosen(keys.PaneOnOff, "mute", d.mute), d.onChosen(keys.PaneDelete, "delete", d.remove), undo,
		{Name: keys.Continuity, Text: "close", Do: keys.Does(d.Close)},
	}
}

// onChosen returns an action on the chosen line.
func (d *factsDialog) onChosen(name keys.Name, hint string, do func(storage.Fact) tea.Cmd) keys.Action {
	return keys.Action{Name: name, Hint: hint, Visible: d.Has, Do: d.On(do)}
}

// add opens the form of a new line of the same kind as the chosen one.
func (d *factsDialog) add() {
	n := storage.Fact{Kind: storage.FactAppearance}
	if f := d.Item(); f != nil {
		n.Kind, n.Who = f.Kind, f.Who
	}
	d.openForm(n)
}

// mute mutes or unmutes a line.
func (d *factsDialog) mute(f storage.Fact) tea.Cmd {
	if f.Ended == "" || f.Muted { // an ended fact becomes current again when it is saved
		f.Muted = !f.Muted
	}
	return d.put(f)
}

// remove removes a line.
func (d *factsDialog) remove(f storage.Fact) tea.Cmd {
	d.removed = &f
	return d.change(func() (storage.Fact, error) {
		return storage.Fact{}, d.part.host.Engine().Pictures.Continuity.Delete(d.chat, f.ID)
	})
}

// put stores a line.
func (d *factsDialog) put(f storage.Fact) tea.Cmd {
	return d.change(func() (storage.Fact, error) { return d.part.host.Engine().Pictures.Continuity.Save(d.chat, f) })
}

// restore restores the line that was removed last.
func (d *factsDialog) restore() tea.Cmd {
	f := *d.removed
	f.ID, d.removed = "", nil
	return d.put(f)
}

// change changes the sheet and reads it again. It selects a new line.
func (d *factsDialog) change(do func() (storage.Fact, error)) tea.Cmd {
	return d.order.Do(d.part.host, func() func() tea.Cmd {
		f, err := do()
		return func() tea.Cmd {
			if err != nil {
				d.removed = nil
				return tea.Batch(pane.Explain(d.part.host, "Not changed", err), d.Read())
			}
			if !slices.ContainsFunc(d.Items, func(x storage.Fact) bool { return x.ID == f.ID }) {
				d.PendingKey = string(f.ID)
			}
			return d.Read()
		}
	})
}

// openForm opens the form of a line; one without an ID is new.
func (d *factsDialog) openForm(old storage.Fact) {
	f := &pane.RecordForm[storage.Fact]{
		Title:  "Edit continuity line",
		Record: &capture.FactFields,
		Value:  old,
		Fresh:  old.ID == "",
	}
	if f.Fresh {
		f.Title = "New continuity line"
	}
	f.Save = func(change func(*storage.Fact)) (func() tea.Cmd, error) {
		n := old
		change(&n)
		n.Source = storage.FactFromUser
		got, err := d.part.host.Engine().Pictures.Continuity.Save(d.chat, n)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			d.PendingKey = string(got.ID)
			return d.Read()
		}, nil
	}
	f.Open(d.part.host)
	f.Focus(f.Index(capture.FactFields.Find("text").Label))
}

// row returns the row of a line.
func (d *factsDialog) row(f *storage.Fact, w int) pane.Row {
	sty := d.part.host.Styles()
	r := pane.Row{Sign: "✓", SignStyle: sty.Base, Text: factText(f), Right: factSourceText(f.Source)}
	if f.Muted || f.Ended != "" {
		r.Sign, r.SignStyle, r.Right, r.Faint = "–", sty.Dim, "muted", true
	}
	if !f.Muted && f.Ended != "" {
		r.Right = "ended"
	}
	if w <= 30 {
		r.Right = ""
	}
	return r
}

// factText returns the person of a fact and its text.
func factText(f *storage.Fact) string {
	if f.Who == "" {
		return f.Text
	}
	return draw.Truncate(f.Who, 30) + ": " + f.Text
}

// text returns the full text of a line and its source.
func (d *factsDialog) text(f *storage.Fact, w int) []string {
	words := factText(f) + " (" + factSourceText(f.Source)
	if !f.UpdatedAt.IsZero() {
		words += ", " + draw.AgoWords(f.UpdatedAt)
	}
	t := draw.Lines{Width: w}
	t.Add(d.part.host.Styles().Dim, words+")")
	return t.Text
}
