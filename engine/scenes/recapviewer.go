package scenes

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// LastPrompt is a speaker's last prompt on a path: the message that began its history, and the
// recaps that it contained.
type LastPrompt struct {
	Window storage.NodeID
	Recaps []storage.RecapID
}

// inWindow is the reason for leaving out facts whose messages are in the prompt.
const inWindow = "already in context, skipped"

// recapViewer selects the recap texts for a speaker's prompt. It reads everything that it needs
// within the transaction.
type recapViewer struct {
	who       chats.Viewpoint
	places    map[storage.NodeID]storage.NodeInfo
	known     map[storage.NodeID]bool // messages that the speaker has witnessed
	ends      *EndIndex
	count     func(string) int // tokens
	maxTokens int              // tokens that a version may take, 0 for any number
}

func newRecapViewer(tx *storage.Tx, who chats.Viewpoint, leaf storage.NodeID) *recapViewer {
	return &recapViewer{who: who, places: map[storage.NodeID]storage.NodeInfo{}, known: map[storage.NodeID]bool{},
		ends: EndIndexAt(tx, who.Chat, leaf, who.MayKnow)}
}

// visibleRecap is a recap as a speaker may see it.
type visibleRecap struct {
	storage.Recap
	text   string
	whole  bool
	covers int // the depth up to which it leaves nothing out, -1 for none
	from   int // the depth of the end of the scene that it took in, -1 for none
}

// noRecap represents a missing running recap.
var noRecap = visibleRecap{whole: true, covers: -1, from: -1}

// read reads a version, and the depths of the messages that it is based on.
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

// depth returns the depth of a message, -1 if it does not exist.
func (t *recapViewer) depth(tx *storage.Tx, id storage.NodeID) int {
	if id == "" {
		return -1
	}
	p, ok := t.places[id]
	if !ok {
		var err error
		if p, err = tx.NodeInfo(t.who.Chat.ID, id); err != nil {
			p = storage.NodeInfo{ID: id, Depth: -1}
		}
		t.places[id] = p
	}
	return p.Depth
}

// visibleText returns the part of the recap's text that the speaker may know: all of it if the
// speaker may know the whole recap, otherwise the bullets based on messages that the speaker has
// witnessed.
func (t *recapViewer) visibleText(tx *storage.Tx, r storage.Recap) (text string, whole bool) {
	if t.who.MayKnowRecap(r.Witnesses) {
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

// outsideWindow returns the bullets of a version that are not covered by the messages from depth
// first on, and the number of bullets that are. A bullet is covered if all its sources are in the
// prompt. A bullet without known sources is returned as soon as any message has left the prompt.
// Bullets that the user wrote or brought back are always returned.
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

// maxOlderVersions is the maximum number of versions of the running recap, counted back, that a
// prompt may still use.
const maxOlderVersions = 16

// onlyAddsScene reports whether a version has only added a scene that ends at or after a depth.
// Prompts that contain that scene's messages can go on with the version before. Versions that the
// user has changed, and versions that reword an older scene, must be used immediately.
func (v visibleRecap) onlyAddsScene(first int) bool {
	marked := !v.EditedAt.IsZero() && slices.ContainsFunc(v.Sources,
		func(s storage.Source) bool { return s.UserEdit != "" })
	return !v.Edited() && !marked && v.Origin != storage.Edited && v.Origin != storage.Imported && v.Part != nil &&
		v.from >= first
}

// lastPrompt returns the recaps that the last prompt contained, so that this prompt begins in the
// same way: an ancestor of the version in force, and the interim recap after it. If these are
// outdated, or cover less than has left the history, it returns the version in force and the open
// interim recap.
func (t *recapViewer) lastPrompt(tx *storage.Tx, now visibleRecap, interims []interim, open *visibleRecap, l LastPrompt,
	first int) (older visibleRecap, interimRecap *visibleRecap) {
	reach := -1
	for _, i := range interims {
		if slices.Contains(l.Recaps, i.ID) {
			if interimRecap = t.takeInterim(tx, i); interimRecap != nil {
				reach = interimRecap.covers
			}
			break
		}
	}
	found, generations, base := false, 0, now
	fits := func(v visibleRecap) bool { return max(v.covers, reach) >= first-1 || v.covers == now.covers }
	lineageIn(tx, t.who.Chat.ID).walk(now.Recap, func(v storage.Recap) bool {
		if base = now; v.ID != now.ID {
			base = t.read(tx, v)
		}
		if found = slices.Contains(l.Recaps, v.ID) && fits(base); found {
			older = base
			return false
		}
		generations++
		return base.onlyAddsScene(first) && generations < maxOlderVersions
	})
	if !found && interimRecap != nil && fits(noRecap) &&
		(now.ID == "" || base.Base == "" && base.onlyAddsScene(first)) {
		older, found = noRecap, true // the running recap has begun since
	}
	if !found {
		return now, open
	}
	return older, interimRecap
}

// memoryOf returns the memory for a prompt whose history begins at depth first, from version v and
// the interim recap more, which may be nil. now is the version in force.
func (t *recapViewer) memoryOf(now, v visibleRecap, more *visibleRecap, first int) prompt.RecapBlock {
	var m prompt.RecapBlock
	if v.ID != "" {
		m = t.versionOf(now, v, first)
	}
	if more != nil {
		t.addInterim(&m, v, *more, first)
	}
	return m
}

// fitBudget returns the text of a version for a prompt whose history begins at depth first, cut to
// the version's share of the context, and records what was left out of source.
func (t *recapViewer) fitBudget(m *prompt.RecapBlock, v visibleRecap, first int, source, share string) string {
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

// addLeftOut records text that a prompt leaves out, with the reason.
func addLeftOut(m *prompt.RecapBlock, source, reason string) {
	m.LeftOut = append(m.LeftOut, prompt.Part{Layer: prompt.LayerRecap, Source: source, Reason: reason})
}

// versionOf is memoryOf without an interim recap.
func (t *recapViewer) versionOf(now, v visibleRecap, first int) prompt.RecapBlock {
	m := prompt.RecapBlock{Source: storyName(v.Recap), Recaps: []storage.RecapID{v.ID}}
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

// runningMemory fills m from the running recap, as far as the speaker may know it. tells is false
// if the speaker may not know any of it.
func (t *recapViewer) runningMemory(tx *storage.Tx, leaf storage.NodeID, l LastPrompt,
	m *prompt.RecapBlock) (tells bool, err error) {
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
	m.Recompute = func(depth int) prompt.RecapBlock { return t.memoryOf(now, now, open, depth) }
	older, interimRecap := t.lastPrompt(tx, now, interims, open, l, first)
	shown := t.memoryOf(now, older, interimRecap, first)
	m.Text, m.Source, m.LeftOut, m.Recaps, m.Memories = shown.Text, shown.Source, shown.LeftOut, shown.Recaps,
		shown.Memories
	return true, nil
}

// coversUpTo returns the last message up to which a running recap covers every scene that may be in
// a prompt whose history begins at depth first. Scenes without a recap that have left the history
// are skipped; otherwise one of them would keep everything after it in the prompt.
func (t *recapViewer) coversUpTo(tx *storage.Tx, leaf storage.NodeID, r storage.Recap, first int) storage.NodeID {
	chat, covers := t.who.Chat.ID, r.Covers
	if r.Part != nil {
		if d := t.depth(tx, r.Part.Break); d < first && d > t.depth(tx, covers) {
			covers = r.Part.Break
		}
	}
	var ends []storage.NodeID // of scenes within the history, newest first
	for p := range tx.PathInfos(chat, leaf) {
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
			if s, err := SpanAt(tx, chat, id); err != nil || s.Messages > 0 {
				break
			}
		}
		covers = id
	}
	return covers
}

// knownUpTo returns the last message, at most covers, up to which a version has something about
// every scene that the speaker has witnessed in part. Scenes that end above depth first are not
// checked.
func (t *recapViewer) knownUpTo(tx *storage.Tx, v visibleRecap, covers storage.NodeID, first int) storage.NodeID {
	chat, end := t.who.Chat.ID, covers
	rests := scene.SourceMessages(v.Recap, v.text)
	heard, covered := false, false
	for p := range tx.PathInfos(chat, end) {
		if p.ID != end && ShownBreak(tx, chat, p.ID) {
			if heard && !covered {
				covers = p.ID
			}
			if heard, covered = false, false; p.Depth < first {
				break
			}
		}
		if p.InStory() {
			heard, covered = heard || t.knows(tx, p.ID), covered || rests[p.ID]
		}
	}
	if heard && !covered {
		covers = "" // the first scene is not covered
	}
	return covers
}
