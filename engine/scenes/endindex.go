package scenes

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// endsKind is the kind of the chat text that stores the ends of recap lines, so that they are
	// exported and deleted with the chat.
	endsKind = "ended"
	maxEnds  = 300
)

// StatementEnds returns the ends of lines of a chat's recaps, on all branches, oldest first.
func StatementEnds(tx *storage.Tx, chat storage.ChatID) (list []storage.StatementEnd) {
	return readList[storage.StatementEnd](tx, endsKind, chat) // damaged: all of it holds again
}

// PutStatementEnds stores the ends of lines of a chat's recaps, the newest of them.
func PutStatementEnds(tx *storage.Tx, chat storage.ChatID, list []storage.StatementEnd) error {
	return writeList(tx, endsKind, chat, list, maxEnds)
}

// onPath reports whether the place of an end and the messages that it came from are on a path.
func onPath(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, at storage.Mention) bool {
	if at.Node == "" {
		return true
	}
	for _, id := range append([]storage.NodeID{at.Node}, at.Sources...) {
		if p, err := tx.NodeInfo(chat, id); err != nil || p.Deleted {
			return false
		}
	}
	return chats.OnPath(tx, chat, leaf, at.Node)
}

// EndIndex finds the ends of recap lines that count at a message; nil has none. Ends whose line is
// not found cost no walk up the path.
type EndIndex struct {
	byKey    map[string][]storage.StatementEnd // by the words that have ended, oldest first
	byMemory map[storage.MemoryID][]storage.StatementEnd
	onPath   func(storage.StatementEnd) bool
}

// EndIndexAt returns the ends that count at a message and that satisfy seen; a nil seen accepts
// what everybody has witnessed. It is valid within the transaction.
func EndIndexAt(tx *storage.Tx, c storage.Chat, leaf storage.NodeID,
	seen func(witnesses []storage.CharacterID) bool) *EndIndex {
	list := slices.DeleteFunc(StatementEnds(tx, c.ID), func(e storage.StatementEnd) bool { return e.Undone || e.Doubt })
	if len(list) == 0 {
		return nil
	}
	if seen == nil {
		seen = func(who []storage.CharacterID) bool { return !chats.IsGroup(c) || chats.KnownToAll(c, who) }
	}
	o := &EndIndex{byKey: map[string][]storage.StatementEnd{}, byMemory: map[storage.MemoryID][]storage.StatementEnd{}}
	for _, e := range list {
		key := scene.BulletKey(e.Text)
		o.byKey[key] = append(o.byKey[key], e)
		for _, id := range e.Memories {
			o.byMemory[id] = append(o.byMemory[id], e)
		}
	}
	known := map[storage.NodeID]bool{}
	o.onPath = func(e storage.StatementEnd) bool {
		if !seen(chats.KnowersAt(tx, c, e.Mention)) {
			return false
		}
		lies, ok := known[e.Node]
		if !ok {
			lies = onPath(tx, c.ID, leaf, e.Mention)
			known[e.Node] = lies
		}
		return lies
	}
	return o
}

// End returns the end of a bullet of a recap if one counts: an end with its exact text, or of a
// memory that the bullet states alone and that came from the same messages. A bullet that was
// stated again in a later message has no end.
func (o *EndIndex) End(r storage.Recap, bullet string) (storage.StatementEnd, bool) {
	rests := scene.SourcesOf(r, bullet)
	if e, ended := o.end(bullet, restatedAfter(rests)); ended || o == nil {
		return e, ended
	}
	if e, ended := o.memoryEnd(r, bullet); ended && len(scene.Statements(bullet)) < 2 && isSubset(rests, e.Rests) {
		return e, true
	}
	return storage.StatementEnd{}, false
}

// StatementEnd returns the end of a statement by its exact text. The statement may be part of a
// bullet that rests on these messages; it holds again only if all of them came later.
func (o *EndIndex) StatementEnd(statement string, rests []storage.NodeID) (storage.StatementEnd, bool) {
	return o.end(statement, func(e storage.StatementEnd) bool {
		return len(rests) > 0 && slices.Min(rests) > e.Node // ids sort by time
	})
}

// FactEnd returns the end of a separate fact by its exact text. A fact that was stated again in a
// later message has no end.
func (o *EndIndex) FactEnd(fact string, rests []storage.NodeID) (storage.StatementEnd, bool) {
	return o.end(fact, restatedAfter(rests))
}

// restatedAfter returns a function that reports whether one of some messages came after an end.
func restatedAfter(rests []storage.NodeID) func(e storage.StatementEnd) bool {
	return func(e storage.StatementEnd) bool { return len(rests) > 0 && slices.Max(rests) > e.Node }
}

// counts reports whether an end counts for a statement, given whether that was stated again later.
func (o *EndIndex) counts(e storage.StatementEnd, again func(e storage.StatementEnd) bool) bool {
	return (e.Kind == storage.Corrected || e.Node == "" || !again(e)) && o.onPath(e)
}

func (o *EndIndex) end(text string, again func(e storage.StatementEnd) bool) (storage.StatementEnd, bool) {
	if o != nil {
		for _, e := range slices.Backward(o.byKey[scene.BulletKey(text)]) {
			if o.counts(e, again) {
				return e, true
			}
		}
	}
	return storage.StatementEnd{}, false
}

// memoryEnd returns the end of a memory that a bullet of a recap also states.
func (o *EndIndex) memoryEnd(r storage.Recap, bullet string) (storage.StatementEnd, bool) {
	return o.endOfAny(scene.MemoriesOf(r, bullet), restatedAfter(scene.SourcesOf(r, bullet)))
}

// endOfAny returns the end of one of some memories.
func (o *EndIndex) endOfAny(memories []storage.MemoryID,
	again func(e storage.StatementEnd) bool) (storage.StatementEnd, bool) {
	for _, id := range memories {
		for _, e := range slices.Backward(o.byMemory[id]) {
			if o.counts(e, again) {
				return e, true
			}
		}
	}
	return storage.StatementEnd{}, false
}

// isSubset reports whether there are messages, and all of them are among others.
func isSubset(list, others []storage.NodeID) bool {
	return len(list) > 0 && !slices.ContainsFunc(list,
		func(id storage.NodeID) bool { return !slices.Contains(others, id) })
}

// HasEnded reports whether a fact that is stated on its own has ended. It is also true if one of
// the memories that the recap line also states has ended.
func (o *EndIndex) HasEnded(f *facts.Fact) bool {
	if o == nil {
		return false
	}
	again := restatedAfter(f.Messages)
	if f.Kind == facts.Played {
		again = func(storage.StatementEnd) bool { return false }
	}
	if _, ended := o.end(f.Text, again); ended {
		return true
	}
	_, ended := o.endOfAny(f.Memories, again)
	return ended
}

// annotate returns a recap's text for a prompt, with a note behind each bullet that has ended only
// in part.
func (o *EndIndex) annotate(r storage.Recap, text string) string {
	if o == nil || len(o.byMemory) == 0 {
		return text
	}
	return scene.WithNotes(text, func(bullet string) string {
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

// Withdrawn returns the end of a statement that the user has withdrawn. Only a statement with the
// same wording counts; its end holds on all branches.
func (o *EndIndex) Withdrawn(statement string) (storage.StatementEnd, bool) {
	if o != nil {
		for _, e := range slices.Backward(o.byKey[scene.BulletKey(statement)]) {
			if e.Kind == storage.Withdrawn && e.Node == "" {
				return e, true
			}
		}
	}
	return storage.StatementEnd{}, false
}

// withoutEnded returns a recap's text without the parts that have ended.
func (o *EndIndex) withoutEnded(r storage.Recap, text string) string {
	if o == nil {
		return text
	}
	whole := map[string]bool{}
	for _, b := range scene.Bullets(text) {
		whole[b.Text] = true
	}
	return scene.WithoutEnded(text, func(statement string) (ended bool) {
		if whole[statement] {
			_, ended = o.End(r, statement)
		} else {
			_, ended = o.StatementEnd(statement, scene.SourcesOf(r, statement))
		}
		return ended
	})
}

// until returns a recap's text without the bullets that had ended before a message. Those that
// ended after it are marked.
func (o *EndIndex) until(tx *storage.Tx, chat storage.ChatID, r storage.Recap, node storage.NodeID) string {
	if o == nil {
		return r.Text
	}
	at, err := tx.NodeInfo(chat, node)
	if err != nil {
		return o.withoutEnded(r, r.Text)
	}
	later := map[string]bool{}
	text := scene.WithoutEnded(r.Text, func(bullet string) bool {
		e, ended := o.End(r, bullet)
		if !ended {
			return false
		}
		p, err := tx.NodeInfo(chat, e.Node)
		later[bullet] = e.Kind != storage.Corrected && err == nil && p.Depth > at.Depth
		return !later[bullet]
	})
	if len(later) == 0 {
		return text
	}
	return scene.MarkEnded(text, func(bullet string) bool { return later[bullet] })
}

// reasons returns why bullets of recaps have ended, by bullet key.
func (o *EndIndex) reasons(recaps ...storage.Recap) map[string]string {
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

// endWords describes in a few words how something ended.
func endWords(e storage.End) string {
	switch {
	case e.Kind == storage.Settled:
		return "it is settled"
	case e.Instead != "":
		return "it is no longer so: " + e.Instead
	}
	return "it is no longer so"
}

// KnownBulletsAt returns the bullets of the running recap and of the open scene's interim recap
// that a speaker may know at a message and that have not ended. rests returns the messages that a
// bullet rests on.
func KnownBulletsAt(tx *storage.Tx, who chats.Viewpoint,
	leaf storage.NodeID) (out []scene.Bullet, rests func(bullet string) []storage.NodeID) {
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
	t := newRecapViewer(tx, who, leaf)
	for _, r := range list {
		text, _ := t.visibleText(tx, r)
		out = append(out, scene.Bullets(t.ends.withoutEnded(r, text))...)
	}
	return out, func(bullet string) (from []storage.NodeID) {
		for _, r := range list {
			from = append(from, scene.SourcesOf(r, bullet)...)
		}
		return from
	}
}

// OutdatedLines returns the ends of recap lines that a model has set, as of a message, including
// those in doubt.
func OutdatedLines(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []storage.StatementEnd {
	return slices.DeleteFunc(StatementEnds(tx, chat), func(e storage.StatementEnd) bool {
		return e.Kind != storage.Outdated || e.Undone || !onPath(tx, chat, leaf, e.Mention)
	})
}

// DoubtfulLines returns the ends of lines as of a message that the user has to confirm.
func DoubtfulLines(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []storage.StatementEnd {
	return slices.DeleteFunc(StatementEnds(tx, chat), func(e storage.StatementEnd) bool {
		return !e.Doubt || e.Undone || !onPath(tx, chat, leaf, e.Mention)
	})
}
