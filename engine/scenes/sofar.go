package scenes

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// soFarHeading stands above what an interim recap tells.
const soFarHeading = "# Earlier in this scene"

// soFarName names an interim recap in the prompt's ledger.
const soFarName = "the interim recap of the open scene"

// withInterims puts before each version of the running recap the same one with the
// interim recaps of the scene after it, the furthest first: so a prompt tells what it
// told, and a fold finds what tells enough. Where the running recap has begun to be told
// since, interim recaps of the first scene stand alone.
//
// Before the interim recaps of the version in force, there may be a scene without a recap,
// beyond reach: they are told all the same.
func (t *teller) withInterims(tx *storage.Tx, c chain, leaf, reach storage.NodeID) (out chain) {
	list := interimsAt(tx, t.who.Chat.ID, leaf)
	if len(list) == 0 {
		return c
	}
	if n := len(c); n == 0 || c[n-1].Base == "" {
		c = append(c[:n:n], telling{whole: true, covers: -1, alone: -1, from: -1})
	}
	for n, v := range c {
		after := v.Covers
		if n == 0 {
			after = reach
			if newest := list[0].After; t.depth(tx, newest) > t.depth(tx, reach) {
				after = newest
			}
		}
		for _, i := range interimsFor(tx, t.who.Chat.ID, list, after) {
			if more := t.takeInterim(tx, i); more != nil {
				v := v
				v.more, v.after, v.covers = more, after, more.covers
				out = append(out, v)
			}
		}
		if v.ID != "" || n == 0 {
			out = append(out, v)
		}
	}
	return out
}

// takeInterim reads an interim recap as the speaker may be told it; nil where that one
// has heard something of what it tells, and is told nothing of that.
func (t *teller) takeInterim(tx *storage.Tx, i interim) *telling {
	r := i.Recap
	r.Covers = i.Node
	v := t.take(tx, r)
	if v.text == "" && t.heardAny(tx, openUpTo(tx, t.who.Chat.ID, i.Node)) {
		return nil
	}
	return &v
}

// toldIn tells whether the last prompt told a version, with the same interim recap.
func (v telling) toldIn(l Last) bool {
	if v.more != nil && !slices.Contains(l.Recaps, v.more.ID) {
		return false
	}
	return v.ID == "" || slices.Contains(l.Recaps, v.ID)
}

// addInterim adds to what a prompt tells of a version what its interim recap tells of the
// messages before a depth. How things stood when that scene began is told as such.
func (t *teller) addInterim(m *script.Memory, v telling, first int) {
	text, said := t.tell(*v.more, first)
	if text == "" {
		return
	}
	text, over := t.fitting(v.more.Recap, text, t.most)
	text = t.over.noted(v.more.Recap, text)
	leave := func(source, reason string) {
		m.LeftOut = append(m.LeftOut, script.Part{Layer: script.LayerMemory, Source: source, Reason: reason})
	}
	if scene.Stands(v.more.text) {
		m.Text = scene.StoodBefore(m.Text)
	}
	if said > 0 {
		leave(failure.Count(said, "fact")+" of "+soFarName, inWindow)
	}
	if over > 0 {
		leave(failure.Count(over, "fact")+" of "+soFarName, "over the open scene's own share of the context: told when it is named")
	}
	if !v.more.whole {
		leave("the rest of "+soFarName, "the speaker has not witnessed it")
	}
	m.Text = strings.TrimSpace(m.Text + "\n\n" + soFarHeading + "\n\n" + text)
	m.Memories = memoriesIn(v.Recap, v.more.Recap)
	if m.Recaps = append(m.Recaps, v.more.ID); v.ID == "" {
		m.Source = soFarName
	} else {
		m.Source += " and " + soFarName
	}
}

// soFar are the interim recaps of the open scene as scenes of their own, for prompts that
// tell scenes one by one, the furthest first.
func (t *teller) soFar(tx *storage.Tx, leaf, after storage.NodeID, number int) (out []sceneTold) {
	for _, i := range interimsFor(tx, t.who.Chat.ID, interimsAt(tx, t.who.Chat.ID, leaf), after) {
		if more := t.takeInterim(tx, i); more != nil {
			s := openUpTo(tx, t.who.Chat.ID, i.Node)
			out = append(out, sceneTold{*more, number, s.first.Depth, "so far"})
		}
	}
	return out
}

// soFarAt is of interim recaps the one for a prompt whose history begins at a depth, as
// choose finds versions.
func soFarAt(list []sceneTold, depth int) []sceneTold {
	for at, v := range list {
		if at+1 == len(list) || list[at+1].covers < depth-1 {
			return []sceneTold{v}
		}
	}
	return nil
}

// soFarIn is of interim recaps the one that the last prompt told.
func soFarIn(list []sceneTold, l Last) []sceneTold {
	for _, v := range list {
		if slices.Contains(l.Recaps, v.ID) {
			return []sceneTold{v}
		}
	}
	return nil
}
