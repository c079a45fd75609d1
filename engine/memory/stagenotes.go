package memory

import (
	"ghostlight/engine/director/rules"
	"ghostlight/storage"
)

func CandidateOf(x HeldMemory, near map[storage.MemoryID]float64) rules.Candidate {
	return rules.Candidate{ID: x.ID, Type: x.Type, Content: x.Content, Importance: x.Importance, Last: x.last, Pinned: x.Pinned, Near: near[x.ID]}
}
