package play_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// unlike returns sentences that do not repeat each other: repeated ones would be cut.
func unlike(seed, sentences int) string {
	var b strings.Builder
	at := uint32(seed)
	for range sentences {
		b.WriteString("And")
		for range 4 {
			at = at*1664525 + 1013904223
			b.Write([]byte{' ', "bdfgklmnprstvz"[at>>28%14], "aeiou"[at>>20%5], "bdfgklmnprstvz"[at>>12%14],
				"aeiou"[at>>8%5]})
		}
		b.WriteString(". ")
	}
	return b.String()
}

// BenchmarkFlatOut is a turn whose reply of 1,000 words comes as fast as it can, from the
// key to the frame with its last word, the server and the store included. live-MiB is
// what the whole evening holds after it.
func BenchmarkFlatOut(b *testing.B) {
	for _, messages := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("%d messages", messages), func(b *testing.B) {
			turn := 0
			reply := func([]storage.Node, int) string {
				return unlike(turn, 200) + fmt.Sprintf("The curtain falls %d.", turn)
			}
			alone := func(c *config.Config) { // no work beside the turn
				c.Sampling.NumPredict, c.Scenes.NoDetect, c.Scenes.NoInterim = 2048, true, true
			}
			s := begin(b, tuitest.Options{Servers: demo.Options{Script: reply}, Config: alone,
				Prepare: func(e *engine.Engine) {
					if messages > 0 {
						tuitest.LongChat(b, e, messages)
						return
					}
					tuitest.WithChat(b)(e)
				}})
			for b.Loop() {
				turn++
				s.TypeText("Go on.").Press("enter").See(fmt.Sprintf("The curtain falls %d.", turn))
				b.StopTimer()
				s.Still()
				b.StartTimer()
			}
			b.StopTimer()
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "live-MiB")
		})
	}
}

// BenchmarkStart is from opening the data file to the frame that shows the newest message;
// what the system takes to load the program comes on top.
func BenchmarkStart(b *testing.B) {
	for _, messages := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("%d messages", messages), func(b *testing.B) {
			newest := "Tove"
			prepare := func(e *engine.Engine) { tuitest.NewChat(b, e) }
			if messages > 0 {
				newest = fmt.Sprint(messages - 1)
				prepare = func(e *engine.Engine) { tuitest.LongChat(b, e, messages) }
			}
			b.ReportAllocs()
			s := begin(b, tuitest.Options{Offline: true, Prepare: prepare})
			for b.Loop() {
				b.StopTimer()
				s.Close()
				b.StartTimer()
				s.Reopen()
				s.See(newest)
			}
		})
	}
}
