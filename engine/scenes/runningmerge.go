package scenes

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mergeInput is the input of a merge.
type mergeInput struct {
	chats.Params
	chat       storage.Chat
	user       string
	char       string
	base       *storage.Recap // nil: the recap is the first
	at         storage.NodeID // the break that says that base is in force
	next       storage.Recap
	part       storage.Part
	alone      bool              // the running recap is this very recap
	outOfOrder bool              // base already covers later scenes
	ended      map[string]string // bullets that have ended since, and why
}

// readMerge reads the current input of a merge.
func (svc *Service) readMerge(p chats.Params) (m mergeInput, err error) {
	m.Params = p
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, p.Chat, p.Node)
		for err == nil && b.Recap() == "" || errors.Is(err, ErrNoScene) || errors.Is(err, storage.ErrNotFound) {
			if len(p.Nodes) < 2 {
				return queue.ErrDiscard
			}
			p.Nodes = p.Nodes[1:] // a rebuild goes on without it
			p.Node = p.Nodes[0]
			b, err = VisibleBreak(tx, p.Chat, p.Node)
		}
		if err != nil {
			return err
		}
		m.Params = p
		if m.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		m.char, m.user = svc.chats.Names(tx, m.chat)
		if m.next, err = storage.Recaps.Get(tx, p.Chat, b.Recap()); err != nil {
			return queue.ErrDiscard
		}
		s, err := SpanAt(tx, p.Chat, p.Node)
		if err != nil {
			return err
		}
		m.part = storage.Part{Break: p.Node, After: nonEmptyBefore(tx, p.Chat, s.after), Recap: m.next.ID,
			TextHash: TextHash(m.next.Text)}
		if m.base, m.at, err = mergeBase(tx, m); err != nil || m.base == nil {
			return err
		}
		m.place(tx, lineageIn(tx, p.Chat), b)
		if m.base != nil {
			m.ended = EndIndexAt(tx, m.chat, m.leaf(tx), nil).reasons(*m.base, m.next)
		}
		return nil
	})
	return m, err
}

// place determines the merged scene's position in the story and the version that it is merged with.
// The old recap of the scene must not stay beside the new one: if it was merged last, the merge
// starts from the version before; if base also contains later scenes, the running recap is rebuilt
// from here. A scene that base lacks although it contains later ones is out of order. A version
// that the user edited is kept.
func (m *mergeInput) place(tx *storage.Tx, p lineage, b storage.Break) {
	if m.base == nil || len(m.Nodes) > 0 {
		return // there is nothing later, or a rebuild is in progress
	}
	var later []storage.Break
	edited := false
	p.walk(*m.base, func(v storage.Recap) bool {
		edited = edited || v.Edited()
		if v.Part == nil {
			return true
		}
		if v.Part.Break != m.Node {
			same := func(o storage.Break) bool { return o.Node == v.Part.Break }
			if brk, err := VisibleBreak(tx, m.Chat, v.Part.Break); err == nil && brk.Depth > b.Depth &&
				!slices.ContainsFunc(later, same) {
				later = append(later, brk)
			}
			return true
		}
		same, last := v.Part.TextHash == m.part.TextHash && v.Part.After == m.part.After, v.ID == m.base.ID
		before, ok := p(v.Base)
		switch {
		case edited, v.Base != "" && !ok:
			return false // the user edited it, or its earlier versions cannot be read
		case same && (v.Base != "" || !last):
			return false // base covers it as it is
		case !last && len(later) == 0:
			return false // base covers it last
		case !last:
			m.Nodes, m.Base, m.Asked, m.at = []storage.NodeID{m.Node}, v.Base, true, before.Node
		}
		m.alone, m.base = same, nil
		if ok {
			m.base = &before
		}
		return last && ok
	})
	if m.outOfOrder = len(m.Nodes) == 0 && len(later) > 0; m.outOfOrder {
		return
	}
	// As played, not as merged.
	slices.SortFunc(later, func(x, y storage.Break) int { return cmp.Compare(x.Depth, y.Depth) })
	for _, brk := range later {
		m.Nodes = append(m.Nodes, brk.Node)
	}
}

// leaf returns the message to which the result will belong. Breaks below it may be swiped away
// while the result stays.
func (m *mergeInput) leaf(tx *storage.Tx) storage.NodeID {
	b, err := VisibleBreak(tx, m.Chat, m.Node)
	if above, aboveErr := VisibleBreak(tx, m.Chat, m.at); err == nil && aboveErr == nil && above.Depth > b.Depth {
		return m.at
	}
	return m.Node
}

// nonEmptyBefore goes back from a break over scenes without messages, which cannot have a recap.
func nonEmptyBefore(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID) storage.NodeID {
	for brk != "" {
		s, err := SpanAt(tx, chat, brk)
		if err != nil || s.Messages > 0 || s.Break.Recap() != "" {
			break
		}
		brk = s.after
	}
	return brk
}

// mergeBase returns the version that a merge adds to.
func mergeBase(tx *storage.Tx, m mergeInput) (*storage.Recap, storage.NodeID, error) {
	switch {
	case m.Base != "":
		r, err := storage.RunningRecaps.Get(tx, m.Chat, m.Base)
		return &r, r.Node, err
	case len(m.Nodes) > 0:
		return nil, "", nil // a rebuild begins
	case chats.OnPath(tx, m.Chat, m.chat.Head, m.Node):
		return RunningAt(tx, m.Chat, m.chat.Head)
	}
	return RunningAt(tx, m.Chat, m.Node)
}

// runRunning merges a scene's recap into the running one. The first becomes the
// running recap as it is.
func (jobs *Jobs) runRunning(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	m, err := jobs.readMerge(chats.ParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	if len(m.Nodes) == 0 && !m.Asked && (m.alone || m.base != nil && mergedLast(m.base, m.part)) {
		return queue.Effect{Result: recapResult{Reused: true}}, nil
	}
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: m.Node, Kind: storage.RunningRecap,
		Origin:    storage.Copied,
		SceneName: m.next.SceneName, Text: m.next.Text, Sources: m.next.Sources, Part: &m.part}
	if m.base != nil {
		j, err := jobs.models.Job(ctx, models.JobRunning, m.chat)
		if err != nil {
			return queue.Effect{}, err
		}
		p := chats.ParamsOf(op)
		done := partsProgressOf(p)
		work := scene.Merge{Records: []storage.Recap{*m.base, m.next}, Running: !m.outOfOrder, Ended: m.ended,
			User: m.user, Char: m.char}
		if m.outOfOrder {
			slices.Reverse(work.Records) // the order of the story: the later one wins
		}
		d, over, err := jobs.merge(ctx, j, m.chat, work, &done, report)
		if err != nil {
			return queue.Effect{}, err
		}
		if !over {
			return continueLater(p, done)
		}
		r.Origin, r.Model, r.Text, r.Sources, r.Dropped = storage.Generated, j.Model, d.Text, d.Sources, d.Dropped
		r.Base, r.BaseTextHash = m.base.ID, TextHash(m.base.Text)
	}
	return queue.Effect{Result: recapResult{Recap: r.ID},
		Apply: func(tx *storage.Tx) error { return jobs.keepRunning(tx, m, r) }}, nil
}

// mergedLast reports whether the newest thing that a running recap took in was part.
func mergedLast(base *storage.Recap, part storage.Part) bool {
	return base.Part != nil && base.Part.Break == part.Break && base.Part.TextHash == part.TextHash &&
		base.Part.After == part.After
}

// keepRunning stores a version and makes it current, at the deeper of its scene's break and the
// break that names its base. A rebuild continues from there.
func (svc *Service) keepRunning(tx *storage.Tx, m mergeInput, r storage.Recap) error {
	b, err := VisibleBreak(tx, m.Chat, m.Node)
	if err != nil && len(m.Nodes) > 1 {
		return svc.continueRebuild(tx, m.Params, m.Nodes[1:], m.Base)
	}
	if err != nil {
		return queue.ErrDiscard
	}
	if m.outdated(tx) { // the user has changed it meanwhile
		_, err := svc.core.Queue.AddOperation(tx, opRunning, m.Params, nil)
		return err
	}
	if above, err := VisibleBreak(tx, m.Chat, m.at); err == nil && above.Depth > b.Depth {
		b = above
	}
	rest := m.Nodes
	if len(rest) > 0 {
		rest = rest[1:]
	}
	if len(m.Nodes) == 1 {
		if rest, b, err = changedSinceRebuild(tx, m.chat.ID, b); err != nil {
			return err
		}
	}
	in := lineageIn(tx, m.Chat).Parts(m.base)
	in[m.part.Break] = true
	r.Node, r.Witnesses = b.Node, nil
	if m.base != nil {
		r.Witnesses = m.base.Witnesses
	}
	if part, err := storage.Recaps.Get(tx, m.Chat, m.part.Recap); err == nil {
		r.Witnesses = storage.WitnessesOfBoth(r.Witnesses, part.Witnesses)
	}
	r.Covers, r.Scenes, r.CreatedAt = covers(tx, m.Chat, m.base, m.part), len(in), svc.core.Config.Now()
	if err := storage.RunningRecaps.Put(tx, m.Chat, r); err != nil {
		return err
	}
	b.Running = r.ID
	if err := storage.Breaks.Put(tx, m.Chat, b); err != nil {
		return err
	}
	return svc.continueRebuild(tx, m.Params, rest, r.ID)
}

// continueRebuild queues the next step of a rebuild, if any is left.
func (svc *Service) continueRebuild(tx *storage.Tx, p chats.Params, rest []storage.NodeID, base storage.RecapID) error {
	if len(rest) == 0 {
		return nil
	}
	_, err := svc.core.Queue.AddOperation(tx, opRunning,
		chats.Params{Chat: p.Chat, Node: rest[0], Nodes: rest, Base: base, Asked: true}, nil)
	return err
}

// changedSinceRebuild returns the remaining work of a rebuild that has reached the end of its list
// at b: the scenes after b that were merged meanwhile or, if there are none, the break to which its
// result belongs.
func changedSinceRebuild(tx *storage.Tx, chat storage.ChatID,
	b storage.Break) (rest []storage.NodeID, at storage.Break, err error) {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil || !chats.OnPath(tx, chat, c.Head, b.Node) {
		return nil, b, err
	}
	_, last, _ := RunningAt(tx, chat, c.Head) // one that cannot be read is replaced
	for p := range tx.PathInfos(chat, last) {
		if p.Depth <= b.Depth {
			break
		}
		if brk, err := VisibleBreak(tx, chat, p.ID); err == nil && brk.Recap() != "" {
			rest = append(rest, p.ID)
		}
	}
	slices.Reverse(rest)
	if above, err := VisibleBreak(tx, chat, last); err == nil && len(rest) == 0 && above.Depth > b.Depth {
		b = above
	}
	return rest, b, nil
}
