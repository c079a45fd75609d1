package activation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func timedEntry(sticky, cooldown int, edits ...edit) storage.LoreEntry {
	e := entry("inn", func(e *storage.LoreEntry) { e.UID, e.Sticky, e.Cooldown = 1, sticky, cooldown })
	for _, edit := range edits {
		edit(&e)
	}
	return e
}

func effect(kind storage.LoreEffectKind, start, end int) storage.LoreEffect {
	e := timedEntry(0, 0)
	return storage.LoreEffect{Kind: kind, Book: "book", UID: 1, Hash: Hash(&e), Start: start, End: end}
}

func protected(f storage.LoreEffect) storage.LoreEffect {
	f.Protected = true
	return f
}

func TestTimedEffects(t *testing.T) {
	const sticky, cooldown = storage.LoreSticky, storage.LoreCooldown
	edited := effect(sticky, 3, 9)
	edited.Hash = "of another state"
	for _, c := range []struct {
		name   string
		e      storage.LoreEntry
		text   string
		length int
		before []storage.LoreEffect
		dry    bool
		fires  string
		lost   string
		after  []storage.LoreEffect
	}{
		{name: "a sticky entry starts to stay", e: timedEntry(3, 0), text: "inn", length: 5, fires: "inn", after: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "it stays without its key", e: timedEntry(3, 0), text: "x", length: 7, before: []storage.LoreEffect{effect(sticky, 5, 8)}, fires: "inn", after: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "a running effect is not begun anew", e: timedEntry(3, 0), text: "inn", length: 6, before: []storage.LoreEffect{effect(sticky, 5, 8)}, fires: "inn", after: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "it ends", e: timedEntry(3, 0), text: "x", length: 8, before: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "a swipe takes it back", e: timedEntry(3, 0), text: "x", length: 5, before: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "a cooldown starts", e: timedEntry(0, 4), text: "inn", length: 5, fires: "inn", after: []storage.LoreEffect{effect(cooldown, 5, 9)}},
		{name: "it keeps the entry out", e: timedEntry(0, 4), text: "inn", length: 6, before: []storage.LoreEffect{effect(cooldown, 5, 9)}, lost: "inn: cooldown", after: []storage.LoreEffect{effect(cooldown, 5, 9)}},
		{name: "and ends, and starts again", e: timedEntry(0, 4), text: "inn", length: 9, before: []storage.LoreEffect{effect(cooldown, 5, 9)}, fires: "inn", after: []storage.LoreEffect{effect(cooldown, 9, 13)}},
		{name: "both start together", e: timedEntry(2, 4), text: "inn", length: 5, fires: "inn", after: []storage.LoreEffect{effect(sticky, 5, 7), effect(cooldown, 5, 9)}},
		{name: "who stays does not rest", e: timedEntry(2, 4), text: "x", length: 6, before: []storage.LoreEffect{effect(sticky, 5, 7), effect(cooldown, 5, 9)}, fires: "inn", after: []storage.LoreEffect{effect(sticky, 5, 7), effect(cooldown, 5, 9)}},
		{name: "an ended stay starts the rest anew, protected and at once", e: timedEntry(2, 4), text: "inn", length: 7, before: []storage.LoreEffect{effect(sticky, 5, 7), effect(cooldown, 5, 9)}, lost: "inn: cooldown", after: []storage.LoreEffect{protected(effect(cooldown, 7, 11))}},
		{name: "what is protected outlives a swipe", e: timedEntry(2, 4), text: "inn", length: 7, before: []storage.LoreEffect{protected(effect(cooldown, 7, 11))}, lost: "inn: cooldown", after: []storage.LoreEffect{protected(effect(cooldown, 7, 11))}},
		{name: "an edited entry loses its effect, its place stays taken", e: timedEntry(3, 0), text: "inn", length: 5, before: []storage.LoreEffect{edited}, fires: "inn", after: []storage.LoreEffect{edited}},
		{name: "until the effect would have ended", e: timedEntry(3, 0), text: "x", length: 9, before: []storage.LoreEffect{edited}},
		{name: "an entry that is not sticky any more", e: timedEntry(0, 0), text: "x", length: 6, before: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "a dry run sees no effects and leaves them", e: timedEntry(3, 4), text: "x", length: 6, before: []storage.LoreEffect{effect(sticky, 5, 8)}, dry: true, after: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "a dry run starts none", e: timedEntry(3, 4), text: "inn", length: 6, dry: true, fires: "inn"},
		{name: "a sticky entry fires whatever its chance", e: timedEntry(3, 0, chance(0)), text: "x", length: 6, before: []storage.LoreEffect{effect(sticky, 5, 8)}, fires: "inn", after: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "a sticky entry does not wait for recursion", e: timedEntry(3, 0, waits(2)), text: "x", length: 6, before: []storage.LoreEffect{effect(sticky, 5, 8)}, fires: "inn", after: []storage.LoreEffect{effect(sticky, 5, 8)}},
		{name: "a sticky entry does not fire while it is disabled", e: timedEntry(3, 0, func(e *storage.LoreEntry) { e.Disabled = true }), text: "x", length: 6, before: []storage.LoreEffect{effect(sticky, 5, 8)}, after: []storage.LoreEffect{effect(sticky, 5, 8)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := Compile([]Book{{ID: "book", Entries: list(c.e)}}, DefaultSettings())
			in := Input{Messages: chatOf(c.text), Length: c.length, Context: 4000, Effects: c.before, DryRun: c.dry}
			if c.e.Probability == 0 {
				in.Random = func() float64 { return 0.99 }
			}
			r := x.NewScan().Activate(in)
			if names(r.Triggered) != c.fires || verdicts(r.Lost) != c.lost {
				t.Errorf("fired %q, lost %q", names(r.Triggered), verdicts(r.Lost))
			}
			if diff := cmp.Diff(c.after, r.Effects, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStickyFirst(t *testing.T) {
	a, b := entry("a", order(9)), timedEntry(5, 0, order(1))
	a.UID = 2
	set := DefaultSettings()
	set.BudgetCap = 4
	in := Input{Messages: chatOf("a"), Length: 6, Context: 4000, Effects: []storage.LoreEffect{effect(storage.LoreSticky, 5, 8)}}
	words(&in)
	r := Compile([]Book{{ID: "book", Entries: list(a, b)}}, set).NewScan().Activate(in)
	if names(r.Triggered) != "inn" || verdicts(r.Lost) != "a: over budget" {
		t.Errorf("fired %q, lost %q", names(r.Triggered), verdicts(r.Lost))
	}
}

func TestHash(t *testing.T) {
	base := timedEntry(3, 0)
	for name, change := range map[string]edit{
		"content": says("other"), "keys": keys("other"), "secondary keys": second(storage.AndAny, "x"),
		"constant": constant, "uid": func(e *storage.LoreEntry) { e.UID = 7 },
		// Two lists that read the same one after the other.
		"split": func(e *storage.LoreEntry) { e.Keys, e.SecondaryKeys = nil, []string{"inn"} },
	} {
		e := base
		change(&e)
		if Hash(&e) == Hash(&base) {
			t.Errorf("%s does not count", name)
		}
	}
	for name, change := range map[string]edit{
		"name": func(e *storage.LoreEntry) { e.Name = "other" }, "order": order(7), "sticky": func(e *storage.LoreEntry) { e.Sticky = 9 },
		"decorators": says("@@depth 3\n" + base.Content),
	} {
		e := base
		change(&e)
		if Hash(&e) != Hash(&base) {
			t.Errorf("%s counts", name)
		}
	}
}
