package lore

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// actions implements paneView.
func (p *inboxView) actions() []keys.Action {
	all := []keys.Action{
		p.with(keys.PaneAccept, "accept the change", "accept", p.accept),
		p.with(keys.PaneReject, "reject the change", "reject", p.reject),
		p.with(keys.PaneMark, "accept the fact, or not", "fact", p.toggle),
		p.with(keys.PaneEdit, "edit the text, then accept it", "edit", p.edit),
		p.with(keys.PaneSource, "go to the message it came from", "message", p.source),
		p.with(keys.PaneDiff, "what would change", "diff", p.openDiff),
		p.with(keys.PaneAll, "accept several changes", "many",
			func(*lore.Proposal) tea.Cmd { p.openMany(); return nil }),
		{Name: keys.PaneUndo, Text: "undo the last accept or reject", Hint: "undo", Do: p.part.undoReview},
		p.with(keys.PaneEnter, "fold or unfold; from a fact to its message", "", p.enter),
		p.with(keys.PaneFold, "fold or unfold the facts", "", p.fold),
		p.with(keys.PaneLeft, "fold the facts", "", func(c *lore.Proposal) tea.Cmd { return p.unfold(c, false) }),
		p.with(keys.PaneRight, "unfold the facts", "", func(c *lore.Proposal) tea.Cmd { return p.unfold(c, true) }),
		p.with(keys.PaneMarkAll, "accept all facts, or none", "", p.markAll),
		p.own(factAccept, "pane-accept-hunk", "accept this fact",
			func(*lore.Proposal) tea.Cmd { return p.mark(true) }, ">"),
		p.own(factReject, "pane-reject-hunk", "reject this fact",
			func(*lore.Proposal) tea.Cmd { return p.mark(false) }, "<"),
		p.own(entryShow, "", "show the entry in its lorebook", p.showEntry),
		p.own(sceneShow, "", "go to the source scene", p.showScene),
	}
	return append(all, keys.MoveActions(p.Outline.Move)...)
}

// proposalAction does something with a proposal.
type proposalAction func(c *lore.Proposal) tea.Cmd

// with returns an action on the chosen proposal.
func (p *inboxView) with(name keys.Name, words, hint string, do proposalAction) keys.Action {
	return keys.Action{Name: name, Text: words, Hint: hint, Unavailable: p.whyNothing, Do: func() tea.Cmd {
		c := p.proposal()
		if c == nil {
			return nil
		}
		return do(c)
	}}
}

// own returns an action on the chosen proposal that only this pane has.
func (p *inboxView) own(name, was keys.Name, words string, do proposalAction, k ...string) keys.Action {
	on := p.with(name, words, "", do)
	a := keys.NewPaneAction(name, was, words, on.Do, k...)
	a.Unavailable = on.Unavailable
	return a
}

func (p *inboxView) whyNothing() string {
	if len(p.all) == 0 {
		return "nothing to review"
	}
	return ""
}

// showScene goes to the end of the scene that a proposal came from.
func (p *inboxView) showScene(c *lore.Proposal) tea.Cmd {
	switch {
	case c.Cause.Break == "":
		return p.host.Say(event.Info, "no source scene")
	case c.Cause.Chat != "" && c.Cause.Chat != p.host.Play().Chat().Chat.ID:
		return p.host.Say(event.Info, "the source scene is in another chat")
	}
	return p.part.pointAt(c.Cause.Break, "the source scene ends here")
}

func (p *inboxView) showEntry(c *lore.Proposal) tea.Cmd {
	if c.Kind == storage.LoreAdds {
		return p.host.Say(event.Info, "this entry does not exist yet; accepting creates it")
	}
	return p.part.showEntry(entriesTab, c.Book, c.After.ID)
}

// enter folds or unfolds a proposal, and goes from a fact to its messages.
func (p *inboxView) enter(c *lore.Proposal) tea.Cmd {
	if p.row().lines == nil {
		return p.fold(c)
	}
	return p.source(c)
}

func (p *inboxView) fold(c *lore.Proposal) tea.Cmd { return p.unfold(c, p.open != c.ID) }

// unfold shows or hides the hunks of a proposal.
func (p *inboxView) unfold(c *lore.Proposal, open bool) tea.Cmd {
	if open == (p.open == c.ID) {
		return nil
	}
	if p.open = ""; open {
		p.open = c.ID
	}
	p.layout(factRef{c.ID, -1})
	return nil
}

func (p *inboxView) edit(c *lore.Proposal) tea.Cmd {
	p.part.editProposal(c, c.After.Content, "")
	return nil
}

// toggle accepts or leaves out the chosen fact; for a proposal it shows the facts.
func (p *inboxView) toggle(c *lore.Proposal) tea.Cmd {
	r := p.row()
	return p.mark(r.hunk >= 0 && !p.taken(c, r.hunk))
}

// mark accepts the chosen fact, or leaves it out.
func (p *inboxView) mark(take bool) tea.Cmd {
	r := p.row()
	c := &p.all[r.proposal]
	if r.hunk < 0 {
		words := "select a fact below: " + pane.PathTo(p.host, factAccept) + " accepts it, " +
			pane.PathTo(p.host, factReject) + " rejects it"
		return tea.Batch(p.unfold(c, true), p.host.Say(event.Info, words))
	}
	left := p.left[c.ID]
	if len(left) != len(c.Hunks) {
		left = make([]bool, len(c.Hunks))
	}
	left[r.hunk] = !take
	p.left[c.ID] = left
	p.layout(p.chosenFact())
	return nil
}

// markAll accepts all facts of a proposal, or none if all are accepted.
func (p *inboxView) markAll(c *lore.Proposal) tea.Cmd {
	n, taken := p.facts(c)
	left := make([]bool, len(c.Hunks))
	for i := range left {
		left[i] = n == taken && choosable(&c.Hunks[i])
	}
	p.left[c.ID] = left
	p.layout(p.chosenFact())
	return nil
}

// accept applies the accepted facts of a proposal.
func (p *inboxView) accept(c *lore.Proposal) tea.Cmd {
	n, taken := p.facts(c)
	take, id, name := p.chosenHunks(c), c.ID, proposalName(c)
	if n > 0 && taken == 0 && len(c.Fields) == 0 {
		return p.host.Say(event.Info, "you have rejected every fact; "+p.part.key(keys.PaneReject)+
			" rejects the change")
	}
	words := name + ": accepted"
	if take != nil {
		words = fmt.Sprintf("%s: %d of %s accepted", name, taken, draw.Plural(n, "fact"))
	}
	return p.decide(decision{id, words + p.part.undoReviewWords(),
		func() error { return p.host.Engine().Lore.Accept(id, take, nil) }})
}

func (p *inboxView) reject(c *lore.Proposal) tea.Cmd {
	id := c.ID
	return p.decide(decision{id, proposalName(c) + ": rejected" + p.part.undoReviewWords(),
		func() error { return p.host.Engine().Lore.Reject(id) }})
}

// undoReviewWords returns the words about how to undo a decision.
func (r *Part) undoReviewWords() string {
	if k := r.key(keys.PaneUndo); k != "" {
		return draw.Separator + k + " undoes it"
	}
	return ""
}

// undoReview restores the proposal that was accepted or rejected last, even while that is being
// stored.
func (r *Part) undoReview() tea.Cmd {
	return r.reviews.Do(r.host, func() func() tea.Cmd {
		what, err := r.host.Engine().Lore.UndoReview()
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return r.host.Say(event.Info, "undone: "+draw.Truncate(what, 200))
		}
	})
}

// editProposal opens an editor with a proposal's content and accepts the edited text.
func (r *Part) editProposal(c *lore.Proposal, text, fault string) {
	id, name := c.ID, proposalName(c)
	f := widget.Form{Title: "Edit, then accept: " + draw.Truncate(name, 60), Verb: "accept",
		Notes:  []string{"The text sent to the model. Saving accepts the whole change with this text."},
		Fields: []*widget.Field{widget.TextField(r.host.Styles(), "", text, 12)}}
	pane.EditorKey(r.host, &f, f.Fields[0].Input)
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		edited := f.Fields[0].Value()
		var as *string
		if f.Changed() {
			as = &edited
		}
		return func() (func() tea.Cmd, error) {
			if err := r.host.Engine().Lore.Accept(id, nil, as); err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				return r.host.Say(event.Info, name+": accepted with your text"+r.undoReviewWords())
			}, nil
		}, nil
	})
	k.Fault = fault
	r.host.Open(k)
}

// source goes to the messages that a fact came from, one after the other; for a proposal, to the
// messages of all its facts.
func (p *inboxView) source(c *lore.Proposal) tea.Cmd {
	if c.Cause.Chat != "" && c.Cause.Chat != p.host.Play().Chat().Chat.ID {
		return p.host.Say(event.Info, "the source messages are in another chat")
	}
	of := factRef{c.ID, p.row().hunk}
	var from []storage.NodeID
	seen := map[storage.NodeID]bool{}
	for i := range c.Hunks {
		for _, id := range c.Hunks[i].Messages {
			if (of.hunk < 0 || of.hunk == i) && !seen[id] {
				seen[id] = true
				from = append(from, id)
			}
		}
	}
	if len(from) == 0 {
		return p.host.Say(event.Info, "no source message recorded")
	}
	if p.through != of {
		p.through, p.cycle = of, 0
	}
	n := p.cycle % len(from)
	p.cycle = n + 1
	words := "source message"
	if len(from) > 1 {
		words = fmt.Sprintf("source message %d of %d%sagain goes to the next", n+1, len(from), draw.Separator)
	}
	return p.part.pointAt(from[n], words)
}

// openDiff shows all changes of a proposal.
func (p *inboxView) openDiff(c *lore.Proposal) tea.Cmd {
	change := *c
	p.host.Open(&widget.Reader{Title: proposalKind(c) + ": " +
		proposalName(c), Lines: func(w int, sty *draw.Styles) []string {
		out := []string{sty.Dim.Styled(draw.Truncate(p.about(&change), w)), ""}
		for i := range change.Hunks {
			if i == maxHunks {
				out = append(out, sty.Dim.Styled(draw.Clip(moreHunks(len(change.Hunks)-i), w)))
				break
			}
			h := &change.Hunks[i]
			out = append(out, hunkLines(h, "", w, 0, sty)...)
			if h.Kind != plist.Kept {
				if from := p.part.fromWords(h.Messages); from != "" {
					out = append(out, "  "+sty.Dim.Styled(draw.Truncate(from, max(1, w-2))))
				}
			}
		}
		for _, f := range change.Fields {
			out = append(out, draw.Hanging(sty.Dim.Styled(draw.Truncate(f.Name, 40)+"  "),
				nameOrNone(f.Before)+" → "+nameOrNone(f.After), w, sty.Base)...)
		}
		left := draw.Lines{Width: w}
		leftOut(&left, change.Cause, sty)
		out = append(out, left.Text...)
		head := draw.Heading(sty)
		out = append(out, "", head.Styled("Preview"))
		for _, l := range draw.Wrap(draw.Cut(change.After.Content, maxShown), w) {
			out = append(out, sty.Base.Styled(l))
		}
		return out
	}})
	return nil
}

// batch is a choice of several proposals.
type batch struct {
	words string
	ids   []storage.LoreChangeID
	old   int // outdated ones, which are not accepted
}

// openMany asks which proposals to accept together: all, or those of a type, a book or a scene.
func (p *inboxView) openMany() {
	var order []string
	groups := map[string]*batch{}
	add := func(words string, c *lore.Proposal) {
		g := groups[words]
		if g == nil {
			g = &batch{words: words}
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
		if typ := draw.Truncate(p.all[i].After.Type, 40); typ != "" {
			add("type: "+typ, &p.all[i])
		}
	}
	for i := range p.all {
		add("book: "+draw.Truncate(p.all[i].BookName, 80), &p.all[i])
	}
	for i := range p.all {
		if scene := draw.Truncate(p.all[i].Scene, 80); scene != "" {
			add(scene, &p.all[i])
		}
	}
	entries := make([]widget.Entry, 0, len(order))
	for _, words := range order {
		g := groups[words]
		entries = append(entries, widget.Entry{Title: g.words, Right: fmt.Sprint(len(g.ids) + g.old), Value: *g})
	}
	p.host.Open(widget.NewPicker(p.host.Styles(), "Accept several changes", entries, func(e widget.Entry) tea.Cmd {
		g := e.Value.(batch)
		p.part.confirmMany(g)
		return nil
	}))
}

func (r *Part) confirmMany(g batch) {
	text := fmt.Sprintf("Accept %s (%s)? Facts that you have rejected are accepted too. Each change can be undone in "+
		"the entry's history.", draw.Plural(len(g.ids), "change"), g.words)
	if g.old > 0 {
		text += fmt.Sprintf(" %d of them are outdated and stay here for review.", g.old)
	}
	r.host.Open(&widget.Confirm{Title: "Accept several changes", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "accept " + draw.Plural(len(g.ids), "change"),
			Do: func() tea.Cmd { return r.acceptMany(g.ids) }},
	}})
}

// acceptMany accepts proposals one after the other. One that cannot be accepted stays, and the
// others continue.
func (r *Part) acceptMany(ids []storage.LoreChangeID) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		done := 0
		var fault error
		for _, id := range ids {
			if r.host.Context().Err() != nil {
				break
			}
			if err := r.host.Engine().Lore.Accept(id, nil, nil); err != nil {
				fault = err
			} else {
				done++
			}
		}
		return func() tea.Cmd {
			if fault != nil {
				r.host.Log().Warn("shown to the user", "err", fault)
				return r.host.Say(event.Error, fmt.Sprintf("%d of %s accepted; the rest stays: %s", done,
					draw.Plural(len(ids), "change"), failure.Text(fault)))
			}
			return r.host.Say(event.Info, draw.Plural(done, "change")+" accepted")
		}
	})
}
