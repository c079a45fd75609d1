package scenes

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// interimHeading is the heading of an interim recap in a prompt.
const interimHeading = "# Earlier in this scene"

// interimName names an interim recap in the list of the prompt's parts.
const interimName = "the interim recap of the open scene"

// openInterim returns the furthest interim recap of the scene that follows reach, and the break
// before that scene. If a scene without a recap lies between, it is the newest scene that counts.
func (t *recapViewer) openInterim(tx *storage.Tx, interims []interim,
	reach storage.NodeID) (*visibleRecap, storage.NodeID) {
	if len(interims) == 0 {
		return nil, reach
	}
	after := reach
	if newest := interims[0].After; t.depth(tx, newest) > t.depth(tx, reach) {
		after = newest
	}
	for _, i := range interimsFor(tx, t.who.Chat.ID, interims, after) {
		if more := t.takeInterim(tx, i); more != nil {
			return more, after
		}
	}
	return nil, after
}

// takeInterim returns an interim recap as the speaker may see it. It is nil if the speaker has
// witnessed some of its messages and the recap has nothing about them.
func (t *recapViewer) takeInterim(tx *storage.Tx, i interim) *visibleRecap {
	r := i.Recap
	r.Covers = i.Node
	v := t.read(tx, r)
	if v.text == "" && t.witnessedAny(tx, openUpTo(tx, t.who.Chat.ID, i.Node)) {
		return nil
	}
	return &v
}

// addInterim adds an interim recap to the memory in a prompt, for the messages before a depth. The
// situation of earlier scenes is headed as past.
func (t *recapViewer) addInterim(m *prompt.RecapBlock, v, more visibleRecap, first int) {
	text := t.fitBudget(m, more, first, interimName, "the open scene's own")
	if text == "" {
		return
	}
	if scene.HasSituation(more.text) {
		m.Text = scene.AsPastSituation(m.Text)
	}
	if !more.whole {
		addLeftOut(m, "the rest of "+interimName, "the speaker has not witnessed it")
	}
	m.Text = strings.TrimSpace(m.Text + "\n\n" + interimHeading + "\n\n" + text)
	m.Memories = memoriesIn(v.Recap, more.Recap)
	if m.Recaps = append(m.Recaps, more.ID); v.ID == "" {
		m.Source = interimName
	} else {
		m.Source += " and " + interimName
	}
}

// interimScenes returns the interim recaps of the open scene as scenes of their own, the furthest
// first, for prompts that list recaps scene by scene.
func (t *recapViewer) interimScenes(tx *storage.Tx, leaf, after storage.NodeID, number int) (out []recappedScene) {
	for _, i := range interimsFor(tx, t.who.Chat.ID, interimsAt(tx, t.who.Chat.ID, leaf), after) {
		if more := t.takeInterim(tx, i); more != nil {
			s := openUpTo(tx, t.who.Chat.ID, i.Node)
			out = append(out, recappedScene{*more, number, s.first.Depth, "so far"})
		}
	}
	return out
}

// inLastPrompt returns the interim recap that the last prompt contained.
func inLastPrompt(list []recappedScene, l LastPrompt) []recappedScene {
	for _, v := range list {
		if slices.Contains(l.Recaps, v.ID) {
			return []recappedScene{v}
		}
	}
	return nil
}
