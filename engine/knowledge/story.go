package knowledge

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ghostlight/engine/core"
	"ghostlight/engine/knowledge/facts"
	"ghostlight/engine/memory"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// story is the index of a path.
type story struct {
	chat storage.ChatID

	mu    sync.Mutex
	index facts.Index
	low   int               // depth of what path begins with; 0 where the whole path is indexed
	path  []said            // by depth, from low on
	held  map[string]string // ids of what is held beside messages, by what it was made of

	// newest is the newest state of the store that was read, or in which a message was
	// rewritten: what an older one says comes too late. again are messages that were
	// rewritten since they were read.
	newest int
	again  []storage.NodeID

	next   *story // what is built of the whole path meanwhile, nil for nothing
	todo   []storage.Place
	leaf   storage.NodeID // that todo leads to
	given  bool           // it is in use in place of another one, and not built any more
	opened bool           // somebody looks at the chat

	// meant is what facts mean, by their words, as far as it is kept; unmeant tells that
	// some of it is not.
	meant   map[string][]float32
	meantBy string
	unmeant bool

	// elder are the scene breaks above low, by their depths.
	elder map[storage.NodeID]int
}

// said is a message that is indexed. One that grows is another one.
type said struct {
	id   storage.NodeID
	size int
}

func (s *story) clear() {
	s.index, s.low, s.path, s.held, s.elder = facts.Index{}, 0, nil, nil, nil
}

// mostAtOnce is how many messages a prompt or a view waits for. Of longer paths the
// newest are indexed at once, and the others in the background.
const mostAtOnce = 1000

// fresh are the places from a message up to what is indexed, and how many of the path's
// messages are shared: at most so many, 0 for all. met is false where there are more.
func (s *story) fresh(tx *storage.Tx, leaf storage.NodeID, most int) (fresh []storage.Place, shared int, met bool) {
	for p := range tx.Spine(s.chat, leaf) {
		if at := p.Depth - s.low; at >= 0 && at < len(s.path) && s.path[at] == (said{p.ID, p.Size}) {
			return fresh, at + 1, true
		}
		if fresh = append(fresh, p); len(fresh) == most && p.Depth > 0 {
			return fresh, 0, false
		}
	}
	return fresh, 0, true
}

// cut leaves so many messages of the path.
func (s *story) cut(shared int) {
	for _, m := range s.path[shared:] {
		s.unsay(m.id)
	}
	s.path = s.path[:shared]
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
	for i, line := range sentences(n.Content) {
		s.index.Put(facts.Fact{ID: "message/" + string(p.ID) + "/" + strconv.Itoa(i), Kind: facts.Played, Text: line, Messages: []storage.NodeID{p.ID}, Depth: p.Depth})
	}
	return nil
}

// reread reads rewritten messages again.
func (s *story) reread(tx *storage.Tx) error {
	again := s.again
	s.again = nil
	for _, id := range again {
		if depth, on := s.on(tx, id); on && depth >= s.low {
			s.unsay(id)
			p, err := tx.Place(s.chat, id)
			if err != nil {
				return err
			}
			s.path[depth-s.low].size = p.Size
			if err := s.say(tx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// aim makes the index that of the path to a message: what both paths share stays. Of a
// path with too much that is new the newest messages are indexed, and what was indexed
// before is kept for the building of the whole.
func (s *story) aim(tx *storage.Tx, leaf storage.NodeID) error {
	if err := s.reread(tx); err != nil {
		return err
	}
	fresh, shared, met := s.fresh(tx, leaf, mostAtOnce)
	switch {
	case met && shared > 0:
		s.cut(shared)
	case met:
		s.clear()
	default:
		if s.low == 0 && len(s.path) > 0 && s.next == nil {
			s.next = &story{chat: s.chat, index: s.index, path: s.path, held: s.held, newest: s.newest}
		}
		s.clear()
		s.low = fresh[len(fresh)-1].Depth
		s.findElder(tx, fresh[len(fresh)-1].Parent)
	}
	for _, p := range slices.Backward(fresh) {
		if err := s.add(tx, p); err != nil {
			return err
		}
	}
	return nil
}

// findElder finds the scene breaks on the way up from a message: their recaps are told
// although the messages are not indexed yet.
func (s *story) findElder(tx *storage.Tx, from storage.NodeID) {
	breaks := scenes.BreaksOf(tx, s.chat)
	if len(breaks) == 0 {
		return
	}
	s.elder = map[storage.NodeID]int{}
	for p := range tx.Spine(s.chat, from) {
		if breaks[p.ID] != nil {
			s.elder[p.ID] = p.Depth
		}
	}
}

// on tells whether a message is on the path, as far as it is indexed or ends a scene, and
// at what depth.
func (s *story) on(tx *storage.Tx, id storage.NodeID) (depth int, ok bool) {
	if depth, ok := s.elder[id]; ok {
		return depth, true
	}
	p, err := tx.Place(s.chat, id)
	if err != nil || p.Depth < s.low || p.Depth >= s.low+len(s.path) || s.path[p.Depth-s.low].id != id {
		return 0, false
	}
	return p.Depth, true
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

// recaps are the recaps of the path's scenes.
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
	return out
}

// bulletsOf are the facts of a recap that ends at a depth.
func bulletsOf(r storage.Recap, depth int) (out []facts.Fact) {
	for _, b := range scene.Bullets(r.Text) {
		out = append(out, facts.Fact{Kind: facts.Recap, Text: b.Text, Messages: scene.SourcesOf(r, b.Text), Depth: depth})
	}
	return out
}

// memories are what the story remembers on the path.
func (s *story) memories(list []memory.KnownMemory) (out []source) {
	for _, m := range list {
		out = append(out, source{"memory/" + string(m.ID), core.ContentHash(m.Content), func() []facts.Fact {
			return []facts.Fact{{Kind: facts.Memory, Text: m.Content, Messages: memory.MessagesOf(m.Told, s.chat), Witnesses: m.Witnesses, Depth: deepest(m.Told, s.chat)}}
		}})
	}
	return out
}

func deepest(told []storage.Told, chat storage.ChatID) int {
	most := 0
	for _, at := range told {
		if at.Chat == "" || at.Chat == chat {
			most = max(most, at.Depth)
		}
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
