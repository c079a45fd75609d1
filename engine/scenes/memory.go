package scenes

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// RecapForPrompt returns what recaps contribute to a speaker's prompt at a message. l is the last prompt of
// that speaker on the path. The result is never nil: if nothing is covered, the prompt begins as
// early as possible. The running recap is cut to its share of context tokens (0: no limit); the
// rest is added when the story mentions it.
func (svc *Service) RecapForPrompt(tx *storage.Tx, who chats.Viewpoint, leaf storage.NodeID, l LastPrompt,
	count func(string) int,
	context int) (*prompt.RecapBlock, error) {
	cfg := svc.core.Settings().Memory
	m := &prompt.RecapBlock{Role: cfg.Role, Depth: cfg.Depth, Keep: config.DefaultKeep, Full: float64(cfg.FoldAt) / 100}
	if cfg.Keep != nil {
		m.Keep = *cfg.Keep
	}
	var err error
	t := newRecapViewer(tx, who, leaf)
	t.count, t.maxTokens = count, memoryShare(cfg.Share, context)
	switch cfg.Mode {
	case config.MemoryShort:
	case config.MemoryScenes:
		svc.sceneMemory(tx, t, leaf, l, count, m)
	default:
		var found bool
		if found, err = t.runningMemory(tx, leaf, l, m); err == nil && !found {
			svc.sceneMemory(tx, t, leaf, l, count, m)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, s := range withoutRecap(tx, who.Chat.ID, leaf) {
		m.Gaps = append(m.Gaps, prompt.Gap{Depth: s.Last.Depth, Messages: s.Messages})
	}
	at := coveredOn(tx, who.Chat.ID, leaf, m.Covers)
	m.Covers, m.CoversDepth = at.ID, at.Depth
	return m, nil
}

// memoryShare returns the maximum tokens of a context that the running recap may take at a share in
// per cent (0: the default). The interim recap of the open scene may take as many.
func memoryShare(percent, context int) int {
	return context * cmp.Or(percent, config.DefaultShare) / 100
}

// coveredOn returns the last shown message of a path that is covered by recaps which end at covers;
// that message may have been deleted. It is zero if there is none or covers is on another path.
func coveredOn(tx *storage.Tx, chat storage.ChatID, leaf, covers storage.NodeID) storage.NodeInfo {
	if covers == "" {
		return storage.NodeInfo{}
	}
	found := false
	for p := range tx.PathInfos(chat, leaf) {
		if found = found || p.ID == covers; found && !p.Deleted {
			return p
		}
	}
	return storage.NodeInfo{}
}

// recappedScene is a scene with its recap.
type recappedScene struct {
	visibleRecap
	number, first int // the depth of its first message
	name          string
}

// sceneMemory adds the newest recaps of scenes that have left the prompt, up to the budget.
// Messages may leave the prompt up to the first scene that has no recap, or whose recap has nothing
// for the speaker.
func (svc *Service) sceneMemory(tx *storage.Tx, t *recapViewer, leaf storage.NodeID, l LastPrompt,
	count func(string) int, m *prompt.RecapBlock) {
	var list []recappedScene
	var soFar []recappedScene
	whole, after := true, storage.NodeID("")
	first := max(t.depth(tx, l.Window), 0)
	for i, s := range SpansOf(tx, t.who.Chat.ID, leaf) {
		if s.Break == nil {
			if soFar = t.interimScenes(tx, leaf, nonEmptyBefore(tx, t.who.Chat.ID, after), i+1); whole &&
				len(soFar) > 0 {
				m.Covers, m.Open = soFar[0].Covers, true
			}
			continue
		}
		after = s.Break.Node
		r, err := storage.Recaps.Get(tx, t.who.Chat.ID, s.Break.Recap())
		if err != nil {
			whole = whole && (s.Messages == 0 || s.Last.Depth < first) // one that has left is not waited for
			continue
		}
		v := recappedScene{t.read(tx, r), i + 1, s.first.Depth, s.Break.Name}
		if whole = whole && (v.text != "" || !t.witnessedAny(tx, s)); whole {
			m.Covers = s.Break.Node
		}
		list = append(list, v)
	}
	most, budget := svc.core.Settings().Memory.Recent, svc.core.Settings().Memory.Budget
	if most <= 0 {
		most = config.DefaultRecent
	}
	if budget <= 0 {
		budget = config.DefaultBudget
	}
	list = slices.Clip(list)
	m.Recompute = func(depth int) prompt.RecapBlock {
		return t.sceneMemory(append(list, soFar[:min(len(soFar), 1)]...), depth, most, budget, count)
	}
	now := t.sceneMemory(append(list, inLastPrompt(soFar, l)...), first, most, budget, count)
	m.Text, m.Source, m.LeftOut, m.Recaps, m.Memories = now.Text, now.Source, now.LeftOut, now.Recaps, now.Memories
}

// witnessedAny reports whether the speaker has witnessed anything of a scene.
func (t *recapViewer) witnessedAny(tx *storage.Tx, s Span) bool {
	for p := range tx.PathInfos(t.who.Chat.ID, s.Last.ID) {
		if p.InStory() && t.knows(tx, p.ID) {
			return true
		}
		if p.ID == s.first.ID {
			break
		}
	}
	return false
}

// sceneMemory returns the recaps of the newest scenes that have messages before depth, where the
// history begins.
func (t *recapViewer) sceneMemory(list []recappedScene, depth, most, budget int,
	count func(string) int) prompt.RecapBlock {
	var m prompt.RecapBlock
	leave := func(v recappedScene, reason string, tokens int) {
		m.LeftOut = append(m.LeftOut, prompt.Part{Layer: prompt.LayerRecap,
			Source: fmt.Sprintf("recap of scene %d", v.number), Reason: reason, Tokens: tokens})
	}
	used, oldest, newest := 0, 0, 0
	for _, v := range slices.Backward(list) {
		text := ""
		if v.first < depth || isUsersOwn(v.Recap, scene.Bullet{}) {
			text, _ = t.outsideWindow(v.visibleRecap, depth)
			text = t.ends.annotate(v.Recap, text)
		}
		switch {
		case !v.whole:
			leave(v, "the speaker has not witnessed all of it", 0)
		case text == "":
			leave(v, inWindow, 0)
		}
		if text == "" {
			continue
		}
		piece := fmt.Sprintf("### Scene %d: %s\n%s", v.number, v.name, text)
		cost := count(piece)
		if len(m.Recaps) >= most || len(m.Recaps) > 0 && used+cost > budget {
			reason := fmt.Sprintf("only the newest %d recaps are included", most)
			if len(m.Recaps) < most {
				reason = fmt.Sprintf("over the budget for memory of %d tokens", budget)
			}
			leave(v, reason, cost)
			most = min(most, len(m.Recaps)) // nothing older either
			continue
		}
		if newest == 0 {
			newest = v.number
		}
		oldest, used = v.number, used+cost
		m.Recaps = append(m.Recaps, v.ID)
		if m.Text != "" {
			piece += "\n\n" + m.Text
		}
		m.Text = piece
	}
	slices.Reverse(m.LeftOut)
	slices.Reverse(m.Recaps)
	var recaps []storage.Recap
	for _, v := range list {
		if slices.Contains(m.Recaps, v.ID) {
			recaps = append(recaps, v.Recap)
		}
	}
	m.Memories = memoriesIn(recaps...)
	if newest > 0 {
		m.Source = fmt.Sprintf("recaps of scenes %d to %d", oldest, newest)
	}
	return m
}
