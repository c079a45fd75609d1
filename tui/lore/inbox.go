package lore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// inboxView shows the changes that wait for review, each with the hunks that it would make.
type inboxView struct {
	widget.Outline
	host          pane.Host
	part          *Part
	all           []lore.Proposal
	shown         []inboxRow
	open          storage.LoreChangeID            // the one whose hunks are shown
	left          map[storage.LoreChangeID][]bool // by hunk: not to be accepted
	gone          map[storage.LoreChangeID]bool   // decided, and not known to be stored yet
	pendingSelect storage.EntryID                 // the entry whose proposal is to be shown once it is read

	chat   storage.ChatID // that was read
	reads  widget.Latest
	busy   bool
	again  bool
	stale  bool // something has changed since
	loaded bool
	fault  error

	total, old int     // facts, and outdated proposals
	width, gen int     // of the layout in shown
	cycle      int     // index of the next message to visit, among those that a fact came from
	through    factRef // the fact that cycle belongs to
}

// factRef identifies a fact of a proposal; with hunk -1 the proposal itself.
type factRef struct {
	change storage.LoreChangeID
	hunk   int
}

func newInboxView(r *Part) paneView {
	return &inboxView{host: r.host, part: r, left: map[storage.LoreChangeID][]bool{},
		gone: map[storage.LoreChangeID]bool{}, stale: true}
}

func (p *inboxView) title() string {
	if len(p.all) == 0 {
		return ""
	}
	return fmt.Sprintf("(%d)", len(p.all))
}

// inbox returns the inbox of the lore pane, nil if the pane is not open.
func (r *Part) inbox() *inboxView {
	if p := r.pane(); p != nil {
		b, _ := p.views[inboxTab].(*inboxView)
		return b
	}
	return nil
}

// Read reads the waiting changes: one reading at a time, and one more after it when
// something changed meanwhile.
func (p *inboxView) Read() tea.Cmd {
	chat := p.host.Play().Chat().Chat.ID
	if p.busy && p.chat == chat {
		p.again = true
		return nil
	}
	if p.chat != chat {
		p.all, p.loaded, p.open = nil, false, ""
		p.layout(factRef{})
	}
	newest := p.reads.Begin()
	p.chat, p.busy, p.again, p.stale = chat, true, false, false
	return p.host.Do(func() func() tea.Cmd {
		all, err := p.host.Engine().Lore.Inbox(chat, "")
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			p.busy = false
			p.setProposals(all, err)
			if p.again {
				return p.Read()
			}
			return nil
		}
	})
}

// setProposals shows the proposals. The selected one stays selected; if it is gone, the next one is
// opened.
func (p *inboxView) setProposals(all []lore.Proposal, err error) {
	if p.fault = err; err != nil {
		return
	}
	first := !p.loaded
	p.loaded = true
	was := p.chosenFact()
	all = slices.DeleteFunc(all, func(c lore.Proposal) bool { return p.gone[c.ID] })
	here := map[storage.LoreChangeID]bool{}
	for i := range all {
		here[all[i].ID] = true
	}
	if !here[was.change] {
		was = factRef{follower(p.all, was.change, here), -1}
	}
	if !here[p.open] && p.open != "" {
		p.open = was.change
	}
	for id := range p.left {
		if !here[id] && !p.gone[id] {
			delete(p.left, id)
		}
	}
	p.all, p.total, p.old = all, 0, 0
	p.part.news.chat, p.part.news.waiting = p.chat, len(all)
	for i := range all {
		n, _ := p.facts(&all[i])
		p.total += n
		if all[i].Outdated {
			p.old++
		}
	}
	if first && p.open == "" && len(all) > 0 {
		p.open = all[0].ID
	}
	for i := range all {
		if p.pendingSelect != "" && all[i].After.ID == p.pendingSelect {
			p.open, p.pendingSelect = all[i].ID, ""
			was = factRef{p.open, -1}
		}
	}
	p.layout(was)
}

// decision is the user's decision about a proposal.
type decision struct {
	id    storage.LoreChangeID
	words string // shown once it is stored
	store func() error
}

// decide removes a proposal from the list immediately, and stores the decisions one after the
// other. If storing fails, the proposal is back.
func (p *inboxView) decide(d decision) tea.Cmd {
	p.gone[d.id] = true
	p.setProposals(slices.Clone(p.all), nil)
	return p.part.reviews.Do(p.host, func() func() tea.Cmd {
		err := d.store()
		return func() tea.Cmd {
			delete(p.gone, d.id)
			said := p.host.Say(event.Info, d.words)
			if err != nil {
				said = p.host.Fail(err)
			}
			return tea.Batch(p.Read(), said)
		}
	})
}

// follower returns the proposal after one that is gone, or before it if it was the last; "" if none
// is left.
func follower(before []lore.Proposal, gone storage.LoreChangeID,
	here map[storage.LoreChangeID]bool) storage.LoreChangeID {
	at := -1
	for i := range before {
		if before[i].ID == gone {
			at = i
		}
	}
	for i := at + 1; i < len(before); i++ {
		if here[before[i].ID] {
			return before[i].ID
		}
	}
	for i := at - 1; i >= 0; i-- {
		if here[before[i].ID] {
			return before[i].ID
		}
	}
	return ""
}

// layout lays the rows out and selects one.
func (p *inboxView) layout(chosen factRef) {
	if p.width == 0 {
		p.width = 80 // until it is drawn
	}
	p.shown, p.gen = p.laid(p.width-1, p.host.Styles(), p.part.fromWords), p.host.Styles().Gen
	shape := make([]widget.OutlineRow, len(p.shown))
	for i, r := range p.shown {
		shape[i] = widget.OutlineRow{Height: 2}
		if r.lines != nil {
			shape[i] = widget.OutlineRow{Height: len(r.lines), Heading: r.hunk < 0}
		}
	}
	p.Outline.Fill(shape)
	p.Outline.Choose(p.find(chosen))
}

// chosenFact returns the reference of the chosen row; its change is "" for none.
func (p *inboxView) chosenFact() factRef {
	if r := p.row(); r != nil {
		return factRef{p.all[r.proposal].ID, r.hunk}
	}
	return factRef{}
}

// find returns the row of a hunk, or of its proposal, or of the open one.
func (p *inboxView) find(of factRef) int {
	at := -1
	for i, r := range p.shown {
		switch id := p.all[r.proposal].ID; {
		case id == of.change && r.hunk == of.hunk && (r.lines != nil) == (of.hunk >= 0):
			return i
		case id == of.change && r.lines == nil, at < 0 && id == p.open && r.lines == nil:
			at = i
		}
	}
	return max(0, at)
}

func (p *inboxView) row() *inboxRow {
	if i := p.Outline.Chosen(); i >= 0 && i < len(p.shown) {
		return &p.shown[i]
	}
	return nil
}

// proposal returns the proposal of the selected row, or nil.
func (p *inboxView) proposal() *lore.Proposal {
	if r := p.row(); r != nil {
		return &p.all[r.proposal]
	}
	return nil
}

func (p *inboxView) changed(ev event.Event) tea.Cmd {
	if _, ok := ev.(scenes.Changed); ok { // changes of lorebooks come with lore.Changed
		return p.Read()
	}
	return nil
}

func (p *inboxView) Move(n int) { p.Outline.Move(n) }

func (p *inboxView) Click(_, y int) tea.Cmd {
	p.Outline.Click(y - p.part.pane().area.Min.Y)
	return nil
}

// choose shows the proposal about an entry.
func (p *inboxView) choose(_ storage.LorebookID, id storage.EntryID) tea.Cmd {
	p.pendingSelect = id
	for i := range p.all {
		if p.all[i].After.ID == id {
			p.open, p.pendingSelect = p.all[i].ID, ""
			p.layout(factRef{p.open, -1})
			return nil
		}
	}
	return nil
}

func (p *inboxView) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	switch {
	case p.fault != nil:
		draw.PutWrapped(buf, area, p.host.Styles().Failure, failure.Text(p.fault))
		return
	case !p.loaded:
		return // it is being read
	case len(p.all) == 0:
		draw.PutWrapped(buf, area, p.host.Styles().Dim,
			"Nothing to review. Lorebook changes from recaps are applied directly or wait here, depending on the "+
				"settings for each entry type.")
		return
	}
	p.First = 0
	if area.Dy() >= 12 {
		p.summary(buf, area, p.host.Styles())
		p.First = 2
	}
	if p.width != area.Dx() || p.gen != p.host.Styles().Gen {
		p.width = area.Dx()
		p.layout(p.chosenFact())
	}
	rows := uv.Rect(area.Min.X, area.Min.Y+p.First, area.Dx(), max(0, area.Dy()-p.First))
	p.Outline.Show(rows, func(i int, room uv.Rectangle) {
		p.drawRow(buf, room, &p.shown[i], focused && i == p.Outline.Chosen(), p.host.Styles())
	})
}

// summary draws a line about all waiting changes.
func (p *inboxView) summary(buf uv.ScreenBuffer, area uv.Rectangle, sty *draw.Styles) {
	words := waitingWords(len(p.all)) + draw.Separator + draw.Plural(p.total, "fact")
	if p.old > 0 {
		words += draw.Separator + fmt.Sprintf("%d outdated", p.old)
	}
	draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), sty.Base, words)
}

func waitingWords(n int) string {
	if n == 1 {
		return "1 change to review"
	}
	return draw.Plural(n, "change") + " wait"
}

// fromWords returns the positions of the messages that a fact came from.
func (r *Part) fromWords(from []storage.NodeID) string {
	const most = 4
	var places []string
	older := 0
	for _, id := range from {
		if m, ok := r.host.Play().Message(id); ok {
			places = append(places, strconv.Itoa(m.Depth+1))
		} else {
			older++
		}
	}
	words := ""
	switch n := len(places); {
	case n == 1:
		words = "from message " + places[0]
	case n > most:
		words = "from messages " + strings.Join(places[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	case n > 1:
		words = "from messages " + strings.Join(places, ", ")
	}
	switch {
	case older > 0 && words == "":
		words = "from " + draw.Plural(older, "older message")
	case older > 0:
		words += " and " + draw.Plural(older, "older one")
	}
	return words
}
