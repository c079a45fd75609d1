package scenes

import (
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// endsKind is the kind of text that a chat keeps the ends of lines of its recaps
	// as, so that they go with it.
	endsKind = "ended"
	mostEnds = 300
	// endsCompared is how many of the ends that are like a line it is compared with.
	endsCompared = 24
)

// LineEnds are the ends of lines of a chat's recaps, on all branches, oldest first.
func LineEnds(tx *storage.Tx, chat storage.ChatID) (list []storage.LineEnd) {
	text, err := tx.Text(endsKind, string(chat))
	if err != nil || text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil // damaged: all of it holds again
	}
	return list
}

// PutLineEnds stores the ends of lines of a chat's recaps, the newest of them.
func PutLineEnds(tx *storage.Tx, chat storage.ChatID, list []storage.LineEnd) error {
	list = list[max(0, len(list)-mostEnds):]
	if len(list) == 0 {
		return tx.PutText(endsKind, string(chat), "")
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return tx.PutText(endsKind, string(chat), string(data))
}

// stands tells whether the place of an end lies on a path, with what it came from.
func stands(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, at storage.Told) bool {
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
	byKey  map[string][]storage.LineEnd
	list   []storage.LineEnd // all of them, oldest first
	words  []facts.Words     // of list
	byWord map[string][]int  // in list
	lies   func(storage.LineEnd) bool
	said   func(storage.NodeID) facts.Words
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
	o := &Over{byKey: map[string][]storage.LineEnd{}, list: list, byWord: map[string][]int{}}
	for i, e := range list {
		key := scene.BulletKey(e.Text)
		o.byKey[key] = append(o.byKey[key], e)
		o.words = append(o.words, facts.WordsOf(e.Text))
		for _, w := range o.words[i].All {
			o.byWord[w] = append(o.byWord[w], i)
		}
	}
	known := map[storage.NodeID]bool{}
	o.lies = func(e storage.LineEnd) bool {
		if !seen(chats.KnowersAt(tx, c, e.Told)) {
			return false
		}
		lies, ok := known[e.Node]
		if !ok {
			lies = stands(tx, c.ID, leaf, e.Told)
			known[e.Node] = lies
		}
		return lies
	}
	read := map[storage.NodeID]facts.Words{}
	o.said = func(id storage.NodeID) facts.Words {
		if _, ok := read[id]; !ok {
			n, _ := tx.Node(c.ID, id) // of one that is gone there are no words
			read[id] = facts.WordsOf(n.Content)
		}
		return read[id]
	}
	return o
}

// End is the end of a bullet that rests on some messages, if it has one that counts:
// what is told again in a later message has none.
func (o *Over) End(bullet string, rests []storage.NodeID) (storage.LineEnd, bool) {
	return o.end(bullet, rests, func(id storage.NodeID, _ facts.Words) bool { return true })
}

// PartEnd is the end of a statement of a bullet with several, of whose messages only
// those that say it tell that it holds again.
func (o *Over) PartEnd(statement string, rests []storage.NodeID) (storage.LineEnd, bool) {
	return o.end(statement, rests, func(id storage.NodeID, w facts.Words) bool { return facts.Covers(o.said(id), w) })
}

func (o *Over) end(text string, rests []storage.NodeID, says func(storage.NodeID, facts.Words) bool) (storage.LineEnd, bool) {
	if o == nil {
		return storage.LineEnd{}, false
	}
	words := facts.WordsOf(text)
	ends := func(e storage.LineEnd) bool {
		again := func(id storage.NodeID) bool { return id > e.Node && says(id, words) } // ids sort by time
		return (e.Kind == storage.Corrected || e.Node == "" || !slices.ContainsFunc(rests, again)) && o.lies(e)
	}
	for _, e := range slices.Backward(o.byKey[scene.BulletKey(text)]) {
		if ends(e) {
			return e, true
		}
	}
	to := rules.ToCompare(text)
	for _, i := range o.near(words) {
		if e := o.list[i]; (to.Same(rules.ToCompare(e.Text)) || o.same(i, words, rests)) && ends(e) {
			return e, true
		}
	}
	return storage.LineEnd{}, false
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

// near are the ends that share half of their words with a text, the newest first.
func (o *Over) near(words facts.Words) (out []int) {
	common := map[int]int{}
	for _, w := range words.All {
		for _, i := range o.byWord[w] {
			if common[i]++; common[i]*2 >= len(o.words[i].All) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out[:min(len(out), endsCompared)]
}

// same tells whether a text says in other words what an end says that came from one
// message with it.
func (o *Over) same(i int, words facts.Words, rests []storage.NodeID) bool {
	return slices.ContainsFunc(o.list[i].Rests, func(id storage.NodeID) bool {
		return slices.Contains(rests, id) && facts.Same(words, o.words[i], o.said(id))
	})
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
	return scene.Without(text, func(statement string) bool {
		end := o.PartEnd
		if whole[statement] {
			end = o.End
		}
		_, ended := end(statement, scene.SourcesOf(r, statement))
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
		e, ended := o.End(bullet, scene.SourcesOf(r, bullet))
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
			if e, ended := o.End(b.Text, scene.SourcesOf(r, b.Text)); ended {
				out[scene.BulletKey(b.Text)] = EndWords(e.End)
			}
		}
	}
	return out
}

// EndWords says in a few words how something ended.
func EndWords(e storage.End) string {
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
	if i := interimsAt(tx, who.Chat.ID, leaf); len(i) > 0 && !endsAfter(tx, who.Chat.ID, leaf, storage.Place{ID: i[0].Node, Depth: i[0].Depth}) {
		list = append(list, i[0].Recap)
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

// LinesInDoubt are the ends of lines that may have come and of which the user is asked, as
// of a message.
func LinesInDoubt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []storage.LineEnd {
	return slices.DeleteFunc(LineEnds(tx, chat), func(e storage.LineEnd) bool {
		return !e.Doubt || e.Undone || !stands(tx, chat, leaf, e.Told)
	})
}
