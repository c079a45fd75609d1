package lore

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// askWhy lets the user choose an entry of the active books and explains whether it triggers in the
// next turn.
func (r *Part) askWhy() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.host.Do(func() func() tea.Cmd {
		rows, err := r.host.Engine().Lore.Entries("", chat)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			if len(rows) == 0 {
				return r.host.Say(event.Info, "the lorebooks enabled in this chat have no entries")
			}
			r.openWhyPicker(rows)
			return nil
		}
	})
}

func (r *Part) openWhyPicker(rows []lore.Row) {
	in := map[storage.EntryID]bool{}
	if w := r.whyShown(); w != nil {
		for i := range w.does.Triggered {
			if e := w.does.Triggered[i].Entry; e != nil {
				in[e.ID] = true
			}
		}
	}
	entries := make([]widget.Entry, 0, len(rows))
	for _, r := range rows {
		right := "not in the prompt"
		if in[r.ID] {
			right = "in the prompt"
		}
		name := r.Name
		if strings.TrimSpace(name) == "" {
			name = fmt.Sprintf("entry %d", r.UID)
		}
		entries = append(entries, widget.Entry{Title: name,
			Detail: r.BookName + draw.Separator + strings.Join(r.Keys, ", "), Right: right, Value: r.ID})
	}
	p := widget.NewPicker(r.host.Styles(), "Why is an entry in the prompt, or not?", entries,
		func(e widget.Entry) tea.Cmd {
			return r.whyEntry(e.Value.(storage.EntryID))
		})
	p.Empty = "the lorebooks of this chat have no entries"
	r.host.Open(p)
}

// whyEntry explains the result for an entry in the next turn, as last computed.
func (r *Part) whyEntry(id storage.EntryID) tea.Cmd {
	chat, text := r.host.Play().Chat().Chat.ID, r.host.Play().Draft()
	if draw.Blank(text) {
		text = ""
	}
	return r.host.Do(func() func() tea.Cmd {
		act, err := r.host.Engine().Play.ActivateLore(r.host.Context(), chat, text)
		var t activation.Trace
		if err == nil {
			t, err = r.host.Engine().Lore.Why(chat, id)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			in := inTheChat
			if text != "" {
				in = withTheLine
			}
			r.openTrace(t, act, in, nil)
			return nil
		}
	})
}

// openTrace shows a trace, with actions to open its entry, and its messages if they are in the
// chat. leave is called when the user opens the entry; it may be nil.
func (r *Part) openTrace(t activation.Trace, does lore.Activation, in scannedText, leave func()) {
	sh := &widget.Reader{Title: traceName(&t), Lines: func(w int, sty *draw.Styles) []string {
		return traceLines(&t, &does, func(h activation.Hit) string { return r.hitPlace(h, in) }, w, sty)
	}}
	if from := hitMessages(&t, in); len(from) > 0 {
		sh.Leaving(keys.PaneSource, "go to message", func() tea.Cmd { return r.pointAt(from[0], "a key matched here") })
	}
	if t.Entry != nil {
		sh.Leaving(keys.DialogEnter, "open entry", func() tea.Cmd {
			if leave != nil {
				leave()
			}
			return r.showEntry(entriesTab, t.Book, t.Entry.ID)
		})
	}
	r.host.Open(sh)
}

// openStanding shows the details of an entry that stays in the history.
func (r *Part) openStanding(s lore.PinnedEntry, book storage.LorebookID, bookName string) {
	sh := &widget.Reader{Title: draw.Truncate(s.Name, 120), Lines: func(w int, sty *draw.Styles) []string {
		out := draw.Hanging(sty.Success.Styled("● "), "active from an earlier turn"+draw.Separator+
			draw.Plural(s.Tokens, "token")+draw.Separator+draw.Truncate(bookName, 80), w, sty.Strong)
		out = append(out, "")
		if why := draw.Truncate(s.Reason, 1000); why != "" {
			out = append(out, draw.Hanging(sty.Dim.Styled("because   "), why, w, sty.Base)...)
		}
		out = append(out, draw.Hanging(sty.Dim.Styled("pinned    "),
			"before "+pane.MessageName(r.host, s.At)+", until that message leaves the context", w, sty.Base)...)
		return out
	}}
	sh.Leaving(keys.PaneSource, "go to message", func() tea.Cmd {
		return r.pointAt(s.At, "inserted before this message")
	})
	sh.Leaving(keys.DialogEnter, "open entry", func() tea.Cmd { return r.showEntry(entriesTab, book, s.Entry) })
	r.host.Open(sh)
}

// hitWhere describes the text that a key matched.
func hitWhere(h activation.Hit, in scannedText) string {
	switch {
	case h.Where != "":
		return draw.Truncate(h.Where, 120)
	case h.Back < 0 || in == inAText:
		return "the text"
	case h.Back == 0 && in == withTheLine:
		return "what you are writing"
	case h.Back == 0:
		return "the newest message"
	}
	return draw.Plural(h.Back, "message") + " back"
}

// hitPlace describes the text that a key matched, with an excerpt if the message is loaded.
func (r *Part) hitPlace(h activation.Hit, in scannedText) string {
	words := hitWhere(h, in)
	if !in.stands(h) {
		return words
	}
	m, ok := r.host.Play().Message(h.Message)
	if !ok {
		return words
	}
	words += fmt.Sprintf(" (%d)", m.Depth+1)
	if q := quoteAround(m.Content, h.Key); q != "" {
		words += ": " + q
	}
	return words
}

// quoteAround returns an excerpt of a text around the first occurrence of a key, in quotation
// marks. It returns "" if the text does not contain the key literally.
func quoteAround(text, key string) string {
	const before, long = 24, 72 // bytes before the key, cells in total
	at := strings.Index(strings.ToLower(text), strings.ToLower(key))
	if key == "" || at < 0 || at > len(text) {
		return ""
	}
	from := max(0, at-before)
	if sp := strings.IndexByte(text[from:at], ' '); from > 0 && sp >= 0 {
		from += sp + 1
	}
	piece := strings.Join(
		strings.Fields(safetext.Line(strings.ToValidUTF8(text[from:min(len(text), from+4*long)], ""))), " ")
	if from > 0 {
		piece = "…" + piece
	}
	return "“" + ansi.Truncate(piece, long, "…") + "”"
}

// pointAt shows a message and a notice. Beside the play the pane keeps the focus.
func (r *Part) pointAt(node storage.NodeID, words string) tea.Cmd {
	p := r.host.Panes().Current()
	return r.host.Play().Find(node, func(found bool) tea.Cmd {
		switch {
		case r.host.Panes().Current() != p:
			return nil
		case !found:
			return r.host.Say(event.Info, "this message is not on the current branch")
		}
		inPane := r.host.Mode() == keys.Pane
		cmd := r.host.Play().JumpTo(node)
		if p := r.pane(); p != nil && inPane {
			r.host.Panes().Focus()
			p.pointing = true
		}
		return tea.Batch(cmd, r.host.Say(event.Info, words))
	})
}
