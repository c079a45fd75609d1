package fill

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// KnownTo returns who knows a fact of an entry, nil for everybody. A fact without own knowers is
// known to those who know the whole entry.
func KnownTo(x *storage.LoreEntry, fact string) []storage.CharacterID {
	for i := range x.Facts {
		f := &x.Facts[i]
		switch {
		case f.Text != fact:
		case f.Open:
			return nil
		case f.Witnesses != nil:
			return f.Witnesses
		}
	}
	return x.Witnesses
}

// SameKnowers reports whether all facts of an entry are known to the same.
func SameKnowers(x *storage.LoreEntry) bool {
	return !slices.ContainsFunc(x.Facts, func(f storage.LoreFact) bool { return f.Open || f.Witnesses != nil })
}

// SetKnowers sets who knows each fact of an entry's content. The entry's own witnesses become the
// characters who know all of it.
func SetKnowers(x *storage.LoreEntry, knows func(fact string) []storage.CharacterID) {
	facts := plist.Facts(x.Content)
	if len(facts) == 0 {
		return
	}
	known := make([][]storage.CharacterID, len(facts))
	var all []storage.CharacterID
	for i, f := range facts {
		known[i] = knows(f)
		all = storage.WitnessesOfBoth(all, known[i])
	}
	x.Witnesses, x.Facts = all, slices.Clone(x.Facts)
	for i, f := range facts {
		who, same := known[i], SameWitnesses(known[i], all)
		at := slices.IndexFunc(x.Facts, func(r storage.LoreFact) bool { return r.Text == f })
		if at < 0 && same {
			continue
		}
		if at < 0 {
			x.Facts, at = append(x.Facts, storage.LoreFact{Text: f}), len(x.Facts)
		}
		r := &x.Facts[at]
		r.Witnesses, r.Open = nil, false
		if !same {
			r.Witnesses, r.Open = who, who == nil
		}
	}
}

// InheritKnowers sets who knows the facts of next, an edit of old by the user. A changed fact is
// known to everybody who knew it before. A new fact is known to everybody who knows any fact of the
// entry; if it may be made of removed facts, only to those who know all of these.
func InheritKnowers(old, next *storage.LoreEntry) {
	if SameKnowers(old) {
		return
	}
	fresh := KnowersOfAny(old)
	was := map[string]string{}
	before := plist.Facts(old.Content)
	for _, h := range plist.Diff(old.Content, next.Content) {
		switch {
		case h.Head:
		case h.Kind == plist.Changed && !slices.Contains(before, h.Before):
			// The whole content has another form: any fact may be based on all the old ones.
			for _, f := range before {
				fresh = storage.WitnessesOfBoth(fresh, KnownTo(old, f))
			}
		case h.Kind == plist.Kept, h.Kind == plist.Changed:
			was[h.After] = h.Before
		case h.Kind == plist.Removed:
			fresh = storage.WitnessesOfBoth(fresh, KnownTo(old, h.Before))
		}
	}
	SetKnowers(next, func(fact string) []storage.CharacterID {
		if b := was[fact]; b != "" {
			return KnownTo(old, b)
		}
		return fresh
	})
}

// MergeKnowers sets who knows the facts of an entry that was merged from two others.
func MergeKnowers(x, a, b *storage.LoreEntry) {
	if SameKnowers(a) && SameKnowers(b) && SameWitnesses(a.Witnesses, b.Witnesses) {
		return
	}
	in, too := plist.Facts(a.Content), plist.Facts(b.Content)
	SetKnowers(x, func(fact string) []storage.CharacterID {
		same := func(f string) bool { return plist.SameFact(f, fact) }
		i, j := slices.IndexFunc(in, same), slices.IndexFunc(too, same)
		switch {
		case i >= 0 && j >= 0:
			return storage.WitnessesOfEither(KnownTo(a, in[i]), KnownTo(b, too[j]))
		case i >= 0:
			return KnownTo(a, in[i])
		case j >= 0:
			return KnownTo(b, too[j])
		}
		return storage.WitnessesOfBoth(a.Witnesses, b.Witnesses)
	})
}

// KeepKnowers sets who knows the facts that an entry keeps from another state of it.
func KeepKnowers(old, next *storage.LoreEntry) {
	if !SameKnowers(old) {
		SetKnowers(next, func(fact string) []storage.CharacterID { return KnownTo(old, fact) })
	}
}

// KnowersOfAny returns the characters who know at least one fact of an entry; nil is everybody.
func KnowersOfAny(x *storage.LoreEntry) []storage.CharacterID {
	out := []storage.CharacterID{}
	for _, f := range plist.Facts(x.Content) {
		who := KnownTo(x, f)
		if who == nil {
			return nil
		}
		out = storage.WitnessesOfEither(out, who)
	}
	return out
}

// IncludesAll reports whether all of b are among a; nil is everybody.
func IncludesAll(a, b []storage.CharacterID) bool {
	if a == nil || b == nil {
		return a == nil
	}
	return !slices.ContainsFunc(b, func(x storage.CharacterID) bool { return !slices.Contains(a, x) })
}

// SameWitnesses reports whether two lists have the same members in any order.
func SameWitnesses(a, b []storage.CharacterID) bool { return IncludesAll(a, b) && IncludesAll(b, a) }
