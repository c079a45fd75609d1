package director

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
)

// leaveOut has the ledger say that a memory is told by something else.
func (n *noteBuilder) leaveOut(content, by string) {
	n.s.LoreOut = append(n.s.LoreOut, script.Part{Layer: script.LayerMemories, Source: memorySource(content), Reason: "already covered by " + by})
}

// addStanding notes what notes of memories and facts in the history tell, and returns the
// ids of all notes.
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

// inRecap returns for the notes of memories that stand or may come whether a recap tells them,
// which then leave with the fold that brings it. What the user has written or pinned stays.
func (n *noteBuilder) inRecap(wishes []wantedNote) map[string]func(*script.Memory) bool {
	var ids []string
	for _, w := range wishes {
		ids = append(ids, w.id)
	}
	for _, st := range n.standing {
		ids = append(ids, st.ID)
	}
	tells := memory.RecapStates()
	out := map[string]func(*script.Memory) bool{}
	for _, id := range ids {
		if s, is := n.statements[id]; is {
			out[id] = func(m *script.Memory) bool { return tells(s, m) }
		}
	}
	return out
}
