package lore

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (p *inboxView) act(act keys.Action) tea.Cmd {
	if p.Outline.Act(act) {
		return nil
	}
	switch act {
	case keys.PaneUndo:
		return p.room.undoReview()
	case keys.PaneRegenerate:
		return p.read()
	}
	c := p.proposal()
	if c == nil {
		if p.loaded && len(p.all) == 0 && onProposal(act) {
			return p.d.Say(event.Info, "nothing to review")
		}
		return nil
	}
	switch act {
	case keys.PaneEnter:
		return p.enter()
	case keys.PaneLeft, keys.PaneRight, keys.PaneFold:
		p.unfold(act, c)
	case keys.PaneMark:
		return p.toggle()
	case keys.PaneTakeHunk:
		return p.mark(true)
	case keys.PaneDropHunk:
		return p.mark(false)
	case keys.PaneMarkAll:
		p.markAll(c)
	case keys.PaneAccept:
		return p.accept(c)
	case keys.PaneReject, keys.PaneDelete:
		return p.reject(c)
	case keys.PaneEdit:
		p.room.editProposal(c, c.After.Content, "")
	case keys.PaneAll:
		p.openMany()
	case keys.PaneDiff:
		p.openDiff(c)
	default:
		return p.lead(act, c)
	}
	return nil
}

// onProposal tells whether an action is about a proposal.
func onProposal(act keys.Action) bool {
	switch act {
	case keys.PaneEnter, keys.PaneAccept, keys.PaneReject, keys.PaneEdit, keys.PaneAll, keys.PaneDiff, keys.PaneMark, keys.PaneSource:
		return true
	}
	return false
}

// lead goes to what a proposal has to do with: messages, its scene, the entry.
func (p *inboxView) lead(act keys.Action, c *lore.Proposal) tea.Cmd {
	switch act {
	case keys.PaneSource:
		return p.source(c)
	case keys.PaneInstruct:
		switch {
		case c.Cause.Break == "":
			return p.d.Say(event.Info, "no source scene")
		case c.Cause.Chat != "" && c.Cause.Chat != p.d.Chat().Chat.ID:
			return p.d.Say(event.Info, "the source scene is in another chat")
		}
		return p.room.pointAt(c.Cause.Break, "the source scene ends here")
	case keys.PaneOutside:
		if c.Kind == storage.LoreAdds {
			return p.d.Say(event.Info, "this entry does not exist yet; accepting creates it")
		}
		return p.room.showEntry(entriesTab, c.Book, c.After.ID)
	}
	return nil
}

// enter folds or unfolds a proposal, and leads from a fact to its messages.
func (p *inboxView) enter() tea.Cmd {
	r := p.row()
	if r.lines == nil {
		p.fold()
		return nil
	}
	return p.source(&p.all[r.proposal])
}

// fold shows or hides the hunks of the chosen proposal.
func (p *inboxView) fold() {
	if c := p.proposal(); c != nil {
		p.unfold(keys.PaneFold, c)
	}
}

func (p *inboxView) unfold(act keys.Action, c *lore.Proposal) {
	open := act == keys.PaneRight || act == keys.PaneFold && p.open != c.ID
	if open == (p.open == c.ID) {
		return
	}
	if p.open = ""; open {
		p.open = c.ID
	}
	p.lay(factRef{c.ID, -1})
}

// toggle takes or leaves the chosen fact; of a proposal it shows the facts.
func (p *inboxView) toggle() tea.Cmd {
	r := p.row()
	if r == nil {
		return nil
	}
	return p.mark(r.hunk >= 0 && !p.taken(&p.all[r.proposal], r.hunk))
}

// mark takes the chosen fact, or leaves it out.
func (p *inboxView) mark(take bool) tea.Cmd {
	r := p.row()
	if r == nil {
		return nil
	}
	c := &p.all[r.proposal]
	if r.hunk < 0 {
		if p.open != c.ID {
			p.fold()
		}
		return p.d.Say(event.Info, "select a fact below: > accepts it, < rejects it")
	}
	left := p.left[c.ID]
	if len(left) != len(c.Hunks) {
		left = make([]bool, len(c.Hunks))
	}
	left[r.hunk] = !take
	p.left[c.ID] = left
	p.lay(p.chosenFact())
	return nil
}

// markAll takes all facts of a proposal, or none where all are taken.
func (p *inboxView) markAll(c *lore.Proposal) {
	n, taken := p.facts(c)
	left := make([]bool, len(c.Hunks))
	for i := range left {
		left[i] = n == taken && choosable(&c.Hunks[i])
	}
	p.left[c.ID] = left
	p.lay(p.chosenFact())
}

// accept applies the facts of a proposal that are taken.
func (p *inboxView) accept(c *lore.Proposal) tea.Cmd {
	n, taken := p.facts(c)
	take, id, name := p.chosenHunks(c), c.ID, proposalName(c)
	if n > 0 && taken == 0 && len(c.Fields) == 0 {
		return p.d.Say(event.Info, "you have rejected every fact; X rejects the change")
	}
	words := name + ": accepted"
	if take != nil {
		words = fmt.Sprintf("%s: %d of %s accepted", name, taken, look.Plural(n, "fact"))
	}
	return p.decide(decision{id, words + p.room.undoReviewWords(), func() error { return p.d.Engine().Lore.Accept(id, take, nil) }})
}

func (p *inboxView) reject(c *lore.Proposal) tea.Cmd {
	id := c.ID
	return p.decide(decision{id, proposalName(c) + ": rejected" + p.room.undoReviewWords(), func() error { return p.d.Engine().Lore.Reject(id) }})
}

// undoReviewWords say how a decision is undone.
func (r *Room) undoReviewWords() string {
	if k := r.desk.Keys().Key(keys.PaneUndo, keys.Pane); k != "" {
		return look.Separator + k + " undoes it"
	}
	return ""
}

// undoReview brings the proposal back that was accepted or rejected last, also
// where that is only being stored.
func (r *Room) undoReview() tea.Cmd {
	return r.reviews.Do(r.desk, func() func() tea.Cmd {
		what, err := r.desk.Engine().Lore.UndoReview()
		return func() tea.Cmd {
			if err != nil {
				return r.desk.Fail(err)
			}
			return r.desk.Say(event.Info, "undone: "+look.Within(what, 200))
		}
	})
}

// editProposal lets the user rewrite what a proposal would make of the content,
// and accepts it so.
func (r *Room) editProposal(c *lore.Proposal, text, fault string) {
	id, name := c.ID, proposalName(c)
	f := widget.Form{Title: "Edit, then accept: " + look.Within(name, 60), Foot: "^S accept · esc close",
		Notes:  []string{"The text sent to the model. Saving accepts the whole change with this text."},
		Fields: []*widget.Field{widget.TextField(r.desk.Look(), "", text, 12)}, Unsaved: "not accepted: esc again keeps it for review, ^S accepts it"}
	desk.EditorKey(r.desk, &f, f.Fields[0].Input)
	k := desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		edited := f.Fields[0].Value()
		var as *string
		if f.Changed() {
			as = &edited
		}
		return func() (func() tea.Cmd, error) {
			if err := r.desk.Engine().Lore.Accept(id, nil, as); err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				return r.desk.Say(event.Info, name+": accepted with your text"+r.undoReviewWords())
			}, nil
		}, nil
	})
	k.Fault = fault
	r.desk.Open(k)
}

// source goes to the messages that a fact came from, one after the other. Of a
// proposal these are the messages of all its facts.
func (p *inboxView) source(c *lore.Proposal) tea.Cmd {
	if c.Cause.Chat != "" && c.Cause.Chat != p.d.Chat().Chat.ID {
		return p.d.Say(event.Info, "the source messages are in another chat")
	}
	of := factRef{c.ID, p.row().hunk}
	var from []storage.NodeID
	seen := map[storage.NodeID]bool{}
	for i, list := range c.Sources {
		for _, id := range list {
			if (of.hunk < 0 || of.hunk == i) && !seen[id] {
				seen[id] = true
				from = append(from, id)
			}
		}
	}
	if len(from) == 0 {
		return p.d.Say(event.Info, "no source message recorded")
	}
	if p.through != of {
		p.through, p.cycle = of, 0
	}
	n := p.cycle % len(from)
	p.cycle = n + 1
	words := "source message"
	if len(from) > 1 {
		words = fmt.Sprintf("source message %d of %d%sagain goes to the next", n+1, len(from), look.Separator)
	}
	return p.room.pointAt(from[n], words)
}

// openDiff shows the whole of what a proposal changes.
func (p *inboxView) openDiff(c *lore.Proposal) {
	change := *c
	p.d.Open(&traceSheet{title: proposalKind(c) + ": " + proposalName(c), laidLines: laidLines{lines: func(w int, lk *look.Look) []string {
		out := []string{lk.Dim.Styled(look.Within(p.about(&change), w)), ""}
		for i := range change.Hunks {
			if i == mostHunks {
				out = append(out, lk.Dim.Styled(look.Clip(moreHunks(len(change.Hunks)-i), w)))
				break
			}
			h := &change.Hunks[i]
			out = append(out, hunkLines(h, "", w, 0, lk)...)
			if i < len(change.Sources) && h.Kind != plist.Kept {
				if from := p.room.fromWords(change.Sources[i]); from != "" {
					out = append(out, "  "+lk.Dim.Styled(look.Within(from, max(1, w-2))))
				}
			}
		}
		for _, f := range change.Fields {
			out = append(out, look.Hanging(lk.Dim.Styled(look.Within(f.Name, 40)+"  "), orNone(f.Before)+" → "+orNone(f.After), w, lk.Base)...)
		}
		left := look.Lines{Width: w}
		leftOut(&left, change.Cause, lk)
		out = append(out, left.Text...)
		head := look.Heading(lk)
		out = append(out, "", head.Styled("Preview"))
		for _, l := range look.Wrap(look.Cut(change.After.Content, longestShown), w) {
			out = append(out, lk.Base.Styled(l))
		}
		return out
	}}})
}

// many is a choice of several proposals.
type many struct {
	words string
	ids   []storage.LoreChangeID
	old   int // outdated ones, which are left
}

// openMany asks which proposals are to be accepted at once: all, or those of a
// type, a book or a scene.
func (p *inboxView) openMany() {
	var order []string
	groups := map[string]*many{}
	add := func(words string, c *lore.Proposal) {
		g := groups[words]
		if g == nil {
			g = &many{words: words}
			groups[words] = g
			order = append(order, words)
		}
		if c.Outdated {
			g.old++
		} else {
			g.ids = append(g.ids, c.ID)
		}
	}
	for i := range p.all {
		add("all pending changes", &p.all[i])
	}
	for i := range p.all {
		if typ := look.Within(p.all[i].After.Type, 40); typ != "" {
			add("type: "+typ, &p.all[i])
		}
	}
	for i := range p.all {
		add("book: "+look.Within(p.all[i].BookName, 80), &p.all[i])
	}
	for i := range p.all {
		if scene := look.Within(p.all[i].Scene, 80); scene != "" {
			add(scene, &p.all[i])
		}
	}
	entries := make([]widget.Entry, 0, len(order))
	for _, words := range order {
		g := groups[words]
		entries = append(entries, widget.Entry{Title: g.words, Right: fmt.Sprint(len(g.ids) + g.old), Value: *g})
	}
	p.d.Open(widget.NewPicker(p.d.Look(), "Accept several changes", entries, func(e widget.Entry) tea.Cmd {
		g := e.Value.(many)
		p.room.confirmMany(g)
		return nil
	}))
}

func (r *Room) confirmMany(g many) {
	text := fmt.Sprintf("Accept %s (%s)? Facts that you have rejected are accepted too. Each change can be undone in the entry's history.", look.Plural(len(g.ids), "change"), g.words)
	if g.old > 0 {
		text += fmt.Sprintf(" %d of them are outdated and stay here for review.", g.old)
	}
	r.desk.Open(&widget.Confirm{Title: "Accept several changes", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "accept " + look.Plural(len(g.ids), "change"), Do: func() tea.Cmd { return r.acceptMany(g.ids) }},
	}})
}

// acceptMany accepts proposals one after the other; one that cannot be accepted
// stays, and the others go on.
func (r *Room) acceptMany(ids []storage.LoreChangeID) tea.Cmd {
	return r.desk.Do(func() func() tea.Cmd {
		done := 0
		var fault error
		for _, id := range ids {
			if r.desk.Context().Err() != nil {
				break
			}
			if err := r.desk.Engine().Lore.Accept(id, nil, nil); err != nil {
				fault = err
			} else {
				done++
			}
		}
		return func() tea.Cmd {
			if fault != nil {
				r.desk.Log().Warn("shown to the user", "err", fault)
				return r.desk.Say(event.Error, fmt.Sprintf("%d of %s accepted; the rest stays: %s", done, look.Plural(len(ids), "change"), failure.Words(fault)))
			}
			return r.desk.Say(event.Info, look.Plural(done, "change")+" accepted")
		}
	})
}
