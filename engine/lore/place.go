package lore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// place makes prompt items from the fired entries: first those that are in the history already, in
// order, then the new ones.
func (f *FiredLore) place(tx *storage.Tx, a query, stage *chatIndex, placement string) {
	f.hashes, f.whole = map[storage.EntryID]string{}, map[string]string{}
	fired := map[string]bool{}
	var items []script.LoreItem
	for i := range f.result.Fired {
		t := &f.result.Fired[i]
		if text, ok := movingText(a, t); ok {
			t.Text = text
		}
		shown := a.show(tx, stage.entries[t.Entry.ID].entry, t.Entry.Content, t.Text)
		if shown.text == "" && t.Text != "" {
			f.leftOut = append(f.leftOut, script.Part{Layer: script.LayerLore,
				Source: loreSource(t.BookName, t.Entry.Name), Reason: shown.reason, Tokens: t.Tokens})
			continue
		}
		hash := core.ContentHash(stage.entries[t.Entry.ID].entry.Content) // decorators included
		f.hashes[t.Entry.ID] = hash
		item := itemOf(t, hash, placement)
		f.applyShown(tx, a, &item, shown)
		items = append(items, item)
		fired[item.ID] = fired[item.ID] || item.Place == script.LoreStays
	}
	standing := map[string]bool{}
	var kept []storedStanding
	for _, s := range f.standing {
		id := stayID(s.LoreFired)
		ref, ok := stage.entries[s.Entry]
		if !ok || ref.entry.Disabled || core.ContentHash(ref.entry.Content) != s.Hash || placement != PlaceStay ||
			!canStay(ref.entry) {
			f.removed = append(f.removed, id) // changed or switched off since: the prompt must be true
			continue
		}
		shown := a.show(tx, ref.entry, ref.entry.Content, s.Text)
		if shown.text == "" || s.here && !fired[id] && !a.moment.FollowsReply {
			continue
		}
		kept, standing[id] = append(kept, s), true
		item := script.LoreItem{ID: id, Source: loreSource(ref.book.Name, s.Name), Text: s.Text,
			Place: script.LoreStays, At: s.at, Active: fired[id], Reason: sinceReason(s.Reason)}
		f.applyShown(tx, a, &item, shown)
		f.items = append(f.items, item)
	}
	f.standing = kept
	for _, item := range items {
		if item.Place != script.LoreStays || !standing[item.ID] {
			f.items = append(f.items, item)
		}
	}
	for i := range f.result.Lost {
		if t := &f.result.Lost[i]; t.Verdict == activation.CutByBudget {
			f.leftOut = append(f.leftOut, script.Part{Layer: script.LayerLore,
				Source: loreSource(t.BookName, t.Entry.Name), Reason: t.Reason, Tokens: t.Tokens})
		}
	}
}

// applyShown reduces an item to the shown part of its entry. Items in the history omit facts that
// the prompt contains anyway.
func (f *FiredLore) applyShown(tx *storage.Tx, a query, item *script.LoreItem, t shownEntry) {
	item.Facts = t.facts
	if f.whole[item.ID] = item.Text; t.reason != "" {
		item.Text, item.Less = t.text, t.reason
	}
	if item.Place == script.LoreStays {
		a.dedup.trim(item, t, a.snap)
	}
}

// sinceReason returns the reason why an entry fired at an earlier message, worded for its place
// before that message.
func sinceReason(reason string) string {
	return "triggered here: " + strings.NewReplacer("the newest message", "that message",
		"the message before the newest", "the message before that").Replace(reason)
}

func stayID(f storage.LoreFired) string { return string(f.Entry) + " " + f.Hash }

func loreSource(book, entry string) string { return fmt.Sprintf("lorebook %s: %s", book, entry) }

// movingText expands the changing macros of a keyed entry with the values of the turn that fires
// it.
func movingText(a query, t *activation.Trace) (string, bool) {
	if t.Constant || !strings.Contains(t.Entry.Content, "{{") || len(prompts.Volatile(t.Entry.Content)) == 0 {
		return "", false
	}
	env := script.Env(a.snap)
	at := a.message()
	env.Frozen, env.Place, env.Turn = false, string(t.Entry.ID), string(rollPlace(&at))
	if env.Now = a.snap.Now; !at.CreatedAt.IsZero() {
		env.Now = at.CreatedAt.In(a.snap.Now.Location())
	}
	env.LastMessage, env.LastMessageID = at.Content, strconv.Itoa(at.Depth)
	text, _ := prompts.Expand(t.Entry.Content, env)
	return text, true
}

// itemOf returns the prompt item of an entry that fired.
func itemOf(t *activation.Trace, hash, placement string) script.LoreItem {
	stable := t.Constant && alwaysFires(t.Entry)
	item := script.LoreItem{ID: string(t.Entry.ID) + " " + hash, Source: loreSource(t.BookName, t.Entry.Name),
		Text: strings.TrimSpace(t.Text), Depth: t.Depth, Role: string(t.Role), Outlet: t.Outlet, Active: true,
		Constant: stable, Reason: t.Reason}
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

// canStay reports whether an entry's position allows it to stay in the history. Decorators are part
// of its content.
func canStay(x *storage.LoreEntry) bool {
	if strings.HasPrefix(x.Content, "@@") {
		return true
	}
	switch x.Position {
	case storage.NoteTop, storage.NoteBottom, storage.AtDepth, storage.Outlet:
		return false
	}
	return !x.Constant || !alwaysFires(x)
}

// alwaysFires reports whether a constant entry fires for every prompt of a chat, so that it may be
// in the stable part.
func alwaysFires(x *storage.LoreEntry) bool {
	return (!x.UseProbability || x.Probability >= 100) && x.Group == "" && x.Sticky == 0 && x.Cooldown == 0 &&
		x.Delay == 0 &&
		len(x.Triggers) == 0 && x.DelayUntilRecursion == 0
}

// Record returns the record of a turn: the keyed entries that fired, those placed before the newest
// message with their texts, and the timed effects.
func (f *FiredLore) Record(stands []script.LoreStand) *storage.LoreTurn {
	if f.books == 0 || f.at == "" {
		return nil
	}
	rec := &storage.LoreTurn{Node: f.at, Effects: f.result.Effects, Gone: slices.Clone(f.removed)}
	texts := map[string]string{}
	for _, s := range f.standing {
		if id := stayID(s.LoreFired); !slices.ContainsFunc(stands,
			func(at script.LoreStand) bool { return at.ID == id }) {
			rec.Gone = append(rec.Gone, id)
		}
	}
	slices.Sort(rec.Gone)
	rec.Gone = slices.Compact(rec.Gone)
	order := map[string]int{}
	for i, s := range stands {
		if s.At == f.anchor {
			texts[s.ID], order[s.ID] = "", i
		}
	}
	for _, item := range f.items {
		if _, here := texts[item.ID]; here && item.Place == script.LoreStays {
			texts[item.ID] = f.whole[item.ID]
		}
	}
	for i := range f.result.Fired {
		t := &f.result.Fired[i]
		hash := f.hashes[t.Entry.ID]
		fired := storage.LoreFired{Book: t.Book, Entry: t.Entry.ID, Name: t.Entry.Name, Hash: hash, Reason: t.Reason}
		fired.Text = texts[stayID(fired)]
		if !t.Constant || fired.Text != "" {
			rec.Fired = append(rec.Fired, fired)
		}
	}
	slices.SortStableFunc(rec.Fired, func(a, b storage.LoreFired) int { // in prompt order, unplaced ones first
		return cmp.Compare(order[stayID(a)], order[stayID(b)])
	})
	return rec
}
