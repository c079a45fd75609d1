package camera

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Person is somebody whom a picture may show. Image models know no names: what they
// paint is what is said of looks and clothes.
type Person struct {
	Name    string
	Looks   string // what of the body can be seen
	Clothes string
	Who     string // the rest of what is known, such as age and profession
	Role    string // what they are like, in short
	Gone    string // why they are not there, "" while they are
	Maybe   bool   // they are spoken of, and may be there
}

// Cast is how a text deals with the people of a moment.
type Cast struct {
	Missing  []Person // are there and not named
	Nameless []Person // are named, and nothing is said of how they look
	Ghosts   []Person // are not there, and shown
}

// View tells who of the people of a moment is missing in a text, and who should not be
// there.
func View(text string, people []Person) (out Cast) {
	r := read(text)
	for _, p := range people {
		at := r.named(p.Name)
		switch {
		case p.Gone != "":
			for _, i := range at {
				if !r.list[i].own && !r.near(i, 5, true, copies) && !r.near(i, 4, true, absent) && !r.ahead(i, 3, leaves) {
					out.Ghosts = append(out.Ghosts, p)
					break
				}
			}
		case strings.TrimSpace(p.Name) == "":
		case len(at) == 0 && p.Maybe:
		case len(at) == 0:
			out.Missing = append(out.Missing, p)
		case !r.looksSaid(p, at):
			out.Nameless = append(out.Nameless, p)
		}
	}
	return out
}

// Near tells whether a camera is so near that not everybody has to be in the picture.
func Near(c storage.Camera) bool { return c.Shot == "close" || c.Shot == "detail" }

var (
	absent = words("without no not misses missing absent left gone since for to of")
	leaves = words("absent gone missing left away dead")
	titles = words("the of and von van der den de la le du da di del el al mr mrs ms miss dr sir lady lord")
)

// named are the places where a text calls somebody by a word of their name.
func (r *reader) named(name string) (at []int) {
	parts := read(name)
	for i, t := range r.list {
		for _, p := range parts.list {
			if titles[p.low] || utf8.RuneCountInString(p.low) < 2 && len(parts.list) > 1 {
				continue
			}
			low := t.low
			if t.own {
				low = strings.TrimSuffix(low, "s")
			}
			if (low == p.low || t.low == p.low) && (t.upper || !p.upper) {
				at = append(at, i)
				break
			}
		}
	}
	return at
}

// looksSaid tells whether the sentences that name somebody, or those right behind
// them, say something of their looks or clothes.
func (r *reader) looksSaid(p Person, at []int) bool {
	want := map[string]bool{}
	for _, t := range read(p.Looks + " " + p.Clothes).list {
		if telling(t.low) {
			want[stem(t.low)] = true
		}
	}
	if len(want) == 0 {
		return true // nobody knows how they look
	}
	for _, t := range read(p.Name).list {
		delete(want, stem(t.low))
	}
	near := map[int]bool{}
	for _, i := range at {
		near[r.list[i].sentence] = true
	}
	for i, t := range r.list { // what follows about the same person
		if i > 0 && r.list[i-1].sentence != t.sentence && near[r.list[i-1].sentence] && pronouns[t.low] {
			near[t.sentence] = true
		}
	}
	found := map[string]bool{}
	for _, t := range r.list {
		if s := stem(t.low); near[t.sentence] && want[s] && telling(t.low) {
			found[s] = true
		}
	}
	return len(found) >= min(2, len(want))
}

var pronouns = words("she he they her his their")

var common = words("with that this from have wears wearing their there about into over under very only some which while like looks look person woman man girl boy years old young eyes hand hands face name called always often usually")

// telling words say something of looks.
func telling(low string) bool {
	return utf8.RuneCountInString(low) >= 3 && !common[low] && !articles[low] && !fillers[low]
}

// stem is a word without an ending of number.
func stem(low string) string {
	if len(low) > 4 {
		return strings.TrimSuffix(strings.TrimSuffix(low, "s"), "ed")
	}
	return low
}
