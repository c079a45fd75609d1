// Package habits counts what a model repeats: how its replies begin and end, recurring phrases, the
// length of its sentences and the share of speech. It is pure, and does not depend on the language.
package habits

import "github.com/ghostlight-theatre/ghostlight/storage"

// Limits of a report.
const (
	DefaultWindow = 40
	MaxWindow     = 200
	maxText       = 24 << 10 // bytes of one reply that are looked at
	maxItems      = 24       // per group
)

// Reply is a stored reply. Cut reports that it ended early.
type Reply struct {
	ID   storage.NodeID
	Text string
	Cut  bool
}

// Kind is the subject of a group of habits.
type Kind string

// The groups, in the order of a report.
const (
	Openings  Kind = "openings"
	Phrases   Kind = "phrases"
	Sentences Kind = "sentences"
	Dialogue  Kind = "dialogue"
	Endings   Kind = "endings"
)

// Item is one habit. If Said is true, Text is text of the replies, else our name for what they do.
// Messages are the replies that have it, oldest first. Times counts all occurrences, and Share is
// the fraction of replies that have it.
type Item struct {
	Text     string           `json:"text"`
	Said     bool             `json:"said"`
	Times    int              `json:"times"`
	Share    float64          `json:"share"`
	Messages []storage.NodeID `json:"messages"`
}

// Group holds the habits of one kind, the strongest first.
type Group struct {
	Kind  Kind   `json:"kind"`
	Items []Item `json:"items"`
}

// Figures are statistics of the whole window. Lengths are in words.
type Figures struct {
	Words    int     `json:"words"`
	PerReply float64 `json:"words_per_reply"`
	Shortest int     `json:"shortest_reply"`
	Longest  int     `json:"longest_reply"`
	Sentence float64 `json:"words_per_sentence"`
	Spread   float64 `json:"sentence_spread"` // standard deviation
	Speech   float64 `json:"speech"`          // fraction of the words that is spoken
}

// Report is the result for a window of replies.
type Report struct {
	Replies int     `json:"replies"`
	Figures Figures `json:"figures"`
	Groups  []Group `json:"groups"`
}

// Group returns the group of a kind, with no items if there is none.
func (r Report) Group(kind Kind) Group {
	for _, g := range r.Groups {
		if g.Kind == kind {
			return g
		}
	}
	return Group{Kind: kind, Items: []Item{}}
}
