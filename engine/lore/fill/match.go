package fill

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Verdict is a decision about a candidate that needs no model.
type Verdict string

// The verdicts.
const (
	Matched    Verdict = "matched"     // it is about Decision.Entry
	NothingNew Verdict = "nothing new" // so it is, and that says all of it already
	NewEntry   Verdict = "new"         // there is nothing that it could be about
	AskModel   Verdict = "ask"         // only a model can decide
)

// Decision is a verdict, and why, in words for the user.
type Decision struct {
	Verdict Verdict
	Entry   storage.EntryID // of Matched and NothingNew
	Why     string
}

// Match decides what a candidate is about if no model is needed: by its name, or because the
// registry is empty. The registry has the entries of the candidate's type. A name that two entries
// have is left to the model.
func Match(c storage.LoreCandidate, reg []RegistryEntry) Decision {
	if len(reg) == 0 {
		return Decision{Verdict: NewEntry, Why: "there is no entry of its kind yet"}
	}
	name := plist.FoldName(c.Name)
	named, aliased := -1, -1
	names, aliases := 0, 0
	for i := range reg {
		switch {
		case plist.FoldName(reg[i].Name) == name:
			named, names = i, names+1
		case slices.ContainsFunc(reg[i].names()[1:], func(n string) bool { return plist.FoldName(n) == name }):
			aliased, aliases = i, aliases+1
		}
	}
	switch {
	case name == "":
	case names == 1:
		return decide(c, &reg[named], "an entry has its name")
	case names > 1:
		return Decision{Verdict: AskModel, Why: "several entries have its name"}
	case aliases == 1:
		return decide(c, &reg[aliased], "an entry has its name as an alias")
	case aliases > 1:
		return Decision{Verdict: AskModel, Why: "several entries have its name as an alias"}
	}
	return Decision{Verdict: AskModel, Why: "no entry has its name"}
}

func decide(c storage.LoreCandidate, l *RegistryEntry, why string) Decision {
	if HasAllFacts(l.Content, c.Content) {
		return Decision{Verdict: NothingNew, Entry: l.ID, Why: why + ", and says all of this already"}
	}
	return Decision{Verdict: Matched, Entry: l.ID, Why: why}
}

// maxAliases is the maximum number of an entry's aliases that are compared.
const maxAliases = 24

func (l *RegistryEntry) names() []string {
	names := append(make([]string, 0, 1+len(l.Aliases)), l.Name)
	return append(names, l.Aliases[:min(len(l.Aliases), maxAliases)]...)
}

// maxFacts is the maximum number of a content's facts that are compared.
const maxFacts = 200

// HasAllFacts reports whether content has every fact of other, word for word. It is false for an
// empty content.
func HasAllFacts(content, other string) bool {
	if strings.TrimSpace(content) == "" {
		return false
	}
	facts := plist.Facts(other)
	have := plist.Facts(content)
	if len(facts) > maxFacts || len(have) > 10*maxFacts {
		return content == other
	}
	return !slices.ContainsFunc(facts, func(f string) bool {
		return !slices.ContainsFunc(have, func(h string) bool { return plist.SameFact(f, h) })
	})
}

// MaxRegistryEntries is the maximum number of registry lines in a prompt.
const MaxRegistryEntries = 60

// ClosestEntries cuts a registry to the n entries that a candidate is most likely about (0:
// MaxRegistryEntries), in their order: first those whose names share most words with it, then the
// newest.
func ClosestEntries(c storage.LoreCandidate, reg []RegistryEntry, n int) []RegistryEntry {
	if n <= 0 {
		n = MaxRegistryEntries
	}
	if len(reg) <= n {
		return reg
	}
	about := wordsOf(append([]string{c.Name, c.Content}, c.Keywords...)...)
	shared := make([]int, len(reg))
	order := make([]int, len(reg))
	for i := range reg {
		shared[i], order[i] = countCommon(wordsOf(reg[i].names()...), about), i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(b, a)) })
	order = order[:n]
	slices.Sort(order)
	out := make([]RegistryEntry, n)
	for k, i := range order {
		out[k] = reg[i]
	}
	return out
}
