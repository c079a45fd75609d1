package engine

import (
	"context"
	"errors"
	"slices"

	"ghostlight/engine/ollama"
	"ghostlight/engine/queue"
	"ghostlight/engine/scene"
	"ghostlight/storage"
)

// running is the running recap of a path: its versions, oldest first, and the
// one in force.
type running struct {
	past    past
	list    []storage.Recap
	current *storage.Recap
	at      int            // of current in list, -1 for none
	chosen  storage.NodeID // the break that says which is in force
}

// runningOn finds the versions that hang on a path's breaks. The one in force is
// what the last of these breaks that names one says.
func runningOn(tx *storage.Tx, chat storage.ChatID, list []stretch) running {
	all := map[storage.RecapID]storage.Recap{}
	r := running{at: -1, past: func(id storage.RecapID) (storage.Recap, bool) { v, ok := all[id]; return v, ok }}
	onPath := map[storage.NodeID]bool{}
	var id storage.RecapID
	for _, s := range list {
		if s.brk == nil {
			continue
		}
		onPath[s.brk.Node] = true
		if s.brk.Running != "" {
			id, r.chosen = s.brk.Running, s.brk.Node
		}
	}
	for _, v := range storage.Runnings.All(tx, chat) {
		if all[v.ID] = v; !onPath[v.Node] {
			continue
		}
		if v.ID == id {
			r.at = len(r.list)
		}
		r.list = append(r.list, v)
	}
	if r.at >= 0 {
		r.current = &r.list[r.at]
	}
	return r
}

// runningAt finds the running recap in force at a message by going up from
// there, as far as it has to, and the break that says so; nil where there is
// none.
func runningAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (*storage.Recap, storage.NodeID, error) {
	least := -1 // depth above which no break names one
	for _, b := range storage.Breaks.All(tx, chat) {
		if b.Running != "" && !b.Hidden && (least < 0 || b.Depth < least) {
			least = b.Depth
		}
	}
	if least < 0 {
		return nil, "", nil
	}
	for p := range tx.Spine(chat, leaf) {
		if p.Depth < least {
			return nil, "", nil
		}
		if !storage.Breaks.Has(tx, chat, p.ID) {
			continue
		}
		b, err := storage.Breaks.Get(tx, chat, p.ID)
		if err != nil {
			return nil, "", err
		}
		if b.Hidden || b.Running == "" {
			continue
		}
		r, err := storage.Runnings.Get(tx, chat, b.Running)
		if err != nil {
			return nil, "", err
		}
		return &r, b.Node, nil
	}
	return nil, "", nil
}

// mostParts bounds the walk through what a running recap grew out of, which
// only a damaged file can exceed.
const mostParts = 1 << 16

// past finds what a running recap grew out of.
type past func(storage.RecapID) (storage.Recap, bool)

// pastIn reads it from the store when it is asked for.
func pastIn(tx *storage.Tx, chat storage.ChatID) past {
	return func(id storage.RecapID) (storage.Recap, bool) {
		r, err := storage.Runnings.Get(tx, chat, id)
		return r, err == nil
	}
}

// lineage goes back through what a running recap grew out of, itself first, for
// as long as f wants more.
func (p past) lineage(r storage.Recap, f func(storage.Recap) bool) {
	for range mostParts {
		if !f(r) || r.Base == "" {
			return
		}
		var ok bool
		if r, ok = p(r.Base); !ok {
			return
		}
	}
}

// parts are the scenes in a running recap.
func (p past) parts(r *storage.Recap) map[storage.NodeID]bool {
	in := map[storage.NodeID]bool{}
	if r == nil {
		return in
	}
	p.lineage(*r, func(v storage.Recap) bool {
		if v.Part != nil {
			in[v.Part.Break] = true
		}
		return true
	})
	return in
}

// staleParts are the scenes whose recaps are not what they were when they went
// into a running recap, by their breaks; what is not on marks is gone.
type staleParts struct {
	marks map[storage.NodeID]*storage.Break
	known map[storage.NodeID]bool // whether a scene's recap fits its messages
	texts map[storage.RecapID]string
	tx    *storage.Tx
	chat  storage.ChatID
}

func newStaleParts(tx *storage.Tx, chat storage.ChatID) *staleParts {
	return &staleParts{marks: breaksOf(tx, chat), known: map[storage.NodeID]bool{}, texts: map[storage.RecapID]string{}, tx: tx, chat: chat}
}

// hash is the hash of a version's text, made once.
func (s *staleParts) hash(r storage.Recap) string {
	h, ok := s.texts[r.ID]
	if !ok {
		h = textHash(r.Text)
		s.texts[r.ID] = h
	}
	return h
}

func (s *staleParts) stale(part storage.Part) bool {
	b := s.marks[part.Break]
	if b == nil || b.Hidden || b.Text != part.Text {
		return true
	}
	fits, ok := s.known[part.Break]
	if !ok {
		r, err := storage.Recaps.Get(s.tx, s.chat, b.Recap())
		fits = err == nil && !staleFor(r, b.Inputs)
		s.known[part.Break] = fits
	}
	return !fits
}

// stale tells whether something that a running recap is made of has changed
// since: a scene's recap, its messages, its break, or a version that this one
// grew out of.
func (p past) stale(r storage.Recap, parts *staleParts) bool {
	stale := false
	seen := map[storage.NodeID]bool{}
	want := "" // the hash that the next text should have
	p.lineage(r, func(v storage.Recap) bool {
		if want != "" && parts.hash(v) != want {
			stale = true
			return false
		}
		want = v.BaseText
		if v.Part == nil || seen[v.Part.Break] {
			return true // a newer part of the same scene stands for it
		}
		seen[v.Part.Break] = true
		stale = parts.stale(*v.Part)
		return !stale
	})
	return stale
}

// covers is the last message up to which nothing is missing in a running recap
// that takes part in.
func covers(tx *storage.Tx, chat storage.ChatID, base *storage.Recap, part storage.Part) storage.NodeID {
	next := map[storage.NodeID]storage.NodeID{part.After: part.Break} // a scene's end by where it begins
	at := storage.NodeID("")
	if base != nil {
		pastIn(tx, chat).lineage(*base, func(v storage.Recap) bool {
			if v.Part != nil {
				if _, have := next[v.Part.After]; !have {
					next[v.Part.After] = v.Part.Break
				}
			}
			return true
		})
		at = base.Covers
	}
	for range len(next) {
		to, ok := next[at]
		if !ok {
			break
		}
		at = to
	}
	return at
}

// MergeRunning queues the merging of a scene's recap into the running recap.
func (e *Engine) MergeRunning(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = e.reshape(chat, "merge into the running recap", func(tx *storage.Tx) error {
		b, err := theBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if b.Recap() == "" {
			return refuse("this scene has no recap yet")
		}
		id, err = e.addScene(tx, opRunning, sceneParams{Chat: chat, Node: node, Asked: true}, 0)
		return err
	})
	return id, err
}

// RebuildRunning queues the making of the running recap anew from the scene
// recaps in order, and tells how many scenes go into it. Until the last one is
// in, the old one stays in force.
func (e *Engine) RebuildRunning(chat storage.ChatID) (n int, err error) {
	err = e.reshape(chat, "rebuild the running recap", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		var nodes []storage.NodeID
		for _, s := range stretchesOf(tx, chat, c.Head) {
			if s.brk != nil && s.brk.Recap() != "" {
				nodes = append(nodes, s.brk.Node)
			}
		}
		if n = len(nodes); n == 0 {
			return refuse("no scene has a recap yet")
		}
		for op := range unfinished(tx, chat) {
			if op.Type == opRunning && len(sceneParamsOf(op).Nodes) > 0 {
				return refuse("it is being rebuilt already")
			}
		}
		_, err = e.addScene(tx, opRunning, sceneParams{Chat: chat, Node: nodes[0], Nodes: nodes, Asked: true}, 0)
		return err
	})
	return n, err
}

// merging is what a merge is made of.
type merging struct {
	sceneParams
	chat  storage.Chat
	user  string
	char  string
	base  *storage.Recap // nil: the recap is the first
	at    storage.NodeID // the break that says that base is in force
	next  storage.Recap
	part  storage.Part
	alone bool // the running recap is this very recap
}

// readMerge reads what a merge is made of, as things are now.
func (e *Engine) readMerge(p sceneParams) (m merging, err error) {
	m.sceneParams = p
	err = e.store.View(func(tx *storage.Tx) error {
		b, err := theBreak(tx, p.Chat, p.Node)
		for err == nil && b.Recap() == "" || errors.Is(err, errNoScene) || errors.Is(err, storage.ErrNotFound) {
			if len(p.Nodes) < 2 {
				return queue.ErrDiscard
			}
			p.Nodes = p.Nodes[1:] // a rebuild goes on without it
			p.Node = p.Nodes[0]
			b, err = theBreak(tx, p.Chat, p.Node)
		}
		if err != nil {
			return err
		}
		m.sceneParams = p
		if m.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		m.char, m.user = e.names(tx, m.chat)
		if m.next, err = storage.Recaps.Get(tx, p.Chat, b.Recap()); err != nil {
			return queue.ErrDiscard
		}
		s, err := stretchAt(tx, p.Chat, p.Node)
		if err != nil {
			return err
		}
		m.part = storage.Part{Break: p.Node, After: s.after, Recap: m.next.ID, Text: textHash(m.next.Text)}
		if m.base, m.at, err = e.mergeBase(tx, m); err != nil || m.base == nil {
			return err
		}
		// A running recap of this scene alone has nothing else to keep.
		if in := pastIn(tx, p.Chat).parts(m.base); len(in) == 1 && in[p.Node] && m.base.Origin == storage.Copied && !m.base.Edited() {
			m.alone = m.base.Part.Text == m.part.Text
			m.base = nil
		}
		return nil
	})
	return m, err
}

// mergeBase is the version that a merge adds to.
func (e *Engine) mergeBase(tx *storage.Tx, m merging) (*storage.Recap, storage.NodeID, error) {
	switch {
	case m.Base != "":
		r, err := storage.Runnings.Get(tx, m.Chat, m.Base)
		return &r, r.Node, err
	case len(m.Nodes) > 0:
		return nil, "", nil // a rebuild begins
	case onPath(tx, m.Chat, m.chat.Head, m.Node):
		return runningAt(tx, m.Chat, m.chat.Head)
	}
	return runningAt(tx, m.Chat, m.Node)
}

// onPath tells whether a message lies on the way from the root to leaf.
func onPath(tx *storage.Tx, chat storage.ChatID, leaf, node storage.NodeID) bool {
	want, err := tx.Place(chat, node)
	if err != nil {
		return false
	}
	for p := range tx.Spine(chat, leaf) {
		if p.Depth <= want.Depth {
			return p.ID == node
		}
	}
	return false
}

// runRunning merges a scene's recap into the running one. The first becomes the
// running recap as it is.
func (e *Engine) runRunning(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	m, err := e.readMerge(sceneParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	if len(m.Nodes) == 0 && !m.Asked && (m.alone || m.base != nil && merged(m.base, m.part)) {
		return queue.Effect{Result: recapResult{Reused: true}}, nil
	}
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: m.Node, Kind: storage.RunningRecap, Origin: storage.Copied,
		SceneName: m.next.SceneName, Text: m.next.Text, Sources: m.next.Sources, Part: &m.part}
	if m.base != nil {
		j, err := e.job(ctx, JobRunning, m.chat)
		if err != nil {
			return queue.Effect{}, err
		}
		var a scene.MergeAnswer
		prompt := scene.MergePrompt(e.set(), *m.base, m.next, m.user, m.char)
		err = e.askJob(ctx, j, prompt, answerForm{scene.MergeSchema(), scene.MergeForm(), &a, a.Check, a.Usable}, report)
		if err != nil {
			return queue.Effect{}, err
		}
		d := a.Draft(*m.base, m.next)
		r.Origin, r.Model, r.Text, r.Sources = storage.Generated, j.model, d.Text, d.Sources
		r.Base, r.BaseText = m.base.ID, textHash(m.base.Text)
	}
	return queue.Effect{Result: recapResult{Recap: r.ID}, Apply: func(tx *storage.Tx) error { return e.keepRunning(tx, m, r) }}, nil
}

// merged tells whether the newest thing that a running recap took in was part.
func merged(base *storage.Recap, part storage.Part) bool {
	return base.Part != nil && base.Part.Break == part.Break && base.Part.Text == part.Text && base.Part.After == part.After
}

// keepRunning stores a version and puts it in force: at the deeper of its
// scene's break and the one that says that its base is. A rebuild goes on from
// there.
func (e *Engine) keepRunning(tx *storage.Tx, m merging, r storage.Recap) error {
	b, err := theBreak(tx, m.Chat, m.Node)
	if err != nil && len(m.Nodes) > 1 {
		return e.rebuildOn(tx, m.sceneParams, m.Nodes[1:], m.Base)
	}
	if err != nil {
		return queue.ErrDiscard
	}
	if above, err := theBreak(tx, m.Chat, m.at); err == nil && above.Depth > b.Depth {
		b = above
	}
	rest := m.Nodes
	if len(rest) > 0 {
		rest = rest[1:]
	}
	if len(m.Nodes) == 1 {
		if rest, b, err = e.sinceRebuild(tx, m.chat.ID, b); err != nil {
			return err
		}
	}
	in := pastIn(tx, m.Chat).parts(m.base)
	in[m.part.Break] = true
	r.Node = b.Node
	r.Covers, r.Scenes, r.CreatedAt = covers(tx, m.Chat, m.base, m.part), len(in), e.cfg.Now()
	if err := storage.Runnings.Put(tx, m.Chat, r); err != nil {
		return err
	}
	b.Running = r.ID
	if err := storage.Breaks.Put(tx, m.Chat, b); err != nil {
		return err
	}
	return e.rebuildOn(tx, m.sceneParams, rest, r.ID)
}

// rebuildOn queues the next step of a rebuild, if any is left.
func (e *Engine) rebuildOn(tx *storage.Tx, p sceneParams, rest []storage.NodeID, base storage.RecapID) error {
	if len(rest) == 0 {
		return nil
	}
	_, err := e.addScene(tx, opRunning, sceneParams{Chat: p.Chat, Node: rest[0], Nodes: rest, Base: base, Asked: true}, 0)
	return err
}

// sinceRebuild is what a rebuild that has come to the end of its list at b has
// yet to do, for its outcome to be in force: the scenes after b that were merged
// meanwhile or, where there are none, the break that its outcome belongs to.
func (e *Engine) sinceRebuild(tx *storage.Tx, chat storage.ChatID, b storage.Break) (rest []storage.NodeID, at storage.Break, err error) {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil || !onPath(tx, chat, c.Head, b.Node) {
		return nil, b, err
	}
	_, last, err := runningAt(tx, chat, c.Head)
	if err != nil || last == "" {
		return nil, b, nil // what cannot be read is replaced
	}
	for p := range tx.Spine(chat, last) {
		if p.Depth <= b.Depth {
			break
		}
		if brk, err := theBreak(tx, chat, p.ID); err == nil && brk.Recap() != "" {
			rest = append(rest, p.ID)
		}
	}
	slices.Reverse(rest)
	if above, err := theBreak(tx, chat, last); err == nil && len(rest) == 0 && above.Depth > b.Depth {
		b = above
	}
	return rest, b, nil
}

// answerForm is what an answer has to look like: schema for the server, form for
// what is accepted, and the two judges of what was decoded.
type answerForm struct {
	schema, form []byte
	into         any
	check        func() error
	usable       func() bool
}

// askJob asks a job's model and streams what can be shown of the answer. What
// breaks a rule but can be used is taken after it was asked for again.
func (e *Engine) askJob(ctx context.Context, j job, prompt []scene.Prompt, f answerForm, report func(queue.Progress)) error {
	if err := j.fits(prompt); err != nil {
		return err
	}
	show := watcher(report)
	req := j.request(prompt)
	req.Form = f.form
	_, err := j.client.Structured(ctx, req, f.schema, f.into, f.check, show)
	e.noteJob(j, prompt, err)
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && f.usable != nil && f.usable() {
		return nil
	}
	return j.wrongForm(err)
}

// storyName says which scenes a running recap holds, for the prompt's ledger.
func storyName(r storage.Recap) string {
	if r.Scenes == 0 {
		return "the running recap"
	}
	return "the running recap of " + count(r.Scenes, "scene")
}
