package knowledge_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"ghostlight/engine/enginetest"
	"ghostlight/storage"
)

// BenchmarkIndex_LongStory is the building of the index of 100,000 messages in the
// background, and what a turn waits for meanwhile and after it.
func BenchmarkIndex_LongStory(b *testing.B) {
	s := enginetest.NewStage(b)
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
		enginetest.Must(b, s.Core().Store.View(func(tx *storage.Tx) error { return s.Knowledge.SyncIndex(tx, s.Chat, head) }))
		return time.Since(at)
	}
	for b.Loop() {
		s.Knowledge.DropIndex(s.Chat)
		b.ReportMetric(float64(sync().Milliseconds()), "ms/first-turn")
		enginetest.Must(b, s.Chats.Opened(s.Chat))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		at := time.Now()
		s.Work()
		b.ReportMetric(time.Since(at).Seconds(), "s/build")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB/index")
		b.ReportMetric(float64(sync().Microseconds()), "µs/turn-after")
	}
	if has, n := s.Knowledge.IndexHas(s.Chat, "The tide of morning 7 went out"); !has || n < 100_000 {
		b.Errorf("%d messages are read", n)
	}
}
