package memory_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// BenchmarkIndex_LongStory is the index of 100,000 messages: what a turn waits for before
// their words are indexed and after it, and what it holds in memory.
func BenchmarkIndex_LongStory(b *testing.B) {
	s := enginetest.NewHarness(b)
	s.Plain()
	for part := range 100 {
		var texts []string
		for i := range 1000 {
			n := part*1000 + i
			texts = append(texts, fmt.Sprintf("*Tove of house %d looks at lamp %d.* \"The tide of morning %d went out. Who is on the quay of Harbour%d?\" She waits, and the gulls cry above the roofs. Then the door opens, and somebody comes in from the rain.", n%977, n%53, n, n%401))
		}
		s.Tell(texts...)
	}
	head := s.View().Chat.Head
	sync := func() time.Duration {
		at := time.Now()
		enginetest.Must(b, s.Core().Store.View(func(tx *storage.Tx) error { return s.Memory.SyncIndex(tx, s.Chat, head) }))
		return time.Since(at)
	}
	for b.Loop() {
		s.Memory.DropIndex(s.Chat)
		b.ReportMetric(float64(sync().Milliseconds()), "ms/first-turn")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		at := time.Now()
		enginetest.Must(b, s.Chats.Index(s.Context(), s.Chat, 1, func(int) {}))
		b.ReportMetric(time.Since(at).Seconds(), "s/build")
		b.ReportMetric(float64(sync().Microseconds()), "µs/turn-after")
		s.Memory.DropIndex(s.Chat)
		b.ReportMetric(float64(sync().Milliseconds()), "ms/first-turn-after")
		asking := func(q string) time.Duration {
			at := time.Now()
			if len(s.Memory.About(s.Chat, q, 48)) == 0 {
				b.Error("nothing is found")
			}
			return time.Since(at)
		}
		b.ReportMetric(float64(asking("Who is on the quay of Harbour7, and where is Tove?").Microseconds()), "µs/ask-first")
		b.ReportMetric(float64(asking("Who is on the quay of Harbour7, and where is Tove?").Microseconds()), "µs/ask-again")
		for n := range 400 {
			asking(fmt.Sprintf("Who is on the quay of Harbour%d at morning %d?", n, n))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(int(after.HeapAlloc)-int(before.HeapAlloc))/(1<<20), "MB/index")
	}
	if !s.Memory.IndexHas(s.Chat, "Who is on the quay of Harbour7") {
		b.Error("it is not found")
	}
}
