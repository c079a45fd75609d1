package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/lore"
	"ghostlight/engine/lore/activation"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// loreWhy shows what the lorebooks do for the next turn, as if what stands in
// the composer were said next, and why.
type loreWhy struct {
	firing
	text   string        // of the composer, that this was worked out for
	reads  widget.Latest // what would be done
	armed  bool          // it is worked out anew after a pause in writing
	loaded bool
	fault  error
	cancel context.CancelFunc // of the one under way
	cycle  int                // of the messages that a key matched in, the one to go to next
	of     storage.EntryID    // whose messages those are
	wish   storage.EntryID    // to be shown once the next turn is known
}

// afterWriting is how long the composer must rest before the next turn is worked
// out anew.
const afterWriting = 250 * time.Millisecond

func newLoreWhy(*app) loreView { return &loreWhy{} }

func (p *loreWhy) title() string { return "" }
func (p *loreWhy) foot() string {
	return "enter why · S message · o entry · w why not …? · i test box"
}

// read works the next turn out.
func (p *loreWhy) read(a *app) tea.Cmd {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
	chat, text := a.view.Chat.ID, a.composer.in.Value()
	newest := p.reads.Begin()
	p.text = text
	if chat == "" {
		p.loaded = false
		return nil
	}
	ctx, cancel := context.WithCancel(a.ctx)
	p.cancel = cancel
	if look.Blank(text) {
		text = ""
	}
	return a.Do(func() func() tea.Cmd {
		defer cancel()
		act, err := a.eng.Lore.Activate(ctx, chat, text)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if p.loaded, p.fault = true, err; err != nil {
				return nil
			}
			p.take(act)
			return p.grant(a)
		}
	})
}

// choose shows what becomes of an entry: its row, or why it has none.
func (p *loreWhy) choose(_ storage.LorebookID, id storage.EntryID, a *app) tea.Cmd {
	if a.view.Chat.ID == "" {
		return nil
	}
	p.wish = id
	return p.read(a)
}

// grant does what choose was asked for, now that the next turn is known.
func (p *loreWhy) grant(a *app) tea.Cmd {
	id := p.wish
	p.wish = ""
	if id == "" {
		return nil
	}
	for i := range p.all {
		if p.all[i].entry() == id {
			p.Outline.Choose(i)
			return nil
		}
	}
	return a.whyEntry(id)
}

func (p *loreWhy) changed(ev event.Event, a *app) tea.Cmd {
	if _, ok := ev.(house.OperationChanged); ok {
		return nil
	}
	return p.read(a)
}

// follow has the next turn worked out anew after what is written has changed.
func (p *loreWhy) follow(a *app) tea.Cmd {
	if p.armed || !p.loaded || a.composer.in.Value() == p.text {
		return nil
	}
	p.armed = true
	return tea.Tick(afterWriting, func(time.Time) tea.Msg {
		return desk.Answer(func() tea.Cmd {
			p.armed = false
			if a.whyShown() != p || a.composer.in.Value() == p.text {
				return nil
			}
			return p.read(a)
		})
	})
}

// whyShown is the view of the next turn while it is in view, nil otherwise.
func (a *app) whyShown() *loreWhy {
	if p, ok := paneOf[*lorePane](a); ok {
		w, _ := p.view().(*loreWhy)
		return w
	}
	return nil
}

func (p *loreWhy) move(n int) { p.Outline.Move(n) }

func (p *loreWhy) click(_, y int, _ *app) tea.Cmd {
	p.Outline.Click(y)
	return nil
}

func (p *loreWhy) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	switch {
	case a.view.Chat.ID == "":
		look.PutWrapped(buf, area, a.lk.Dim, "No chat is open, so there is no next turn. i tries a text on the lorebooks.")
		return
	case p.fault != nil:
		look.PutWrapped(buf, area, a.lk.Failure, failure.Words(p.fault))
		return
	case !p.loaded:
		return // it is being worked out
	}
	p.First = p.header(buf, area, a)
	rows := uv.Rect(area.Min.X, area.Min.Y+p.First, area.Dx(), max(0, area.Dy()-p.First))
	if len(p.all) == 0 {
		look.PutWrapped(buf, rows, a.lk.Dim, p.nothing())
		return
	}
	p.firing.draw(buf, rows, a.mode == keys.Pane, a.lk)
}

// nothing says why there are no rows.
func (p *loreWhy) nothing() string {
	on := 0
	for _, b := range p.does.Books {
		if b.On {
			on++
		}
	}
	if on == 0 {
		return "No lorebook is switched on in this chat."
	}
	return "Nothing of the lorebooks is in the next prompt. w asks why an entry is not."
}

// header tells of the budget and of what was scanned, and says how many lines
// that took.
func (p *loreWhy) header(buf uv.ScreenBuffer, area uv.Rectangle, a *app) int {
	if area.Dy() < 4 {
		return 0
	}
	n := p.budget(buf, area, a.lk)
	words := "as the chat stands"
	if !look.Blank(p.text) {
		words = "as if you sent what you are writing"
	}
	if a.composer.in.Value() != p.text {
		words += " …"
	}
	switch p.does.Placement {
	case "stay":
		words += look.Separator + "what fires stays until the next fold"
	case "tail":
		words += look.Separator + "what fires stands at the end"
	}
	look.Put(buf, area.Min.X, area.Min.Y+n, area.Dx(), a.lk.Dim, look.Hints(words, area.Dx()))
	n++
	if faults := len(p.does.Faults) + len(p.does.Result.Faults); faults > 0 && area.Dy() >= 8 {
		look.Put(buf, area.Min.X, area.Min.Y+n, area.Dx(), a.lk.Warning, "! "+look.Plural(faults, "fault")+" in the books"+look.Separator+a.keys.Key(keys.PaneView4, keys.Pane)+" shows them")
		n++
	}
	if area.Dy() >= 12 {
		n++
	}
	return n
}

func (p *loreWhy) act(act keys.Action, a *app) tea.Cmd {
	if p.Outline.Act(act) {
		return nil
	}
	switch act {
	case keys.PaneWhy, keys.PaneFind:
		return a.askWhy()
	case keys.PaneTest:
		return openLoreTest(a, "")
	case keys.PaneRetry:
		return p.read(a)
	case keys.PaneEnter, keys.PaneSource, keys.PaneSystem, keys.PaneEdit:
	default:
		return nil
	}
	r := p.row()
	if r == nil {
		return a.Say(event.Info, "no entry is chosen here")
	}
	switch act {
	case keys.PaneEnter:
		p.explain(r, a)
	case keys.PaneSource:
		return p.jump(r, a)
	default:
		return a.showLoreEntry(loreEntriesView, p.book(r), r.entry())
	}
	return nil
}

// book is the book that a row's entry is in.
func (f *firing) book(r *firingRow) storage.LorebookID {
	if r.trace != nil {
		return r.trace.Book
	}
	id, _ := f.bookOf(r.stay)
	return id
}

// bookOf is the book of an entry that stays, and how it is called.
func (f *firing) bookOf(s *lore.Standing) (storage.LorebookID, string) {
	for _, b := range f.does.Books {
		if string(b.ID) == s.Book || b.Name == s.Book {
			return b.ID, b.Name
		}
	}
	return "", s.Book
}

// explain opens all that there is to say about a row.
func (p *loreWhy) explain(r *firingRow, a *app) {
	if r.trace != nil {
		a.openTrace(*r.trace, p.does, p.scanned())
		return
	}
	id, name := p.bookOf(r.stay)
	a.openStanding(*r.stay, id, name)
}

// jump goes to the message that a key matched in; each time to the next one of
// them. What stays leads to the message that it stands before.
func (p *loreWhy) jump(r *firingRow, a *app) tea.Cmd {
	if r.stay != nil {
		return a.pointAt(r.stay.At, "it stands before this message")
	}
	from := hitMessages(r.trace, p.scanned())
	if len(from) == 0 {
		return a.Say(event.Info, noMessage(r.trace, p.scanned()))
	}
	if p.of != r.entry() {
		p.of, p.cycle = r.entry(), 0
	}
	n := p.cycle % len(from)
	p.cycle = n + 1
	words := "a key matched here"
	if len(from) > 1 {
		words = fmt.Sprintf("message %d of %d that a key matched in%sS goes to the next", n+1, len(from), look.Separator)
	}
	return a.pointAt(from[n], words)
}

// scannedText is what keys were looked for in.
type scannedText int

const (
	inTheChat   scannedText = iota
	withTheLine             // the chat, and what stands in the composer as its newest message
	inAText                 // of the test box
)

// scanned is what the next turn was worked out over.
func (p *loreWhy) scanned() scannedText {
	if look.Blank(p.text) {
		return inTheChat
	}
	return withTheLine
}

// stands tells whether a hit is in a message that stands in the chat.
func (s scannedText) stands(h activation.Hit) bool {
	return h.Message != "" && (s == inTheChat || s == withTheLine && h.Back > 0)
}

// hitMessages are the messages of the chat that keys of an entry matched in, each
// once.
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

// noMessage says why there is no message to go to.
func noMessage(t *activation.Trace, in scannedText) string {
	switch {
	case t.Constant:
		return "it is in every prompt, whatever is said"
	case len(t.Hits) > 0:
		return "its key matched in " + hitWhere(t.Hits[0], in)
	}
	return "no key matched in a message"
}
