package director

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recalledSection is the heading of recalled facts.
const recalledSection = "Earlier in the story"

// recallShare is the divisor of the context that gives the room for recalled facts in the history:
// a tenth. Beyond that, a turn recalls at most a quarter of it.
const recallShare = 10

// recalledNotes returns notes of facts that have left the prompt and whose subjects are named now.
func (svc *Service) recalledNotes(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint, leaf storage.NodeID,
	known []memory.KnownMemory, stated *facts.PromptFacts, over memory.EndedFunc, standing []standingNote,
	near []float32) (out []wantedNote) {
	room := s.Limits.Context / recallShare
	for _, st := range standing {
		if strings.HasPrefix(st.ID, recalledNote) {
			room -= s.Count(st.Text)
		}
	}
	list, err := svc.memory.Recall(tx, s, m, leaf, known, stated, over, near, max(room, s.Limits.Context/recallShare/4))
	if err != nil {
		svc.core.Log.Warn("facts are not recalled when mentioned", "chat", m.Chat.ID, "err", err)
		return out
	}
	for _, r := range list {
		out = append(out, wantedNote{id: recalledNote + r.ID, layer: prompt.LayerRecalled, section: recalledSection,
			source: r.Source, text: r.Text,
			reason: "its subject is mentioned now, and it is not in the prompt otherwise"})
	}
	return out
}

// hasEnded reports whether a fact is one of some that have ended.
func hasEnded(f *facts.Fact, over []string) bool {
	return slices.ContainsFunc(over, func(o string) bool { return text.Equal(o, f.Text) })
}
