package pictures_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// heapNow returns how much memory the objects on the heap take, in bytes.
func heapNow() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// BenchmarkBatch50 paints fifty pictures with previews, and tells how high the heap
// rose meanwhile, that of the servers' stand-ins included.
func BenchmarkBatch50(b *testing.B) {
	const pictures = 50
	for b.Loop() {
		s := (&harness{enginetest.NewHarness(b)})
		s.Say("*I lift the lamp.*")
		list := s.capturesLike(storage.Capture{Kind: "image", ImagePrompt: "Tove under the lamp.", Width: 512, Height: 512, Status: storage.CaptureDraft}, pictures)
		runtime.GC()
		before, peak := heapNow(), uint64(0)
		stop, stopped := make(chan struct{}), make(chan struct{})
		crash.Go("watching the heap", func() {
			defer close(stopped)
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for {
				peak = max(peak, heapNow())
				select {
				case <-stop:
					return
				case <-tick.C:
				}
			}
		})
		s.Pictures.SendDrafts(list)
		if _, err := s.Queue.Drain(b.Context()); err != nil {
			b.Fatal(err)
		}
		close(stop)
		<-stopped
		done, err := s.Pictures.Captures(s.Chat)
		enginetest.Must(b, err)
		for _, c := range done {
			if c.Status != storage.CaptureCompleted {
				b.Fatalf("%+v", c)
			}
		}
		s.DrainFeed()
		s.Seen = nil
		runtime.GC()
		b.ReportMetric(float64(peak)/(1<<20), "MB-peak")
		b.ReportMetric(float64(before)/(1<<20), "MB-before")
		b.ReportMetric(float64(heapNow())/(1<<20), "MB-after")
	}
}

// capturesLike stores captures.
func (s *harness) capturesLike(c storage.Capture, n int) (ids []storage.CaptureID) {
	s.T.Helper()
	c.Chat, c.At = s.Chat, s.View().Chat.Head
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		for range n {
			c.ID, c.CreatedAt = storage.CaptureID(storage.NewID()), time.Now()
			ids = append(ids, c.ID)
			if err := storage.Captures.Put(tx, c.ID, c); err != nil {
				return err
			}
		}
		return nil
	}))
	return ids
}

// BenchmarkSettle measures what news of one operation costs, and the look at all
// of them, beside 5,000 captures and as many operations that have ended.
func BenchmarkSettle(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	ids := s.capturesLike(storage.Capture{Kind: "image", ImagePrompt: "Tove under the lamp.", Prompt: "Tove under the lamp.", Status: storage.CaptureFailed}, 5000)
	enginetest.Must(b, s.Core().Store.Update(func(tx *storage.Tx) error {
		for _, id := range ids {
			params := []byte(`{"capture":"` + string(id) + `","chat":"` + string(s.Chat) + `"}`)
			op := storage.Operation{ID: storage.OperationID(storage.NewID()), Type: pictures.OpCaptureSend, Lane: queue.LaneComfy,
				Status: storage.Failed, Params: params}
			if err := storage.Operations.Put(tx, op.ID, op); err != nil {
				return err
			}
		}
		return nil
	}))
	b.Run("news", func(b *testing.B) {
		for b.Loop() {
			pictures.Settle(s.Pictures, ids[len(ids)-1])
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			pictures.Settle(s.Pictures, "")
		}
	})
}
