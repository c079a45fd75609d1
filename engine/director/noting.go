package director

import (
	"strings"

	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// leaveOut has the ledger say that a memory is told by something else.
func (n *noting) leaveOut(content, by string) {
	n.s.LoreOut = append(n.s.LoreOut, script.Part{Layer: script.LayerMemories, Source: memorySource(content), Reason: "told already by " + by})
}

// standsAlready notes what notes in the history tell, and gives the ids of all of them.
// from are the messages that memories came from.
func (n *noting) standsAlready(from map[storage.MemoryID][]storage.NodeID) map[string]bool {
	stands := map[string]bool{}
	for _, st := range n.standing {
		stands[st.ID] = true
		id, _, _ := strings.Cut(strings.TrimPrefix(st.ID, memoryNote), "/")
		if strings.HasPrefix(st.ID, memoryNote) && n.held[st.ID] || strings.HasPrefix(st.ID, recalledNote) || strings.HasPrefix(st.ID, hookNote) {
			n.told.Line(st.Text, "what stands in the history", from[storage.MemoryID(id)]...)
		}
	}
	return stands
}
