package memory

import (
	"fmt"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ManyMemories are n memories of about 20 words.
func ManyMemories(n int) []memory.MemoryView {
	words := []string{"harbour", "lantern", "ferry", "innkeeper", "tide", "scarf", "cellar", "quay", "storm", "ledger", "gull", "mast"}
	list := make([]memory.MemoryView, n)
	for i := range list {
		text := ""
		for j := range 20 {
			text += words[(i*7+j*j+3)%len(words)] + " "
		}
		list[i] = MemoryOf(fmt.Sprintf("m%06d", i), storage.MemoryTypes[i%len(storage.MemoryTypes)], text, float64(n-i)/float64(n))
	}
	return list
}

// BenchmarkMemorySort sorts memories, as each reading does away from the screen.
func BenchmarkMemorySort(b *testing.B) {
	list := ManyMemories(10_000)
	for b.Loop() {
		memories.sort(list)
	}
}
