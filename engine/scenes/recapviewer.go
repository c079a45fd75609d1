package scenes

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// LastPrompt is a speaker's last prompt on a path: the message that its history began with,
// and the recaps that it told.
type LastPrompt struct {
	Window storage.NodeID
	Recaps []storage.RecapID
}

// inWindow is why a prompt does not tell what its own messages say.
const inWindow = "already in context, skipped"

// recapViewer tells a speaker what recaps hold of messages that have left a prompt. All that
// it needs is read before the transaction ends.
type recapViewer struct {
	who       chats.Moment
	places    map[storage.NodeID]storage.Place
	known     map[storage.NodeID]bool // what the speaker has witnessed
	ends      *EndIndex
	count     func(string) int // tokens
	maxTokens int              // tokens that a version may take, 0 for any number
}

func newRecapViewer(tx *storage.Tx, who chats.Moment, leaf storage.NodeID) *recapViewer {
	return &recapViewer{who: who, places: map[storage.NodeID]storage.Place{}, known: map[storage.NodeID]bool{}, ends: EndIndexAt(tx, who.Chat, leaf, who.May)}
}

// visibleRecap is a recap as the speaker may be told it.
type visibleRecap struct {
	storage.Recap
	text   string
	whole  bool
	covers int // the depth up to which it leaves nothing out, -1 for none
	from   int // the depth of the end of the scene that it took in, -1 for none
}

// noRecap stands where there is no running recap.
var noRecap = visibleRecap{whole: true, covers: -1, from: -1}

// read reads a version, and where the messages are that it rests on.
func (t *recapViewer) read(tx *storage.Tx, r storage.Recap) visibleRecap {
	v := visibleRecap{Recap: r, covers: t.depth(tx, r.Covers), from: -1}
	if r.Part != nil {
		v.from = t.depth(tx, r.Part.Break)
	}
	for _, s := range r.Sources {
		for _, id := range s.Messages {
			t.depth(tx, id)
		}
	}
	v.text, v.whole = t.visibleText(tx, r)
	v.text = withoutDuplicates(r, t.ends.withoutEnded(r, v.text))
	return v
}

// depth of a message, -1 where it is not there.
func (t *recapViewer) depth(tx *storage.Tx, id storage.NodeID) int {
	if id == "" {
		return -1
	}
	p, ok := t.places[id]
	if !ok {
		var err error
		if p, err = tx.Place(t.who.Chat.ID, id); err != nil {
			p = storage.Place{ID: id, Depth: -1}
		}
		t.places[id] = p
	}
	return p.Depth
}

// visibleText is of a recap what the speaker may be told: all of it where that one has
// witnessed all of it, else the bullets that rest on messages which it has witnessed.
func (t *recapViewer) visibleText(tx *storage.Tx, r storage.Recap) (text string, whole bool) {
	if t.who.MayRecap(r.Witnesses) {
		return strings.TrimSpace(r.Text), true
	}
	return scene.FilterBySource(r, func(id storage.NodeID) bool { return t.knows(tx, id) }), false
}

func (t *recapViewer) knows(tx *storage.Tx, id storage.NodeID) bool {
	knows, ok := t.known[id]
	if !ok {
		n, err := tx.Node(t.who.Chat.ID, id)
		knows = err == nil && chats.Knows(t.who.Chat, t.who.Speaker, &n)
		t.known[id] = knows
	}
	return knows
}

// outsideWindow returns what of a version the messages from a depth on do not tell themselves, and how many
// bullets they tell: those whose sources all stand there. What rests on no message that is known is
// told as soon as anything has left the prompt, and what the user has written or brought back
// always.
func (t *recapViewer) outsideWindow(v visibleRecap, first int) (text string, said int) {
	gone := func(id storage.NodeID) bool { p := t.places[id]; return p.ID == "" || p.Deleted || p.Depth < first }
	text = scene.WithoutBullets(v.text, func(b scene.Bullet) bool {
		from := scene.SourcesOf(v.Recap, b.Text)
		out := first <= 0
		if len(from) > 0 {
			out = !slices.ContainsFunc(from, gone)
		}
		if out = out && !isUsersOwn(v.Recap, b) && scene.UserMark(v.Recap, b.Text) == ""; out {
			said++
		}
		return out
	})
	return text, said
}

// isUsersOwn reports whether a bullet is by the user's hand.
func isUsersOwn(r storage.Recap, b scene.Bullet) bool {
	if r.Original == "" {
		return r.Origin == storage.Edited || r.Origin == storage.Imported
	}
	return !slices.ContainsFunc(scene.Bullets(r.Original), func(o scene.Bullet) bool { return o.Text == b.Text })
}

// maxOlderVersions is how many versions of the running recap a prompt may still tell.
const maxOlderVersions = 16

// onlyAddsScene reports whether a version has only taken in a scene that ends at a depth or after it: who is
// told that scene by its own messages can wait for it. What the user has changed waits for nothing,
// and neither does what tells an older scene in other words.
func (v visibleRecap) onlyAddsScene(first int) bool {
	marked := !v.EditedAt.IsZero() && slices.ContainsFunc(v.Sources, func(s storage.Source) bool { return s.Hand != "" })
	return !v.Edited() && !marked && v.Origin != storage.Edited && v.Origin != storage.Imported && v.Part != nil && v.from >= first
}

// lastPrompt returns what the last prompt told, so that this one begins as that did: a version that
// the one in force grew out of, and the interim recap of the scene after it. Where that is wrong by
// now, or tells less than has left the history, it is the version in force with the open interim
// recap.
func (t *recapViewer) lastPrompt(tx *storage.Tx, now visibleRecap, interims []interim, open *visibleRecap, l LastPrompt, first int) (then visibleRecap, more *visibleRecap) {
	reach := -1
	for _, i := range interims {
		if slices.Contains(l.Recaps, i.ID) {
			if more = t.takeInterim(tx, i); more != nil {
				reach = more.covers
			}
			break
		}
	}
	found, n, base := false, 0, now
	fits := func(v visibleRecap) bool { return max(v.covers, reach) >= first-1 || v.covers == now.covers }
	lineageIn(tx, t.who.Chat.ID).walk(now.Recap, func(v storage.Recap) bool {
		if base = now; v.ID != now.ID {
			base = t.read(tx, v)
		}
		if found = slices.Contains(l.Recaps, v.ID) && fits(base); found {
			then = base
			return false
		}
		n++
		return base.onlyAddsScene(first) && n < maxOlderVersions
	})
	if !found && more != nil && fits(noRecap) && (now.ID == "" || base.Base == "" && base.onlyAddsScene(first)) {
		then, found = noRecap, true // the running recap has begun since
	}
	if !found {
		return now, open
	}
	return then, more
}

// memoryOf is what a prompt tells of a version, and of an interim recap if that is not nil, whose
// history begins at a depth. now is the version in force.
func (t *recapViewer) memoryOf(now, v visibleRecap, more *visibleRecap, first int) script.Memory {
	var m script.Memory
	if v.ID != "" {
		m = t.versionOf(now, v, first)
	}
	if more != nil {
		t.addInterim(&m, v, *more, first)
	}
	return m
}

// fitBudget returns what a prompt whose history begins at a depth tells of a version, as far as it has
// room, and notes what it leaves out of source, which has its share of the context.
func (t *recapViewer) fitBudget(m *script.Memory, v visibleRecap, first int, source, share string) string {
	text, said := t.outsideWindow(v, first)
	if text == "" {
		return ""
	}
	text, over := t.fitTokens(v.Recap, text, t.maxTokens)
	if said > 0 {
		addLeftOut(m, failure.Count(said, "fact")+" of "+source, inWindow)
	}
	if over > 0 {
		reason := "over " + share + " share of the context: included when mentioned"
		addLeftOut(m, failure.Count(over, "fact")+" of "+source, reason)
	}
	return t.ends.annotate(v.Recap, text)
}

// addLeftOut notes what a prompt does not tell, and why.
func addLeftOut(m *script.Memory, source, reason string) {
	m.LeftOut = append(m.LeftOut, script.Part{Layer: script.LayerMemory, Source: source, Reason: reason})
}

// versionOf is memoryOf without an interim recap.
func (t *recapViewer) versionOf(now, v visibleRecap, first int) script.Memory {
	m := script.Memory{Source: storyName(v.Recap), Recaps: []storage.RecapID{v.ID}}
	m.Memories = memoriesIn(v.Recap)
	m.Text = t.fitBudget(&m, v, first, m.Source, "the running recap's")
	if m.Text == "" {
		addLeftOut(&m, storyName(now.Recap), inWindow)
	}
	if v.ID != now.ID && m.Text != "" {
		addLeftOut(&m, "facts of "+storyName(now.Recap)+" in addition", inWindow+" until the history is trimmed")
	}
	if !v.whole {
		addLeftOut(&m, "the rest of "+m.Source, "the speaker has not witnessed it")
		m.Source += ", as far as the speaker knows"
	}
	return m
}

// runningMemory tells the running recap, as far as the speaker has witnessed it. tells is
// false where that is nothing.
func (t *recapViewer) runningMemory(tx *storage.Tx, leaf storage.NodeID, l LastPrompt, m *script.Memory) (tells bool, err error) {
	r, _, err := RunningAt(tx, t.who.Chat.ID, leaf)
	if err != nil || r != nil && strings.TrimSpace(r.Text) == "" {
		return true, err
	}
	first := max(t.depth(tx, l.Window), 0)
	now := noRecap
	if r != nil {
		if now = t.read(tx, *r); now.text == "" {
			return false, nil // nothing leaves the history for nothing
		}
		if m.Covers = t.coversUpTo(tx, leaf, *r, first); !now.whole {
			m.Covers = t.knownUpTo(tx, now, m.Covers, first)
		}
	}
	interims := interimsAt(tx, t.who.Chat.ID, leaf)
	open, after := t.openInterim(tx, interims, m.Covers)
	if open != nil && open.covers <= now.covers {
		open = nil
	}
	if r == nil && open == nil {
		return true, nil
	}
	if open != nil && (after == m.Covers || t.depth(tx, after) < first) {
		m.Covers, m.Open = open.Covers, true
	}
	m.Anew = func(depth int) script.Memory { return t.memoryOf(now, now, open, depth) }
	then, more := t.lastPrompt(tx, now, interims, open, l, first)
	told := t.memoryOf(now, then, more, first)
	m.Text, m.Source, m.LeftOut, m.Recaps, m.Memories = told.Text, told.Source, told.LeftOut, told.Recaps, told.Memories
	return true, nil
}

// coversUpTo is the last message up to which a running recap tells every scene of which
// something may stand in a prompt whose history begins at a depth. A scene without a recap
// that has left the history is not waited for: else one such scene would keep all that
// comes after it from leaving.
func (t *recapViewer) coversUpTo(tx *storage.Tx, leaf storage.NodeID, r storage.Recap, first int) storage.NodeID {
	chat, covers := t.who.Chat.ID, r.Covers
	if r.Part != nil {
		if d := t.depth(tx, r.Part.Break); d < first && d > t.depth(tx, covers) {
			covers = r.Part.Break
		}
	}
	var ends []storage.NodeID // of scenes within the history, newest first
	for p := range tx.Spine(chat, leaf) {
		if p.Depth < first || p.ID == covers {
			break
		}
		if ShownBreak(tx, chat, p.ID) {
			ends = append(ends, p.ID)
		}
	}
	parts := lineageIn(tx, chat).Parts(&r)
	for _, id := range slices.Backward(ends) {
		if !parts[id] {
			if s, err := SpanAt(tx, chat, id); err != nil || s.Said > 0 {
				break
			}
		}
		covers = id
	}
	return covers
}

// knownUpTo is the last message, none beyond covers, up to which a version tells the speaker
// something of every scene of which that one has witnessed anything. Scenes that have left
// the history long ago, above a depth, are not asked about.
func (t *recapViewer) knownUpTo(tx *storage.Tx, v visibleRecap, covers storage.NodeID, first int) storage.NodeID {
	chat, end := t.who.Chat.ID, covers
	rests := scene.SourceMessages(v.Recap, v.text)
	heard, covered := false, false
	for p := range tx.Spine(chat, end) {
		if p.ID != end && ShownBreak(tx, chat, p.ID) {
			if heard && !covered {
				covers = p.ID
			}
			if heard, covered = false, false; p.Depth < first {
				break
			}
		}
		if p.Said() {
			heard, covered = heard || t.knows(tx, p.ID), covered || rests[p.ID]
		}
	}
	if heard && !covered {
		covers = "" // the first scene is not told
	}
	return covers
}
