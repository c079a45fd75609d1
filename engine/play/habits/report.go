package habits

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// About is what a report has to know besides the replies: the names of those who play,
// which are no habits, and what the user wrote meanwhile: a word that the user says as often
// is the story's, not the model's.
type About struct {
	Names []string
	User  string
}

// Report tells what the window shows. Its cost is that of the window.
func (t *Tally) Report(about About) Report {
	r := Report{Replies: len(t.window), Language: t.language()}
	w := wordsOf(r.Language)
	names := map[string]bool{}
	for _, name := range about.Names {
		for _, tok := range measure(Reply{Text: name}).all() {
			names[tok], names[tok+"'s"], names[tok+"s"] = true, true, true
		}
	}
	openings, phrases, words, adverbs := t.openings(), t.phrases(w), t.words(w, names, about.User), t.adverbs(w)
	phrases.leaveOut(openings, func(phrase, opening string) bool { return phrase == opening })
	words.leaveOut(phrases, func(word, phrase string) bool { return strings.Contains(" "+phrase+" ", " "+word+" ") })
	words.leaveOut(openings, func(word, opening string) bool { return strings.Contains(" "+opening+" ", " "+word+" ") })
	words.leaveOut(adverbs, func(word, adverb string) bool { return word == adverb })
	for _, g := range []Group{openings, phrases, words, adverbs, t.sentences(), t.dialogue(), t.endings()} {
		g.Items = g.Items[:min(len(g.Items), mostItems)]
		r.Groups = append(r.Groups, g)
	}
	r.Figures = t.figures(w)
	return r
}

func (m *measured) all() (list []string) {
	for i := range m.tokens {
		list = append(list, m.word(i))
	}
	return list
}

// stronger orders items: what more replies have, then what is said more often, then the
// longer.
func stronger(a, b Item) int {
	return cmp.Or(cmp.Compare(len(b.Messages), len(a.Messages)), cmp.Compare(b.Times, a.Times),
		cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(a.Text, b.Text))
}

// least is in how many replies something is found until it is a habit.
func (t *Tally) least() int {
	if len(t.window) < 12 {
		return 2
	}
	return 3
}

// leaveOut drops what another group tells already: something that is in no more replies.
func (g *Group) leaveOut(told Group, same func(own, told string) bool) {
	g.Items = slices.DeleteFunc(g.Items, func(it Item) bool {
		return slices.ContainsFunc(told.Items, func(o Item) bool { return len(it.Messages) <= len(o.Messages) && same(it.Text, o.Text) })
	})
}

// openings are the words that replies begin with, from one to four of them.
func (t *Tally) openings() Group {
	found := map[string]*occurrences{}
	for at, m := range t.window {
		for n := 1; n <= 4 && n <= len(m.tokens); n++ {
			if n > 1 && m.tokens[n-1].first {
				break
			}
			note(found, m.span(0, n), at)
		}
	}
	var items []Item
	for text, o := range found {
		least := t.least()
		if !strings.Contains(text, " ") {
			least = max(least, (len(t.window)+3)/4) // one word says little
		}
		if len(o.replies) >= least {
			items = append(items, t.item(text, true, o))
		}
	}
	return ranked(Openings, withoutParts(items, strings.HasPrefix))
}

func note(found map[string]*occurrences, key string, at int) {
	o := found[key]
	if o == nil {
		o = &occurrences{}
		found[key] = o
	}
	o.add(at)
}

// withoutParts drops the items that a longer one stands for: one that holds them, in about
// as many replies.
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

// mostCandidates bounds how many phrases are compared with each other.
const mostCandidates = 400

// phrases are three to six words that follow one another in several replies.
func (t *Tally) phrases(w *lexicon) Group {
	least := t.least()
	type phrase struct {
		occurrences
		text string
	}
	found := map[uint64]*phrase{}
	for at, m := range t.window {
		run := 0 // words up to here whose threes come back
		for i := range m.tokens {
			if i < 2 || m.tokens[i].first || m.tokens[i-1].first || t.threes[m.gram(i-2, 3)] < least {
				run = 0
				continue
			}
			run++
			for n := 3; n <= min(6, run+2); n++ {
				from := i + 1 - n
				h := m.gram(from, n)
				p := found[h]
				if p == nil {
					p = &phrase{text: m.span(from, i+1)}
					found[h] = p
				}
				p.add(at)
			}
		}
	}
	var items []Item
	for _, p := range found {
		if len(p.replies) >= least && w.tells(p.text) {
			items = append(items, t.item(p.text, true, &p.occurrences))
		}
	}
	slices.SortFunc(items, stronger)
	items = items[:min(len(items), mostCandidates)]
	return ranked(Phrases, withoutParts(items, func(long, short string) bool { return strings.Contains(" "+long, " "+short) }))
}

// words are those that come back in more replies than a story needs, and that the user does
// not say as often.
func (t *Tally) words(w *lexicon, names map[string]bool, user string) Group {
	found := map[string]*occurrences{}
	total := 0
	for at, m := range t.window {
		total += len(m.tokens)
		for i := range m.tokens {
			if word := m.word(i); utf8.RuneCountInString(word) >= 4 && !w.common(word) && !names[word] {
				note(found, word, at)
			}
		}
	}
	own := map[string]int{}
	mine := measure(Reply{Text: user})
	for _, word := range mine.all() {
		own[word]++
	}
	least := max(t.least(), (len(t.window)+3)/4)
	var items []Item
	for word, o := range found {
		if len(o.replies) < least {
			continue
		}
		if n := own[word]; n > 0 && n*total >= o.times*len(mine.tokens)/2 {
			continue
		}
		items = append(items, t.item(word, true, o))
	}
	return ranked(Words, items)
}

// adverbs are those of manner.
func (t *Tally) adverbs(w *lexicon) Group {
	found := map[string]*occurrences{}
	for at, m := range t.window {
		for i := range m.tokens {
			before := ""
			if i > 0 {
				before = m.word(i - 1)
			}
			if word := m.word(i); w.adverb(word, before) {
				note(found, word, at)
			}
		}
	}
	var items []Item
	for word, o := range found {
		if len(o.replies) >= t.least() {
			items = append(items, t.item(word, true, o))
		}
	}
	return ranked(Adverbs, items)
}

// The names of the items that are no words of the replies.
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

func (t *Tally) sentences() Group {
	return t.named(Sentences, func(m *measured) string {
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

func (t *Tally) dialogue() Group {
	return t.named(Dialogue, func(m *measured) string {
		switch {
		case m.spoken == 0 && len(m.tokens) > 0:
			return NoSpeech
		case 10*m.spoken > 6*len(m.tokens):
			return MostlySpeech
		}
		return ""
	})
}

func (t *Tally) endings() Group {
	names := map[string]string{asQuestion: Question, asSpeech: Speech, asAction: Action, asNarration: Narration, asCut: Cut}
	return t.named(Endings, func(m *measured) string { return names[m.ends] })
}

// named is a group whose items are what replies do; name says what one does, "" for
// nothing.
func (t *Tally) named(kind Kind, name func(m *measured) string) Group {
	found := map[string]*occurrences{}
	for at, m := range t.window {
		if text := name(m); text != "" {
			note(found, text, at)
		}
	}
	var items []Item
	for text, o := range found {
		items = append(items, t.item(text, false, o))
	}
	return ranked(kind, items)
}

func (t *Tally) figures(w *lexicon) (f Figures) {
	var lengths []int
	spoken, manner := 0, 0
	for _, m := range t.window {
		n := len(m.tokens)
		f.Words += n
		f.Longest = max(f.Longest, n)
		if f.Shortest == 0 || n < f.Shortest {
			f.Shortest = n
		}
		lengths = append(lengths, m.sentences...)
		spoken += m.spoken
		for i := range m.tokens {
			before := ""
			if i > 0 {
				before = m.word(i - 1)
			}
			if w.adverb(m.word(i), before) {
				manner++
			}
		}
	}
	if f.Words == 0 {
		return f
	}
	f.PerReply = round(float64(f.Words) / float64(len(t.window)))
	mean, spread := meanOf(lengths)
	f.Sentence, f.Spread = round(mean), round(spread)
	f.Speech = round(float64(spoken) / float64(f.Words))
	f.AdverbsPer100 = round(100 * float64(manner) / float64(f.Words))
	return f
}

// round leaves two places, which are more than a habit has.
func round(x float64) float64 { return math.Round(100*x) / 100 }

// meanOf is the mean of lengths, and their standard deviation.
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
