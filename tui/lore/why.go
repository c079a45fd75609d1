package lore

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// whyView shows what the lorebooks would do for the next turn, and why. It treats the composer's
// text as the next message.
type whyView struct {
	activationList
	room          *Part
	text          string             // the composer's text that this was computed for
	reads         widget.Latest      // of the activation
	armed         bool               // a timer runs that computes it again after a pause in writing
	cancel        context.CancelFunc // cancels the current computation
	cycle         int                // index of the next message to visit, among those that a key matched
	of            storage.EntryID    // the entry that cycle belongs to
	pendingSelect storage.EntryID    // to be shown once the next turn is known
}

// afterWriting is how long the composer must be idle before the next turn is computed again.
const afterWriting = 250 * time.Millisecond

func newWhyView(r *Part) paneView {
	p := &whyView{room: r}
	p.begin(r.host)
	p.Above, p.Empty = p.header, p.nothing
	return p
}

func (p *whyView) title() string { return "" }

// actions implements paneView.
func (p *whyView) actions() []keys.Action {
	ask := keys.NewPaneAction(entryWhy, "pane-why", "why any entry is in the prompt, or not", p.room.askWhy, "W")
	ask.Hint = "why not …?"
	show := keys.NewPaneAction(entryShow, "", "show the entry in its lorebook", p.On(func(r activationRow) tea.Cmd {
		return p.room.showEntry(entriesTab, p.book(&r), r.entry())
	}))
	show.Unavailable = p.whyNoRow
	all := []keys.Action{
		{Name: keys.PaneEnter, Text: "why the entry is here", Hint: "why", Unavailable: p.whyNoRow,
			Do: p.On(p.explain)},
		{Name: keys.PaneSource, Text: "go to the message that triggered it", Hint: "message",
			Unavailable: p.whyNoRow, Do: p.On(p.jump)},
		{Name: keys.PaneEdit, Text: "edit the entry", Hint: "edit", Unavailable: p.whyNoRow,
			Do: p.On(func(r activationRow) tea.Cmd {
				return p.room.editListed(p.book(&r), r.entry())
			})},
		ask, show,
	}
	return append(all, p.Moves()...)
}

func (p *whyView) whyNoRow() string {
	if !p.Has() {
		return "no entry is selected"
	}
	return ""
}

// Read computes what triggers in the next turn.
func (p *whyView) Read() tea.Cmd {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
	chat, text := p.Host.Play().Chat().Chat.ID, p.Host.Play().Draft()
	newest := p.reads.Begin()
	p.text = text
	if chat == "" {
		p.Loaded = false
		return nil
	}
	ctx, cancel := context.WithCancel(p.Host.Context())
	p.cancel = cancel
	if draw.Blank(text) {
		text = ""
	}
	return p.Host.Do(func() func() tea.Cmd {
		defer cancel()
		act, err := p.Host.Engine().Play.ActivateLore(ctx, chat, text)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if p.Loaded, p.Fault = true, err; err != nil {
				return nil
			}
			p.setActivation(act)
			return p.applyPending()
		}
	})
}

// choose shows the result for an entry: its row, or the reason why it has none.
func (p *whyView) choose(_ storage.LorebookID, id storage.EntryID) tea.Cmd {
	if p.Host.Play().Chat().Chat.ID == "" {
		return nil
	}
	p.pendingSelect = id
	return p.Read()
}

// applyPending shows the entry of a pending choose, now that the next turn is known.
func (p *whyView) applyPending() tea.Cmd {
	id := p.pendingSelect
	p.pendingSelect = ""
	if id == "" {
		return nil
	}
	if i := slices.IndexFunc(p.Items, func(r activationRow) bool { return r.entry() == id }); i >= 0 {
		p.GoTo(p.ID(&p.Items[i]))
		return nil
	}
	return p.room.whyEntry(id)
}

func (p *whyView) changed(ev event.Event) tea.Cmd {
	if _, ok := ev.(queue.Changed); ok {
		return nil
	}
	return p.Read()
}

// follow starts a timer that computes the next turn again after the composer's text has changed.
func (p *whyView) follow() tea.Cmd {
	if p.armed || !p.Loaded || p.Host.Play().Draft() == p.text {
		return nil
	}
	p.armed = true
	return tea.Tick(afterWriting, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			p.armed = false
			if p.room.whyShown() != p || p.Host.Play().Draft() == p.text {
				return nil
			}
			return p.Read()
		})
	})
}

// whyShown returns the view of the next turn if it is visible, else nil.
func (r *Part) whyShown() *whyView {
	if p := r.pane(); p != nil {
		w, _ := p.view().(*whyView)
		return w
	}
	return nil
}

// Draw implements paneView.
func (p *whyView) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	if p.Host.Play().Chat().Chat.ID == "" {
		words := "No chat is open, so there is no next turn. " + pane.PathTo(p.Host, keys.LoreTest) + " tests a text."
		draw.PutWrapped(buf, area, p.Host.Styles().Dim, words)
		return
	}
	p.activationList.Draw(buf, area, focused)
}

// nothing returns the reason why there are no rows.
func (p *whyView) nothing() string {
	on := 0
	for _, b := range p.does.Books {
		if b.On {
			on++
		}
	}
	if on == 0 {
		return "No lorebook is enabled in this chat."
	}
	return "No entries in the next prompt. " + pane.PathTo(p.Host, entryWhy) + " explains why an entry is missing."
}

// header returns lines about the budget and the scanned text.
func (p *whyView) header(w, h int) []string {
	if h < 4 {
		return nil
	}
	sty, words := p.Host.Styles(), "current chat"
	if !draw.Blank(p.text) {
		words = "including your unsent message"
	}
	if p.Host.Play().Draft() != p.text {
		words += " …"
	}
	switch p.does.Placement {
	case "stay":
		words += draw.Separator + "triggered entries stay until their message leaves the context"
	case "tail":
		words += draw.Separator + "triggered entries are added at the end"
	}
	lines := append(p.budget(w), sty.Dim.Styled(draw.Parts(words, w)))
	if faults := len(p.does.Faults); faults > 0 && h >= 8 {
		words := "! " + draw.Plural(faults, "fault") + " in the lorebooks" + draw.Separator +
			p.room.key(keys.PaneView4) + " shows them"
		lines = append(lines, sty.Warning.Styled(draw.Clip(words, w)))
	}
	if h >= 12 {
		lines = append(lines, "")
	}
	return lines
}

// book returns the book of a row's entry.
func (f *activationList) book(r *activationRow) storage.LorebookID {
	if r.trace != nil {
		return r.trace.Book
	}
	id, _ := f.bookOf(r.stay)
	return id
}

// bookOf returns the book and name of an entry that stays.
func (f *activationList) bookOf(s *lore.PinnedEntry) (storage.LorebookID, string) {
	for _, b := range f.does.Books {
		if string(b.ID) == s.Book || b.Name == s.Book {
			return b.ID, b.Name
		}
	}
	return "", s.Book
}

// explain opens the details of a row.
func (p *whyView) explain(r activationRow) tea.Cmd {
	if r.trace != nil {
		p.room.openTrace(*r.trace, p.does, p.scanned(), nil)
		return nil
	}
	id, name := p.bookOf(r.stay)
	p.room.openStanding(*r.stay, id, name)
	return nil
}

// jump goes to a message that a key matched, each time to the next one. For an inserted entry it
// goes to the message after the insertion point.
func (p *whyView) jump(r activationRow) tea.Cmd {
	if r.stay != nil {
		return p.room.pointAt(r.stay.At, "inserted before this message")
	}
	from := hitMessages(r.trace, p.scanned())
	if len(from) == 0 {
		return p.Host.Say(event.Info, noMessage(r.trace, p.scanned()))
	}
	if p.of != r.entry() {
		p.of, p.cycle = r.entry(), 0
	}
	n := p.cycle % len(from)
	p.cycle = n + 1
	words := "a key matched here"
	if len(from) > 1 {
		words = fmt.Sprintf("matching message %d of %d%s%s goes to the next", n+1, len(from), draw.Separator,
			p.room.key(keys.PaneSource))
	}
	return p.room.pointAt(from[n], words)
}

// scannedText says which text was scanned for keys.
type scannedText int

const (
	inTheChat   scannedText = iota
	withTheLine             // the chat, with the composer's text as its newest message
	inAText                 // of the test box
)

// scanned returns the text that was scanned for the next turn.
func (p *whyView) scanned() scannedText {
	if draw.Blank(p.text) {
		return inTheChat
	}
	return withTheLine
}

// stands reports whether a hit is in a message of the chat.
func (s scannedText) stands(h activation.Hit) bool {
	return h.Message != "" && (s == inTheChat || s == withTheLine && h.Back > 0)
}

// hitMessages returns the messages of the chat that keys of an entry matched, each once.
func hitMessages(t *activation.Trace, in scannedText) []storage.NodeID {
	var out []storage.NodeID
	seen := map[storage.NodeID]bool{}
	for _, h := range t.Hits {
		if in.stands(h) && !seen[h.Message] {
			seen[h.Message] = true
			out = append(out, h.Message)
		}
	}
	return out
}

// noMessage returns the reason why there is no message to go to.
func noMessage(t *activation.Trace, in scannedText) string {
	switch {
	case t.Constant:
		return "it is constant: always in the prompt"
	case len(t.Hits) > 0:
		return "its key matched in " + hitWhere(t.Hits[0], in)
	}
	return "no key matched in a message"
}
