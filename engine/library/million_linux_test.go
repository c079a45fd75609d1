package library_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

// memoryOf returns a figure of the process's memory in megabytes, as Linux counts it.
func memoryOf(tb testing.TB, name string) int {
	tb.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kb >> 10
		}
	}
	tb.Skip("the system does not tell " + name)
	return 0
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peaks watches what f takes of the process's memory: all of it, and what is its own, which
// no file stands behind.
func peaks(tb testing.TB, f func()) (all, own int) {
	tb.Helper()
	// The greatest size so far is forgotten by this.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600); err != nil {
		tb.Skip(err)
	}
	ended, watched := make(chan struct{}), make(chan int)
	go func() {
		own := 0
		for {
			own = max(own, memoryOf(tb, "RssAnon"))
			select {
			case <-ended:
				watched <- own
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(ended)
	own = <-watched
	return memoryOf(tb, "VmHWM"), own
}

// BenchmarkMillion brings in a chat of a million messages and shows its end.
func BenchmarkMillion(b *testing.B) {
	path := filepath.Join(b.TempDir(), "million.jsonl")
	enginetest.WriteLongChat(b, path, 1_000_000)
	for b.Loop() {
		s := enginetest.NewHarness(b)
		before, began := cpu(), time.Now()
		all, own := peaks(b, func() {
			got, err := s.Library.ImportChat(path, "")
			if err != nil {
				b.Error(err)
			}
			b.ReportMetric(time.Since(began).Seconds(), "import-s")
			b.ReportMetric((cpu() - before).Seconds(), "cpu-s")
			began = time.Now()
			v, err := s.Play.View(got.Chat.ID, 50)
			if err != nil || len(v.Messages) != 50 {
				b.Errorf("%d messages: %v", len(v.Messages), err)
			}
			b.ReportMetric(float64(time.Since(began).Milliseconds()), "show-ms")
		})
		b.ReportMetric(float64(all), "peak-MB")
		b.ReportMetric(float64(own), "own-MB")
	}
}
