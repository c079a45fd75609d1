package memory

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// story is the index of a path. It holds what records tell, and what the newest messages
// say; what older ones say is found by the shelves of their words, see elder.
type story struct {
	chat storage.ChatID

	mu    sync.Mutex
	index facts.Index
	low   int                     // depth of what path begins with; 0 where the whole path is indexed
	path  []said                  // by depth, from low on
	held  map[string]string       // ids of what is held beside messages, by what it was made of
	aside map[storage.NodeID]bool // messages above low that are indexed all the same
	past  past

	// newest is the newest state of the store that was read, or in which a message was
	// rewritten: what an older one says comes too late. again are messages that were
	// rewritten since they were read.
	newest int
	again  []storage.NodeID

	opened bool // somebody looks at the chat

	merged merged

	// meant is what facts mean, by their words, as far as it is kept; unmeant tells that
	// some of it is not.
	meant   map[string][]float32
	meantBy string
	unmeant bool
}

// said is a message that is indexed. One that grows is another one.
type said struct {
	id   storage.NodeID
	size int
}

func (s *story) clear() {
	s.index, s.low, s.path, s.held, s.aside, s.past = facts.Index{}, 0, nil, nil, nil, past{}
}

// How many messages are indexed: of a path that is met the first time the newest up to
// what is on a shelf, but not fewer than leastAtOnce and not more than mostAtOnce. Once
// they are mostHeld, those go that are more than mostAtOnce.
const (
	leastAtOnce = 256
	mostAtOnce  = 1000
	mostHeld    = 2 * mostAtOnce
)

// fresh are the places from a message up to what is indexed, and how many of the path's
// messages are shared. Where nothing is shared they are those to be indexed, and low is
// the depth at which these begin.
func (s *story) fresh(tx *storage.Tx, leaf storage.NodeID) (fresh []storage.Place, shared, low int) {
	to := tx.ShelvedTo(s.chat)
	for p := range tx.Spine(s.chat, leaf) {
		if at := p.Depth - s.low; at >= 0 && at < len(s.path) && s.path[at] == (said{p.ID, p.Size}) {
			return fresh, at + 1, s.low
		}
		fresh = append(fresh, p)
		if n := len(fresh); p.Depth > 0 && (n == mostAtOnce || n >= leastAtOnce && p.Parent <= to) {
			return fresh, 0, p.Depth
		}
	}
	return fresh, 0, 0
}

// cut leaves so many messages of the path.
func (s *story) cut(shared int) {
	for _, m := range s.path[shared:] {
		s.unsay(m.id)
	}
	s.path = s.path[:shared]
}

// trim lets go of the older half of a path that has become long, where that is on
// shelves.
func (s *story) trim(tx *storage.Tx) {
	n := len(s.path) - mostAtOnce
	if len(s.path) < mostHeld || s.path[n-1].id > tx.ShelvedTo(s.chat) {
		return
	}
	for _, m := range s.path[:n] {
		if tx.OnShelf(s.chat, m.id) {
			s.unsay(m.id)
		} else {
			s.setAside(m.id)
		}
	}
	s.low, s.path, s.past = s.low+n, slices.Clone(s.path[n:]), past{}
}

// setAside notes that a message above low is indexed, and not to be found on a shelf.
func (s *story) setAside(id storage.NodeID) {
	if s.aside == nil {
		s.aside = map[storage.NodeID]bool{}
	}
	s.aside[id] = true
}

// unsay drops what a message says.
func (s *story) unsay(id storage.NodeID) {
	for _, f := range s.index.From(id) {
		if f.Kind == facts.Played {
			s.index.Drop(f.ID)
		}
	}
}

// add puts the next message of the path in.
func (s *story) add(tx *storage.Tx, p storage.Place) error {
	if p.Depth != s.low+len(s.path) {
		s.clear()
		return errors.New("index facts: the path has a gap")
	}
	s.path = append(s.path, said{p.ID, p.Size})
	return s.say(tx, p)
}

// say puts in what a message says.
func (s *story) say(tx *storage.Tx, p storage.Place) error {
	if !p.Said() {
		return nil
	}
	n, err := tx.Node(s.chat, p.ID)
	if err != nil {
		return err
	}
	for _, f := range played(n) {
		s.index.Put(f)
	}
	return nil
}

// reread reads rewritten messages again. Those above low are read as they are now until
// they are on a shelf again.
func (s *story) reread(tx *storage.Tx) error {
	again := s.again
	if s.again = nil; len(again) > 0 {
		s.past.forget()
	}
	for _, id := range again {
		depth, on := s.on(tx, id)
		if !on || depth < s.low && !s.aside[id] && len(s.aside) >= mostAtOnce {
			continue
		}
		p, err := tx.Place(s.chat, id)
		if err != nil {
			return err
		}
		s.unsay(id)
		if depth < s.low {
			s.setAside(id)
		} else {
			s.path[depth-s.low].size = p.Size
		}
		if err := s.say(tx, p); err != nil {
			return err
		}
	}
	return nil
}

// aim makes the index that of the path to a message: what both paths share stays.
func (s *story) aim(tx *storage.Tx, leaf storage.NodeID) error {
	if err := s.reread(tx); err != nil {
		return err
	}
	fresh, shared, low := s.fresh(tx, leaf)
	if shared > 0 {
		s.cut(shared)
	} else {
		s.clear()
		s.low = low
	}
	for _, p := range slices.Backward(fresh) {
		if err := s.add(tx, p); err != nil {
			return err
		}
	}
	if shared == 0 && low > 0 {
		for id := range tx.Rewritten(s.chat) {
			s.again = append(s.again, id)
		}
		if err := s.reread(tx); err != nil {
			return err
		}
	}
	s.trim(tx)
	s.past.follow(tx, s)
	return nil
}

// on tells whether a message is on the path, and at what depth.
func (s *story) on(tx *storage.Tx, id storage.NodeID) (depth int, ok bool) {
	p, err := tx.Place(s.chat, id)
	if err != nil {
		return 0, false
	}
	if at := p.Depth - s.low; at >= 0 {
		return p.Depth, at < len(s.path) && s.path[at].id == id
	}
	return p.Depth, s.past.has(tx, s, id)
}

// source is one record's part of the index: its facts, and what tells whether they are
// still the same.
type source struct {
	id, made string
	facts    func() []facts.Fact
}

// take puts in what records have to say, and drops what none of them says any more.
func (s *story) take(list []source) {
	next := map[string]string{}
	for _, src := range list {
		next[src.id] = src.made
	}
	changed := func(id string) bool { return s.held[id] != next[id] }
	for id := range s.held {
		if changed(id) {
			s.drop(id)
		}
	}
	for _, src := range list {
		if !changed(src.id) {
			continue
		}
		for i, f := range src.facts() {
			f.ID = numbered(src.id, i)
			s.unmeant = true
			s.index.Put(f)
		}
	}
	s.held = next
}

// numbered is the id of a source's fact.
func numbered(source string, i int) string { return source + "/" + strconv.Itoa(i) }

// drop takes out the facts of a source, which are numbered.
func (s *story) drop(id string) {
	for i := 0; s.index.Get(id+"/"+strconv.Itoa(i)) != nil; i++ {
		s.index.Drop(id + "/" + strconv.Itoa(i))
	}
}

// recaps are the recaps of the path's scenes, how far the open one is told, and the running recap.
func (s *story) recaps(tx *storage.Tx) (out []source) {
	for _, b := range storage.Breaks.All(tx, s.chat) {
		id := b.Recap()
		if depth, on := s.on(tx, b.Node); b.Hidden || id == "" || !on {
			continue
		} else {
			out = append(out, source{"recap/" + string(id), b.Text, func() []facts.Fact {
				r, err := storage.Recaps.Get(tx, s.chat, id)
				if err != nil {
					return nil
				}
				return bulletsOf(r, depth)
			}})
		}
	}
	if len(s.path) == 0 {
		return out
	}
	if r, _, err := scenes.RunningAt(tx, s.chat, s.path[len(s.path)-1].id); err == nil && r != nil {
		depth, _ := s.on(tx, r.Node)
		out = append(out, source{"running/" + string(r.ID), scenes.TextHash(r.Text), func() []facts.Fact { return bulletsOf(*r, depth) }})
	}
	if r, depth, open := scenes.OpenRecapAt(tx, s.chat, s.path[len(s.path)-1].id); open {
		out = append(out, source{interimHome + "/" + string(r.ID), scenes.TextHash(r.Text), func() []facts.Fact { return bulletsOf(r, depth) }})
	}
	return out
}

// interimHome begins the ids of facts of interim recaps.
const interimHome = "interim"

// bulletsOf are the facts of a recap that ends at a depth.
func bulletsOf(r storage.Recap, depth int) (out []facts.Fact) {
	for _, b := range scene.Bullets(r.Text) {
		out = append(out, facts.Fact{Kind: facts.Recap, Text: b.Text, Messages: scene.SourcesOf(r, b.Text), Memories: scene.MemoriesOf(r, b.Text), Depth: depth})
	}
	return out
}

// memories are what the story remembers on the path.
func (s *story) memories(tx *storage.Tx, list []KnownMemory) (out []source) {
	for _, m := range list {
		out = append(out, source{"memory/" + string(m.ID), core.ContentHash(m.Content) + "/" + strconv.Itoa(len(m.Here)), func() []facts.Fact {
			return []facts.Fact{{Kind: facts.Memory, Text: m.Content, Messages: MessagesOf(m.Here, s.chat), Memories: []storage.MemoryID{m.ID},
				Witnesses: m.Witnesses, Depth: deepest(tx, m.Here, s.chat)}}
		}})
	}
	return out
}

// deepest is the depth of the newest message of a chat that something told came from: of
// what was found again later it is that of what it was read in.
func deepest(tx *storage.Tx, told []storage.Told, chat storage.ChatID) int {
	most := 0
	for _, at := range told {
		if at.Chat != "" && at.Chat != chat {
			continue
		}
		depth := -1
		for _, id := range at.Sources {
			if p, err := tx.Place(chat, id); err == nil {
				depth = max(depth, p.Depth)
			}
		}
		if depth < 0 {
			depth = at.Depth
		}
		most = max(most, depth)
	}
	return most
}

// Bounds of what is indexed of a message.
const (
	mostSentences = 200
	mostSentence  = 320 // bytes
	leastSentence = 12
)

// sentences are those of a message that say something, as slices of it.
func sentences(text string) (out []string) {
	for _, s := range facts.Sentences(text) {
		s = strings.Trim(s, " \t\r\n*_\"“”„«»")
		if len(s) > mostSentence {
			s = strings.ToValidUTF8(s[:mostSentence], "")
		}
		if len(s) >= leastSentence && len(out) < mostSentences {
			out = append(out, s)
		}
	}
	return out
}

// heard tells whether the moment's speaker may know a fact: it is among those who do,
// and has witnessed every message that the fact came from.
func heard(tx *storage.Tx, m chats.Moment, f *facts.Fact) bool {
	if m.Speaker == "" {
		return true
	}
	if !m.May(f.Witnesses) || f.Kind != facts.Memory && len(f.Messages) == 0 {
		return false
	}
	if f.Witnesses != nil {
		return true
	}
	return !slices.ContainsFunc(f.Messages, func(id storage.NodeID) bool {
		n, err := tx.Node(m.Chat.ID, id)
		return err != nil || !chats.Knows(m.Chat, m.Speaker, &n)
	})
}
