package memory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// past is what is kept of a path above the messages that are indexed: which messages are
// on it, as far up as it was asked for, and what was found on the shelves of their words.
// The zero value has found nothing yet.
type past struct {
	trail chats.Trail
	begun bool
	// to is up to where messages were on shelves when something was found, until all above
	// the index are.
	to storage.NodeID

	found findings
}

// findings are what was found on shelves: how words are used, which facts have one, and
// what messages say.
type findings struct {
	used map[string]facts.Usage
	with map[string][]*facts.Old
	read map[storage.NodeID][]*facts.Old
	kept int // facts in read
}

func noFindings() findings {
	return findings{used: map[string]facts.Usage{}, with: map[string][]*facts.Old{}, read: map[storage.NodeID][]*facts.Old{}}
}

// Bounds of what is kept of the past, from one turn to the next, and of what is looked at
// and walked at once.
const (
	mostUsed     = 20_000               // words
	mostKept     = 10_000               // facts
	mostExamined = 4 * facts.MostLooked // messages of one word
)

// forget lets go of what was found, since some of it may be otherwise.
func (p *past) forget() { p.found = noFindings() }

// follow has what was found go with the shelves, as long as they lack some of the past,
// and does not let it grow too much.
func (p *past) follow(tx *storage.Tx, s *story) {
	if p.found.used == nil || len(p.found.used) > mostUsed || p.found.kept > mostKept {
		p.forget()
	}
	if s.low == 0 || p.to >= s.path[0].id {
		return
	}
	if to := tx.ShelvedTo(s.chat); to != p.to {
		p.forget()
		p.to = to
	}
}

// has tells whether a message above the index is on the path.
func (p *past) has(tx *storage.Tx, s *story, id storage.NodeID) bool {
	if s.low == 0 {
		return false
	}
	if !p.begun {
		first, err := tx.Place(s.chat, s.path[0].id)
		if err != nil {
			return false
		}
		p.begun, p.trail = true, chats.NewTrail(s.chat, first.Parent)
	}
	return p.trail.Has(tx, id)
}

// elder is what is said above the messages that are indexed, found by the shelves of
// their words as a transaction sees them.
type elder struct {
	tx    *storage.Tx
	s     *story
	found *findings
}

// elder is nil where all of the path is indexed. What it finds is kept, unless the
// transaction began before what was read already.
func (s *story) elder(tx *storage.Tx) facts.Elder {
	if s.low == 0 {
		return nil
	}
	return s.elderAt(tx)
}

func (s *story) elderAt(tx *storage.Tx) elder {
	if s.past.found.used == nil {
		s.past.forget()
	}
	e := elder{tx, s, &s.past.found}
	if tx.Version() < s.newest {
		apart := noFindings()
		e.found = &apart
	}
	return e
}

// about finds what of the path is about a text, see facts.Index.
func (s *story) about(tx *storage.Tx, text string, most int, want func(*facts.Fact) bool) []facts.Hit {
	if s.past.found.kept > 2*mostKept { // by many questions of one turn
		s.past.forget()
	}
	return s.index.About(s.elder(tx), text, most, want)
}

// sought is a folded word on the shelves, also before an apostrophe.
func (e elder) sought(word string) storage.Sought {
	return storage.Sought{Begin: word, Before: e.s.path[0].id, Is: func(w string) bool {
		rest, is := strings.CutPrefix(w, word)
		return is && (rest == "" || strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "’"))
	}}
}

// Len implements facts.Elder: as much as is said in as many of the newest messages.
func (e elder) Len() int { return e.s.low * max(1, e.s.index.Len()/max(1, len(e.s.path))) }

// Uses implements facts.Elder. It counts messages, those of other branches too.
func (e elder) Uses(word string) facts.Usage {
	if u, met := e.found.used[word]; met {
		return u
	}
	w := e.sought(word)
	all, upper := e.tx.Uses(e.s.chat, w)
	u := facts.Usage{Upper: upper, Lower: all - upper}
	if all > 0 && all <= facts.TooCommon {
		for id := range e.tx.Using(e.s.chat, w) {
			if !slices.Contains(u.In, id) {
				u.In = append(u.In, id)
			}
		}
	}
	e.found.used[word] = u
	return u
}

// With implements facts.Elder.
func (e elder) With(word string) (out []*facts.Old) {
	if list, met := e.found.with[word]; met {
		return list
	}
	looked, met := 0, map[storage.NodeID]bool{}
	for id := range e.tx.Using(e.s.chat, e.sought(word)) {
		if looked++; looked > mostExamined || len(out) >= facts.MostLooked {
			break
		}
		if met[id] {
			continue
		}
		met[id] = true
		for _, o := range slices.Backward(e.said(id)) {
			if o.Has(word) {
				out = append(out, o)
			}
		}
	}
	e.found.with[word] = out
	return out
}

// said is what a message above the index says, nothing where it is not on the path.
func (e elder) said(id storage.NodeID) (out []*facts.Old) {
	if list, met := e.found.read[id]; met {
		return list
	}
	p, err := e.tx.Place(e.s.chat, id)
	if err == nil && p.Said() && !e.s.aside[id] && e.s.past.has(e.tx, e.s, id) {
		if n, err := e.tx.Node(e.s.chat, id); err == nil {
			for i, f := range played(n) {
				out = append(out, facts.NewOld(f, i))
			}
		}
	}
	e.found.read[id] = out
	e.found.kept += 1 + len(out)
	return out
}

const playedHome = "message"

// played are the facts that a message tells, a sentence each.
func played(n storage.Node) (out []facts.Fact) {
	for i, line := range sentences(n.Content) {
		out = append(out, facts.Fact{ID: playedHome + "/" + string(n.ID) + "/" + strconv.Itoa(i), Kind: facts.Played, Text: line, Messages: []storage.NodeID{n.ID}, Depth: n.Depth})
	}
	return out
}

// fact is a fact by its id, wherever on the path it is; nil for none.
func (s *story) fact(tx *storage.Tx, id string) *facts.Fact {
	if f := s.index.Get(id); f != nil || s.low == 0 {
		return f
	}
	parts := strings.Split(id, "/")
	if len(parts) != 3 || parts[0] != playedHome {
		return nil
	}
	list := s.elderAt(tx).said(storage.NodeID(parts[1]))
	if n, err := strconv.Atoi(parts[2]); err == nil && n >= 0 && n < len(list) {
		return list[n].Fact()
	}
	return nil
}
