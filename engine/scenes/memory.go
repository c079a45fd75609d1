package scenes

import (
	"fmt"
	"slices"
	"strings"

	"ghostlight/engine/config"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// Memory is what recaps put into the prompt at a message. It is never nil: where
// nothing is covered, the prompt begins as far back as it can.
func (svc *Service) Memory(tx *storage.Tx, who chats.Moment, leaf storage.NodeID, count func(string) int) (*script.Memory, error) {
	chat := who.Chat.ID
	cfg := svc.core.Config.Memory
	m := &script.Memory{Role: cfg.Role, Depth: cfg.Depth, Keep: config.DefaultKeep}
	if cfg.Keep != nil {
		m.Keep = *cfg.Keep
	}
	var err error
	switch cfg.Mode {
	case config.MemoryShort:
	case config.MemoryScenes:
		svc.sceneMemory(tx, who, leaf, count, m)
	default:
		var told bool
		if told, err = runningMemory(tx, who, leaf, m); err == nil && !told {
			svc.sceneMemory(tx, who, leaf, count, m)
		}
	}
	if err != nil {
		return nil, err
	}
	at := coveredOn(tx, chat, leaf, m.Covers)
	m.Covers, m.CoversDepth = at.ID, at.Depth
	return m, nil
}

// coveredOn is the last message shown on a path that recaps cover which end at
// covers: that one may have been deleted since. It is zero where there is none,
// or where covers lies on another path.
func coveredOn(tx *storage.Tx, chat storage.ChatID, leaf, covers storage.NodeID) storage.Place {
	if covers == "" {
		return storage.Place{}
	}
	met := false
	for p := range tx.Spine(chat, leaf) {
		if met = met || p.ID == covers; met && !p.Deleted {
			return p
		}
	}
	return storage.Place{}
}

// runningMemory tells the running recap, as far as the speaker has witnessed it. told is
// false where that is nothing.
func runningMemory(tx *storage.Tx, who chats.Moment, leaf storage.NodeID, m *script.Memory) (told bool, err error) {
	r, _, err := RunningAt(tx, who.Chat.ID, leaf)
	if err != nil || r == nil || strings.TrimSpace(r.Text) == "" {
		return true, err
	}
	text, whole := heardOf(tx, who, *r)
	text = OverAt(tx, who.Chat, leaf, who.May).holding(*r, text)
	if text == "" {
		return false, nil // nothing leaves the history for nothing
	}
	m.Text, m.Source, m.Covers = text, storyName(*r), r.Covers
	if !whole {
		m.Source += ", as far as the speaker knows"
		m.LeftOut = append(m.LeftOut, script.Part{Layer: script.LayerMemory, Source: "the rest of " + storyName(*r), Reason: "the speaker has not witnessed it"})
	}
	return true, nil
}

// sceneMemory takes the newest scenes' recaps, as many as the budget holds. What
// has left the prompt ends with the first scene that has no recap.
func (svc *Service) sceneMemory(tx *storage.Tx, who chats.Moment, leaf storage.NodeID, count func(string) int, m *script.Memory) {
	most, budget := svc.core.Config.Memory.Recent, svc.core.Config.Memory.Budget
	if most <= 0 {
		most = config.DefaultRecent
	}
	if budget <= 0 {
		budget = config.DefaultBudget
	}
	type told struct {
		number int
		name   string
		text   string
	}
	var list []told
	chat, whole := who.Chat.ID, true
	over := OverAt(tx, who.Chat, leaf, who.May)
	for i, s := range StretchesOf(tx, chat, leaf) {
		if s.Brk == nil {
			continue
		}
		r, err := storage.Recaps.Get(tx, chat, s.Brk.Recap())
		if err != nil {
			whole = whole && s.Said == 0
			continue
		}
		if whole {
			m.Covers = s.Brk.Node
		}
		text, all := heardOf(tx, who, r)
		if !all {
			m.LeftOut = append(m.LeftOut, script.Part{Layer: script.LayerMemory, Source: fmt.Sprintf("recap of scene %d", i+1),
				Reason: "the speaker has not witnessed all of it"})
		}
		if text = over.holding(r, text); text != "" {
			list = append(list, told{i + 1, s.Brk.Name, text})
		}
	}
	used, text := 0, ""
	taken := 0
	for _, t := range slices.Backward(list) {
		piece := fmt.Sprintf("### Scene %d: %s\n%s", t.number, t.name, t.text)
		cost := count(piece)
		if taken == most || taken > 0 && used+cost > budget {
			reason := fmt.Sprintf("only the newest %d recaps are told", most)
			if taken < most {
				reason = fmt.Sprintf("over the memory's budget of %d tokens", budget)
			}
			m.LeftOut = append(m.LeftOut, script.Part{Layer: script.LayerMemory, Source: fmt.Sprintf("recap of scene %d", t.number), Reason: reason, Tokens: cost})
			most = min(most, taken) // nothing older either
			continue
		}
		taken++
		used += cost
		if text != "" {
			piece += "\n\n" + text
		}
		text = piece
	}
	slices.Reverse(m.LeftOut)
	m.Text = text
	if len(list) > 0 {
		m.Source = fmt.Sprintf("recaps of scenes %d to %d", list[len(list)-taken].number, list[len(list)-1].number)
	}
}
