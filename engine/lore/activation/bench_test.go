package activation

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The data of the benchmarks: entries of 2 to 4 keys, names of 3 to 5 syllables, every fifth of two
// words, every twentieth entry with a regex; messages of 200 words, one in 200 a key.

func syllables(rnd *rand.Rand, low, high int) string {
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	var b strings.Builder
	for range low + rnd.IntN(high-low+1) {
		b.WriteByte(consonants[rnd.IntN(len(consonants))])
		b.WriteByte(vowels[rnd.IntN(len(vowels))])
	}
	return b.String()
}

func benchWord(rnd *rand.Rand) string {
	return syllables(rnd, 1, 3) + []string{"", "", "", "", "", ",", "."}[rnd.IntN(7)]
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func benchBook(n int) Book {
	rnd := rand.New(rand.NewPCG(uint64(n), 1))
	b := Book{ID: "book", Name: "Book", Source: Global, Entries: make([]storage.LoreEntry, n)}
	for i := range b.Entries {
		e := storage.NewLoreEntry()
		e.ID, e.UID = storage.EntryID(fmt.Sprint("entry", i)), i
		for range 2 + rnd.IntN(3) {
			key := title(syllables(rnd, 3, 5))
			if rnd.IntN(5) == 0 {
				key += " " + title(syllables(rnd, 3, 5))
			}
			e.Keys = append(e.Keys, key)
		}
		e.Name = e.Keys[0]
		if i%20 == 0 {
			patterns := []string{`/\b%s(s|'s)?\b/i`, `/%s\s+(of|the)\s+%[2]s/i`, `/(?:%s|%[2]s)[^.]*fire/i`, `/%s\W+(?:\w+\W+){0,3}%[2]s/`}
			e.Keys[len(e.Keys)-1] = fmt.Sprintf(patterns[i/20%len(patterns)]+"%.0[2]s", syllables(rnd, 3, 5), syllables(rnd, 3, 5))
		}
		words := make([]string, 70)
		for j := range words {
			words[j] = benchWord(rnd)
		}
		e.Content = "[" + e.Name + ": " + strings.Join(words, " ") + "]"
		e.Position = storage.LorePosition(i % 2)
		b.Entries[i] = e
	}
	return b
}

func benchChat(b Book, n int) []Message {
	rnd := rand.New(rand.NewPCG(uint64(len(b.Entries)), uint64(n)))
	out := make([]Message, n)
	for i := range out {
		words := make([]string, 200)
		for j := range words {
			if rnd.Float64() < 0.005 {
				e := &b.Entries[rnd.IntN(len(b.Entries))]
				if words[j] = e.Keys[0]; !strings.HasPrefix(words[j], "/") {
					continue
				}
			}
			words[j] = benchWord(rnd)
		}
		out[i] = Message{ID: storage.NodeID(fmt.Sprint("m", i)), Name: []string{"User", "Character"}[i%2], Text: strings.Join(words, " ")}
	}
	return out
}

func benchSettings(depth int) Settings {
	s := DefaultSettings()
	s.Depth = depth
	return s
}

func benchInput(messages []Message) Input {
	return Input{Messages: messages, Length: len(messages), Context: 1 << 17}
}

var sizes = []int{100, 1000, 10_000}

func BenchmarkCold(b *testing.B) {
	for _, entries := range sizes {
		for _, n := range []int{10, 100} {
			book := benchBook(entries)
			x := Compile([]Book{book}, benchSettings(n))
			in := benchInput(benchChat(book, n))
			b.Run(fmt.Sprintf("entries=%d/messages=%d", entries, n), func(b *testing.B) {
				b.ReportAllocs()
				fired := 0
				for b.Loop() {
					fired = len(x.NewScan().Activate(in).Triggered)
				}
				b.ReportMetric(float64(fired), "fired")
			})
		}
	}
}

func BenchmarkAfterOneMessage(b *testing.B) {
	for _, entries := range sizes {
		for _, n := range []int{10, 100} {
			book := benchBook(entries)
			x := Compile([]Book{book}, benchSettings(n))
			chat := benchChat(book, 2*n+400)
			b.Run(fmt.Sprintf("entries=%d/messages=%d", entries, n), func(b *testing.B) {
				b.ReportAllocs()
				s := x.NewScan()
				at := len(chat) - n
				s.Activate(benchInput(chat[at : at+n]))
				rounds, fired := 0, 0
				for b.Loop() {
					at--
					if at < 0 {
						b.StopTimer()
						at = len(chat) - n - 1
						s = x.NewScan()
						s.Activate(benchInput(chat[at+1 : at+1+n]))
						b.StartTimer()
					}
					result := s.Activate(benchInput(chat[at : at+n]))
					rounds, fired = result.Rounds, len(result.Triggered)
				}
				b.ReportMetric(float64(fired), "fired")
				b.ReportMetric(float64(rounds), "rounds")
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, entries := range sizes {
		book := benchBook(entries)
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			b.ReportAllocs()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			x := Compile([]Book{book}, benchSettings(10))
			runtime.GC()
			runtime.ReadMemStats(&after)
			kept := after.HeapAlloc - before.HeapAlloc
			runtime.KeepAlive(x)
			for b.Loop() {
				Compile([]Book{book}, benchSettings(10))
			}
			b.ReportMetric(float64(kept), "B-kept")
		})
	}
}

func BenchmarkWith(b *testing.B) {
	for _, entries := range sizes {
		book := benchBook(entries)
		x := Compile([]Book{book}, benchSettings(10))
		changed := book
		changed.Entries = append([]storage.LoreEntry(nil), book.Entries...)
		changed.Entries[entries/2].Keys = []string{"something else", "Zanzibar"}
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.With(changed)
			}
		})
	}
}
