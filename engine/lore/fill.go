package lore

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The operations that fill a chat's lorebook. Each candidate of a recap is looked up. If the lookup
// leaves a doubt, the candidate is resolved; if an entry about it exists already, it is merged.
const (
	opLoreLookup  = "lore_lookup"
	opLoreResolve = "lore_resolve"
	opLoreMerge   = "lore_merge"
	opLoreCompact = "lore_compact"
)

// The later stages run before the next lookup, so that it finds their results.
const (
	lookupPriority = -10
	laterPriority  = -5
)

// Params are the params of these operations. Chat and Node are named as in
// all operations.
type Params struct {
	Chat      storage.ChatID        `json:"chat,omitempty"`
	Node      storage.NodeID        `json:"node,omitempty"` // the scene's break
	Recap     storage.RecapID       `json:"recap,omitempty"`
	Candidate storage.LoreCandidate `json:"candidate,omitzero"`
	Type      string                `json:"type,omitempty"` // from the lookup
	Synopsis  string                `json:"synopsis,omitempty"`
	Maybe     []storage.EntryID     `json:"maybe,omitempty"` // to be resolved between
	Book      storage.LorebookID    `json:"book,omitempty"`
	Entry     storage.EntryID       `json:"entry,omitempty"`
}

func paramsOf(op storage.Operation) (p Params) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about nothing
	return p
}

// Result is the result of such an operation.
type Result struct {
	Decision string          `json:"decision"`
	Entry    storage.EntryID `json:"entry,omitempty"`
	Name     string          `json:"name,omitempty"`
	Synopsis string          `json:"synopsis,omitempty"`
	Dropped  []string        `json:"dropped,omitempty"` // ids that the model made up
}

func (svc *Service) queue(tx *storage.Tx, typ string, p Params,
	after ...storage.OperationID) (storage.OperationID, error) {
	return svc.core.Queue.AddOperation(tx, typ, p, func(op *storage.Operation) { op.Dependencies = after })
}

// queueFills queues the lorebook candidates of a recap, except those that are being processed
// already.
func (svc *Service) queueFills(tx *storage.Tx, chat storage.ChatID, node storage.NodeID,
	r *storage.Recap) ([]storage.OperationID, error) {
	type brought struct {
		recap     storage.RecapID
		typ, name string
	}
	underway := map[brought]bool{}
	for op := range chats.Unfinished(tx, chat) {
		p := paramsOf(op)
		underway[brought{p.Recap, p.Candidate.Type, p.Candidate.Name}] = true
	}
	var ids []storage.OperationID
	for _, c := range r.Lorebooks {
		if underway[brought{r.ID, c.Type, c.Name}] {
			continue
		}
		id, err := svc.queue(tx, opLoreLookup, Params{Chat: chat, Node: node, Recap: r.ID, Candidate: c})
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	r.FilledLore = true
	return ids, storage.Recaps.Put(tx, chat, *r)
}

// FillAfterRecap queues the candidates of a new recap unless the settings say no.
func (svc *Service) FillAfterRecap(tx *storage.Tx, made scenes.Recapped) error {
	chat, node, id := made.Chat, made.Node, made.Recap
	if svc.core.Settings().Lore.NoFill {
		return nil
	}
	r, err := storage.Recaps.Get(tx, chat, id)
	if err != nil || len(r.Lorebooks) == 0 {
		return err
	}
	_, err = svc.queueFills(tx, chat, node, &r)
	return err
}

// Fill queues filling the chat's lorebook from the current recap of the scene that ends at node,
// even if that was done before.
func (svc *Service) Fill(chat storage.ChatID, node storage.NodeID) (q Queued, err error) {
	err = svc.scenes.ChangeScenes(chat, "fill lorebook", func(tx *storage.Tx) error {
		q = Queued{}
		b, err := scenes.VisibleBreak(tx, chat, node)
		if err != nil {
			return err
		}
		r, err := storage.Recaps.Get(tx, chat, b.Recap())
		if err != nil {
			return failure.Refusef("the scene has no recap yet: make one first")
		}
		if len(r.Lorebooks) == 0 {
			return failure.Refusef("the scene's recap has nothing for the lorebook")
		}
		if err := svc.queueScene(tx, chat, node, &r, &q); err != nil {
			return err
		}
		if q.Candidates == 0 {
			return failure.Refusef("this scene's recap is already being processed: see the queue")
		}
		return nil
	})
	return q, err
}

func (svc *Service) queueScene(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, r *storage.Recap,
	q *Queued) error {
	ids, err := svc.queueFills(tx, chat, node, r)
	q.Operations = append(q.Operations, ids...)
	q.Candidates += len(ids)
	q.Scenes++
	return err
}

// FillMissing queues filling the chat's lorebook from all recaps on the path that were not used
// yet, oldest first.
func (svc *Service) FillMissing(chat storage.ChatID) (q Queued, err error) {
	err = svc.scenes.ChangeScenes(chat, "fill lorebook", func(tx *storage.Tx) error {
		q = Queued{}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		for _, s := range scenes.SpansOf(tx, chat, c.Head) {
			if s.Break == nil {
				continue
			}
			r, err := storage.Recaps.Get(tx, chat, s.Break.Recap())
			if err != nil || r.FilledLore || len(r.Lorebooks) == 0 {
				continue
			}
			if err := svc.queueScene(tx, chat, s.Break.Node, &r, &q); err != nil {
				return err
			}
		}
		return nil
	})
	return q, err
}

// fillJob is a candidate and everything that is known at the place where it is learned.
type fillJob struct {
	Params
	op        storage.OperationID
	chat      storage.Chat
	book      storage.Lorebook // its id is "" while the chat has none
	entries   []storage.LoreEntry
	msgs      []scene.Message // of the scene
	witnesses []storage.CharacterID
	// knows are the characters who have heard each message, if several play.
	knows     map[storage.NodeID][]storage.CharacterID
	char, usr string
}

// readFillJob reads the candidate and the entries that it is compared with.
func (svc *Service) readFillJob(op storage.Operation) (l fillJob, err error) {
	l.Params, l.op = paramsOf(op), op.ID
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if l.chat, err = storage.Chats.Get(tx, l.Chat); err != nil {
			return queue.ErrDiscard
		}
		s, err := scenes.SpanAt(tx, l.Chat, l.Node)
		if err != nil {
			return queue.ErrDiscard // the scene is gone
		}
		if l.msgs, err = scenes.MessagesIn(tx, l.Chat, s); err != nil {
			return err
		}
		if r, err := storage.Recaps.Get(tx, l.Chat, l.Recap); err == nil {
			l.witnesses = r.Witnesses
		}
		if err := l.readWitnesses(tx); err != nil {
			return err
		}
		l.char, l.usr = svc.chats.Names(tx, l.chat)
		if l.usr != chats.Nobody {
			l.Candidate.Content = fill.WithUserMacro(l.Candidate.Content, l.usr)
		}
		book, ok := chatBook(tx, l.Chat)
		if !ok {
			return nil
		}
		l.book = book
		l.entries, err = svc.cache.entries(tx, book, fillTrail(tx, l.chat, l.Node))
		return err
	})
	return l, err
}

// fillTrail returns the path of a scene: the chat's own if the scene is on it, else the one that
// ends with the scene.
func fillTrail(tx *storage.Tx, c storage.Chat, node storage.NodeID) *trail {
	t := NewTrail(tx, c.ID, c.Head)
	if p, err := tx.NodeInfo(c.ID, node); err == nil && !t.Holds(node, p.Depth) {
		return NewTrail(tx, c.ID, node)
	}
	return t
}

// registry lists the entries of a type, or all if the type is unknown.
func registry(entries []storage.LoreEntry, typ string) []fill.RegistryEntry {
	var out []fill.RegistryEntry
	for i := range entries {
		if x := &entries[i]; x.Type == typ || typ == "" {
			out = append(out, fill.NewRegistryEntry(x))
		}
	}
	return out
}

// shownLines is the number of entries that a lookup shows to the model.
const shownLines = 60

// runLookup finds out whether an entry is about a candidate already.
func (svc *Service) runLookup(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	l, err := svc.readFillJob(op)
	if err != nil {
		return queue.Effect{}, err
	}
	types := svc.Types()
	l.Type = fill.MatchType(types, l.Candidate.Type)
	reg := registry(l.entries, l.Type)
	d := fill.Match(l.Candidate, reg)
	switch d.Verdict {
	case fill.NothingNew:
		if at := slices.IndexFunc(l.entries, func(x storage.LoreEntry) bool { return x.ID == d.Entry }); at >= 0 &&
			l.addsKnowers(&l.entries[at]) {
			return svc.toMerge(l, d.Entry, "it is news to somebody"), nil
		}
		return nothingNew(l, d.Entry), nil
	case fill.Matched:
		return svc.toMerge(l, d.Entry, d.Why), nil
	case fill.NewEntry:
		return svc.toNew(l, d.Why), nil
	}
	j, err := svc.models.Job(ctx, models.JobLore, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	var a fill.LookupAnswer
	lines := fill.ClosestEntries(l.Candidate, reg, shownLines)
	prompt := fill.LookupPrompt(svc.core.Prompts(), l.Candidate, lines, l.usr, l.char, types...)
	form := models.AnswerForm{Schema: fill.LookupSchema(len(lines), l.Type, types...), Form: fill.LookupForm(),
		Into: &a, Check: a.Check,
		Usable: a.Usable}
	if err := svc.models.AskJob(ctx, j, prompt, form, report); err != nil {
		return queue.Effect{}, err
	}
	dropped := a.ResolveIDs(lines)
	if len(dropped) > 0 {
		svc.core.Log.Warn("a model named entries that are not in the registry", "subsystem", "lorebook", "candidate",
			l.Candidate.Name, "ids", dropped)
	}
	l.Synopsis = a.Synopsis
	if typ := fill.MatchType(types, a.Type); typ != "" && len(a.SameEntityIDs)+len(a.NeedsFullContextIDs) == 0 {
		l.Type = typ // of a new entry; one that it is compared with has its own
	}
	return svc.afterLookup(l, &a, dropped), nil
}

// afterLookup continues with the result of a lookup.
func (svc *Service) afterLookup(l fillJob, a *fill.LookupAnswer, dropped []string) (f queue.Effect) {
	id, sure := a.Decided()
	switch {
	case sure && id == "":
		f = svc.toNew(l, "the model found no similar entry")
	case sure:
		f = svc.toMerge(l, id, "the model says that it is the same")
	default:
		p := l.Params
		p.Maybe = a.Possible()
		f = queue.Effect{Result: Result{Decision: "to be resolved"}, Apply: func(tx *storage.Tx) error {
			_, err := svc.queue(tx, opLoreResolve, p, l.op)
			return err
		}}
	}
	r, _ := f.Result.(Result)
	r.Dropped, r.Synopsis = dropped, l.Synopsis
	f.Result = r
	return f
}

func nothingNew(l fillJob, id storage.EntryID) queue.Effect {
	return queue.Effect{Result: Result{Decision: "nothing new", Entry: id, Name: l.Candidate.Name}}
}

// toMerge queues the merging of a candidate into an entry.
func (svc *Service) toMerge(l fillJob, id storage.EntryID, why string) queue.Effect {
	p := l.Params
	p.Maybe, p.Book, p.Entry = nil, l.book.ID, id
	return queue.Effect{Result: Result{Decision: why, Entry: id, Synopsis: l.Synopsis},
		Apply: func(tx *storage.Tx) error {
			_, err := svc.queue(tx, opLoreMerge, p, l.op)
			return err
		}}
}

// toNew makes a new entry of a candidate, or proposes it.
func (svc *Service) toNew(l fillJob, why string) queue.Effect {
	if l.Type == "" {
		l.Type = svc.Types()[0]
	}
	x, doubtful := svc.newEntry(&l)
	return queue.Effect{Result: Result{Decision: "new: " + why, Name: l.Candidate.Name, Synopsis: l.Synopsis},
		Apply: func(tx *storage.Tx) error {
			return svc.keepNew(tx, l, x, doubtful)
		}}
}

// keepNew stores a new entry, or proposes it. If an entry has got its name meanwhile, it is merged
// with that one.
func (svc *Service) keepNew(tx *storage.Tx, l fillJob, x storage.LoreEntry, doubtful bool) error {
	p, err := tx.NodeInfo(l.Chat, l.Node)
	if err != nil {
		return queue.ErrDiscard
	}
	c, err := storage.Chats.Get(tx, l.Chat)
	if err != nil {
		return queue.ErrDiscard
	}
	book, err := svc.chatBookFor(tx, c)
	if err != nil {
		return err
	}
	if has := svc.sameName(tx, book, l); has != "" {
		again := l.Params
		again.Book, again.Entry = book.ID, has
		_, err := svc.queue(tx, opLoreMerge, again, l.op)
		return err
	}
	x.At, x.AtDepth = l.Node, p.Depth
	if doubtful || svc.needsReview(x.Type) {
		_, err := svc.propose(tx, storage.LoreChange{Book: book.ID, Kind: storage.LoreAdds, After: x, Cause: x.Cause})
		return err
	}
	_, err = svc.touchBook(tx, book.ID, func(b *storage.Lorebook) error {
		x.UID = uidFor(b)
		_, err := svc.putState(tx, book.ID, x)
		return err
	})
	return err
}

// newEntry returns the new entry that a candidate makes, and whether the user should see
// it first: it is no list after all, or about something else.
func (svc *Service) newEntry(l *fillJob) (x storage.LoreEntry, doubtful bool) {
	x, problems := fill.BuildEntry(l.Candidate, l.Type, l.Synopsis, l.char, l.usr)
	x.Cause = l.cause("")
	l.recordSources(&x)
	return x, slices.ContainsFunc(problems, func(p plist.Problem) bool {
		return p.Kind.Form() || p.Kind == plist.OtherHead
	})
}

// sameName returns the entry that has got a candidate's name since it was looked up, "" for none.
func (svc *Service) sameName(tx *storage.Tx, book storage.Lorebook, l fillJob) storage.EntryID {
	entries, err := svc.cache.entries(tx, book, fillTrail(tx, l.chat, l.Node))
	if err != nil {
		return ""
	}
	for i := range entries {
		if x := &entries[i]; x.Type == l.Type && fill.Same(x.Name, l.Candidate.Name) {
			return x.ID
		}
	}
	return ""
}

func (l *fillJob) cause(model string) storage.LoreCause {
	return storage.LoreCause{Origin: storage.LoreByScene, Chat: l.Chat, Break: l.Node, Recap: l.Recap,
		Candidate: l.Candidate.Name,
		Operation: l.op, Model: model}
}

// runResolve finds out which of several entries a candidate is about, if any.
func (svc *Service) runResolve(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	l, err := svc.readFillJob(op)
	if err != nil {
		return queue.Effect{}, err
	}
	var options []fill.RegistryEntry
	for _, line := range registry(l.entries, l.Type) {
		if slices.Contains(l.Maybe, line.ID) {
			options = append(options, line)
		}
	}
	if len(options) == 0 {
		return svc.toNew(l, "the entries no longer exist"), nil
	}
	j, err := svc.models.Job(ctx, models.JobLore, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	var a fill.ResolveAnswer
	check := func() error { a.Matches = min(len(options), fill.MaxMatches); return a.Check() }
	prompt := fill.ResolvePrompt(svc.core.Prompts(), l.Candidate, l.Synopsis, options, l.usr, l.char)
	form := models.AnswerForm{Schema: fill.ResolveSchema(len(options)), Form: fill.ResolveForm(),
		Into: &a, Check: check}
	if err := svc.models.AskJob(ctx, j, prompt, form, report); err != nil {
		return queue.Effect{}, err
	}
	a.ResolveIDs(options)
	if a.Synopsis != "" {
		l.Synopsis = a.Synopsis
	}
	if a.ResolvedID != "" {
		return svc.toMerge(l, a.ResolvedID, "resolved by the model"), nil
	}
	return svc.toNew(l, "the model says that it is another"), nil
}

// Kinds returns the kinds of operations that fill the lorebook.
func (svc *Service) Kinds() []queue.Kind {
	lane := svc.models.Lane
	return []queue.Kind{
		{Type: opLoreLookup, Lane: lane(models.JobLore), Priority: lookupPriority, Run: svc.runLookup,
			Changed: svc.loreWorkChanged},
		{Type: opLoreResolve, Lane: lane(models.JobLore), Priority: laterPriority, Run: svc.runResolve,
			Changed: svc.loreWorkChanged},
		{Type: opLoreMerge, Lane: lane(models.JobLore), Priority: laterPriority, Run: svc.runMerge,
			Changed: svc.loreWorkChanged},
		{Type: opLoreCompact, Lane: lane(models.JobLore), Priority: laterPriority, Run: svc.runCompact,
			Changed: svc.loreWorkChanged},
	}
}

func (svc *Service) loreWorkChanged(op storage.Operation) {
	if op.Status == storage.Completed {
		svc.core.Emit(Changed{Chat: paramsOf(op).Chat})
	}
}
