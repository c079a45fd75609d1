package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"ghostlight/engine/lore/plist"
	"ghostlight/engine/lore/scribe"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// The operations that fill a chat's lorebook. Each candidate of a recap is
// looked up; where that leaves a doubt it is resolved; where an entry is about
// it already it is merged.
const (
	opLoreLookup  = "lore_lookup"
	opLoreResolve = "lore_resolve"
	opLoreMerge   = "lore_merge"
	opLoreCompact = "lore_compact"
)

// The later stages go before the next lookup, so that it finds what they made.
const (
	lookupPriority = -10
	laterPriority  = -5
)

// loreParams are the params of these operations. Chat and Node are named as in
// sceneParams.
type loreParams struct {
	Chat      storage.ChatID        `json:"chat,omitempty"`
	Node      storage.NodeID        `json:"node,omitempty"` // the scene's break
	Recap     storage.RecapID       `json:"recap,omitempty"`
	Candidate storage.LoreCandidate `json:"candidate,omitzero"`
	Type      string                `json:"type,omitempty"` // as lookup has it
	Synopsis  string                `json:"synopsis,omitempty"`
	Maybe     []storage.EntryID     `json:"maybe,omitempty"` // to be resolved between
	Book      storage.LorebookID    `json:"book,omitempty"`
	Entry     storage.EntryID       `json:"entry,omitempty"`
}

func loreParamsOf(op storage.Operation) (p loreParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about nothing
	return p
}

// loreResult is what such an operation leaves.
type loreResult struct {
	Decision string          `json:"decision"`
	Entry    storage.EntryID `json:"entry,omitempty"`
	Name     string          `json:"name,omitempty"`
	Synopsis string          `json:"synopsis,omitempty"`
	Dropped  []string        `json:"dropped,omitempty"` // ids that the model made up
}

func (e *Engine) addLore(tx *storage.Tx, typ string, p loreParams, after ...storage.OperationID) (storage.OperationID, error) {
	return e.addWork(tx, typ, p, func(op *storage.Operation) { op.Dependencies = after })
}

// teach queues what a recap has brought up for the lorebook, but for what is
// being learnt already.
func (e *Engine) teach(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, r *storage.Recap) ([]storage.OperationID, error) {
	type brought struct {
		recap     storage.RecapID
		typ, name string
	}
	underway := map[brought]bool{}
	for op := range unfinished(tx, chat) {
		p := loreParamsOf(op)
		underway[brought{p.Recap, p.Candidate.Type, p.Candidate.Name}] = true
	}
	var ids []storage.OperationID
	for _, c := range r.Lorebooks {
		if underway[brought{r.ID, c.Type, c.Name}] {
			continue
		}
		id, err := e.addLore(tx, opLoreLookup, loreParams{Chat: chat, Node: node, Recap: r.ID, Candidate: c})
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	r.Taught = true
	return ids, storage.Recaps.Put(tx, chat, *r)
}

// teachNext queues what a new recap has brought up, unless the settings say no.
func (e *Engine) teachNext(tx *storage.Tx, made Recapped) error {
	chat, node, id := made.Chat, made.Node, made.Recap
	if e.cfg.Lore.NoFill {
		return nil
	}
	r, err := storage.Recaps.Get(tx, chat, id)
	if err != nil || len(r.Lorebooks) == 0 {
		return err
	}
	_, err = e.teach(tx, chat, node, &r)
	return err
}

// FillLore teaches the chat's lorebook what the current recap of the scene that
// ends at node has brought up, again where that was done before.
func (e *Engine) FillLore(chat storage.ChatID, node storage.NodeID) (q LoreQueued, err error) {
	err = e.reshape(chat, "fill lorebook", func(tx *storage.Tx) error {
		q = LoreQueued{}
		b, err := theBreak(tx, chat, node)
		if err != nil {
			return err
		}
		r, err := storage.Recaps.Get(tx, chat, b.Recap())
		if err != nil {
			return refuse("the scene has no recap yet: make one first")
		}
		if len(r.Lorebooks) == 0 {
			return refuse("the scene's recap holds nothing for the lorebook")
		}
		if err := e.teachInto(tx, chat, node, &r, &q); err != nil {
			return err
		}
		if q.Candidates == 0 {
			return refuse("what the scene's recap brought up is being learnt already: see the queue")
		}
		return nil
	})
	return q, err
}

func (e *Engine) teachInto(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, r *storage.Recap, q *LoreQueued) error {
	ids, err := e.teach(tx, chat, node, r)
	q.Operations = append(q.Operations, ids...)
	q.Candidates += len(ids)
	q.Scenes++
	return err
}

// FillLoreMissing teaches the chat's lorebook all recaps of the path that it was
// not taught yet, oldest first.
func (e *Engine) FillLoreMissing(chat storage.ChatID) (q LoreQueued, err error) {
	err = e.reshape(chat, "fill lorebook", func(tx *storage.Tx) error {
		q = LoreQueued{}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		for _, s := range stretchesOf(tx, chat, c.Head) {
			if s.brk == nil {
				continue
			}
			r, err := storage.Recaps.Get(tx, chat, s.brk.Recap())
			if err != nil || r.Taught || len(r.Lorebooks) == 0 {
				continue
			}
			if err := e.teachInto(tx, chat, s.brk.Node, &r, &q); err != nil {
				return err
			}
		}
		return nil
	})
	return q, err
}

// lesson is a candidate and all that is known where it is to be learnt.
type lesson struct {
	loreParams
	op        storage.OperationID
	chat      storage.Chat
	book      storage.Lorebook // its id is "" while the chat has none
	entries   []storage.LoreEntry
	msgs      []scribe.Message // of the scene
	witnesses []storage.CharacterID
	char, usr string
}

// readLesson reads what a candidate is held against, as things are now.
func (e *Engine) readLesson(op storage.Operation) (l lesson, err error) {
	l.loreParams, l.op = loreParamsOf(op), op.ID
	err = e.store.View(func(tx *storage.Tx) error {
		if l.chat, err = storage.Chats.Get(tx, l.Chat); err != nil {
			return queue.ErrDiscard
		}
		s, err := stretchAt(tx, l.Chat, l.Node)
		if err != nil {
			return queue.ErrDiscard // the scene is gone
		}
		msgs, err := messagesIn(tx, l.Chat, s)
		if err != nil {
			return err
		}
		l.msgs = scribeMessages(msgs)
		if r, err := storage.Recaps.Get(tx, l.Chat, l.Recap); err == nil {
			l.witnesses = r.Witnesses
		}
		l.char, l.usr = e.names(tx, l.chat)
		if l.usr != nobody {
			l.Candidate.Content = scribe.Persona(l.Candidate.Content, l.usr)
		}
		book, ok := chatBook(tx, l.Chat)
		if !ok {
			return nil
		}
		l.book = book
		l.entries, err = e.loreRead.entries(tx, book, lessonTrail(tx, l.chat, l.Node))
		return err
	})
	return l, err
}

// lessonTrail is the path on which a scene's lessons are learnt: the chat's own
// where the scene lies on it, else the one that ends with the scene.
func lessonTrail(tx *storage.Tx, c storage.Chat, node storage.NodeID) *trail {
	t := trailOf(tx, c.ID, c.Head)
	if p, err := tx.Place(c.ID, node); err == nil && !t.holds(node, p.Depth) {
		return trailOf(tx, c.ID, node)
	}
	return t
}

func scribeMessages(msgs []scene.Message) []scribe.Message {
	out := make([]scribe.Message, len(msgs))
	for i, m := range msgs {
		out[i] = scribe.Message{ID: m.ID, Name: m.Name, Text: m.Text}
	}
	return out
}

// registry lists the entries of a type.
func registry(entries []storage.LoreEntry, typ string) []scribe.Line {
	var out []scribe.Line
	for i := range entries {
		if x := &entries[i]; x.Type == typ {
			out = append(out, scribe.LineOf(x))
		}
	}
	return out
}

// errLoreMoved says that an entry was changed while a model was asked about it:
// the answer is not about what is there now.
var errLoreMoved = errors.New("the entry was changed while the model was asked")

// shownLines is how many entries a model is shown to tell what a candidate is
// about.
const shownLines = 60

// runLookup finds out whether an entry is about a candidate already.
func (e *Engine) runLookup(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	l, err := e.readLesson(op)
	if err != nil {
		return queue.Effect{}, err
	}
	types := e.LoreTypes()
	if l.Type = scribe.Kind(types, l.Candidate.Type); l.Type == "" {
		l.Type = types[0]
	}
	reg := registry(l.entries, l.Type)
	d := scribe.Match(l.Candidate, reg)
	switch d.Verdict {
	case scribe.NothingNew:
		return e.nothingNew(l, d.Entry), nil
	case scribe.Matched:
		return e.toMerge(l, d.Entry, d.Why), nil
	case scribe.NewEntry:
		return e.toNew(ctx, l, d.Why, report)
	}
	j, err := e.job(ctx, JobLore, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	var a scribe.Lookup
	lines := scribe.Likeliest(l.Candidate, reg, shownLines)
	prompt := scribe.LookupPrompt(e.set(), l.Candidate, lines, l.usr, l.char, types...)
	if err := e.askJob(ctx, j, prompt, answerForm{schema: scribe.LookupSchema(), form: scribe.LookupForm(), into: &a, check: a.Check}, report); err != nil {
		return queue.Effect{}, err
	}
	dropped := a.Keep(lines)
	if len(dropped) > 0 {
		e.log.Warn("a model named entries that are not in the registry", "subsystem", "lorebook", "candidate", l.Candidate.Name, "ids", dropped)
	}
	l.Synopsis = a.Synopsis
	if typ := scribe.Kind(types, a.Type); typ != "" && len(a.SameEntityIDs)+len(a.NeedsFullContextIDs) == 0 {
		l.Type = typ // of a new entry; one that it is compared with has its own
	}
	return e.afterLookup(ctx, l, &a, dropped, report)
}

// afterLookup goes on as a lookup's answer says.
func (e *Engine) afterLookup(ctx context.Context, l lesson, a *scribe.Lookup, dropped []string, report func(queue.Progress)) (f queue.Effect, err error) {
	id, sure := a.Sure()
	switch {
	case sure && id == "":
		if f, err = e.toNew(ctx, l, "the model knows of none like it", report); err != nil {
			return f, err
		}
	case sure:
		f = e.toMerge(l, id, "the model says that it is the same")
	default:
		p := l.loreParams
		p.Maybe = a.Possible()
		f = queue.Effect{Result: loreResult{Decision: "to be resolved"}, Apply: func(tx *storage.Tx) error {
			_, err := e.addLore(tx, opLoreResolve, p, l.op)
			return err
		}}
	}
	r, _ := f.Result.(loreResult)
	r.Dropped, r.Synopsis = dropped, l.Synopsis
	f.Result = r
	return f, nil
}

func (e *Engine) nothingNew(l lesson, id storage.EntryID) queue.Effect {
	return queue.Effect{Result: loreResult{Decision: "nothing new", Entry: id, Name: l.Candidate.Name}}
}

// toMerge queues the merging of a candidate into an entry.
func (e *Engine) toMerge(l lesson, id storage.EntryID, why string) queue.Effect {
	p := l.loreParams
	p.Maybe, p.Book, p.Entry = nil, l.book.ID, id
	return queue.Effect{Result: loreResult{Decision: why, Entry: id, Synopsis: l.Synopsis}, Apply: func(tx *storage.Tx) error {
		_, err := e.addLore(tx, opLoreMerge, p, l.op)
		return err
	}}
}

// toNew makes a new entry of a candidate, or proposes it.
func (e *Engine) toNew(ctx context.Context, l lesson, why string, report func(queue.Progress)) (queue.Effect, error) {
	x, doubtful, err := e.fresh(ctx, &l, report)
	if err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: loreResult{Decision: "new: " + why, Name: l.Candidate.Name, Synopsis: l.Synopsis}, Apply: func(tx *storage.Tx) error {
		return e.keepNew(tx, l, x, doubtful)
	}}, nil
}

// keepNew stores a new entry, or proposes it. Where an entry has got its name
// since it was looked up, it is merged with that one.
func (e *Engine) keepNew(tx *storage.Tx, l lesson, x storage.LoreEntry, doubtful bool) error {
	p, err := tx.Place(l.Chat, l.Node)
	if err != nil {
		return queue.ErrDiscard
	}
	c, err := storage.Chats.Get(tx, l.Chat)
	if err != nil {
		return queue.ErrDiscard
	}
	book, err := e.chatBookFor(tx, c)
	if err != nil {
		return err
	}
	if has := e.sameName(tx, book, l); has != "" {
		again := l.loreParams
		again.Book, again.Entry = book.ID, has
		_, err := e.addLore(tx, opLoreMerge, again, l.op)
		return err
	}
	x.Facts, x.Witnesses = factsFrom(nil, x, l), l.witnesses
	x.At, x.AtDepth, x.Cause = l.Node, p.Depth, l.cause("")
	if doubtful || e.waits(x.Type) {
		_, err := e.propose(tx, storage.LoreChange{Book: book.ID, Kind: storage.LoreAdds, After: x, Cause: x.Cause})
		return err
	}
	_, err = e.touchBook(tx, book.ID, func(b *storage.Lorebook) error {
		x.UID = uidFor(b)
		_, err := e.putState(tx, book.ID, x)
		return err
	})
	return err
}

// fresh is the new entry that a candidate makes, and whether the user should see
// it first: it is no list after all, or about something else. Pronouns in place
// of names are mended by the model, which is asked once more where it fails.
func (e *Engine) fresh(ctx context.Context, l *lesson, report func(queue.Progress)) (x storage.LoreEntry, doubtful bool, err error) {
	x, problems := scribe.Fresh(l.Candidate, l.Type, l.Synopsis, l.char, l.usr)
	has := func(fits func(plist.Fault) bool) bool {
		return slices.ContainsFunc(problems, func(p plist.Problem) bool { return fits(p.Kind) })
	}
	if !has(func(f plist.Fault) bool { return f == plist.Pronoun }) {
		return x, has(func(f plist.Fault) bool { return f.Form() || f == plist.OtherHead }), nil
	}
	j, err := e.job(ctx, JobLore, l.chat)
	if err != nil {
		return x, false, err
	}
	empty := x
	empty.Content = ""
	a, err := e.askMerge(ctx, j, l, empty, report)
	if err != nil {
		return x, false, err
	}
	x.Content, _ = a.Result()
	return x, false, nil
}

// sameName is the entry that has got a candidate's name since it was looked up,
// "" for none.
func (e *Engine) sameName(tx *storage.Tx, book storage.Lorebook, l lesson) storage.EntryID {
	entries, err := e.loreRead.entries(tx, book, lessonTrail(tx, l.chat, l.Node))
	if err != nil {
		return ""
	}
	for i := range entries {
		if x := &entries[i]; x.Type == l.Type && scribe.Same(x.Name, l.Candidate.Name) {
			return x.ID
		}
	}
	return ""
}

func (l *lesson) cause(model string) storage.LoreCause {
	return storage.LoreCause{Origin: storage.LoreByScene, Chat: l.Chat, Break: l.Node, Recap: l.Recap, Candidate: l.Candidate.Name,
		Operation: l.op, Model: model}
}

// factsFrom says where the facts of an entry came from: those that it had, and
// new ones from the scene.
func factsFrom(old []storage.LoreFact, x storage.LoreEntry, l lesson) []storage.LoreFact {
	known := factsLeft(old, x.Content)
	names := append([]string{x.Name, l.Candidate.Name}, x.Aliases...)
	for _, text := range plist.Facts(x.Content) {
		if slices.ContainsFunc(known, func(f storage.LoreFact) bool { return f.Text == text }) {
			continue
		}
		if from := scribe.SourcesOf(text, names, l.msgs); len(from) > 0 {
			known = append(known, storage.LoreFact{Text: text, Chat: l.Chat, Messages: from})
		}
	}
	return known
}

// runResolve finds out which of several entries a candidate is about, if any.
func (e *Engine) runResolve(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	l, err := e.readLesson(op)
	if err != nil {
		return queue.Effect{}, err
	}
	var options []scribe.Line
	for _, line := range registry(l.entries, l.Type) {
		if slices.Contains(l.Maybe, line.ID) {
			options = append(options, line)
		}
	}
	if len(options) == 0 {
		return e.toNew(ctx, l, "the entries in question are gone", report)
	}
	j, err := e.job(ctx, JobLore, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	var a scribe.Resolve
	check := func() error { a.Of = min(len(options), scribe.MaxMatches); return a.Check() }
	prompt := scribe.ResolvePrompt(e.set(), l.Candidate, l.Synopsis, options, l.usr, l.char)
	if err := e.askJob(ctx, j, prompt, answerForm{schema: scribe.ResolveSchema(), form: scribe.ResolveForm(), into: &a, check: check}, report); err != nil {
		return queue.Effect{}, err
	}
	a.Keep(options)
	if a.Synopsis != "" {
		l.Synopsis = a.Synopsis
	}
	if a.ResolvedID != "" {
		return e.toMerge(l, a.ResolvedID, "resolved by the model"), nil
	}
	return e.toNew(ctx, l, "the model says that it is another", report)
}

// loreWork are the kinds of work that fill the lorebook.
func (e *Engine) loreWork() []Work {
	return []Work{
		{Name: opLoreLookup, Job: JobLore, Priority: lookupPriority, Run: e.runLookup, Changed: e.loreWorkChanged},
		{Name: opLoreResolve, Job: JobLore, Priority: laterPriority, Run: e.runResolve, Changed: e.loreWorkChanged},
		{Name: opLoreMerge, Job: JobLore, Priority: laterPriority, Run: e.runMerge, Changed: e.loreWorkChanged},
		{Name: opLoreCompact, Job: JobLore, Priority: laterPriority, Run: e.runCompact, Changed: e.loreWorkChanged},
	}
}

func (e *Engine) loreWorkChanged(op storage.Operation) {
	if op.Status == storage.Completed {
		e.emit(LoreChanged{Chat: loreParamsOf(op).Chat})
	}
}
