package director

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
)

// leaveOut records in the list of parts that something else in the prompt states a memory.
func (n *noteBuilder) leaveOut(content, by string) {
	n.s.LoreOut = append(n.s.LoreOut, prompt.Part{Layer: prompt.LayerMemories, Source: memorySource(content),
		Reason: "already covered by " + by})
}

// addStanding adds the statements of the notes in the history and returns the ids of these notes.
func (n *noteBuilder) addStanding() map[string]bool {
	stands := map[string]bool{}
	for _, st := range n.standing {
		stands[st.ID] = true
		if strings.HasPrefix(st.ID, memoryNote) && n.known[st.ID] || strings.HasPrefix(st.ID, recalledNote) {
			n.stated.AddLine(st.Text, "a note in the history")
		}
	}
	return stands
}

// inRecap returns for the notes of memories, by id, a function that reports whether a recap states
// them. Such notes are removed when the history is trimmed and the recap comes in. What the user
// has written or pinned stays.
func (n *noteBuilder) inRecap(wishes []wantedNote) map[string]func(*prompt.RecapBlock) bool {
	var ids []string
	for _, w := range wishes {
		ids = append(ids, w.id)
	}
	for _, st := range n.standing {
		ids = append(ids, st.ID)
	}
	tells := memory.RecapStates()
	out := map[string]func(*prompt.RecapBlock) bool{}
	for _, id := range ids {
		if s, ok := n.statements[id]; ok {
			out[id] = func(m *prompt.RecapBlock) bool { return tells(s, m) }
		}
	}
	return out
}
