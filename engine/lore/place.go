package lore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// place makes prompt items from the triggered entries: first those that are in the history already,
// in order, then the new ones.
func (f *PromptLore) place(tx *storage.Tx, a query, stage *chatIndex, placement string) {
	f.hashes, f.whole = map[storage.EntryID]string{}, map[string]string{}
	triggered := map[string]bool{}
	var items []prompt.LoreItem
	for i := range f.result.Triggered {
		t := &f.result.Triggered[i]
		if text, ok := movingText(a, t); ok {
			t.Text = text
		}
		shown := a.show(tx, stage.entries[t.Entry.ID].entry, t.Entry.Content, t.Text)
		if shown.text == "" && t.Text != "" {
			f.leftOut = append(f.leftOut, prompt.Part{Layer: prompt.LayerLore,
				Source: loreSource(t.BookName, t.Entry.Name), Reason: shown.reason, Tokens: t.Tokens})
			continue
		}
		hash := core.ContentHash(stage.entries[t.Entry.ID].entry.Content) // decorators included
		f.hashes[t.Entry.ID] = hash
		item := itemOf(t, hash, placement)
		f.applyShown(tx, a, &item, shown)
		items = append(items, item)
		triggered[item.ID] = triggered[item.ID] || item.Place == prompt.LorePinned
	}
	standing := map[string]bool{}
	var kept []storedStanding
	for _, s := range f.standing {
		id := stayID(s.TriggeredEntry)
		ref, ok := stage.entries[s.Entry]
		if !ok || ref.entry.Disabled || core.ContentHash(ref.entry.Content) != s.Hash || placement != PlacePinned ||
			!canStay(ref.entry) {
			f.removed = append(f.removed, id) // changed or switched off since: the prompt must be true
			continue
		}
		shown := a.show(tx, ref.entry, ref.entry.Content, s.Text)
		if shown.text == "" || s.here && !triggered[id] && !a.moment.FollowsReply {
			continue
		}
		kept, standing[id] = append(kept, s), true
		item := prompt.LoreItem{ID: id, Source: loreSource(ref.book.Name, s.Name), Text: s.Text,
			Place: prompt.LorePinned, At: s.at, Active: triggered[id], Reason: sinceReason(s.Reason)}
		f.applyShown(tx, a, &item, shown)
		f.items = append(f.items, item)
	}
	f.standing = kept
	for _, item := range items {
		if item.Place != prompt.LorePinned || !standing[item.ID] {
			f.items = append(f.items, item)
		}
	}
	for i := range f.result.Lost {
		if t := &f.result.Lost[i]; t.Verdict == activation.CutByBudget {
			f.leftOut = append(f.leftOut, prompt.Part{Layer: prompt.LayerLore,
				Source: loreSource(t.BookName, t.Entry.Name), Reason: t.Reason, Tokens: t.Tokens})
		}
	}
}

// applyShown reduces an item to the shown part of its entry. Items in the history omit facts that
// the prompt contains anyway.
func (f *PromptLore) applyShown(tx *storage.Tx, a query, item *prompt.LoreItem, t shownEntry) {
	item.Facts = t.facts
	if f.whole[item.ID] = item.Text; t.reason != "" {
		item.Text, item.Less = t.text, t.reason
	}
	if item.Place == prompt.LorePinned {
		a.dedup.trim(item, t, a.snap)
	}
}

// sinceReason returns the reason why an entry triggered at an earlier message, worded for its place
// before that message.
func sinceReason(reason string) string {
	return "triggered here: " + strings.NewReplacer("the newest message", "that message",
		"the message before the newest", "the message before that").Replace(reason)
}

func stayID(f storage.TriggeredEntry) string { return string(f.Entry) + " " + f.Hash }

func loreSource(book, entry string) string { return fmt.Sprintf("lorebook %s: %s", book, entry) }

// movingText expands the changing macros of a keyed entry with the values of the turn that triggers
// it.
func movingText(a query, t *activation.Trace) (string, bool) {
	if t.Constant || !strings.Contains(t.Entry.Content, "{{") || len(prompts.Volatile(t.Entry.Content)) == 0 {
		return "", false
	}
	env := prompt.Env(a.snap)
	at := a.message()
	env.Frozen, env.Place, env.Turn = false, string(t.Entry.ID), string(rollPlace(&at))
	if env.Now = a.snap.Now; !at.CreatedAt.IsZero() {
		env.Now = at.CreatedAt.In(a.snap.Now.Location())
	}
	env.LastMessage, env.LastMessageID = at.Content, strconv.Itoa(at.Depth)
	text, _ := prompts.Expand(t.Entry.Content, env)
	return text, true
}

// itemOf returns the prompt item of an entry that triggered.
func itemOf(t *activation.Trace, hash, placement string) prompt.LoreItem {
	stable := t.Constant && alwaysTriggers(t.Entry)
	item := prompt.LoreItem{ID: string(t.Entry.ID) + " " + hash, Source: loreSource(t.BookName, t.Entry.Name),
		Text: strings.TrimSpace(t.Text), Depth: t.Depth, Role: string(t.Role), Outlet: t.Outlet, Active: true,
		Constant: stable, Reason: t.Reason}
	keyed := prompt.LoreTail
	if placement == PlacePinned {
		keyed = prompt.LorePinned
	}
	pick := func(always prompt.LorePlace) prompt.LorePlace {
		if stable {
			return always
		}
		return keyed
	}
	switch t.Position {
	case storage.BeforeChar:
		item.Place = pick(prompt.LoreBefore)
	case storage.BeforeExamples:
		item.Place = pick(prompt.LoreExamplesTop)
	case storage.AfterExamples:
		item.Place = pick(prompt.LoreExamplesBottom)
	case storage.NoteTop:
		item.Place = prompt.LoreNoteTop
	case storage.NoteBottom:
		item.Place = prompt.LoreNoteBottom
	case storage.AtDepth:
		item.Place = prompt.LoreAtDepth
	case storage.Outlet:
		item.Place = prompt.LoreOutlet
	default:
		item.Place = pick(prompt.LoreAfter)
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
	return !x.Constant || !alwaysTriggers(x)
}

// alwaysTriggers reports whether a constant entry triggers for every prompt of a chat, so that it
// may be in the stable part.
func alwaysTriggers(x *storage.LoreEntry) bool {
	return (!x.UseProbability || x.Probability >= 100) && x.Group == "" && x.Sticky == 0 && x.Cooldown == 0 &&
		x.Delay == 0 &&
		len(x.Triggers) == 0 && x.DelayUntilRecursion == 0
}

// Record returns the record of a turn: the keyed entries that triggered, those placed before the
// newest message with their texts, and the timed effects.
func (f *PromptLore) Record(stands []prompt.PinnedLore) *storage.LoreTurn {
	if f.books == 0 || f.at == "" {
		return nil
	}
	rec := &storage.LoreTurn{Node: f.at, Effects: f.result.Effects, Gone: slices.Clone(f.removed)}
	texts := map[string]string{}
	for _, s := range f.standing {
		if id := stayID(s.TriggeredEntry); !slices.ContainsFunc(stands,
			func(at prompt.PinnedLore) bool { return at.ID == id }) {
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
		if _, here := texts[item.ID]; here && item.Place == prompt.LorePinned {
			texts[item.ID] = f.whole[item.ID]
		}
	}
	for i := range f.result.Triggered {
		t := &f.result.Triggered[i]
		hash := f.hashes[t.Entry.ID]
		triggered := storage.TriggeredEntry{Book: t.Book, Entry: t.Entry.ID, Name: t.Entry.Name, Hash: hash,
			Reason: t.Reason}
		triggered.Text = texts[stayID(triggered)]
		if !t.Constant || triggered.Text != "" {
			rec.Triggered = append(rec.Triggered, triggered)
		}
	}
	slices.SortStableFunc(rec.Triggered, func(a, b storage.TriggeredEntry) int { // in prompt order, unplaced ones first
		return cmp.Compare(order[stayID(a)], order[stayID(b)])
	})
	return rec
}
