package capture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of a comparison: bytes of a prompt that are read, and contradictions
// that are told.
const (
	mostPrompt         = 20_000
	mostContradictions = 12
)

// trait is a thing and what is said of it.
type trait struct {
	thing
	who    int
	masks  [axes]uint16
	said   [axes]string // in the text's words
	absent bool
	phrase string // "red hair", as the text has it
}

// traits finds the things in a text that have qualities, or are said to be
// missing.
func traits(list []term, alone int) []trait {
	var out []trait
	add := func(t trait, i, from int) {
		if t.absent || t.masks != [axes]uint16{} {
			t.who = owner(list, i, from, t.garment, alone)
			out = append(out, t)
		}
	}
	for i, t := range list {
		if n, ok := things[t.low]; ok && !t.own {
			if i+1 < len(list) && !list[i+1].comma && list[i+1].sentence == t.sentence && fixtures[list[i+1].low] {
				continue
			}
			tr := trait{thing: n, phrase: t.low}
			from := tr.before(list, i)
			if !tr.absent {
				tr.behind(list, i)
			}
			add(tr, i, from)
			continue
		}
		tr, ok := compound(t)
		if ok {
			add(tr, i, i)
		}
	}
	return out
}

// compound reads a word that holds thing and quality: red-haired, bald, barefoot.
func compound(t term) (trait, bool) {
	switch t.low {
	case "bald", "hairless":
		return trait{thing: things["hair"], absent: true, phrase: t.low}, true
	case "clean-shaven", "beardless":
		return trait{thing: things["beard"], absent: true, phrase: t.low}, true
	case "hatless", "bareheaded", "bare-headed":
		return trait{thing: things["hat"], absent: true, phrase: t.low}, true
	}
	if !strings.HasSuffix(t.low, "ed") {
		return trait{}, false
	}
	for _, c := range [][2]string{{"-haired", "hair"}, {"-eyed", "eyes"}, {"-bearded", "beard"}} {
		stem, ok := strings.CutSuffix(t.low, c[0])
		if !ok {
			continue
		}
		name := c[1]
		tr := trait{thing: things[name], phrase: t.low}
		if q, ok := qualityOf(stem); ok && !odd(tr.thing, q) {
			tr.masks[q.axis], tr.said[q.axis] = q.mask, stem
			return tr, true
		}
	}
	return trait{}, false
}

// qualityOf is what an adjective says. Of a compound the last part counts, with
// other colours in it: blue-green, dark-brown.
func qualityOf(low string) (quality, bool) {
	if q, ok := qualities[low]; ok {
		return q, true
	}
	if !strings.Contains(low, "-") {
		return quality{}, false
	}
	parts := strings.Split(low, "-")
	if len(parts) < 2 || len(parts) > 3 {
		return quality{}, false
	}
	out, ok := qualities[parts[len(parts)-1]]
	if !ok {
		return quality{}, false
	}
	for _, p := range parts[:len(parts)-1] {
		if q, known := qualities[p]; known && q.axis == out.axis && p != "dark" {
			out.mask |= q.mask
		}
	}
	return out, true
}

// odd tells of a quality that says nothing lasting of a thing: eyes are red from
// tears.
func odd(t thing, q quality) bool {
	return t.name == "eyes" && (q.axis != colour || hue(q.mask)&^(red|pink|white) == 0)
}

// before reads the adjectives in front of the thing at i, and where they begin.
func (t *trait) before(list []term, i int) (from int) {
	from = i
	unknown, gap := 0, list[i].comma
	var joined bool
	for j := i - 1; j >= max(0, i-7) && list[j].sentence == list[i].sentence; j-- {
		low := list[j].low
		q, ok := qualityOf(low)
		switch {
		case list[j].who != nobody || list[j].own:
			return j
		case ok && !odd(t.thing, q):
			t.take(q, list[j].low, joined)
			joined, unknown = false, 0
		case (low == "and" || low == "or") && !gap && j > 0 && t.masks != [axes]uint16{}:
			p, ok := qualityOf(list[j-1].low)
			if _, here := qualityOf(list[j+1].low); !ok || !here || p.axis != colour {
				return from
			}
			joined = true
		case gap:
			return from
		case negations[low]:
			t.absent = t.masks == [axes]uint16{} && unknown == 0
			if t.absent {
				t.phrase = strings.TrimSpace(low + " " + t.phrase)
			}
			t.masks = [axes]uint16{}
			return j
		case pronouns[low] || articlesAll[low]:
			if j > 0 && negations[list[j-1].low] {
				t.absent = t.masks == [axes]uint16{} && list[j-1].sentence == list[i].sentence && list[j-1].low == "without"
				t.masks = [axes]uint16{}
				if t.absent {
					t.phrase = "without " + low + " " + t.phrase
				}
			}
			if j > 1 && list[j-1].low == "of" && list[j-2].low == "instead" {
				t.masks = [axes]uint16{}
			}
			return j
		case closers[low] || things[low].name != "":
			return from
		default:
			if unknown++; unknown > 2 {
				return from
			}
		}
		from, gap = j, list[j].comma
	}
	return from
}

// take adds a quality that stands in front of others. Of two that are not joined
// the nearer one is the finer: dark brown.
func (t *trait) take(q quality, said string, joined bool) {
	have := t.masks[q.axis]
	switch {
	case have == 0:
		t.masks[q.axis], t.said[q.axis] = q.mask, said
	case joined:
		t.masks[q.axis] |= q.mask
		t.said[q.axis] = said + " and " + t.said[q.axis]
	default:
		if both := have & q.mask; both != 0 {
			t.masks[q.axis] = both
		}
		t.said[q.axis] = said + " " + t.said[q.axis]
	}
}

// behind reads what is said of the thing at i after it: "hair is black", "hair
// black as coal".
func (t *trait) behind(list []term, i int) {
	j := i + 1
	is := j < len(list) && copulas[list[j].low]
	if is {
		j++
	}
	for is && j < len(list) && adverbs[list[j].low] && j+1 < len(list) {
		if _, ok := qualityOf(list[j+1].low); !ok {
			break
		}
		j++
	}
	if j >= len(list) || list[j].sentence != list[i].sentence || list[j].comma {
		return
	}
	q, ok := qualityOf(list[j].low)
	if !ok || odd(t.thing, q) || t.masks[q.axis] != 0 {
		return
	}
	if !is && j+1 < len(list) && list[j+1].sentence == list[i].sentence && !list[j+1].comma && !closers[list[j+1].low] {
		return // what follows is red, not the hair
	}
	for k := j + 1; k < min(len(list), j+6) && list[k].sentence == list[i].sentence; k++ {
		if lights[list[k].low] {
			return
		}
	}
	t.masks[q.axis], t.said[q.axis] = q.mask, list[j].low
}

// owner finds whose thing it is at i, whose adjectives begin at from: who is named
// with it, else who was named last.
func owner(list []term, i, from int, garment bool, alone int) int {
	t := list[i]
	if from < i && list[from].who != nobody {
		return list[from].who
	}
	if next := i + 1; next < len(list) && list[next].sentence == t.sentence && !list[next].comma {
		if list[next].who != nobody && things[t.low].name == "" {
			return list[next].who // red-haired Tove
		}
		if list[next].low == "of" && next+1 < len(list) && list[next+1].who != nobody {
			return list[next+1].who
		}
	}
	theirs := pronouns[list[from].low]
	linked := theirs
	for j := min(from, i) - 1; j >= 0 && list[j].sentence == t.sentence; j-- {
		linked = linked || links[list[j].low] || negations[list[j].low]
		if list[j].who == nobody {
			continue
		}
		if garment && !linked && !negations[list[from].low] {
			return stranger
		}
		return list[j].who
	}
	if theirs {
		return lastNamed(list, i, alone)
	}
	if garment {
		return stranger
	}
	return single(list, alone)
}

// lastNamed is who a pronoun at the beginning of a sentence means: who the
// sentence before is about, where that is one.
func lastNamed(list []term, i, alone int) int {
	who, in := nobody, -1
	for j := i - 1; j >= 0; j-- {
		if list[j].who == nobody {
			continue
		}
		if who == nobody {
			who, in = list[j].who, list[j].sentence
		} else if list[j].sentence == in && list[j].who != who {
			return stranger
		}
		if list[j].sentence < in {
			break
		}
	}
	if who == nobody {
		return alone
	}
	return who
}

// single is the only one whom a text names; alone where it names nobody.
func single(list []term, alone int) int {
	who := nobody
	for _, t := range list {
		switch {
		case t.who == nobody || t.who == who:
		case who == nobody:
			who = t.who
		default:
			return stranger
		}
	}
	if who == nobody {
		return alone
	}
	return who
}

// Sheet is a continuity sheet made ready for comparing prompts with it. It does
// not change, and is safe for concurrent use.
type Sheet struct {
	people         []string
	names          map[string]int
	bodies         map[part][]trait
	lights, wheres []storage.Fact
}

// part is what of whom a trait is about.
type part struct {
	who  int
	name string
}

// NewSheet makes a sheet ready. People are all who play, by name; those whom a
// fact is about need not be among them. Muted facts do not count.
func NewSheet(facts []storage.Fact, people []string) *Sheet {
	s := &Sheet{people: slices.Clone(people), bodies: map[part][]trait{}}
	index := map[string]int{"": nobody}
	for _, f := range facts {
		if _, known := index[f.Who]; known {
			continue
		}
		at := slices.IndexFunc(s.people, func(p string) bool { return SameName(p, f.Who) })
		if at < 0 {
			at = len(s.people)
			s.people = append(s.people, f.Who)
		}
		index[f.Who] = at
	}
	s.names = nameWords(s.people)
	for _, f := range facts {
		switch who := index[f.Who]; {
		case f.Muted:
		case f.Kind == storage.FactLight:
			s.lights = append(s.lights, f)
		case f.Kind == storage.FactPlace:
			s.wheres = append(s.wheres, f)
		case who >= 0:
			words := terms(f.Text)
			namePeople(words, s.names)
			for _, t := range factTraits(words) {
				of := part{who, t.name}
				s.bodies[of] = append(s.bodies[of], t)
			}
		}
	}
	return s
}

// Contradictions says where a prompt disagrees with the sheet, in words for the
// user. It is quick enough to be asked at every key.
func (s *Sheet) Contradictions(prompt string) []string {
	var out []string
	say := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); len(out) < mostContradictions && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	list := terms(prompt)
	namePeople(list, s.names)
	alone := nobody
	if len(s.people) == 1 {
		alone = 0
	}
	for _, t := range traits(list, alone) {
		if t.who >= 0 {
			t.compare(s.bodies[part{t.who, t.name}], s.people[t.who], say)
		}
	}
	said := saidOf(list)
	for _, f := range s.lights {
		disagreeLight(f, list, said, say)
	}
	for _, f := range s.wheres {
		disagreePlace(f, list, said, say)
	}
	return out
}

// factTraits are the traits of a fact, which is about somebody anyway. One that
// names a garment says that it is worn, whatever it is like.
func factTraits(list []term) []trait {
	out := traits(list, 0)
	for _, t := range list {
		if n, ok := things[t.low]; ok && !slices.ContainsFunc(out, func(t trait) bool { return t.name == n.name }) {
			out = append(out, trait{thing: n, phrase: t.low})
		}
	}
	return out
}

// compare tells what of a trait disagrees with what is known. What agrees with
// one fact disagrees with none: somebody may have two coats.
func (t trait) compare(known []trait, who string, say func(string, ...any)) {
	for a := range axes {
		var other *trait
		agrees := false
		for i, k := range known {
			switch {
			case k.name != t.name || k.absent || t.absent || t.masks[a] == 0 || k.masks[a] == 0:
			case lenient(t.name, a, k.masks[a])&lenient(t.name, a, t.masks[a]) != 0:
				agrees = true
			case other == nil:
				other = &known[i]
			}
		}
		if other != nil && !agrees {
			verb := "is"
			if t.many {
				verb = "are"
			}
			phrase := t.phrase
			if !strings.Contains(phrase, t.said[a]) {
				phrase = t.said[a] + " " + phrase
			}
			say("the sheet says %s's %s %s %s, the prompt says %s", who, t.name, verb, other.said[a], phrase)
		}
	}
	lacks, has := -1, -1
	for i, k := range known {
		if k.name == t.name && k.absent {
			lacks = i
		} else if k.name == t.name {
			has = i
		}
	}
	switch {
	case t.absent && has >= 0 && lacks < 0:
		say("the sheet gives %s %s, the prompt says %s", who, withArticle(t.thing), t.phrase)
	case !t.absent && lacks >= 0 && has < 0:
		say("the sheet says of %s %s, the prompt says %s", who, known[lacks].phrase, t.spoken())
	}
}

// spoken is a trait in the text's own words.
func (t trait) spoken() string {
	var out []string
	for a := range axes {
		if t.said[a] != "" && !strings.Contains(t.phrase, t.said[a]) {
			out = append(out, t.said[a])
		}
	}
	return strings.Join(append(out, t.phrase), " ")
}

func withArticle(t thing) string {
	if t.many || t.name == "hair" || t.name == "fur" || t.name == "armour" {
		return t.name
	}
	return "a " + t.name
}

// lenient widens colours that look alike on a head: grey hair is white to some.
func lenient(name string, a axis, mask uint16) uint16 {
	if a != colour || name != "hair" && name != "beard" && name != "moustache" {
		return mask
	}
	if hue(mask)&(grey|white) != 0 {
		mask |= uint16(grey | white)
	}
	return mask
}

// SameName tells whether two names may mean the same person: one holds all words
// of the other.
func SameName(a, b string) bool {
	if strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) {
		return true
	}
	x, y := words(strings.ToLower(a)), words(strings.ToLower(b))
	if len(x) > len(y) {
		x, y = y, x
	}
	for _, w := range x {
		if !slices.Contains(y, w) {
			return false
		}
	}
	return len(x) > 0
}
