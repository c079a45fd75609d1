package scenes

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// endsKind is the kind of text that a chat keeps the ends of lines of its recaps
	// as, so that they go with it.
	endsKind = "ended"
	mostEnds = 300
)

// LineEnds are the ends of lines of a chat's recaps, on all branches, oldest first.
func LineEnds(tx *storage.Tx, chat storage.ChatID) (list []storage.LineEnd) {
	return keptList[storage.LineEnd](tx, endsKind, chat) // damaged: all of it holds again
}

// PutLineEnds stores the ends of lines of a chat's recaps, the newest of them.
func PutLineEnds(tx *storage.Tx, chat storage.ChatID, list []storage.LineEnd) error {
	return keepList(tx, endsKind, chat, list, mostEnds)
}

// stands reports whether the place of an end lies on a path, with what it came from.
func stands(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, at storage.StoryPlace) bool {
	if at.Node == "" {
		return true
	}
	for _, id := range append([]storage.NodeID{at.Node}, at.Sources...) {
		if p, err := tx.Place(chat, id); err != nil || p.Deleted {
			return false
		}
	}
	return chats.OnPath(tx, chat, leaf, at.Node)
}

// Over are the ends that are looked for in recaps as they are told at a message; nil
// for none. An end of which no line is found costs no walk up the path.
type Over struct {
	byKey    map[string][]storage.LineEnd // by the words that have ended, oldest first
	byMemory map[storage.MemoryID][]storage.LineEnd
	lies     func(storage.LineEnd) bool
}

// OverAt are the ends that count at a message for those whom seen lets pass; nil lets
// pass what everybody has witnessed. It is good for as long as the transaction is.
func OverAt(tx *storage.Tx, c storage.Chat, leaf storage.NodeID, seen func(witnesses []storage.CharacterID) bool) *Over {
	list := slices.DeleteFunc(LineEnds(tx, c.ID), func(e storage.LineEnd) bool { return e.Undone || e.Doubt })
	if len(list) == 0 {
		return nil
	}
	if seen == nil {
		seen = func(who []storage.CharacterID) bool { return !chats.Several(c) || chats.KnownToAll(c, who) }
	}
	o := &Over{byKey: map[string][]storage.LineEnd{}, byMemory: map[storage.MemoryID][]storage.LineEnd{}}
	for _, e := range list {
		key := scene.BulletKey(e.Text)
		o.byKey[key] = append(o.byKey[key], e)
		for _, id := range e.Memories {
			o.byMemory[id] = append(o.byMemory[id], e)
		}
	}
	known := map[storage.NodeID]bool{}
	o.lies = func(e storage.LineEnd) bool {
		if !seen(chats.KnowersAt(tx, c, e.StoryPlace)) {
			return false
		}
		lies, ok := known[e.Node]
		if !ok {
			lies = stands(tx, c.ID, leaf, e.StoryPlace)
			known[e.Node] = lies
		}
		return lies
	}
	return o
}

// End returns the end of a bullet of a recap, if it has one that counts: of its very words, or of a
// memory that it tells and nothing besides, which came from all that the bullet came from. What is
// told again in a later message has none.
func (o *Over) End(r storage.Recap, bullet string) (storage.LineEnd, bool) {
	rests := scene.SourcesOf(r, bullet)
	if e, ended := o.end(bullet, toldAfter(rests)); ended || o == nil {
		return e, ended
	}
	if e, ended := o.memoryEnd(r, bullet); ended && len(scene.Statements(bullet)) < 2 && within(rests, e.Rests) {
		return e, true
	}
	return storage.LineEnd{}, false
}

// PartEnd returns the end of a statement in its very words. It may be one of a bullet that rests on
// these messages with others: it holds again only where all of them came later.
func (o *Over) PartEnd(statement string, rests []storage.NodeID) (storage.LineEnd, bool) {
	return o.end(statement, func(e storage.LineEnd) bool {
		return len(rests) > 0 && slices.Min(rests) > e.Node // ids sort by time
	})
}

// FactEnd returns the end of a fact of its own in its very words. What is told again in a later
// message has none.
func (o *Over) FactEnd(fact string, rests []storage.NodeID) (storage.LineEnd, bool) {
	return o.end(fact, toldAfter(rests))
}

// toldAfter reports of an end whether one of some messages came after it.
func toldAfter(rests []storage.NodeID) func(e storage.LineEnd) bool {
	return func(e storage.LineEnd) bool { return len(rests) > 0 && slices.Max(rests) > e.Node }
}

// counts reports whether an end counts for what was told again or not.
func (o *Over) counts(e storage.LineEnd, again func(e storage.LineEnd) bool) bool {
	return (e.Kind == storage.Corrected || e.Node == "" || !again(e)) && o.lies(e)
}

func (o *Over) end(text string, again func(e storage.LineEnd) bool) (storage.LineEnd, bool) {
	if o != nil {
		for _, e := range slices.Backward(o.byKey[scene.BulletKey(text)]) {
			if o.counts(e, again) {
				return e, true
			}
		}
	}
	return storage.LineEnd{}, false
}

// memoryEnd returns the end of a memory that a bullet of a recap tells too.
func (o *Over) memoryEnd(r storage.Recap, bullet string) (storage.LineEnd, bool) {
	return o.endOfAny(scene.MemoriesOf(r, bullet), toldAfter(scene.SourcesOf(r, bullet)))
}

// endOfAny returns the end of one of some memories.
func (o *Over) endOfAny(memories []storage.MemoryID, again func(e storage.LineEnd) bool) (storage.LineEnd, bool) {
	for _, id := range memories {
		for _, e := range slices.Backward(o.byMemory[id]) {
			if o.counts(e, again) {
				return e, true
			}
		}
	}
	return storage.LineEnd{}, false
}

// within reports whether there are messages, and all of them are among others.
func within(list, others []storage.NodeID) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(id storage.NodeID) bool { return !slices.Contains(others, id) })
}

// Of reports whether a fact has ended that is known by itself: it is told with nothing that would
// say so. What a line of a recap tells besides has ended too where one of its memories has.
func (o *Over) Of(f *facts.Fact) bool {
	if o == nil {
		return false
	}
	again := toldAfter(f.Messages)
	if f.Kind == facts.Played {
		again = func(storage.LineEnd) bool { return false }
	}
	if _, ended := o.end(f.Text, again); ended {
		return true
	}
	_, ended := o.endOfAny(f.Memories, again)
	return ended
}

// noted returns a text of a recap as a prompt tells it: a bullet that tells an ended memory beside
// what holds says so.
func (o *Over) noted(r storage.Recap, text string) string {
	if o == nil || len(o.byMemory) == 0 {
		return text
	}
	return scene.Noted(text, func(bullet string) string {
		e, ended := o.memoryEnd(r, bullet)
		switch {
		case !ended:
			return ""
		case e.Instead != "":
			return e.Text + " Now: " + e.Instead
		}
		return e.Text
	})
}

// Withdrawn is the end of a statement by the user's own word, in just these words, and
// wherever the story stands.
func (o *Over) Withdrawn(statement string) (storage.LineEnd, bool) {
	if o != nil {
		for _, e := range slices.Backward(o.byKey[scene.BulletKey(statement)]) {
			if e.Kind == storage.Withdrawn && e.Node == "" {
				return e, true
			}
		}
	}
	return storage.LineEnd{}, false
}

// holding is of a text of a recap what has not ended.
func (o *Over) holding(r storage.Recap, text string) string {
	if o == nil {
		return text
	}
	whole := map[string]bool{}
	for _, b := range scene.Bullets(text) {
		whole[b.Text] = true
	}
	return scene.Without(text, func(statement string) (ended bool) {
		if whole[statement] {
			_, ended = o.End(r, statement)
		} else {
			_, ended = o.PartEnd(statement, scene.SourcesOf(r, statement))
		}
		return ended
	})
}

// until is of a recap what had not ended at a message; what has ended after it is marked.
func (o *Over) until(tx *storage.Tx, chat storage.ChatID, r storage.Recap, node storage.NodeID) string {
	if o == nil {
		return r.Text
	}
	at, err := tx.Place(chat, node)
	if err != nil {
		return o.holding(r, r.Text)
	}
	later := map[string]bool{}
	text := scene.Without(r.Text, func(bullet string) bool {
		e, ended := o.End(r, bullet)
		if !ended {
			return false
		}
		p, err := tx.Place(chat, e.Node)
		later[bullet] = e.Kind != storage.Corrected && err == nil && p.Depth > at.Depth
		return !later[bullet]
	})
	if len(later) == 0 {
		return text
	}
	return scene.Marked(text, func(bullet string) bool { return later[bullet] })
}

// reasons are of recaps' bullets those that have ended, by their keys, and why.
func (o *Over) reasons(recaps ...storage.Recap) map[string]string {
	if o == nil {
		return nil
	}
	out := map[string]string{}
	for _, r := range recaps {
		for _, b := range scene.Bullets(r.Text) {
			if e, ended := o.End(r, b.Text); ended {
				out[scene.BulletKey(b.Text)] = endWords(e.End)
			}
		}
	}
	return out
}

// endWords says in a few words how something ended.
func endWords(e storage.End) string {
	switch {
	case e.Kind == storage.Settled:
		return "it is settled"
	case e.Instead != "":
		return "it is no longer so: " + e.Instead
	}
	return "it is no longer so"
}

// TellableAt are the bullets of the running recap, and of the interim one of the open
// scene, that a speaker is told at a message: those it may know and that have not ended. rests gives the messages that one rests
// on.
func TellableAt(tx *storage.Tx, who chats.Moment, leaf storage.NodeID) (out []scene.Bullet, rests func(bullet string) []storage.NodeID) {
	r, _, err := RunningAt(tx, who.Chat.ID, leaf)
	if err != nil {
		return nil, nil
	}
	var list []storage.Recap
	if r != nil {
		list = append(list, *r)
	}
	if i, ok := openInterimAt(tx, who.Chat.ID, leaf); ok {
		list = append(list, i.Recap)
	}
	t := newTeller(tx, who, leaf)
	for _, r := range list {
		text, _ := t.heard(tx, r)
		out = append(out, scene.Bullets(t.over.holding(r, text))...)
	}
	return out, func(bullet string) (from []storage.NodeID) {
		for _, r := range list {
			from = append(from, scene.SourcesOf(r, bullet)...)
		}
		return from
	}
}

// LinesOutdated are the ends of lines by a model's word, also those in doubt, as of a message.
func LinesOutdated(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []storage.LineEnd {
	return slices.DeleteFunc(LineEnds(tx, chat), func(e storage.LineEnd) bool {
		return e.Kind != storage.Outdated || e.Undone || !stands(tx, chat, leaf, e.StoryPlace)
	})
}

// LinesInDoubt are the ends of lines that may have come and of which the user is asked, as
// of a message.
func LinesInDoubt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []storage.LineEnd {
	return slices.DeleteFunc(LineEnds(tx, chat), func(e storage.LineEnd) bool {
		return !e.Doubt || e.Undone || !stands(tx, chat, leaf, e.StoryPlace)
	})
}
