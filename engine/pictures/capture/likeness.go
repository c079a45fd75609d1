package capture

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What a prompt makes of a fact.
const (
	FactNamed        = "named"
	FactMissing      = "missing"
	FactContradicted = "contradicted"
)

// Likeness is how far a prompt is from what is known of the looks of its people.
type Likeness struct {
	People []PersonLikeness `json:"people"`
	// Contradictions say in words where the prompt disagrees with the sheet, place and
	// light included.
	Contradictions []string `json:"contradictions"`
	// Named of Known facts about looks and clothes stand in the prompt.
	Named int `json:"named"`
	Known int `json:"known"`
}

// PersonLikeness is what a prompt says of one person. Present tells whether it calls
// them by name.
type PersonLikeness struct {
	Who     string         `json:"who"`
	Present bool           `json:"present"`
	Facts   []FactLikeness `json:"facts"`
}

// FactLikeness is one fact and what the prompt makes of it.
type FactLikeness struct {
	Kind  storage.FactKind `json:"kind"`
	Text  string           `json:"text"`
	State string           `json:"state"` // FactNamed, FactMissing or FactContradicted
}

// Compare holds a prompt against a sheet: for each person with known looks or
// clothes, which of them it names, leaves out or contradicts. People are all who
// play, by name. Muted facts do not count.
func Compare(prompt string, facts []storage.Fact, people []string) Likeness {
	out := Likeness{People: []PersonLikeness{}, Contradictions: NewSheet(facts, people).Contradictions(prompt)}
	if out.Contradictions == nil {
		out.Contradictions = []string{}
	}
	list := terms(prompt)
	named := slices.Clone(people)
	for _, f := range facts {
		if f.Who != "" && !slices.ContainsFunc(named, func(p string) bool { return SameName(p, f.Who) }) {
			named = append(named, f.Who)
		}
	}
	namePeople(list, nameWords(named))
	for _, f := range facts {
		if f.Muted || f.Who == "" || f.Kind != storage.FactAppearance && f.Kind != storage.FactClothes {
			continue
		}
		who := slices.IndexFunc(named, func(p string) bool { return SameName(p, f.Who) })
		at := slices.IndexFunc(out.People, func(p PersonLikeness) bool { return SameName(p.Who, named[who]) })
		if at < 0 {
			at = len(out.People)
			out.People = append(out.People, PersonLikeness{Who: named[who], Facts: []FactLikeness{},
				Present: slices.ContainsFunc(list, func(t term) bool { return t.who == who })})
		}
		state := FactMissing
		switch {
		case len(NewSheet([]storage.Fact{f}, people).Contradictions(prompt)) > 0:
			state = FactContradicted
		case tells(aboutOf(list, who), f.Text):
			state = FactNamed
			out.Named++
		}
		out.Known++
		out.People[at].Facts = append(out.People[at].Facts, FactLikeness{f.Kind, f.Text, state})
	}
	return out
}

// aboutOf are the words of the sentences that are about somebody: those that name
// them, and those after them that name nobody. Where a text names nobody at all, all
// of it is about everybody.
func aboutOf(list []term, who int) map[string]bool {
	names := map[int][]int{} // by sentence
	any := false
	for _, t := range list {
		if t.who >= 0 {
			names[t.sentence], any = append(names[t.sentence], t.who), true
		}
	}
	out := map[string]bool{}
	about, at := !any, -1
	for _, t := range list {
		if t.sentence != at {
			at = t.sentence
			if here := names[at]; len(here) > 0 {
				about = slices.Contains(here, who)
			}
		}
		if about {
			for part := range strings.SplitSeq(t.low+"-"+strings.ReplaceAll(t.low, "-", ""), "-") { // grey-eyed
				for _, w := range wordForms(part) {
					out[w] = true
				}
			}
		}
	}
	return out
}

// wordForms are a word as it may stand elsewhere: without the endings that differ from
// text to text.
func wordForms(low string) []string {
	out := []string{low}
	for _, end := range []string{"s", "d", "ed"} {
		if stem, ok := strings.CutSuffix(low, end); ok && len(stem) > 2 {
			out = append(out, stem)
		}
	}
	return out
}

// says tells whether a word is among words, in any of its forms.
func says(said map[string]bool, low string) bool {
	return slices.ContainsFunc(wordForms(low), func(w string) bool { return said[w] })
}

// tells tells whether words say a fact: half of its own words at least, what it is
// about among them.
func tells(said map[string]bool, fact string) bool {
	words := terms(fact)
	head := headNoun(words)
	for _, t := range words {
		if things[t.low].name != "" {
			head = t.low
			break
		}
	}
	all, hits := 0, 0
	for _, t := range words {
		if articlesAll[t.low] || pronouns[t.low] || closers[t.low] || idle[t.low] || adverbs[t.low] {
			continue
		}
		all++
		if says(said, t.low) {
			hits++
		}
	}
	return hits > 0 && 2*hits >= all && (head == "" || says(said, strings.ToLower(head)))
}
