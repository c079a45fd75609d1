package lessons

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// KeepProfile makes the profile to store of an answer: details of scenes, weak
// contradictions and lessons of single scenes that nothing confirms are left out,
// repeated ones become one card, and cards that were there before keep their ids.
// Numbers are computed. Scope and times are the caller's.
func KeepProfile(s Story, p Profile) storage.Taste {
	k := keeper{story: s, details: s.details(), lessons: make([][]lesson, len(s.Memories))}
	t := storage.Taste{SourceSceneIDs: []storage.NodeID{}, SourceMemoryIDs: []storage.TasteMemoryID{}, PreferenceCards: []storage.PreferenceCard{}}
	for i, m := range s.Memories {
		t.SourceSceneIDs = append(t.SourceSceneIDs, m.Scene)
		t.SourceMemoryIDs = append(t.SourceMemoryIDs, m.ID)
		for _, l := range m.SceneLearnings {
			if supported(m, l) {
				k.lessons[i] = append(k.lessons[i], lesson{l, meaningOf(l.Learning), editsOf(m.Events, l)})
			}
		}
	}
	for _, c := range p.PreferenceCards[:min(len(p.PreferenceCards), readCards)] {
		if x, ok := k.read(c); ok {
			k.join(x)
		}
	}
	k.settle()
	t.PreferenceCards = k.finish(t.PreferenceCards)
	summary := without(sentences(k.details.Scrub(unclaimed(p.ProfileSummary))), k.refused, meaning.same)
	t.ProfileSummary = prompts.Bounded(strings.Join(firstOf(summary, mostProfileSentences), " "), maxProfile)
	t.StatsSummary = k.details.Scrub(Stats(s.Memories))
	t.Verdicts = s.Before.Verdicts
	return t
}

// without are the sentences that say nothing of what is refused.
func without(sentences []string, refused []meaning, says func(a, b meaning) bool) []string {
	return slices.DeleteFunc(sentences, func(s string) bool {
		m := meaningOf(s)
		return slices.ContainsFunc(refused, func(r meaning) bool { return says(r, m) })
	})
}

func firstOf[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// lesson is a lesson of a scene with what is understood of it.
type lesson struct {
	storage.SceneLearning
	meaning
	edits int // that show it
}

// keeper makes cards of an answer's.
type keeper struct {
	story   Story
	details *Details
	lessons [][]lesson // by memory
	cards   []kept
	refused []meaning // of cards that were left out, other than for details
}

// kept is a card while it is judged.
type kept struct {
	storage.PreferenceCard
	meaning
	// pro are the memories that speak for the card, with how sure the surest of
	// their lessons is; against, those that speak against it under its condition.
	pro, against map[int]int
	edits        map[int]int // of the user's by memory, that speak for the card
}

// read is a card of the answer, clean and with what the memories say of it. One
// that says nothing, claims to hold everywhere or tells of a scene is none.
func (k *keeper) read(c AnswerCard) (kept, bool) {
	x := kept{PreferenceCard: storage.PreferenceCard{
		Preference: said(c.Preference, maxPreference), AppliesTo: said(c.AppliesTo, maxCondition), AvoidApplyingTo: said(c.AvoidApplyingTo, maxCondition),
		Evidence: prompts.Bounded(scrub(unclaimed(said(c.Evidence, maxSupport)), k.details.named), maxSupport), Confidence: levelOf(c.Confidence),
	}, pro: map[int]int{}, against: map[int]int{}, edits: map[int]int{}}
	if x.Confidence == "" {
		x.Confidence = storage.LowConfidence
	}
	for _, text := range []*string{&x.AppliesTo, &x.AvoidApplyingTo} {
		if broadCondition(*text) {
			*text = "" // to be found among the lessons
		}
	}
	if len(termsOf(x.Preference)) == 0 || broadLearning(x.Preference) || k.leaks(x.PreferenceCard) {
		return x, false
	}
	x.meaning = meaningOf(x.Preference)
	k.weigh(&x, c.Scenes)
	return x, x.AppliesTo != ""
}

// leaks tells whether a card holds a detail of a scene where it must not.
func (k *keeper) leaks(c storage.PreferenceCard) bool {
	v, _ := k.details.Judge(c)
	return v == Plot
}

// weigh goes through the lessons of all scenes: those that say nearly the same
// speak for the card, also those of scenes that the answer names if they are about
// its subject. Those that want the opposite speak against it, or make an exception
// where their condition is another. What the card has no condition for, they give.
func (k *keeper) weigh(x *kept, named []int) {
	for i, lessons := range k.lessons {
		for _, l := range lessons {
			of, _ := x.common(l.meaning)
			claimed := of > 0 && slices.Contains(named, i+1) && !x.turnsFrom(l.meaning, order)
			switch {
			case x.opposes(l.meaning) && (x.AppliesTo == "" || overlap(x.AppliesTo, l.AppliesTo)):
				x.against[i] = max(x.against[i], level(levelOf(l.Confidence)), 1)
			case x.opposes(l.meaning):
				k.condition(&x.AvoidApplyingTo, l.AppliesTo)
			case claimed || x.supports(l.meaning):
				x.pro[i] = max(x.pro[i], level(levelOf(l.Confidence)), 1)
				x.edits[i] = max(x.edits[i], l.edits)
			}
		}
	}
	applies, avoid := x.AppliesTo == "", x.AvoidApplyingTo == ""
	for i := range k.lessons {
		for _, l := range k.lessons[i] {
			if x.pro[i] > 0 && x.supports(l.meaning) {
				k.given(&x.AppliesTo, l.AppliesTo, applies)
				k.given(&x.AvoidApplyingTo, l.AvoidApplyingTo, avoid)
			}
		}
	}
}

// given takes a lesson's condition where the card had none.
func (k *keeper) given(to *string, condition string, wanted bool) {
	if wanted && !broadCondition(condition) {
		k.condition(to, condition)
	}
}

// condition adds to a condition what is not in it, as far as there is room and it
// tells of no scene.
func (k *keeper) condition(to *string, more string) {
	more = said(more, maxCondition)
	if more == "" || *to != "" && overlap(*to, more) || k.details.In(more) != "" {
		return
	}
	if joined := joined(*to, more); utf8.RuneCountInString(joined) <= maxCondition && k.details.In(joined) == "" {
		*to = joined
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimRight(a, ".;") + "; " + b
}

// join takes a card up, or makes one with a card that says nearly the same: that is
// a lesson that is repeated, and surer for it.
func (k *keeper) join(x kept) {
	i := slices.IndexFunc(k.cards, func(o kept) bool { return o.same(x.meaning) && !o.contradicts(x) })
	if i < 0 {
		k.cards = append(k.cards, x)
		return
	}
	o := &k.cards[i]
	if level(x.Confidence) > level(o.Confidence) {
		x.PreferenceCard, o.PreferenceCard = o.PreferenceCard, x.PreferenceCard
		o.meaning = meaningOf(o.Preference)
	}
	o.take(x)
	k.condition(&o.AppliesTo, x.AppliesTo)
	k.condition(&o.AvoidApplyingTo, x.AvoidApplyingTo)
	o.Confidence = levels[min(level(o.Confidence), len(levels)-1)] // as far as its scenes bear it: see sure
}

// take adds what speaks for and against another card, and its evidence.
func (x *kept) take(o kept) {
	for i, sure := range o.pro {
		x.pro[i], x.edits[i] = max(x.pro[i], sure), max(x.edits[i], o.edits[i])
	}
	for i, sure := range o.against {
		x.against[i] = max(x.against[i], sure)
	}
	if !strings.Contains(x.Evidence, o.Evidence) {
		x.Evidence = prompts.Bounded(joined(x.Evidence, o.Evidence), maxSupport)
	}
}

// settle makes one of two cards that contradict each other, with both conditions,
// where these differ. Under one condition the contradiction says that neither is
// known: both go, but for one that is known while the other would not stay alone,
// or that is sure while the other is not.
func (k *keeper) settle() {
	for i := 0; i < len(k.cards); i++ {
		for j := i + 1; j < len(k.cards); j++ {
			a, b := &k.cards[i], &k.cards[j]
			if !a.contradicts(*b) {
				continue
			}
			if b.worth() > a.worth() {
				*a, *b = *b, *a
			}
			stays := k.reconcile(a, *b)
			if !stays {
				k.refused = append(k.refused, a.meaning, b.meaning)
			}
			k.cards = slices.Delete(k.cards, j, j+1)
			if !stays {
				k.cards = slices.Delete(k.cards, i, i+1)
				i--
				break
			}
			j--
		}
	}
}

// contradicts tells whether two cards want the opposite of one thing, or speak of one
// and each holds where the other is wrong: then they do in words that are not known.
func (x kept) contradicts(o kept) bool {
	of, _ := x.common(o.meaning)
	return x.opposes(o.meaning) || of >= supportSubject && !overlap(x.AppliesTo, o.AppliesTo) &&
		overlap(x.AppliesTo, o.AvoidApplyingTo) && overlap(o.AppliesTo, x.AvoidApplyingTo)
}

// reconcile makes a card of a, and of b that contradicts it; false for neither.
func (k *keeper) reconcile(a *kept, b kept) bool {
	if !overlap(a.AppliesTo, b.AppliesTo) {
		rest, _ := strings.CutSuffix(a.AvoidApplyingTo, b.AppliesTo) // as its lessons have it already
		if rest = strings.TrimRight(rest, "; "); rest == "" || !overlap(rest, b.AppliesTo) {
			a.AvoidApplyingTo = joined(rest, joinedBy(b.AppliesTo, ": ", b.Preference))
		}
		a.AvoidApplyingTo = prompts.Bounded(a.AvoidApplyingTo, 2*maxCondition)
		a.take(b)
		a.against = map[int]int{} // each of them holds where it holds
		return !k.leaks(a.PreferenceCard)
	}
	if k.refused = append(k.refused, b.meaning); a.worth() > 0 && b.worth() == 0 {
		return true
	}
	if a.worth() == level(storage.HighConfidence) && b.worth() <= level(storage.LowConfidence) {
		a.Confidence = storage.MediumConfidence
		return true
	}
	return false
}

func joinedBy(a, by, b string) string {
	if a == "" {
		return b
	}
	return strings.TrimRight(a, ".;:") + by + b
}

// worth is how sure a card is, as far as that is supported.
func (x kept) worth() int { return min(x.sure(), level(x.Confidence)) }

// sure is how sure a card can be at most by what speaks for it, 0 where it is to be
// left out: a lesson of one scene loses a step, so that a doubtful one is not
// promoted; that of three scenes may be sure. What speaks against it weighs.
func (x kept) sure() int {
	best, pro, against := 0, 0, 0
	for _, sure := range x.pro {
		best, pro = max(best, sure), pro+sure
	}
	for _, sure := range x.against {
		against += sure
	}
	most := level(storage.LowConfidence) // nothing is known of it
	switch n := len(x.pro); {
	case against > 0 && against >= pro:
		return 0
	case n == 1:
		most = best - 1
	case n == 2:
		most = min(best, level(storage.MediumConfidence))
	case n > 2:
		most = min(best+1, level(storage.HighConfidence))
	}
	if len(x.against) > 0 {
		most = min(most, level(storage.MediumConfidence))
	}
	return most
}

// finish lists the cards that stay, the surest first, with their ids.
func (k *keeper) finish(out []storage.PreferenceCard) []storage.PreferenceCard {
	for _, x := range k.cards {
		sure := x.worth()
		if sure == 0 {
			k.refused = append(k.refused, x.meaning)
			continue
		}
		x.Confidence = levels[sure-1]
		x.Seen = storage.CardCount{Scenes: len(x.pro)}
		for _, n := range x.edits {
			x.Seen.Edits += n
		}
		if x.Unsupported = len(x.pro) == 0; x.Evidence == "" && !x.Unsupported {
			x.Evidence = "Seen in " + counted(len(x.pro), "scene") + "."
		}
		out = append(out, x.PreferenceCard)
	}
	slices.SortStableFunc(out, func(a, b storage.PreferenceCard) int { return cmp.Compare(level(b.Confidence), level(a.Confidence)) })
	out = firstOf(out, mostCards)
	k.identify(out)
	return out
}

// identify gives cards the ids of those that said nearly the same before, and new
// ones to the others.
func (k *keeper) identify(cards []storage.PreferenceCard) {
	type known struct {
		id   storage.CardID
		said string
	}
	var before []known
	for _, c := range k.story.Overrides.Cards {
		if c.Was != "" {
			before = append(before, known{c.ID, c.Was})
		}
	}
	for _, c := range k.story.Before.PreferenceCards {
		before = append(before, known{c.ID, c.Preference})
	}
	used := map[storage.CardID]bool{"": true}
	for i := range cards {
		cards[i].ID = ""
		for _, b := range before {
			if !used[b.id] && samePreference(b.said, cards[i].Preference) {
				cards[i].ID = b.id
				break
			}
		}
		if cards[i].ID == "" {
			cards[i].ID = storage.CardID(storage.NewID())
		}
		used[cards[i].ID] = true
	}
}
