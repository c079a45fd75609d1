package habits

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// window holds the measured replies of a report.
type window []measured

// Of returns a report about replies, which must be in order, oldest first. It uses only the newest
// MaxWindow.
func Of(replies []Reply) Report {
	var w window
	for _, r := range replies[max(0, len(replies)-MaxWindow):] {
		w = append(w, measure(r))
	}
	r := Report{Replies: len(w), Figures: w.figures()}
	openings, phrases := w.openings(), w.phrases()
	phrases.Items = slices.DeleteFunc(phrases.Items, func(it Item) bool {
		return slices.ContainsFunc(openings.Items, func(o Item) bool {
			return o.Text == it.Text && len(it.Messages) <= len(o.Messages)
		})
	})
	for _, g := range []Group{openings, phrases, w.sentences(), w.dialogue(), w.endings()} {
		g.Items = g.Items[:min(len(g.Items), maxItems)]
		r.Groups = append(r.Groups, g)
	}
	return r
}

// occurrences records where something was found.
type occurrences struct {
	times   int
	replies []int // indexes in the window, ascending, without duplicates
}

// found holds the occurrences of texts.
type found map[string]*occurrences

func (f found) add(text string, reply int) {
	o := f[text]
	if o == nil {
		o = &occurrences{}
		f[text] = o
	}
	o.times++
	if n := len(o.replies); n == 0 || o.replies[n-1] != reply {
		o.replies = append(o.replies, reply)
	}
}

// items returns an item for each text that is in at least least(text) replies.
func (w window) items(f found, said bool, least func(text string) int) (items []Item) {
	for text, o := range f {
		if len(o.replies) < least(text) {
			continue
		}
		it := Item{Text: text, Said: said, Times: o.times, Messages: []storage.NodeID{},
			Share: float64(len(o.replies)) / float64(len(w))}
		for _, at := range o.replies {
			it.Messages = append(it.Messages, w[at].ID)
		}
		items = append(items, it)
	}
	return items
}

// ranked returns a group of items, the strongest first.
func ranked(kind Kind, items []Item) Group {
	slices.SortFunc(items, stronger)
	return Group{Kind: kind, Items: append([]Item{}, items...)}
}

// stronger compares items: those in more replies come first, then those with more occurrences, then
// the longer ones.
func stronger(a, b Item) int {
	return cmp.Or(cmp.Compare(len(b.Messages), len(a.Messages)), cmp.Compare(b.Times, a.Times),
		cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(a.Text, b.Text))
}

// least returns the number of replies that must have something before it is a habit.
func (w window) least(string) int {
	if len(w) < 12 {
		return 2
	}
	return 3
}

// The most words of an opening, and the number of words of a phrase: shorter phrases are mostly
// grammar.
const (
	maxOpening            = 4
	minPhrase, mostPhrase = 4, 6
)

// openings returns the words that replies begin with.
func (w window) openings() Group {
	f := found{}
	for at, m := range w {
		for n := 1; n <= maxOpening && n <= len(m.words) && (n == 1 || !m.words[n-1].first); n++ {
			f.add(m.span(0, n), at)
		}
	}
	items := w.items(f, true, func(text string) int {
		if strings.Contains(text, " ") {
			return w.least(text)
		}
		return max(w.least(text), (len(w)+3)/4) // a single word means little
	})
	return ranked(Openings, withoutParts(items, strings.HasPrefix))
}

// withoutParts drops items that are part of a longer one, if the longer one is in nearly as many
// replies: at least three quarters.
func withoutParts(items []Item, holds func(long, short string) bool) (kept []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(a.Text, b.Text))
	})
	for _, it := range items {
		if !slices.ContainsFunc(kept, func(k Item) bool {
			return holds(k.Text+" ", it.Text+" ") && 4*len(k.Messages) >= 3*len(it.Messages)
		}) {
			kept = append(kept, it)
		}
	}
	return kept
}

// maxCandidates limits the number of phrases that are compared with each other.
const maxCandidates = 400

// phrases returns sequences of words that several replies have.
func (w window) phrases() Group {
	f := found{}
	runs := func(n int, among found) {
		for at, m := range w {
			for i := range len(m.words) - n + 1 {
				part := m.span(i, i+n)
				if !m.parted(i, i+n) && (among == nil || among[m.span(i, i+minPhrase)] != nil) {
					f.add(part, at)
				}
			}
		}
	}
	runs(minPhrase, nil)
	for text, o := range f {
		if len(o.replies) < w.least(text) {
			delete(f, text)
		}
	}
	for n := minPhrase + 1; n <= mostPhrase; n++ {
		runs(n, f)
	}
	items := w.items(f, true, w.least)
	slices.SortFunc(items, stronger)
	items = items[:min(len(items), maxCandidates)]
	return ranked(Phrases,
		withoutParts(items, func(long, short string) bool { return strings.Contains(" "+long, " "+short) }))
}

// The names of items that are not text of the replies.
const (
	Short        = "short sentences" // most of the sentences have up to 6 words
	Long         = "long sentences"  // they have 20 and more
	Even         = "even sentences"  // all have about the same length
	MostlySpeech = "mostly speech"   // more than 60 of 100 words
	NoSpeech     = "no speech"
	Question     = "ends in question"
	Speech       = "ends in speech"
	Action       = "ends in action" // between asterisks
	Narration    = "ends in narration"
	Cut          = "cut off"
)

func (w window) sentences() Group {
	return w.named(Sentences, func(m measured) string {
		mean, spread := meanOf(m.sentences)
		switch {
		case len(m.sentences) < 2:
			return ""
		case mean <= 6:
			return Short
		case mean >= 20:
			return Long
		case len(m.sentences) >= 4 && spread < 2.5:
			return Even
		}
		return ""
	})
}

func (w window) dialogue() Group {
	return w.named(Dialogue, func(m measured) string {
		switch {
		case m.spoken == 0 && len(m.words) > 0:
			return NoSpeech
		case 10*m.spoken > 6*len(m.words):
			return MostlySpeech
		}
		return ""
	})
}

func (w window) endings() Group {
	return w.named(Endings, func(m measured) string { return m.ends })
}

// named returns a group of items about what replies do. name returns the item of a reply, "" for
// none.
func (w window) named(kind Kind, name func(m measured) string) Group {
	f := found{}
	for at, m := range w {
		if text := name(m); text != "" {
			f.add(text, at)
		}
	}
	return ranked(kind, w.items(f, false, func(string) int { return 1 }))
}

func (w window) figures() (f Figures) {
	var lengths []int
	spoken := 0
	for _, m := range w {
		n := len(m.words)
		f.Words += n
		f.Longest = max(f.Longest, n)
		if f.Shortest == 0 || n < f.Shortest {
			f.Shortest = n
		}
		lengths = append(lengths, m.sentences...)
		spoken += m.spoken
	}
	if f.Words == 0 {
		return f
	}
	f.PerReply = round(float64(f.Words) / float64(len(w)))
	mean, spread := meanOf(lengths)
	f.Sentence, f.Spread = round(mean), round(spread)
	f.Speech = round(float64(spoken) / float64(f.Words))
	return f
}

// round rounds to two decimal places.
func round(x float64) float64 { return math.Round(100*x) / 100 }

// meanOf returns the mean of lengths, and their standard deviation.
func meanOf(list []int) (mean, spread float64) {
	if len(list) == 0 {
		return 0, 0
	}
	for _, n := range list {
		mean += float64(n)
	}
	mean /= float64(len(list))
	for _, n := range list {
		spread += (float64(n) - mean) * (float64(n) - mean)
	}
	return mean, math.Sqrt(spread / float64(len(list)))
}
