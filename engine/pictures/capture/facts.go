package capture

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of a continuity sheet: runes of a fact and of a name, facts of a chat, and facts of one
// picture.
const (
	MaxFact  = 300
	maxWho   = 80
	MaxFacts = 200
	maxSeen  = 8
)

// FactKinds returns the kinds of facts in the order of the sheet.
func FactKinds() []storage.FactKind {
	return []storage.FactKind{
		storage.FactAppearance,
		storage.FactClothes,
		storage.FactPlace,
		storage.FactLight,
		storage.FactProps,
	}
}

// CleanFact normalises a fact: one line, no control characters, limited length. It returns false
// if nothing is left or the kind is unknown.
func CleanFact(f storage.Fact) (storage.Fact, bool) {
	f.Kind = storage.FactKind(strings.ToLower(strings.TrimSpace(string(f.Kind))))
	f.Text, f.Who = factLine(f.Text, MaxFact), factLine(f.Who, maxWho)
	return f, f.Text != "" && slices.Contains(FactKinds(), f.Kind)
}

// factLine returns the beginning of a text as one line without control characters.
func factLine(s string, runes int) string {
	if len(s) > 8*runes {
		s = s[:8*runes]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r),
			unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c',
			r == unicode.ReplacementChar:
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

// CleanSeenFacts normalises the facts that a picture shows according to the model, without
// duplicates.
func CleanSeenFacts(list []SeenFact) []storage.Fact {
	var out []storage.Fact
	for _, s := range list[:min(len(list), 4*maxSeen)] {
		f, ok := CleanFact(storage.Fact{Kind: storage.FactKind(s.Kind), Who: s.Who, Text: s.Fact})
		if f.Kind == storage.FactPlace || f.Kind == storage.FactLight {
			f.Who = ""
		}
		if !ok || len(out) == maxSeen || slices.ContainsFunc(out, func(o storage.Fact) bool { return SameFact(o, f) }) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// SameFact reports whether two facts say the same about the same person or place.
func SameFact(a, b storage.Fact) bool {
	return a.Kind == b.Kind && text.Equal(a.Text, b.Text) &&
		(a.Who == "" && b.Who == "" || a.Who != "" && b.Who != "" && SameName(a.Who, b.Who))
}

// UpdateSheet compares the facts that a picture shows with a sheet. It returns the new facts, and
// the IDs of the facts that they replace. A fact in the sheet is not new, even if it was muted or
// has ended since the moment of the picture.
func UpdateSheet(sheet, seen []storage.Fact) (put []storage.Fact, gone []storage.FactID) {
	left := MaxFacts - len(sheet)
	for _, f := range seen {
		if slices.ContainsFunc(
			sheet,
			func(o storage.Fact) bool { return SameFact(o, f) && (o.Ended == "" || o.Ended > f.At) },
		) {
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

// oldestSeen returns the fact to remove from a full sheet: the one from a picture that was
// confirmed the longest ago.
func oldestSeen(sheet []storage.Fact, gone []storage.FactID) storage.FactID {
	var best *storage.Fact
	for i, f := range sheet {
		if f.Source == storage.FactFromCapture && !f.Muted && !slices.Contains(gone, f.ID) &&
			(best == nil || f.UpdatedAt.Before(best.UpdatedAt)) {
			best = &sheet[i]
		}
	}
	if best == nil {
		return ""
	}
	return best.ID
}

// maxPromptFacts limits the facts in a prompt.
const maxPromptFacts = 40

// PromptFacts returns the facts of a sheet for a prompt, in the sheet's order: those that are not
// muted.
func PromptFacts(sheet []storage.Fact) []storage.Fact {
	out := slices.DeleteFunc(slices.Clone(sheet), func(f storage.Fact) bool { return f.Muted })
	return out[:min(len(out), maxPromptFacts)]
}
