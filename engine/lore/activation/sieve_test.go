package activation

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// siftedBook is a book with those of its entries that have passed, and what fires of
// them.
func siftedBook(s *Sieve, book, passed Book, set Settings, in Input) (Book, Result) {
	take := func(ids []storage.EntryID) {
		had := passed.Entries
		passed.Entries = nil
		for _, e := range book.Entries {
			if slices.Contains(ids, e.ID) || slices.ContainsFunc(had, func(h storage.LoreEntry) bool { return h.ID == e.ID }) {
				passed.Entries = append(passed.Entries, e)
			}
		}
	}
	take(s.Start(&in, nil, book.ID))
	for {
		r := Compile([]Book{passed}, set).NewScan().Activate(seeded(in))
		more := s.Follow(&r)
		if len(more) == 0 {
			return passed, r
		}
		take(more)
	}
}

func TestSieve_ChangesNothing(t *testing.T) {
	held := 0
	rapid.Check(t, func(t *rapid.T) {
		book, set, in := draw(t)
		for i := range book.Entries { // most do not come up
			if e := &book.Entries[i]; rapid.IntRange(0, 1).Draw(t, "plain") == 0 {
				e.Sticky, e.Cooldown, e.Delay, e.DelayUntilRecursion, e.Constant = 0, 0, 0, 0, false
			}
		}
		s, err := OpenSieve(PackSieve(book.Entries))
		if err != nil {
			t.Fatal(err)
		}
		passed := Book{ID: book.ID, Name: book.Name, Source: book.Source, ScanDepth: book.ScanDepth}
		for range 2 {
			var got Result
			passed, got = siftedBook(s, book, passed, set, in)
			held += len(book.Entries) - len(passed.Entries)
			want := Compile([]Book{book}, set).NewScan().Activate(seeded(in))
			// Of one that is switched off more is told where others look deeper.
			for _, r := range []*Result{&want, &got} {
				r.Lost = slices.DeleteFunc(r.Lost, func(t Trace) bool { return t.Verdict == Off })
			}
			if diff := cmp.Diff(outcome(want), outcome(got)); diff != "" {
				t.Fatal(diff)
			}
			in.Effects = want.Effects
			in.Length++
			in.Messages = append([]Message{{ID: "new", Name: "Vera", Text: rapid.SampledFrom(append(naiveWords, "Σίσυφος", "a DRAGON")).Draw(t, "said")}}, in.Messages...)
		}
	})
	if held == 0 {
		t.Error("nothing was ever held back")
	}
}

func FuzzOpenSieve(f *testing.F) {
	f.Add(PackSieve(benchBook(30).Entries), "the inn")
	f.Add([]byte{sieveForm, 0, 1, 200}, "x")
	f.Fuzz(func(t *testing.T, packed []byte, text string) {
		_, _ = OpenSieve(packed)
		if len(packed) == 0 {
			return
		}
		s, err := unpackSieve(packed)
		if err != nil {
			return
		}
		s.Start(&Input{Messages: []Message{{Text: text}}}, nil, "b")
		s.Follow(&Result{Fired: []Trace{{Text: text}}})
	})
}

func BenchmarkSieve(b *testing.B) {
	book := benchBook(10_000)
	in := benchInput(benchChat(book, 10))
	packed := PackSieve(book.Entries)
	b.Run("pack", func(b *testing.B) {
		for b.Loop() {
			PackSieve(book.Entries)
		}
		b.ReportMetric(float64(len(packed)), "B-packed")
	})
	b.Run("start", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := OpenSieve(packed)
			if err != nil {
				b.Fatal(err)
			}
			if len(s.Start(&in, nil, book.ID)) == 0 {
				b.Fatal("nothing has passed")
			}
		}
	})
}
