package capture

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of a continuity sheet: runes of a fact and of a name, facts in a chat,
// and facts that one picture may bring.
const (
	MaxFact     = 300
	maxWho      = 80
	MaxFacts    = 200
	maxSeen     = 8
	maxDerived  = 12 // facts of one description
	longDerived = 14 // words of one of those
)

// FactKinds lists the kinds of facts in the order in which a sheet shows them.
func FactKinds() []storage.FactKind {
	return []storage.FactKind{storage.FactAppearance, storage.FactClothes, storage.FactPlace, storage.FactLight, storage.FactProps}
}

// CleanFact brings a fact into form: one line, no control characters, bounded. It
// reports false where nothing is left, or its kind is none.
func CleanFact(f storage.Fact) (storage.Fact, bool) {
	f.Kind = storage.FactKind(strings.ToLower(strings.TrimSpace(string(f.Kind))))
	f.Text, f.Who = factLine(f.Text, MaxFact), factLine(f.Who, maxWho)
	return f, f.Text != "" && slices.Contains(FactKinds(), f.Kind)
}

// factLine is the beginning of a text as one line without control characters.
func factLine(s string, runes int) string {
	if len(s) > 8*runes {
		s = s[:8*runes]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c', r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > runes {
		s = string(r[:runes-1]) + "…"
	}
	return s
}

// SeenFacts are what a model says that a picture shows, in form, bounded, and
// none twice.
func SeenFacts(list []Seen) []storage.Fact {
	var out []storage.Fact
	for _, s := range list[:min(len(list), 4*maxSeen)] {
		f, ok := CleanFact(storage.Fact{Kind: storage.FactKind(s.Kind), Who: s.Who, Text: s.Fact})
		if f.Kind == storage.FactPlace || f.Kind == storage.FactLight {
			f.Who = ""
		}
		if !ok || len(out) == maxSeen || slices.ContainsFunc(out, func(o storage.Fact) bool { return SameSubject(o, f) }) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// Aspect is what a fact is about within its kind: hair, coat, the time of day. Of
// two facts of one aspect only one can be so.
func Aspect(f storage.Fact) string {
	if f.Kind == storage.FactPlace {
		return "place"
	}
	words := terms(f.Text)
	for _, t := range words {
		if f.Kind != storage.FactLight {
			if n, ok := things[t.low]; ok {
				return n.name
			}
			continue
		}
		if hours[t.low] != 0 {
			return "time"
		}
		if weathers[t.low] != 0 {
			return "weather"
		}
	}
	for _, t := range words {
		if c, ok := compound(t); ok {
			return c.name
		}
	}
	return headNoun(words)
}

// headNoun is the last word before what is only added to it: the lamp of "a green
// lamp with a cracked shade".
func headNoun(words []term) string {
	head := ""
	for _, t := range words {
		if head != "" && (t.comma || closers[t.low]) {
			break
		}
		if !articlesAll[t.low] && !pronouns[t.low] && !closers[t.low] {
			head = t.low
		}
	}
	return strings.TrimSuffix(head, "s")
}

// SameSubject tells whether two facts say the same kind of thing of the same
// person or place.
func SameSubject(a, b storage.Fact) bool {
	return a.Kind == b.Kind && (a.Who == "" && b.Who == "" || a.Who != "" && b.Who != "" && SameName(a.Who, b.Who)) && Aspect(a) == Aspect(b)
}

// Learn takes what a picture shows into a sheet. At is the newest message that
// the picture knows: what is known from a later one stays, as does whatever the
// user said or muted. It returns the facts that are new or changed, those that
// gave way by id, and changes nothing.
func Learn(sheet, seen []storage.Fact) (put []storage.Fact, gone []storage.FactID) {
	left := MaxFacts - len(sheet)
	for _, f := range seen {
		at := slices.IndexFunc(sheet, func(o storage.Fact) bool { return SameSubject(o, f) })
		if at >= 0 {
			old := sheet[at]
			if old.Source != storage.FactFromCapture || old.Muted || old.At > f.At || old.Text == f.Text {
				continue
			}
			f.ID, f.CreatedAt, f.Who = old.ID, old.CreatedAt, old.Who
			put = append(put, f)
			continue
		}
		if left--; left < 0 {
			oldest := oldestSeen(sheet, gone)
			if oldest == "" {
				break
			}
			gone = append(gone, oldest)
		}
		put = append(put, f)
	}
	return put, gone
}

// oldestSeen is the fact that gives way where a sheet is full: the one from a
// picture that was not confirmed for longest.
func oldestSeen(sheet []storage.Fact, gone []storage.FactID) storage.FactID {
	var best *storage.Fact
	for i, f := range sheet {
		if f.Source == storage.FactFromCapture && !f.Muted && !slices.Contains(gone, f.ID) && (best == nil || f.UpdatedAt.Before(best.UpdatedAt)) {
			best = &sheet[i]
		}
	}
	if best == nil {
		return ""
	}
	return best.ID
}

// Offer are the facts of a sheet as a prompt is told them, in the sheet's order.
// Muted ones are left out.
func Offer(sheet []storage.Fact) []string {
	var out []string
	for _, f := range sheet {
		switch {
		case f.Muted || len(out) == maxOffered:
		case f.Who != "":
			out = append(out, f.Who+": "+f.Text)
		case f.Kind == storage.FactPlace || f.Kind == storage.FactLight:
			out = append(out, string(f.Kind)+": "+f.Text)
		default:
			out = append(out, f.Text)
		}
	}
	return out
}

// maxOffered is how many facts a prompt is told.
const maxOffered = 40
