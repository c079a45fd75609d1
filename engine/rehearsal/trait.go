package rehearsal

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// traits takes an entry "[type-Name: trait, trait(detail)]" apart. Of a text of
// any other form the head is "", and its sentences are the traits.
func traits(text string) (head string, list []string) {
	inner := strings.TrimSpace(text)
	body, closed := strings.CutSuffix(inner, "]")
	body, opened := strings.CutPrefix(body, "[")
	head, body, headed := strings.Cut(body, ":")
	if !opened || !closed || !headed || !strings.Contains(head, "-") {
		return "", sentences(text)
	}
	depth, from := 0, 0
	for i := range len(body) {
		switch body[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',', ';':
			if depth == 0 {
				list, from = append(list, body[from:i]), i+1
			}
		}
	}
	list = append(list, body[from:])
	for i := range list {
		list[i] = strings.Join(strings.Fields(list[i]), " ")
	}
	return strings.TrimSpace(head), slices.DeleteFunc(list, func(t string) bool { return t == "" })
}

// headName is the name in an entry's head, "" for none.
func headName(text string) string {
	head, _ := traits(text)
	_, name, _ := strings.Cut(head, "-")
	return strings.TrimSpace(name)
}

// cutTrait takes the detail off a trait.
func cutTrait(trait string) (lead, detail string) {
	lead, detail, _ = strings.Cut(strings.TrimSuffix(trait, ")"), "(")
	return strings.TrimSpace(lead), strings.TrimSpace(detail)
}

// passing are the leads of traits of which only the newest holds.
const passing = "seen at|is at|now at|at|wears|wearing|holds|holding|carries|mood|concerned with"

// maxTraits bounds what is compared trait by trait.
const maxTraits = 200

// united lays news over traits: what they change, take back or add. It adds
// bytes up to room only.
func united(old, news []string, room int) (merged []string, changed bool) {
	merged = slices.Clone(old)
	if len(old) > maxTraits || len(news) > maxTraits {
		return merged, false
	}
	for _, n := range news {
		if gone, ok := takenBack(n); ok {
			had := len(merged)
			merged = slices.DeleteFunc(merged, func(t string) bool { return covers(gone, t) })
			changed = changed || len(merged) < had
			continue
		}
		at := slices.IndexFunc(merged, func(t string) bool { return sameLead(t, n) || covers(n, t) || covers(t, n) })
		switch {
		case at < 0:
			if room -= len(n) + 2; room >= 0 {
				merged, changed = append(merged, n), true
			}
		case covers(merged[at], n):
		default:
			with := n
			lead, detail := cutTrait(n)
			if _, had := cutTrait(merged[at]); had != "" && detail != "" && sameLead(merged[at], n) && !slices.Contains(strings.Split(passing, "|"), strings.ToLower(lead)) {
				with = lead + "(" + had + ", " + detail + ")"
			}
			if room -= max(0, len(with)-len(merged[at])); room >= 0 {
				merged[at], changed = with, true
			}
		}
	}
	return merged, changed
}

// takenBack tells what no longer holds.
func takenBack(trait string) (what string, ok bool) {
	for _, lead := range []string{"no longer ", "not any more ", "has stopped "} {
		if what, ok = strings.CutPrefix(strings.ToLower(trait), lead); ok {
			return what, true
		}
	}
	return "", false
}

func sameLead(a, b string) bool {
	la, da := cutTrait(a)
	lb, db := cutTrait(b)
	return strings.EqualFold(la, lb) && (da != "" || db != "")
}

// covers tells whether one trait says all that another does.
func covers(all, part string) bool {
	words := content(part)
	if len(words) == 0 {
		return strings.EqualFold(all, part)
	}
	return overlap(words, setOf(content(all))) == len(words)
}

// distinct leaves out traits that another one says nearly as well.
func distinct(list []string) []string {
	if len(list) > maxTraits {
		return list
	}
	var out []string
	for _, t := range list {
		words := content(t)
		at := slices.IndexFunc(out, func(o string) bool {
			others := content(o)
			both := overlap(words, setOf(others))
			return both > 0 && both*10 >= 8*min(len(words), len(others)) && names(o, t)
		})
		switch {
		case at < 0:
			out = append(out, t)
		case utf8.RuneCountInString(t) > utf8.RuneCountInString(out[at]):
			out[at] = t
		}
	}
	return out
}

// names tells whether of two traits the longer has all capitalised words and
// numbers of the shorter.
func names(a, b string) bool {
	if utf8.RuneCountInString(a) < utf8.RuneCountInString(b) {
		a, b = b, a
	}
	for w := range strings.FieldsFuncSeq(b, func(r rune) bool { return strings.ContainsRune(" (),;.", r) }) {
		if strings.ToLower(w) != w && !strings.Contains(a, w) {
			return false
		}
	}
	return true
}
