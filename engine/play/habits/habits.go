// Package habits counts what a model does again and again: how its replies begin and end, the
// phrases that come back, how long its sentences are and how much of a reply is speech. It is
// pure, and knows no language.
package habits

import "github.com/ghostlight-theatre/ghostlight/storage"

// The bounds of what is looked at.
const (
	DefaultWindow = 40
	MaxWindow     = 200
	maxText       = 24 << 10 // bytes of one reply; what comes after is not looked at
	maxItems      = 24       // of a group
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
	Words    int     `json:"words"`
	PerReply float64 `json:"words_per_reply"`
	Shortest int     `json:"shortest_reply"`
	Longest  int     `json:"longest_reply"`
	Sentence float64 `json:"words_per_sentence"`
	Spread   float64 `json:"sentence_spread"` // standard deviation
	Speech   float64 `json:"speech"`          // part of the words that is spoken
}

// Report is what a window of replies shows.
type Report struct {
	Replies int     `json:"replies"`
	Figures Figures `json:"figures"`
	Groups  []Group `json:"groups"`
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
