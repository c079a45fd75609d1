// Package habits tells what a model does again and again: how its replies begin and end, the
// phrases, words and adverbs that come back, how long its sentences are and how much of a
// reply is speech. It counts over a window of replies, and measures each of them once.
package habits

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The bounds of what is looked at.
const (
	DefaultWindow = 40
	MostWindow    = 200
	mostText      = 24 << 10 // bytes of one reply; what comes after is not looked at
	mostItems     = 24       // of a group
)

// Reply is one reply as it is stored. Cut tells that it ended before its end.
type Reply struct {
	ID   storage.NodeID
	Text string
	Cut  bool
}

// Kind is what a group of habits is about.
type Kind string

// The groups, in the order in which they are told.
const (
	Openings  Kind = "openings"
	Phrases   Kind = "phrases"
	Words     Kind = "words"
	Adverbs   Kind = "adverbs"
	Sentences Kind = "sentences"
	Dialogue  Kind = "dialogue"
	Endings   Kind = "endings"
)

// Item is one habit. Text is what the replies say where Said is true, else a name of ours
// for what they do. Messages are the replies that have it, oldest first; Times counts every
// occurrence, Share is the part of the replies that have it.
type Item struct {
	Text     string           `json:"text"`
	Said     bool             `json:"said"`
	Times    int              `json:"times"`
	Share    float64          `json:"share"`
	Messages []storage.NodeID `json:"messages"`
}

// Group is the habits of one kind, the strongest first.
type Group struct {
	Kind  Kind   `json:"kind"`
	Items []Item `json:"items"`
}

// Figures are what can be said of the whole window. Lengths are in words.
type Figures struct {
	Words         int     `json:"words"`
	PerReply      float64 `json:"words_per_reply"`
	Shortest      int     `json:"shortest_reply"`
	Longest       int     `json:"longest_reply"`
	Sentence      float64 `json:"words_per_sentence"`
	Spread        float64 `json:"sentence_spread"` // standard deviation
	Speech        float64 `json:"speech"`          // part of the words that is spoken
	AdverbsPer100 float64 `json:"adverbs_per_100_words"`
}

// Report is what a window of replies shows. Language is the code of the language that most
// of them are in, "" where it is none that the package has words of.
type Report struct {
	Replies  int     `json:"replies"`
	Language string  `json:"language"`
	Figures  Figures `json:"figures"`
	Groups   []Group `json:"groups"`
}

// Group gives the group of a kind; it has no items where there is none.
func (r Report) Group(kind Kind) Group {
	for _, g := range r.Groups {
		if g.Kind == kind {
			return g
		}
	}
	return Group{Kind: kind, Items: []Item{}}
}

// Tally counts over a window of replies. It is not safe for concurrent use.
type Tally struct {
	window []*measured
	threes map[uint64]int // in how many replies three words follow one another
}

// New makes a tally of nothing.
func New() *Tally { return &Tally{threes: map[uint64]int{}} }

// Set says what the window is, oldest first. Replies that stood in it before, as they are
// now, cost no more than a look; of more than MostWindow the newest count.
func (t *Tally) Set(replies []Reply) {
	replies = replies[max(0, len(replies)-MostWindow):]
	had := make(map[storage.NodeID]*measured, len(t.window))
	for _, m := range t.window {
		had[m.ID] = m
	}
	next := make([]*measured, 0, len(replies))
	for _, r := range replies {
		m := had[r.ID]
		if m == nil || m.Reply != r {
			m = measure(r)
			t.count(m, 1)
		} else {
			delete(had, r.ID)
		}
		next = append(next, m)
	}
	for _, m := range had {
		t.count(m, -1)
	}
	t.window = next
}

// Len is how many replies are in the window.
func (t *Tally) Len() int { return len(t.window) }

func (t *Tally) count(m *measured, by int) {
	for _, h := range m.threes {
		if t.threes[h] += by; t.threes[h] <= 0 {
			delete(t.threes, h)
		}
	}
}

// occurrences gathers where something is found.
type occurrences struct {
	times   int
	replies []int // places in the window, ascending, each once
}

func (o *occurrences) add(reply int) {
	o.times++
	if n := len(o.replies); n == 0 || o.replies[n-1] != reply {
		o.replies = append(o.replies, reply)
	}
}

// item makes an item of what was gathered.
func (t *Tally) item(text string, said bool, o *occurrences) Item {
	it := Item{Text: text, Said: said, Times: o.times, Messages: make([]storage.NodeID, 0, len(o.replies))}
	for _, at := range o.replies {
		it.Messages = append(it.Messages, t.window[at].ID)
	}
	if len(t.window) > 0 {
		it.Share = float64(len(o.replies)) / float64(len(t.window))
	}
	return it
}

// ranked is a group of items, the strongest first.
func ranked(kind Kind, items []Item) Group {
	slices.SortFunc(items, stronger)
	if items == nil {
		items = []Item{}
	}
	return Group{Kind: kind, Items: items}
}
