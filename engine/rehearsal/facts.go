package rehearsal

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// fact is one sentence of a transcript, short enough for a bullet.
type fact struct {
	number  int // of its message
	speaker string
	text    string // as a recap gives it
	quote   string // the bare words, where they are spoken
}

// longestFact is how many runes a bullet's sentence has at most.
const longestFact = 180

// tell takes a message apart into what happens in it and what is said.
func tell(n note) (acts, words []fact) {
	narration, speech := voices(n.text)
	for _, s := range sentences(narration) {
		if text := n.third(s); text != "" {
			acts = append(acts, fact{number: n.number, speaker: n.speaker, text: text})
		}
	}
	// A shrug, and what tells how something was said, are dull by themselves.
	acts = unless(acts, func(f fact) bool { return len(content(f.text)) < 3 })
	acts = unless(acts, func(f fact) bool { return spokenOf(strings.Fields(f.text)) })
	for _, s := range sentences(speech) {
		words = append(words, n.quoted(s))
	}
	words = unless(words, func(f fact) bool { return len(content(f.quote)) < 2 })
	if len(acts) == 0 && len(words) == 0 { // a few words, or a script without blanks
		if whole := strings.Join(strings.Fields(strings.NewReplacer("*", "", "\"", "").Replace(n.text)), " "); whole != "" {
			acts = []fact{{number: n.number, speaker: n.speaker, text: n.third(whole)}}
		}
	}
	return acts, words
}

// unless leaves out facts, but not all.
func unless(facts []fact, leave func(fact) bool) []fact {
	if kept := slices.DeleteFunc(slices.Clone(facts), leave); len(kept) > 0 {
		return kept
	}
	return facts
}

// third tells a sentence from outside, as far as that is easy.
func (n note) third(s string) string {
	s = strings.TrimLeft(shorten(s), ".,;:…–— ")
	if n.speaker == "" || s == "" {
		return s
	}
	first, rest, _ := strings.Cut(s, " ")
	switch first {
	case "She", "He":
		return n.speaker + " " + rest
	case "I", "I'm", "I've", "I'll", "My", "We", "Me":
		return n.speaker + ": " + s
	}
	return s
}

func (n note) quoted(s string) fact {
	s = strings.TrimRight(shorten(s), ",;:–— ")
	verb := "says"
	if strings.HasSuffix(s, "?") {
		verb = "asks"
	}
	f := fact{number: n.number, speaker: n.speaker, text: `"` + s + `"`, quote: s}
	if n.speaker != "" {
		f.text = n.speaker + " " + verb + ": " + f.text
	}
	return f
}

// shorten cuts a sentence where a bullet would grow too long.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= longestFact {
		return s
	}
	return strings.TrimRight(clip(s, 1, longestFact-1), ",;:–—- ") + "…"
}

// voices parts what is narrated from what is spoken. Speech ends with its line.
func voices(text string) (narration, speech string) {
	var told, said strings.Builder
	for l := range strings.Lines(text) {
		speaking := false
		for _, r := range strings.TrimSuffix(l, "\n") {
			switch {
			case strings.ContainsRune("\"“”„«»", r):
				if speaking {
					said.WriteByte('\n')
				} else {
					told.WriteByte(' ')
				}
				speaking = !speaking
			case speaking:
				said.WriteRune(r)
			default:
				told.WriteRune(r)
			}
		}
		told.WriteByte('\n')
		said.WriteByte('\n')
	}
	return told.String(), said.String()
}

// tale is a whole transcript in facts, by message.
type tale struct {
	notes       []note
	acts, words [][]fact
}

func tellAll(notes []note) tale {
	t := tale{notes: notes}
	for _, n := range notes {
		acts, words := tell(n)
		t.acts, t.words = append(t.acts, acts), append(t.words, words)
	}
	return t
}

// story picks the fact of each of most messages at even distances that a take
// tells: what happens, or else what is said.
func (t tale) story(most, take int) []fact {
	var out []fact
	for _, i := range spread(len(t.notes), most) {
		list := t.acts[i]
		if len(list) == 0 {
			list = t.words[i]
		}
		if len(list) > 0 {
			out = append(out, list[take%len(list)])
		}
	}
	return out
}

// all are the facts of all messages, those of one message together.
func (t tale) all() []fact {
	var out []fact
	for i := range t.notes {
		out = append(append(out, t.acts[i]...), t.words[i]...)
	}
	return out
}

// speakers lists who speaks, in the order of their entrance.
func (t tale) speakers() []string {
	var out []string
	for _, n := range t.notes {
		if n.speaker != "" && !slices.Contains(out, n.speaker) {
			out = append(out, n.speaker)
		}
	}
	return out
}

// spread picks most of n places at even distances, the first and the last among
// them.
func spread(n, most int) []int {
	most = min(n, max(most, 1))
	out := make([]int, most)
	for i := range out {
		if most > 1 {
			out[i] = i * (n - 1) / (most - 1)
		}
	}
	return out
}

// joined puts names together as a sentence does.
func joined(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
