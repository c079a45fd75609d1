package camera

import (
	"slices"
	"strconv"
)

// Find finds all that a text says of how something is looked at, in its order. Of
// phrases that lie within each other the longest counts.
func Find(text string) []Mark {
	r := read(text)
	var out []Mark
	known := vocabulary()
	for i := 0; i < len(r.list); i++ {
		best, end := Mark{}, i
		for _, e := range known[r.list[i].low] {
			n := r.match(i, e.words)
			if n > end && (e.only == nil || e.only(r, i, n)) {
				best, end = e.Mark, n
			}
		}
		if end == i {
			if m, n, ok := r.millimetres(i); ok {
				best, end = m, n
			}
		}
		if end == i {
			continue
		}
		best.From, best.To = r.list[i].from, r.list[end-1].to
		best.Words = text[best.From:best.To]
		out = append(out, best)
		i = end - 1
	}
	return out
}

// match tells where a phrase ends that begins at i, or 0. A star is any one word that
// is a name's, a possessive or an adjective. No comma lies within, but for light that
// is made of several.
func (r *reader) match(i int, phrase []string) int {
	if i+len(phrase) > len(r.list) {
		return 0
	}
	for k, w := range phrase {
		t := r.list[i+k]
		if w != "*" && t.low != w || k > 0 && (t.gap || t.sentence != r.list[i].sentence) || w == "*" && fillers[t.low] {
			return 0
		}
	}
	return i + len(phrase)
}

// fillers are words that no star stands for.
var fillers = words("and or but with in on at of from by to for over behind is are was were")

var (
	millis   = words("mm millimetre millimeter")
	glasses  = words("lens prime portrait macro ultra telephoto wide equivalent anamorphic objective angle")
	calibres = words("film pistol gun shell thick long cannon mortar camera")
)

// millimetres reads the length of a lens: 85 mm, 50mm lens.
func (r *reader) millimetres(i int) (m Mark, end int, ok bool) {
	low := r.list[i].low
	end = i + 1
	if n := len(low); n > 2 && low[n-2:] == "mm" {
		low = low[:n-2]
	} else if r.is(i+1, i, millis) {
		end++
	} else {
		return m, 0, false
	}
	mm, err := strconv.Atoi(low)
	glass := r.is(end, i, glasses)
	if err != nil || !glass && !slices.Contains([]int{14, 16, 18, 20, 24, 28, 35, 50, 85, 105, 135, 200}, mm) || r.is(end, i, calibres) {
		return m, 0, false
	}
	key := ""
	switch {
	case mm < 8 || mm > 1200:
		return m, 0, false
	case mm <= 21:
		key = "ultra-wide"
	case mm <= 35:
		key = "wide"
	case mm < 70:
		key = "normal"
	case mm <= 105:
		key = "portrait"
	default:
		key = "tele"
	}
	m = Mark{Axis: Lens, is: set(Lens, key), form: 'n'}
	m.fits = m.is | set(Lens, "macro anamorphic")
	for r.is(end, i, glasses) && !r.list[end].gap {
		end++
	}
	return m, end, true
}
