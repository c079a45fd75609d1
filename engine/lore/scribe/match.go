package scribe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Verdict is what names and contents tell about a candidate.
type Verdict string

// The verdicts.
const (
	Matched    Verdict = "matched"     // it is about Decision.Entry
	NothingNew Verdict = "nothing new" // so it is, and that says all of it already
	NewEntry   Verdict = "new"         // there is nothing that it could be about
	AskModel   Verdict = "ask"         // only a model can tell
)

// Decision is a verdict, and why, in words for the user.
type Decision struct {
	Verdict Verdict
	Entry   storage.EntryID // of Matched and NothingNew
	Why     string
}

// Match decides what a candidate is about where no model is needed for it: by
// an exact name or alias, by a spelling that is surely a slip, or because there
// is nothing to compare with. The registry is of the candidate's type; what two
// entries answer to is asked.
func Match(c storage.LoreCandidate, reg []Line) Decision {
	if len(reg) == 0 {
		return Decision{Verdict: NewEntry, Why: "there is no entry of its kind yet"}
	}
	name := plist.FoldName(c.Name)
	folded := make([][]string, len(reg)) // name, aliases
	for i := range reg {
		folded[i] = reg[i].names()
		for k, n := range folded[i] {
			folded[i][k] = plist.FoldName(n)
		}
	}
	if d, ok := exact(c, name, reg, folded); ok {
		return d
	}
	if d, ok := nearly(c, name, reg, folded); ok {
		return d
	}
	return Decision{Verdict: AskModel, Why: "no entry has its name"}
}

// exact finds the entry that has the candidate's name, else the one that has it
// as an alias.
func exact(c storage.LoreCandidate, name string, reg []Line, folded [][]string) (Decision, bool) {
	same := func(n string) bool { return plist.SameFolded(n, name) }
	named, aliased := -1, -1
	names, aliases := 0, 0
	for i := range reg {
		switch {
		case same(folded[i][0]):
			named, names = i, names+1
		case slices.ContainsFunc(folded[i][1:], same):
			aliased, aliases = i, aliases+1
		}
	}
	switch {
	case names == 1:
		return found(c, &reg[named], "an entry has its name"), true
	case names > 1:
		return Decision{Verdict: AskModel, Why: "several entries have its name"}, true
	case aliases == 1:
		return found(c, &reg[aliased], "an entry has its name as an alias"), true
	case aliases > 1:
		return Decision{Verdict: AskModel, Why: "several entries have its name as an alias"}, true
	}
	return Decision{}, false
}

// nearly finds the one entry whose name differs by a slip of the pen.
func nearly(c storage.LoreCandidate, name string, reg []Line, folded [][]string) (Decision, bool) {
	const several = -1
	owner := map[string]int{} // of the candidate's words, the entry that has them in a name
	for w := range strings.FieldsSeq(name) {
		for i := range folded {
			if !slices.ContainsFunc(folded[i], func(n string) bool { return strings.Contains(" "+n+" ", " "+w+" ") }) {
				continue
			}
			if o, ok := owner[w]; ok && o != i {
				owner[w] = several
				break
			}
			owner[w] = i
		}
	}
	best, verdict := -1, otherName
	for i := range reg {
		others := func(w string) bool {
			o, ok := owner[w]
			return ok && o != i
		}
		v := otherName
		for _, n := range folded[i] {
			v = max(v, compare(name, n, others))
		}
		if v == otherName {
			continue
		}
		if best >= 0 {
			return Decision{}, false
		}
		best, verdict = i, v
	}
	switch {
	case best < 0 || Vague(c.Name):
		return Decision{}, false
	case verdict == misspelt:
		return found(c, &reg[best], "the name of “"+clip(reg[best].Name, 60)+"” differs by one letter or a blank"), true
	case agree(c.Content, reg[best].Content):
		return found(c, &reg[best], "the name of “"+clip(reg[best].Name, 60)+"” is nearly the same, and both say the same"), true
	}
	return Decision{}, false
}

func found(c storage.LoreCandidate, l *Line, why string) Decision {
	if SaysAll(l.Content, c.Content) {
		return Decision{Verdict: NothingNew, Entry: l.ID, Why: why + ", and says all of this already"}
	}
	return Decision{Verdict: Matched, Entry: l.ID, Why: why}
}

// maxAliases is how many names of an entry are compared.
const maxAliases = 24

func (l *Line) names() []string {
	names := append(make([]string, 0, 1+len(l.Aliases)), l.Name)
	return append(names, l.Aliases[:min(len(l.Aliases), maxAliases)]...)
}

// maxFacts is how many facts of a content are compared.
const maxFacts = 200

// SaysAll tells whether a content holds every fact of another, word for word. An
// empty one says nothing that could be missed.
func SaysAll(content, other string) bool {
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

// agree tells whether two contents say enough of the same to be of one thing.
func agree(a, b string) bool {
	fa, fb := plist.Facts(a), plist.Facts(b)
	fa, fb = fa[:min(len(fa), maxFacts)], fb[:min(len(fb), maxFacts)]
	common := 0
	for _, f := range fa {
		if slices.ContainsFunc(fb, func(g string) bool { return plist.SameFact(f, g) }) {
			common++
		}
	}
	return common >= 2
}

// MaxLines is how many lines of a registry a prompt holds.
const MaxLines = 60

// Likeliest cuts a registry to the n lines that a candidate could be about, 0
// for MaxLines, in their order: those whose names are most like its own, and
// that speak of the same things.
func Likeliest(c storage.LoreCandidate, reg []Line, n int) []Line {
	if n <= 0 {
		n = MaxLines
	}
	if len(reg) <= n {
		return reg
	}
	about := plist.Stems(clip(c.Name+" "+strings.Join(c.Keywords, " ")+" "+c.Content, 4000))
	type scored struct {
		i     int
		score float64
	}
	list := make([]scored, len(reg))
	for i := range reg {
		best, said := 0.0, strings.Builder{}
		for _, name := range reg[i].names() {
			name = clip(name, 200)
			best = max(best, Near(c.Name, name))
			said.WriteString(name + " ")
		}
		common := 0
		for s := range plist.Stems(said.String() + clip(reg[i].Synopsis, 400)) {
			if about[s] {
				common++
			}
		}
		list[i] = scored{i, 4*best + float64(min(common, 8))}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.i, b.i)) })
	list = list[:n]
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(a.i, b.i) })
	out := make([]Line, n)
	for k, s := range list {
		out[k] = reg[s.i]
	}
	return out
}
