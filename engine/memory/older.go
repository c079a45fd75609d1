package memory

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// found is what was found of older messages, kept from one turn to the next: how words are used,
// which facts have one, and what messages say.
type found struct {
	to   storage.NodeID // up to where words of messages were stored
	uses map[string][2]int
	with map[string][]*facts.Old
	read map[storage.NodeID][]*facts.Old
	kept int // facts in read
}

func noneFound() found {
	return found{uses: map[string][2]int{}, with: map[string][]*facts.Old{}, read: map[storage.NodeID][]*facts.Old{}}
}

// Bounds of what is kept of older messages, and of how many messages are looked at for one word.
const (
	mostUses   = 20_000               // words
	mostKept   = 10_000               // facts
	mostLooked = 4 * facts.MostLooked // messages
)

// follow lets go of what was found where words of more messages are stored by now, or where it has
// grown too much.
func (f *found) follow(to storage.NodeID) {
	if f.to != to || len(f.uses) > mostUses || f.kept > mostKept {
		*f = noneFound()
		f.to = to
	}
}

// olderFacts is what the path's messages say that are not indexed, found by the words that are
// stored of messages.
type olderFacts struct {
	tx    *storage.Tx
	x     *pathIndex
	found *found
}

// elder is nil where all of the path is indexed.
func (x *pathIndex) elder(tx *storage.Tx) facts.Elder {
	if x.depth < leastIndexed {
		return nil
	}
	return x.older(tx)
}

// older keeps what it finds, unless the transaction began before what was read already.
func (x *pathIndex) older(tx *storage.Tx) olderFacts {
	if x.found.with == nil || x.found.kept > 2*mostKept { // by many questions of one turn
		x.found = noneFound()
	}
	if tx.Version() < x.newest {
		apart := noneFound()
		return olderFacts{tx, x, &apart}
	}
	return olderFacts{tx, x, &x.found}
}

// sought is a folded word of messages before those that are indexed, also before an apostrophe.
func (o olderFacts) sought(word string) storage.WordFilter {
	return storage.WordFilter{Begin: word, Before: o.x.first, Accept: func(w string) bool {
		rest, is := strings.CutPrefix(w, word)
		return is && (rest == "" || strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "’"))
	}}
}

// Len implements [facts.Elder]: as much as is said in as many of the newest messages.
func (o olderFacts) Len() int {
	indexed := max(1, len(o.x.sources))
	return max(0, o.x.depth-indexed) * max(1, o.x.index.Len()/indexed)
}

// CountWordUses implements [facts.Elder]. It counts messages, those of other branches too.
func (o olderFacts) Uses(word string) (upper, lower int) {
	u, met := o.found.uses[word]
	if !met {
		all, upper := o.tx.CountWordUses(o.x.chat, o.sought(word))
		u = [2]int{upper, all - upper}
		o.found.uses[word] = u
	}
	return u[0], u[1]
}

// With implements [facts.Elder].
func (o olderFacts) With(word string) (out []*facts.Old) {
	if list, met := o.found.with[word]; met {
		return list
	}
	looked, met := 0, map[storage.NodeID]bool{}
	for id := range o.tx.MessagesUsing(o.x.chat, o.sought(word)) {
		if looked++; looked > mostLooked || len(out) >= facts.MostLooked {
			break
		}
		if met[id] {
			continue
		}
		met[id] = true
		for _, old := range o.said(id) {
			if old.Has(word) {
				out = append(out, old)
			}
		}
	}
	o.found.with[word] = out
	return out
}

// said is what a message says, nothing where it is indexed or not on the path.
func (o olderFacts) said(id storage.NodeID) (out []*facts.Old) {
	if _, indexed := o.x.sources[messageHome+"/"+string(id)]; indexed {
		return nil
	}
	if list, met := o.found.read[id]; met {
		return list
	}
	if p, err := o.tx.Place(o.x.chat, id); err == nil && p.Said() && o.x.trail.Has(o.tx, id) {
		if n, err := o.tx.Node(o.x.chat, id); err == nil {
			for i, f := range played(n) {
				out = append(out, facts.NewOld(f, i))
			}
		}
	}
	o.found.read[id] = out
	o.found.kept += 1 + len(out)
	return out
}
