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
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// story is the index of a path.
type story struct {
	chat storage.ChatID

	mu    sync.Mutex
	index facts.Index
	path  []storage.NodeID  // by depth
	held  map[string]string // ids of what is held beside messages, by what it was made of
}

func (s *story) clear() {
	s.index, s.path, s.held = facts.Index{}, nil, nil
}

// aim makes the index that of the path to a message: what both paths share stays.
func (s *story) aim(tx *storage.Tx, leaf storage.NodeID) error {
	var fresh []storage.Place // from the leaf up
	shared := 0
	for p := range tx.Spine(s.chat, leaf) {
		if p.Depth < len(s.path) && s.path[p.Depth] == p.ID {
			shared = p.Depth + 1
			break
		}
		fresh = append(fresh, p)
	}
	for _, id := range s.path[shared:] {
		for _, f := range s.index.From(id) {
			if f.Kind == facts.Played {
				s.index.Drop(f.ID)
			}
		}
	}
	s.path = s.path[:shared]
	for _, p := range slices.Backward(fresh) {
		if p.Depth != len(s.path) {
			s.clear()
			return errors.New("index facts: the path has a gap")
		}
		s.path = append(s.path, p.ID)
		if !p.Said() {
			continue
		}
		n, err := tx.Node(s.chat, p.ID)
		if err != nil {
			return err
		}
		for i, line := range sentences(n.Content) {
			s.index.Put(facts.Fact{ID: "message/" + string(p.ID) + "/" + strconv.Itoa(i), Kind: facts.Played, Text: line, Messages: []storage.NodeID{p.ID}, Depth: p.Depth})
		}
	}
	return nil
}

// on tells whether a message is on the path, and at what depth.
func (s *story) on(tx *storage.Tx, id storage.NodeID) (depth int, ok bool) {
	p, err := tx.Place(s.chat, id)
	if err != nil || p.Depth >= len(s.path) || s.path[p.Depth] != id {
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
			f.ID = src.id + "/" + strconv.Itoa(i)
			s.index.Put(f)
		}
	}
	s.held = next
}

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

// sentences are those of a message, as slices of it.
func sentences(text string) (out []string) {
	add := func(s string) {
		s = strings.Trim(s, " \t\r\n*_\"“”„«»")
		if len(s) > mostSentence {
			s = strings.ToValidUTF8(s[:mostSentence], "")
		}
		if len(s) >= leastSentence && len(out) < mostSentences {
			out = append(out, s)
		}
	}
	from := 0
	for i, r := range text {
		switch r {
		case '\n', '。', '！', '？':
		case '.', '!', '?', '…':
			if end := i + len(string(r)); end < len(text) && !strings.ContainsRune(" \n\t\"”“»*_)", rune(text[end])) && text[end] < 0x80 {
				continue
			}
		default:
			continue
		}
		end := i + len(string(r))
		add(text[from:end])
		from = end
	}
	add(text[from:])
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
