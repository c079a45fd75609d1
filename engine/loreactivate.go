package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ghostlight/engine/lore"
	"ghostlight/engine/script"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// loreAsk is what the lorebooks are asked for: what fires at the end of a
// history.
type loreAsk struct {
	key     string // of the stage
	chat    storage.ChatID
	books   []loreBook
	history []storage.Node // older to newer, to the message that it is asked at
	more    bool
	input   lore.Input
	snap    *script.Snapshot
	dry     bool
}

// at is the message that is asked about, its id "" for one that is not stored.
func (a *loreAsk) at() storage.Node {
	if len(a.history) == 0 {
		return storage.Node{}
	}
	return a.history[len(a.history)-1]
}

// firedLore is what an activation came to, ready for a prompt.
type firedLore struct {
	result lore.Result
	stays  []storedStay
	items  []script.LoreItem
	out    []script.Part
	at     storage.NodeID // the message that it was asked at
	books  int
}

// storedStay is an entry that fired before and stands in the history.
type storedStay struct {
	storage.LoreFired
	at storage.NodeID
}

// askLore reads what an activation needs. The history is that of the snapshot;
// where the request rides on an answered turn it ends with the user's newest
// message, so that the answer's request finds what the turn's found.
func (e *Engine) askLore(tx *storage.Tx, s *script.Snapshot, rides bool) (loreAsk, error) {
	a := loreAsk{key: string(s.Chat), chat: s.Chat, snap: s, history: s.History, more: s.More}
	if rides {
		for i := len(a.history) - 1; i >= 0; i-- {
			if n := &a.history[i]; n.Role == storage.User && !n.Deleted {
				a.history = a.history[:i+1]
				break
			}
		}
	}
	var err error
	at := a.at()
	if a.books, err = e.loreBooks(tx, s.Chat, storedLeaf(tx, s.Chat, a.history)); err != nil || len(a.books) == 0 {
		return a, err
	}
	card := &s.Card
	a.input = lore.Input{Length: at.Depth + 1, Trigger: s.Mode.String(), Character: card.Name, Tags: card.Tags, Context: s.Limits.Context,
		Count: s.Count, Expand: loreExpand(s), Random: chance(s.Chat, rollPlace(&at)),
		Fields: lore.Fields{Persona: s.Persona.Description, Description: card.Description, Personality: card.Personality,
			DepthPrompt: card.DepthPrompt, Scenario: card.Scenario, CreatorNotes: card.CreatorNotes}}
	if a.input.Effects, err = effectsBefore(tx, s.Chat, at); err != nil {
		return a, err
	}
	a.input.Greeting = greetingOf(tx, s.Chat, a.history, a.more)
	return a, nil
}

// storedLeaf is the newest message of a history that the store knows.
func storedLeaf(tx *storage.Tx, chat storage.ChatID, history []storage.Node) storage.NodeID {
	for _, n := range slices.Backward(history) {
		if _, err := tx.Place(chat, n.ID); err == nil {
			return n.ID
		}
	}
	return ""
}

// rollPlace is the place that chance is drawn for: that before the message of
// the user's, so that what is shown while it is being written is what comes.
func rollPlace(at *storage.Node) storage.NodeID {
	if at.Role == storage.User {
		return at.Parent
	}
	return at.ID
}

// effectsBefore are the timed effects in force above a message: those of the
// nearest turn on the path that lorebooks had a part in.
func effectsBefore(tx *storage.Tx, chat storage.ChatID, at storage.Node) ([]storage.LoreEffect, error) {
	looked := 0
	for p := range tx.Spine(chat, at.Parent) {
		if looked++; looked > mostScanned {
			break
		}
		if storage.LoreTurns.Has(tx, chat, p.ID) {
			t, err := storage.LoreTurns.Get(tx, chat, p.ID)
			return t.Effects, err
		}
	}
	return nil, nil
}

// greetingOf tells which greeting a chat began with; 0 where its beginning is
// not at hand.
func greetingOf(tx *storage.Tx, chat storage.ChatID, history []storage.Node, more bool) int {
	if more || len(history) == 0 {
		return 0
	}
	roots, err := tx.Children(chat, "")
	if err != nil {
		return 0
	}
	return max(0, slices.Index(roots, history[0].ID))
}

// staysIn are the entries that stand in a history since they fired.
func staysIn(tx *storage.Tx, chat storage.ChatID, history []storage.Node, until storage.NodeID) ([]storedStay, error) {
	var out []storedStay
	for i := range history {
		n := &history[i]
		if n.ID == until || n.Role != storage.User || !storage.LoreTurns.Has(tx, chat, n.ID) {
			continue
		}
		t, err := storage.LoreTurns.Get(tx, chat, n.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range t.Fired {
			if f.Text != "" {
				out = append(out, storedStay{f, n.ID})
			}
		}
	}
	return out, nil
}

// fire activates and puts what fired in its places.
func (e *Engine) fire(tx *storage.Tx, a loreAsk) (firedLore, error) {
	f := firedLore{at: a.at().ID, books: len(a.books)}
	if len(a.books) == 0 {
		return f, nil
	}
	stage := e.stages.get(a.key)
	stage.mu.Lock()
	defer stage.mu.Unlock()
	stage.set(a.books, e.loreSettings())
	var err error
	if a.input.Messages, err = e.scanned(tx, a, stage.deepest); err != nil {
		return f, err
	}
	a.input.DryRun = a.dry
	f.result = stage.scan.Activate(a.input)
	if a.snap != nil {
		if f.stays, err = staysIn(tx, a.chat, a.history, f.at); err != nil {
			return f, err
		}
		f.place(a, stage, e.lorePlacement())
	}
	return f, nil
}

// scanned are the messages to scan, newest first: those of the history, and
// older ones where some entry wants more.
func (e *Engine) scanned(tx *storage.Tx, a loreAsk, deepest int) ([]lore.Message, error) {
	var out []lore.Message
	take := func(n *storage.Node) {
		if n.Deleted || n.Content == "" || n.Role != storage.User && n.Role != storage.Assistant {
			return
		}
		name := n.Name
		if name == "" && a.snap != nil {
			if name = a.snap.Card.CharName(); n.Role == storage.User {
				name = a.snap.Persona.Name
			}
		}
		out = append(out, lore.Message{ID: n.ID, Name: name, Text: n.Content})
	}
	for i := len(a.history) - 1; i >= 0 && len(out) < deepest; i-- {
		take(&a.history[i])
	}
	for first := a.history; a.more && len(out) < deepest && len(first) > 0; {
		page, err := tx.PathBefore(a.chat, first[0].ID, deepest)
		if err != nil || len(page) == 0 {
			return out, err
		}
		for i := len(page) - 1; i >= 0 && len(out) < deepest; i-- {
			take(&page[i])
		}
		first = page
	}
	return out, nil
}

// place turns what fired into items of a prompt: first what stands in the
// history already, in its order, then what is new.
func (f *firedLore) place(a loreAsk, stage *loreStage, placement string) {
	fired := map[string]bool{}
	var items []script.LoreItem
	for i := range f.result.Fired {
		t := &f.result.Fired[i]
		if text, ok := movingText(a, t); ok {
			t.Text = text
		}
		item := itemOf(t, placement)
		items = append(items, item)
		fired[item.ID] = fired[item.ID] || item.Place == script.LoreStays
	}
	standing := map[string]bool{}
	kept := f.stays[:0]
	for _, s := range f.stays {
		ref, ok := stage.entries[s.Entry]
		if !ok || ref.entry.Disabled || contentHash(ref.entry.Content) != s.Hash || placement != PlaceStay {
			continue // changed or switched off since: what is in the prompt has to be true
		}
		id := stayID(s.LoreFired)
		kept, standing[id] = append(kept, s), true
		f.items = append(f.items, script.LoreItem{ID: id, Source: loreSource(ref.book.Name, s.Name), Text: s.Text,
			Place: script.LoreStays, At: s.at, Active: fired[id], Reason: s.Reason})
	}
	f.stays = kept
	for _, item := range items {
		if item.Place != script.LoreStays || !standing[item.ID] {
			f.items = append(f.items, item)
		}
	}
	for i := range f.result.Lost {
		if t := &f.result.Lost[i]; t.Verdict == lore.CutByBudget {
			f.out = append(f.out, script.Part{Layer: script.LayerLore, Source: loreSource(t.BookName, t.Entry.Name), Reason: t.Reason, Tokens: t.Tokens})
		}
	}
}

func stayID(f storage.LoreFired) string { return string(f.Entry) + " " + f.Hash }

func loreSource(book, entry string) string { return fmt.Sprintf("lorebook %s: %s", book, entry) }

// movingText expands a keyed entry that holds macros which change by themselves
// as of the turn that it fires in.
func movingText(a loreAsk, t *lore.Trace) (string, bool) {
	if t.Constant || !strings.Contains(t.Entry.Content, "{{") || len(prompts.Volatile(t.Entry.Content)) == 0 {
		return "", false
	}
	env := script.Env(a.snap)
	at := a.at()
	env.Frozen, env.Place, env.Turn = false, string(t.Entry.ID), string(rollPlace(&at))
	if env.Now = a.snap.Now; !at.CreatedAt.IsZero() {
		env.Now = at.CreatedAt.In(a.snap.Now.Location())
	}
	env.LastMessage, env.LastMessageID = at.Content, string(at.ID)
	text, _ := prompts.Expand(t.Entry.Content, env)
	return text, true
}

// itemOf puts an entry that fired in its place.
func itemOf(t *lore.Trace, placement string) script.LoreItem {
	stable := t.Constant && steady(t.Entry)
	item := script.LoreItem{ID: string(t.Entry.ID) + " " + contentHash(t.Entry.Content), Source: loreSource(t.BookName, t.Entry.Name),
		Text: strings.TrimSpace(t.Text), Depth: t.Depth, Role: string(t.Role), Outlet: t.Outlet, Active: true, Constant: stable, Reason: t.Reason}
	keyed := script.LoreTail
	if placement == PlaceStay {
		keyed = script.LoreStays
	}
	pick := func(always script.LorePlace) script.LorePlace {
		if stable {
			return always
		}
		return keyed
	}
	switch t.Position {
	case storage.BeforeChar:
		item.Place = pick(script.LoreBefore)
	case storage.BeforeExamples:
		item.Place = pick(script.LoreExamplesTop)
	case storage.AfterExamples:
		item.Place = pick(script.LoreExamplesBottom)
	case storage.NoteTop:
		item.Place = script.LoreNoteTop
	case storage.NoteBottom:
		item.Place = script.LoreNoteBottom
	case storage.AtDepth:
		item.Place = script.LoreAtDepth
	case storage.Outlet:
		item.Place = script.LoreOutlet
	default:
		item.Place = pick(script.LoreAfter)
	}
	return item
}

// steady tells whether a constant entry fires for every prompt of a chat, so
// that it may stand in the part that never changes.
func steady(x *storage.LoreEntry) bool {
	return (!x.UseProbability || x.Probability >= 100) && x.Group == "" && x.Sticky == 0 && x.Cooldown == 0 && x.Delay == 0 &&
		len(x.Triggers) == 0 && x.DelayUntilRecursion == 0
}

// record is what is kept of a turn: which keyed entries fired, those that the
// prompt has put before its newest message with their texts, and the effects.
func (f *firedLore) record(stands []script.LoreStand) *storage.LoreTurn {
	if f.books == 0 || f.at == "" {
		return nil
	}
	rec := &storage.LoreTurn{Node: f.at, Effects: f.result.Effects}
	texts := map[string]string{}
	for _, s := range stands {
		if s.At == f.at {
			texts[s.ID] = ""
		}
	}
	for _, item := range f.items {
		if _, here := texts[item.ID]; here && item.Place == script.LoreStays {
			texts[item.ID] = item.Text
		}
	}
	for i := range f.result.Fired {
		t := &f.result.Fired[i]
		hash := contentHash(t.Entry.Content)
		fired := storage.LoreFired{Book: t.Book, Entry: t.Entry.ID, Name: t.Entry.Name, Hash: hash, Reason: t.Reason}
		fired.Text = texts[stayID(fired)]
		if !t.Constant || fired.Text != "" {
			rec.Fired = append(rec.Fired, fired)
		}
	}
	return rec
}

// loreFor is what the lorebooks put into the prompt of a snapshot.
func (e *Engine) loreFor(tx *storage.Tx, s *script.Snapshot, rides bool) (firedLore, error) {
	a, err := e.askLore(tx, s, rides)
	if err != nil {
		return firedLore{}, err
	}
	f, err := e.fire(tx, a)
	s.Lore, s.LoreOut = f.items, f.out
	return f, err
}

// LoreActivate tells what the lorebooks would put into a chat's next prompt if
// the user said input; with "" it goes by what has been said.
func (e *Engine) LoreActivate(ctx context.Context, chat storage.ChatID, input string) (LoreActivation, error) {
	c, _, err := e.Path(chat, 1)
	if err != nil {
		return LoreActivation{}, err
	}
	model, err := e.chooseModel(ctx, c)
	if err != nil {
		model = ""
	}
	known := e.knowOr(ctx, model)
	snap, err := e.snapshot(request{chat: chat, parent: c.Head}, known)
	if err != nil {
		return LoreActivation{}, err
	}
	appendInput(&snap, c, input)
	var f firedLore
	var out LoreActivation
	err = e.store.View(func(tx *storage.Tx) error {
		if f, err = e.loreFor(tx, &snap, false); err != nil {
			return err
		}
		out.Books, err = e.booksFor(tx, chat)
		return err
	})
	if err != nil {
		return LoreActivation{}, fail("activate lore", err)
	}
	out.Result, out.Placement, out.Faults = f.result, e.lorePlacement(), e.stages.get(string(chat)).faults()
	active := map[string]bool{}
	for _, i := range f.items {
		active[i.ID] = i.Active
	}
	for _, s := range f.stays {
		if !active[stayID(s.LoreFired)] {
			out.Stays = append(out.Stays, LoreStanding{Name: s.Name, Book: string(s.Book), Entry: s.Entry, At: s.at, Tokens: snap.Count(s.Text), Reason: s.Reason})
		}
	}
	return out, nil
}

// appendInput makes a snapshot that of the turn in which the user says input.
func appendInput(s *script.Snapshot, c storage.Chat, input string) {
	if strings.TrimSpace(input) == "" {
		return
	}
	n := storage.Node{ID: "next", Chat: c.ID, Parent: c.Head, Role: storage.User, Name: s.Persona.Name, Content: input}
	if len(s.History) > 0 {
		n.Depth = s.History[len(s.History)-1].Depth + 1
	}
	s.History = append(s.History[:len(s.History):len(s.History)], n)
}

func (s *loreStage) faults() []lore.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil
	}
	return s.index.Faults()
}

// LoreTest tells what would fire over a text: of one book alone, or with book ""
// of those that count in the chat. Chance is drawn, timed effects are not seen.
func (e *Engine) LoreTest(ctx context.Context, chat storage.ChatID, book storage.LorebookID, text string) (LoreActivation, error) {
	if err := ctx.Err(); err != nil {
		return LoreActivation{}, err
	}
	var out LoreActivation
	key := "test " + string(chat) + " " + string(book)
	err := e.store.View(func(tx *storage.Tx) error {
		a := loreAsk{key: key, chat: chat, dry: true, history: []storage.Node{{Role: storage.User, Content: text}}}
		var err error
		if a.books, err = e.testedBooks(tx, chat, book); err != nil {
			return err
		}
		s := script.Snapshot{Set: e.set(), Now: e.cfg.Now(), Chat: chat, Limits: script.Limits{Context: e.contextOf(nil)}}
		if c, err := storage.Chats.Get(tx, chat); err == nil {
			who, persona := e.cast(tx, c)
			s.Card, s.Persona = who.Card, persona
		}
		a.input = lore.Input{Length: 1 << 20, Character: s.Card.Name, Tags: s.Card.Tags, Context: s.Limits.Context, Expand: loreExpand(&s),
			Random: chance(chat, storage.NodeID(text)), Count: e.knowOr(ctx, e.cfg.Model).meter.Count,
			Fields: lore.Fields{Persona: s.Persona.Description, Description: s.Card.Description, Personality: s.Card.Personality,
				DepthPrompt: s.Card.DepthPrompt, Scenario: s.Card.Scenario, CreatorNotes: s.Card.CreatorNotes}}
		f, err := e.fire(tx, a)
		out.Result = f.result
		return err
	})
	if err != nil {
		return LoreActivation{}, fail("test lore", err)
	}
	out.Placement, out.Faults = e.lorePlacement(), e.stages.get(key).faults()
	return out, nil
}

// testedBooks is one book alone, or those that count in a chat.
func (e *Engine) testedBooks(tx *storage.Tx, chat storage.ChatID, book storage.LorebookID) ([]loreBook, error) {
	if book == "" {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return nil, err
		}
		return e.loreBooks(tx, chat, c.Head)
	}
	b, err := storage.Lorebooks.Get(tx, book)
	if err != nil {
		return nil, err
	}
	seen, err := e.loreRead.read(tx, b, loreTrail(tx, b, chat))
	return []loreBook{{lore.Book{ID: b.ID, Name: b.Name, Source: lore.Chat, ScanDepth: b.ScanDepth, Entries: seen.entries}, seen.made}}, err
}

// LoreWhy explains an entry, whether it fired or not, by the last LoreActivate
// of the chat.
func (e *Engine) LoreWhy(chat storage.ChatID, entry storage.EntryID) (lore.Trace, error) {
	stage := e.stages.get(string(chat))
	stage.mu.Lock()
	defer stage.mu.Unlock()
	if _, ok := stage.entries[entry]; !ok || stage.scan == nil {
		return lore.Trace{}, fail("explain entry", refuse("this entry is in none of the books that count in this chat"))
	}
	return stage.scan.Why(entry), nil
}
