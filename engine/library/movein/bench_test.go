package movein_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A folder of 2,000 characters, 10,000 chats and 500 lorebooks, moved in. It says how long
// that took, and the memory that the process has had at most beside the file's pages.
//
//	go test ./engine/library/movein -run '^$' -bench MoveIn -benchtime 1x -timeout 30m
func BenchmarkMoveIn(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "default-user")
	enginetest.Must(b, dataFolder{Characters: 2000, Chats: 10_000, Worlds: 500, Messages: 40}.Write(dir))
	for b.Loop() {
		s := enginetest.NewHarness(b)
		runtime.GC()
		began := time.Now()
		plan, err := s.MoveIn.Preview(b.Context(), dir, nil)
		enginetest.Must(b, err)
		looked := time.Since(began)
		began = time.Now()
		most := watched()
		got := move(b, s, dir, false)
		took := time.Since(began)
		if c := counts(got.Kinds, "chats"); c.New != 10_000 {
			b.Fatalf("%+v", c)
		}
		b.ReportMetric(looked.Seconds(), "s/plan")
		b.ReportMetric(took.Seconds(), "s/move")
		b.ReportMetric(most(), "MB/peak")
		b.ReportMetric(float64(plan.Bytes)/(1<<20), "MB/folder")
		began = time.Now()
		if again := move(b, s, dir, false); counts(again.Kinds, "chats").Here != 10_000 {
			b.Fatalf("%+v", again.Kinds)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/again")
		enginetest.Must(b, s.Core().Store.View(func(tx *storage.Tx) error {
			for id, c := range storage.Chats.All(tx) {
				if strings.HasPrefix(c.Title, "Player") && len(tx.NextUnindexed(id, 1)) > 0 {
					b.Errorf("the words of chat %s are not taken in", id)
				}
			}
			return nil
		}))
	}
}

// A folder with one chat of a million messages.
//
//	go test ./engine/library/movein -run '^$' -bench MillionIn -benchtime 1x -timeout 30m
func BenchmarkMillionIn(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "default-user")
	enginetest.Must(b, os.MkdirAll(filepath.Join(dir, "chats", "Mara Quill"), 0o700))
	enginetest.WriteLongChat(b, filepath.Join(dir, "chats", "Mara Quill", "long.jsonl"), 1_000_000)
	for b.Loop() {
		s := enginetest.NewHarness(b)
		runtime.GC()
		began := time.Now()
		most := watched()
		if c := counts(move(b, s, dir, false).Kinds, "chats"); c.New != 1 {
			b.Fatalf("%+v", c)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/move")
		b.ReportMetric(most(), "MB/peak")
	}
}

// watched watches the memory of the process, and tells the most of it when it is asked.
func watched() func() float64 {
	stop, most := make(chan bool), make(chan float64)
	go func() {
		var at float64
		for {
			select {
			case <-stop:
				most <- at
				return
			case <-time.After(20 * time.Millisecond):
				at = max(at, anonymous())
			}
		}
	}()
	return func() float64 {
		close(stop)
		return <-most
	}
}

// anonymous is the memory of the process in MB that is no file's, where the system tells.
func anonymous() float64 {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1024
		}
	}
	return 0
}
