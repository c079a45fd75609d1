package lore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// historyDialog is a dialog of an entry's states, newest first, with the changes of each.
type historyDialog struct {
	pane.ListDialog[lore.State]
	p     *entriesView
	k     entryKey
	name  string
	whole bool // the whole content of the state, instead of its changes
}

func (r *Part) openHistory(p *entriesView, k entryKey) tea.Cmd {
	h := &historyDialog{p: p, k: k}
	h.List = pane.NewList[lore.State](r.host, 1)
	h.Title, h.Everywhere = "History", true
	h.Source = func() func(storage.ChatID) ([]lore.State, func(), error) {
		return func(storage.ChatID) ([]lore.State, func(), error) {
			v, err := r.host.Engine().Lore.Entry(k.book, k.entry, p.chat)
			slices.Reverse(v.History)
			return v.History, func() { h.name = entryName(&v.Row); h.Title = "History of " + h.name }, err
		}
	}
	h.ID = func(s *lore.State) string { return string(s.Revision) }
	h.Row, h.Text = h.row, h.text
	h.Empty = func() string { return "This entry has no history." }
	other := func() string {
		if h.whole {
			return "diff"
		}
		return "full text"
	}
	h.Own = keys.When(h.Has,
		keys.Action{Name: keys.PaneDiff, Label: other, Do: keys.Does(func() { h.whole = !h.whole })},
		keys.Action{Name: keys.DialogEnter, Hint: "restore", Do: h.On(h.restore)},
		keys.Action{Name: keys.PaneUndo, Hint: "undo the newest", Do: h.undo})
	r.host.Open(h)
	return h.Read()
}

func (h *historyDialog) refresh() tea.Cmd { return h.Read() }

// causeWords returns the author of a state.
func causeWords(s lore.State) string {
	words := string(s.Cause.Origin)
	switch s.Cause.Origin {
	case storage.LoreByUser:
		words = "you"
	case storage.LoreByScene:
		if words = draw.Truncate(s.Scene, 60); words == "" {
			words = "a scene"
		}
	case storage.LoreByUndo:
		words = "undo"
	case storage.LoreByTakeBack:
		words = "undo of a scene"
	}
	if s.Cause.Model != "" {
		words += " (" + draw.Truncate(s.Cause.Model, 30) + ")"
	}
	return words
}

// restore asks for confirmation and makes the chosen state the current one.
func (h *historyDialog) restore(s lore.State) tea.Cmd {
	if s.Current {
		return h.Host.Say(event.Info, "this is the current version")
	}
	chat, k, p, back := h.p.chat, h.k, h.p, h.back()
	text := fmt.Sprintf("Restore “%s” as of %s, by %s? The current version stays in the history.",
		h.name, draw.AgoWords(s.UpdatedAt), causeWords(s))
	h.Host.Open(&widget.Confirm{Title: "Restore", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "restore", Do: func() tea.Cmd {
			return p.Change("“"+h.name+"” restored", func() error {
				return h.Host.Engine().Lore.Restore(k.book, chat, k.entry, s.Revision)
			}, back)
		}}}})
	return nil
}

// undo undoes the newest change of the entry.
func (h *historyDialog) undo() tea.Cmd {
	eng, chat, k, back := h.Host.Engine(), h.p.chat, h.k, h.back()
	return h.p.Change("“"+h.name+"” reset to the previous version", func() error {
		_, err := eng.Lore.Undo(k.book, chat, k.entry)
		return err
	}, back)
}

// back returns a function that restores the present state of the entry from any other.
func (h *historyDialog) back() func() error {
	chat, k, eng := h.p.chat, h.k, h.Host.Engine()
	for _, s := range h.Items {
		if s.Current {
			now := s.Revision
			return func() error { return eng.Lore.Restore(k.book, chat, k.entry, now) }
		}
	}
	return nil
}

// row returns the row of a state: its number, its author and time, and where it applies.
func (h *historyDialog) row(s *lore.State, _ int) pane.Row {
	older := slices.IndexFunc(h.Items, func(o lore.State) bool { return o.Revision == s.Revision })
	r := pane.Row{Right: draw.Ago(time.Now(), s.UpdatedAt)}
	r.Text = fmt.Sprintf("%d  %s", len(h.Items)-older, causeWords(*s))
	if s.Current {
		r.Sign, r.SignStyle = "●", h.Host.Styles().Base
	}
	if s.Removed {
		r.Text += draw.Separator + "deleted"
	}
	if !s.OnPath && !s.Current {
		r.Faint, r.Text = true, r.Text+draw.Separator+"on another branch"
	}
	return r
}

// text returns the lines about the chosen state.
func (h *historyDialog) text(s *lore.State, w int) []string {
	t, sty := draw.Lines{Width: w}, h.Host.Styles()
	if h.whole {
		t.Add(sty.Base, draw.UpTo(s.Content, draw.MaxReadLen))
	} else {
		h.difference(&t, *s, sty)
	}
	return t.Text
}

// difference adds the changes between a state and the one before it.
func (h *historyDialog) difference(t *draw.Lines, s lore.State, sty *draw.Styles) {
	before, first := storage.NewLoreEntry(), true
	for _, o := range h.Items {
		if o.Revision == s.Before {
			before, first = o.LoreEntry, false
		}
	}
	for _, c := range lore.Changes(&before, &s.LoreEntry) {
		f := lore.EntryFields.Find(c.Name)
		words := cmp.Or(fieldWords(f, &s.LoreEntry, 200), "nothing")
		if was := fieldWords(f, &before, 200); !first && was != "" {
			words = was + " → " + words
		}
		t.Hang(sty.Dim.Styled(fmt.Sprintf("%-*s", pane.LabelWidth, f.Label)), sty.Base, words)
	}
	if s.Removed != before.Removed && s.Removed {
		t.Add(sty.Failure, "The entry was deleted.")
	}
	defer leftOut(t, s.Cause, sty)
	same := s.Content == before.Content
	if same && len(t.Text) == 0 {
		t.Add(sty.Dim, "No visible changes.")
	}
	if same {
		return
	}
	if len(t.Text) > 0 {
		t.Blank()
	}
	for _, d := range contentDiff(before.Content, s.Content) {
		mark, st := "  ", sty.Dim
		switch d.Op {
		case '+':
			mark, st = "+ ", sty.Success
		case '-':
			mark, st = "− ", sty.Failure
		}
		t.Hang(st.Styled(mark), st, d.Text)
	}
}

// leftOut lists the facts that a change left out and why.
func leftOut(t *draw.Lines, c storage.LoreCause, sty *draw.Styles) {
	for i, d := range c.Dropped[:min(len(c.Dropped), maxHunks)] {
		if i == 0 {
			t.Blank()
			t.Add(draw.Heading(sty), "Left out of this version")
		}
		t.Hang("• ", sty.Base, draw.Truncate(d.Fact, 400)+" ("+draw.Truncate(d.Why, 200)+")")
	}
}

// contentDiff compares two contents fact by fact.
func contentDiff(before, after string) []scene.DiffLine {
	return scene.Diff(factLines(before), factLines(after))
}

func factLines(content string) string {
	facts := plist.Facts(draw.UpTo(content, draw.MaxReadLen))
	for i, f := range facts {
		facts[i] = strings.Join(strings.Fields(f), " ")
	}
	if typ, name, ok := plist.Head(content); ok {
		facts = append([]string{typ + "-" + name}, facts...)
	}
	return strings.Join(facts, "\n")
}
