package linter

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// When two entries are taken for one.
const (
	likeNames    = 0.7  // of the trigrams of both names
	likeContents = 0.85 // of the words of both contents
	fewWords     = 6    // of a content; below that likeness means nothing

	nameBands, nameRows = 24, 4 // see sketch
	textBands, textRows = 10, 4
	crowd               = 16 // entries of one sketch that are compared

	mostWords   = 400 // of a content that are compared
	mostAliases = 16  // of an entry
)

// checkShared names keys that fire several entries without a group that would
// choose between them.
func (l *linter) checkShared() {
	type shared struct{ first, second, count int }
	by := map[string]*shared{}
	var order []string
	for i, e := range l.entries {
		if e.Constant || len(groupsOf(e)) > 0 || e.Selective && len(e.SecondaryKeys) > 0 || e.Characters != nil {
			continue
		}
		for j, k := range l.keys[i] {
			if k.kind != plainKey && k.kind != regexKey || l.isRepeated(l.keys[i], j) {
				continue
			}
			s := by[k.text]
			if s == nil {
				by[k.text] = &shared{first: i, second: -1, count: 1}
				continue
			}
			if s.count++; s.count == 2 {
				s.second = i
				order = append(order, k.text)
			}
		}
	}
	for _, key := range order {
		s := by[key]
		others := "“" + nameOf(l.entries[s.second]) + "”"
		if s.count > 2 {
			others += " and " + countOf(s.count-2, "more entry")
			others = strings.Replace(others, "entrys", "entries", 1)
		}
		l.report(s.first, Finding{
			Rule: "shared-key", Severity: Thought, Other: l.entries[s.second].ID, Key: key,
			Text: fmt.Sprintf("the key “%s” also triggers %s, and they are not in a group", excerpt(key, 60), others),
		})
	}
}

// twin is an entry in the form in which likeness is seen.
type twin struct {
	names  []string // folded, the aliases too
	digits string   // of the name: what tells "Room 1" from "Room 2"
	grams  []uint64 // trigrams of the name, sorted
	words  []uint64 // of the content, sorted
}

// match is another entry that is like one, and how much.
type match struct {
	with  int
	score float64
	why   string
}

// checkTwins names entries that seem to be about the same. Who is compared with
// whom is decided by sketches of names and contents, so that the work does not
// grow with the square of the book.
func (l *linter) checkTwins() {
	twins := make([]twin, len(l.entries))
	last := make([]int, len(twins)) // whom each was compared with last
	named, sketched := map[string]int{}, map[uint64][]int32{}
	for i, e := range l.entries {
		t := &twins[i]
		t.read(e)
		var best match
		consider := func(j int) {
			if last[j] == i {
				return
			}
			last[j] = i
			if m, ok := l.compare(twins, j, i); ok && (m.score > best.score || m.score == best.score && m.with < best.with) {
				best = m
			}
		}
		for _, name := range t.names {
			if j, ok := named[name]; ok {
				consider(j)
			} else {
				named[name] = i
			}
		}
		places := sketch(t.grams, nameBands, nameRows, 1)
		if len(t.words) >= fewWords {
			places = append(places, sketch(t.words, textBands, textRows, 2)...)
		}
		for _, p := range places {
			there := sketched[p]
			for _, j := range there {
				consider(int(j))
			}
			if len(there) < crowd {
				sketched[p] = append(there, int32(i)) //nolint:gosec // a number of entries
			}
		}
		if best.why != "" {
			l.report(best.with, Finding{
				Rule: "twin", Severity: Doubt, Other: l.entries[i].ID, Fix: fmt.Sprintf("merges “%s” into it", nameOf(l.entries[i])),
				Text: fmt.Sprintf("it seems to duplicate “%s”: %s", nameOf(l.entries[i]), best.why),
			})
		}
	}
}

// sketch condenses a set to a few numbers, one a band, of which two sets are the
// likelier to share one the more alike they are: each is made of the least
// members by some orderings, and that these agree is as likely as what both have
// is of what either has. Names and contents as like as asked for are
// missed about once in a thousand.
func sketch(set []uint64, bands, rows int, kind uint64) []uint64 {
	if len(set) == 0 {
		return nil
	}
	out := make([]uint64, 0, bands+textBands)
	order := kind
	for range bands {
		band := kind
		for range rows {
			order += 0x9e3779b97f4a7c15
			least := ^uint64(0)
			for _, m := range set {
				least = min(least, mixed(m^order))
			}
			band = mixed(band ^ least)
		}
		out = append(out, band)
	}
	return out
}

// mixed spreads the bits of a number over all of it.
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// compare tells why the entry at j may be the same as that at i.
func (l *linter) compare(twins []twin, j, i int) (match, bool) {
	a, b := &twins[j], &twins[i]
	if !strings.EqualFold(l.entries[j].Type, l.entries[i].Type) && l.entries[j].Type != "" && l.entries[i].Type != "" || a.digits != b.digits {
		return match{}, false
	}
	same := slices.ContainsFunc(b.names, func(n string) bool { return slices.Contains(a.names, n) })
	contents := 0.0
	if len(a.words) >= fewWords && len(b.words) >= fewWords {
		contents = likeness(a.words, b.words, likeContents)
	}
	names := likeness(a.grams, b.grams, likeNames)
	switch {
	case same:
		return match{j, 2 + contents, "same name or alias"}, true
	case contents >= likeContents:
		return match{j, 1 + contents, "similar content"}, true
	case names >= likeNames:
		return match{j, names, "similar names"}, true
	}
	return match{}, false
}

// likeness is the share of what both have in what either has. It may say 0
// where that is below least.
func likeness(a, b []uint64, least float64) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	room := len(a) - int(math.Ceil(least*float64(len(b)))) // of a, that b may lack
	if len(a) == 0 || room < 0 {
		return 0
	}
	both, j := 0, 0
	for _, m := range a {
		for j < len(b) && b[j] < m {
			j++
		}
		if j < len(b) && b[j] == m {
			both++
		} else if room--; room < 0 {
			return 0
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

func (t *twin) read(e *storage.LoreEntry) {
	for _, name := range append([]string{e.Name}, e.Aliases[:min(len(e.Aliases), mostAliases)]...) {
		if folded := plist.FoldName(name); folded != "" && !slices.Contains(t.names, folded) {
			t.names = append(t.names, folded)
		}
	}
	if len(t.names) > 0 && strings.TrimSpace(e.Name) != "" {
		folded := t.names[0]
		t.digits = strings.Map(func(r rune) rune {
			if unicode.IsNumber(r) {
				return r
			}
			return -1
		}, folded)
		runes := []rune("  " + folded + " ")
		for k := range len(runes) - 2 {
			t.grams = append(t.grams, uint64(runes[k])<<42|uint64(runes[k+1])<<21|uint64(runes[k+2])) //nolint:gosec // runes are positive
		}
	}
	n := 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(e.Content[:min(len(e.Content), 16*mostWords)]), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if n++; n > mostWords {
			break
		}
		t.words = append(t.words, hashOf(w))
	}
	slices.Sort(t.grams)
	t.grams = slices.Compact(t.grams)
	slices.Sort(t.words)
	t.words = slices.Compact(t.words)
}

// hashOf is FNV-1a: the same in every run, so that findings are too.
func hashOf(w string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(w) {
		h = (h ^ uint64(w[i])) * 1099511628211
	}
	return h
}
