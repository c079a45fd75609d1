package activation

import (
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// timed determines which timed effects are in force. A dry run has none and leaves them unchanged.
func (r *run) timed() {
	r.sticky, r.cooling = map[int32]int{}, map[int32]int{}
	if r.in.DryRun {
		r.effects = slices.Clone(r.in.Effects)
		return
	}
	var started []storage.LoreEffect
	for _, kind := range []storage.LoreEffectKind{storage.LoreSticky, storage.LoreCooldown} {
		active := r.sticky
		if kind == storage.LoreCooldown {
			active = r.cooling
		}
		for _, f := range r.in.Effects {
			if f.Kind == kind && !slices.ContainsFunc(started,
				func(s storage.LoreEffect) bool { return sameEffect(s, f) }) {
				if next, ok := r.continues(f, active); ok {
					r.effects = append(r.effects, next...)
				} else {
					started = append(started, next...)
				}
			}
		}
		if kind == storage.LoreSticky {
			for _, f := range started {
				r.effects = append(r.effects, f)
				if at := r.entryOf(f); at >= 0 {
					r.cooling[at] = f.End
				}
			}
		}
	}
}

func sameEffect(a, b storage.LoreEffect) bool {
	return a.Kind == b.Kind && a.Book == b.Book && a.UID == b.UID
}

// continues returns an effect if it is still in force. Otherwise ok is false, and next is the
// cooldown that follows it, if any. Such a cooldown is protected: it starts at the message that is
// being written, which may be written again.
func (r *run) continues(f storage.LoreEffect, active map[int32]int) ([]storage.LoreEffect, bool) {
	length := r.in.Length
	if length <= f.Start && !f.Protected {
		return nil, false // the chat did not continue from the message at which the effect began
	}
	at := r.entryOf(f)
	if at < 0 {
		// The entry was edited. Its name is taken until the effect would have ended.
		if length >= f.End {
			return nil, false
		}
		return []storage.LoreEffect{f}, true
	}
	it := &r.x.live[at]
	if it.effect(f.Kind) == 0 {
		return nil, false
	}
	if length < f.End {
		active[at] = f.End
		return []storage.LoreEffect{f}, true
	}
	cooldown := it.effect(storage.LoreCooldown)
	if f.Kind != storage.LoreSticky || cooldown == 0 {
		return nil, false
	}
	f.Kind, f.Start, f.End, f.Protected = storage.LoreCooldown, length, length+cooldown, true
	return []storage.LoreEffect{f}, false
}

// entryOf returns the index of the entry that an effect belongs to if the entry is unchanged, else
// -1.
func (r *run) entryOf(f storage.LoreEffect) int32 {
	for _, at := range r.x.uids[uid{f.Book, f.UID}] {
		if r.s.hash(r.x.live[at].e) == f.Hash {
			return at
		}
	}
	return -1
}

// startEffects starts the effects of what triggered. A running effect is not restarted.
func (r *run) startEffects() {
	if r.in.DryRun {
		return
	}
	running := map[storage.LoreEffect]bool{}
	id := func(f storage.LoreEffect) storage.LoreEffect {
		return storage.LoreEffect{Kind: f.Kind, Book: f.Book, UID: f.UID}
	}
	for _, f := range r.effects {
		running[id(f)] = true
	}
	for _, c := range r.active {
		for _, kind := range []storage.LoreEffectKind{storage.LoreSticky, storage.LoreCooldown} {
			n := c.item.effect(kind)
			f := storage.LoreEffect{Kind: kind, Book: c.item.book.ID, UID: c.item.e.UID}
			if n == 0 || running[f] {
				continue
			}
			running[f] = true
			f.Hash, f.Start, f.End = r.s.hash(c.item.e), r.in.Length, r.in.Length+n
			r.effects = append(r.effects, f)
		}
	}
}

// blockedBy returns why an entry cannot trigger even if its keys match, "" if it can.
func (r *run) blockedBy(c *candidate) (Verdict, string) {
	e := c.item.e
	if e.Disabled {
		return Off, "it is disabled"
	}
	if why := r.filterReason(e); why != "" {
		return Filtered, why
	}
	if r.in.Length < e.Delay {
		return OnDelay, fmt.Sprintf("delayed until the chat has %d messages; there are %d", e.Delay, r.in.Length)
	}
	if end, ok := r.cooling[c.rank]; ok && !c.sticky {
		return OnCooldown, "on cooldown for " + r.until(end)
	}
	if d := c.item.c.deco; d != nil && !d.activate && !c.sticky {
		if why := r.decoratorReason(d); why != "" {
			return Decorated, why
		}
	}
	return "", ""
}

func (r *run) until(end int) string {
	left := end - r.in.Length
	switch {
	case left > forever/2:
		return "good: set by a decorator"
	case left == 1:
		return "1 more message"
	}
	return fmt.Sprintf("%d more messages", left)
}

// stickyReason returns why a sticky entry triggers.
func (r *run) stickyReason(c *candidate) string {
	return "sticky for " + r.until(r.sticky[c.rank])
}

// filterReason returns why an entry's filter excludes the request or the speaker, "" if it does
// not.
func (r *run) filterReason(e *storage.LoreEntry) string {
	trigger := r.in.Trigger
	if trigger == "" {
		trigger = "normal"
	}
	if len(e.Triggers) > 0 && !slices.Contains(e.Triggers, trigger) {
		return fmt.Sprintf("not for the generation type “%s”", trigger)
	}
	f := e.Characters
	if f == nil {
		return ""
	}
	if len(f.Names) > 0 && slices.Contains(f.Names, r.in.Character) == f.Exclude {
		return fmt.Sprintf("it is not for the character “%s”", r.in.Character)
	}
	tagged := slices.ContainsFunc(f.Tags, func(tag string) bool { return slices.Contains(r.in.Tags, tag) })
	if len(f.Tags) > 0 && tagged == f.Exclude {
		return fmt.Sprintf("it is not for the tags of the character “%s”", r.in.Character)
	}
	return ""
}

// decoratorReason returns why decorators that do not ask for keys bar an entry.
func (r *run) decoratorReason(d *decorators) string {
	replies := r.in.Replies
	if replies == 0 {
		replies = (r.in.Length + 1) / 2
	}
	switch {
	case d.greeting != nil && *d.greeting != r.in.Greeting:
		return fmt.Sprintf("its decorator @@is_greeting asks for greeting %d; this chat began with %d", *d.greeting,
			r.in.Greeting)
	case d.after != nil && replies < *d.after:
		return fmt.Sprintf("its decorator @@activate_only_after asks for %d replies; there are %d", *d.after, replies)
	case d.every != nil && replies%*d.every != 0:
		return fmt.Sprintf("its decorator @@activate_only_every asks for every %d replies; there are %d",
			*d.every, replies)
	}
	return ""
}
