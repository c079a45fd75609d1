package storage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// imported is a chat of n messages of 60 words, none of them indexed, and how many bytes they say.
func imported(tb testing.TB, s *Store, n int, word func(*rand.Rand) string) (chat ChatID, size int) {
	tb.Helper()
	chat = newChat(tb, s)
	r := rand.New(rand.NewPCG(1, 2))
	var parent NodeID
	for done := 0; done < n; {
		update(tb, s, func(tx *Tx) error {
			for range min(500, n-done) {
				var text strings.Builder
				for range 60 {
					text.WriteString(word(r) + " ")
				}
				node := Node{Chat: chat, Parent: parent, Role: User, State: Complete, Content: text.String()}
				if err := tx.AppendNode(&node); err != nil {
					return err
				}
				size += len(node.Content)
				parent = node.ID
				done++
			}
			return nil
		})
	}
	return chat, size
}

// ordinaryWord returns one of 20,000 words that are as frequent as those of a language; newWord
// returns one that is nearly always new.
func ordinaryWord(r *rand.Rand) string {
	return fmt.Sprintf("w%dord", int(math.Pow(20_000, r.Float64())))
}
func newWord(r *rand.Rand) string { return strconv.FormatUint(r.Uint64()>>24, 26) }

// The index of words takes half the space of the text, and about the same as the text if no word
// occurs twice.
func TestWords_TakeLessRoomThanTheText(t *testing.T) {
	for _, c := range []struct {
		name    string
		word    func(*rand.Rand) string
		percent int
	}{{"ordinary", ordinaryWord, 50}, {"new", newWord, 105}} {
		s := open(t)
		chat, text := imported(t, s, 6000, c.word)
		before := fileSize(t, s)
		for indexWords(t, s, chat, 256) > 0 {
		}
		if grown := fileSize(t, s) - before; grown > int64(text*c.percent/100) {
			t.Errorf("%s words: %d bytes of text take %d bytes of index", c.name, text, grown)
		}
	}
}

func fileSize(tb testing.TB, s *Store) int64 {
	tb.Helper()
	info, err := os.Stat(s.Path())
	if err != nil {
		tb.Fatal(err)
	}
	return info.Size()
}

// BenchmarkWords_Import indexes the words of 10,000 messages in steps of 256, and reports the
// growth of the file and the memory used.
func BenchmarkWords_Import(b *testing.B) {
	b.Run("ordinary", func(b *testing.B) { takeIn(b, ordinaryWord) })
	b.Run("new", func(b *testing.B) { takeIn(b, newWord) })
}

func takeIn(b *testing.B, word func(*rand.Rand) string) {
	for b.Loop() {
		s := open(b)
		chat, text := imported(b, s, 10_000, word)
		before := fileSize(b, s)
		peak, m := uint64(0), runtime.MemStats{}
		runtime.GC()
		runtime.ReadMemStats(&m)
		base := m.HeapInuse
		begun := time.Now()
		for indexWords(b, s, chat, 256) > 0 {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "index-ms")
		b.ReportMetric(float64(text)/1e6, "text-MB")
		b.ReportMetric(float64(fileSize(b, s)-before)/1e6, "grown-MB")
		b.ReportMetric(float64(peak-base)/(1<<20), "peak-MiB")
	}
}
