package scenes

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// interimHeading stands above what an interim recap tells.
const interimHeading = "# Earlier in this scene"

// interimName names an interim recap in the prompt's ledger.
const interimName = "the interim recap of the open scene"

// openInterim returns the furthest interim recap of the scene after what a running recap reaches, or
// of the newest scene where one without a recap lies between, and the break before that scene.
func (t *recapViewer) openInterim(tx *storage.Tx, interims []interim, reach storage.NodeID) (*visibleRecap, storage.NodeID) {
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

// takeInterim reads an interim recap as the speaker may be told it; nil where that one
// has heard something of what it tells, and is told nothing of that.
func (t *recapViewer) takeInterim(tx *storage.Tx, i interim) *visibleRecap {
	r := i.Recap
	r.Covers = i.Node
	v := t.read(tx, r)
	if v.text == "" && t.witnessedAny(tx, openUpTo(tx, t.who.Chat.ID, i.Node)) {
		return nil
	}
	return &v
}

// addInterim adds to what a prompt tells of a version what its interim recap tells of the
// messages before a depth. How things stood when that scene began is told as such.
func (t *recapViewer) addInterim(m *script.Memory, v, more visibleRecap, first int) {
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

// interimScenes are the interim recaps of the open scene as scenes of their own, for prompts that
// tell scenes one by one, the furthest first.
func (t *recapViewer) interimScenes(tx *storage.Tx, leaf, after storage.NodeID, number int) (out []recappedScene) {
	for _, i := range interimsFor(tx, t.who.Chat.ID, interimsAt(tx, t.who.Chat.ID, leaf), after) {
		if more := t.takeInterim(tx, i); more != nil {
			s := openUpTo(tx, t.who.Chat.ID, i.Node)
			out = append(out, recappedScene{*more, number, s.first.Depth, "so far"})
		}
	}
	return out
}

// inLastPrompt is of interim recaps the one that the last prompt told.
func inLastPrompt(list []recappedScene, l LastPrompt) []recappedScene {
	for _, v := range list {
		if slices.Contains(l.Recaps, v.ID) {
			return []recappedScene{v}
		}
	}
	return nil
}
