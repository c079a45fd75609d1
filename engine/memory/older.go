package memory

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// olderCache is what was found in older messages. It is kept from one turn to the next: the uses of
// words, the facts that have a word, and the facts of messages.
type olderCache struct {
	to   storage.NodeID // the last message whose words were stored
	uses map[string][2]int
	with map[string][]*facts.OldFact
	read map[storage.NodeID][]*facts.OldFact
	kept int // facts in read
}

func newOlderCache() olderCache {
	return olderCache{uses: map[string][2]int{}, with: map[string][]*facts.OldFact{},
		read: map[storage.NodeID][]*facts.OldFact{}}
}

// Bounds of the cache, and of the number of messages that are read for one word.
const (
	maxUses   = 20_000              // words
	maxKept   = 10_000              // facts
	maxLooked = 4 * facts.MaxLooked // messages
)

// prune clears the cache if the words of more messages are stored by now, or if it has grown too
// large.
func (f *olderCache) prune(to storage.NodeID) {
	if f.to != to || len(f.uses) > maxUses || f.kept > maxKept {
		*f = newOlderCache()
		f.to = to
	}
}

// olderMessages finds facts in messages that are not indexed, by the stored words of messages.
type olderMessages struct {
	tx    *storage.Tx
	x     *pathIndex
	found *olderCache
}

// olderFacts returns nil if the whole path is indexed.
func (x *pathIndex) olderFacts(tx *storage.Tx) facts.Older {
	if x.depth < minIndexed {
		return nil
	}
	return x.olderMessages(tx)
}

// olderMessages returns a view that caches its results, unless the transaction is older than the
// one that was read last.
func (x *pathIndex) olderMessages(tx *storage.Tx) olderMessages {
	if x.found.with == nil || x.found.kept > 2*maxKept { // by many questions of one turn
		x.found = newOlderCache()
	}
	if tx.Version() < x.newest {
		apart := newOlderCache()
		return olderMessages{tx, x, &apart}
	}
	return olderMessages{tx, x, &x.found}
}

// wordFilter returns the filter for a folded word in messages before the indexed ones, also before
// an apostrophe.
func (o olderMessages) wordFilter(word string) storage.WordFilter {
	return storage.WordFilter{Begin: word, Before: o.x.first, Accept: func(w string) bool {
		rest, ok := strings.CutPrefix(w, word)
		return ok && (rest == "" || strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "’"))
	}}
}

// Len implements [facts.Older]. It estimates the number of older facts from the number of facts in
// the indexed messages.
func (o olderMessages) Len() int {
	indexed := max(1, len(o.x.sources))
	return max(0, o.x.depth-indexed) * max(1, o.x.index.Len()/indexed)
}

// Uses implements [facts.Older]. It counts messages, those of other branches too.
func (o olderMessages) Uses(word string) (upper, lower int) {
	u, found := o.found.uses[word]
	if !found {
		all, upper := o.tx.CountWordUses(o.x.chat, o.wordFilter(word))
		u = [2]int{upper, all - upper}
		o.found.uses[word] = u
	}
	return u[0], u[1]
}

// With implements [facts.Older].
func (o olderMessages) With(word string) (out []*facts.OldFact) {
	if list, found := o.found.with[word]; found {
		return list
	}
	looked, met := 0, map[storage.NodeID]bool{}
	for id := range o.tx.MessagesUsing(o.x.chat, o.wordFilter(word)) {
		if looked++; looked > maxLooked || len(out) >= facts.MaxLooked {
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

// said returns the facts of a message, none if it is indexed or not on the path.
func (o olderMessages) said(id storage.NodeID) (out []*facts.OldFact) {
	if _, indexed := o.x.sources[messageHome+"/"+string(id)]; indexed {
		return nil
	}
	if list, found := o.found.read[id]; found {
		return list
	}
	if p, err := o.tx.NodeInfo(o.x.chat, id); err == nil && p.InStory() && o.x.trail.Has(o.tx, id) {
		if n, err := o.tx.Node(o.x.chat, id); err == nil {
			for i, f := range messageFacts(n) {
				out = append(out, facts.NewOldFact(f, i))
			}
		}
	}
	o.found.read[id] = out
	o.found.kept += 1 + len(out)
	return out
}
