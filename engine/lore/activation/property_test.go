package activation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// outcome is a result as far as two ways to it must agree.
func outcome(r Result) string {
	out := fmt.Sprintf("budget %d used %d over %v rounds %d effects %v\n", r.Budget, r.Used, r.Over, r.Rounds, r.Effects)
	for _, t := range slices.Concat(r.Triggered, r.Lost) {
		out += fmt.Sprintf("%s %s %q %v %v %q %d\n", t.Entry.ID, t.Verdict, t.Reason, t.Hits, t.Path, t.Text, t.Tokens)
	}
	return out
}

// draw is a random case with all that an entry can have.
func draw(t *rapid.T) (Book, Settings, Input) {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
	book, set, in := naiveCase(rnd)
	some := func(n int) int { return max(0, rnd.IntN(4*n)-3*n) }
	for i := range book.Entries {
		e := &book.Entries[i]
		e.Group = []string{"", "", "", "g", "h", "g, h"}[rnd.IntN(6)]
		e.GroupOverride, e.PreventRecursion, e.IgnoreBudget = some(3) > 0, some(3) > 0, some(3) > 0
		e.Sticky, e.Cooldown, e.Delay, e.DelayUntilRecursion = some(5), some(5), some(4), some(4)
		e.Constant, e.Disabled = some(2) > 0, some(2) > 0
		e.Probability = []float64{100, 100, 50}[rnd.IntN(3)]
		e.Content = []string{"", "", "@@activate\n", "@@scan_depth 3\n", "@@exclude_keys inn\n"}[rnd.IntN(5)] + e.Content
		e.Position = storage.LorePosition(rnd.IntN(8))
	}
	set.MinActivations, set.GroupScoring = some(6), some(2) > 0
	if rnd.IntN(3) == 0 {
		set.MaxSteps = rnd.IntN(4)
	}
	in.Context = 40 + rnd.IntN(800)
	set.Budget = 25
	return book, set, in
}

// seeded gives an input a source of chance of its own.
func seeded(in Input) Input {
	in.Random = rand.New(rand.NewPCG(3, 4)).Float64
	return in
}

func TestOrderInTheFileDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book, set, in := draw(t)
		for i := range book.Entries {
			book.Entries[i].Order = 10 * i
		}
		want := Compile([]Book{book}, set).NewScan().Activate(seeded(in))
		book.Entries = rapid.Permutation(book.Entries).Draw(t, "order")
		got := Compile([]Book{book}, set).NewScan().Activate(seeded(in))
		if diff := cmp.Diff(outcome(want), outcome(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAnEntryThatDoesNotMatchChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book, set, in := draw(t)
		want := Compile([]Book{book}, set).NewScan().Activate(seeded(in))
		e := entry("zzz", keys(rapid.SampledFrom([]string{"zzz", "/zzz/", "/zz*z\\s+z/", "/^zzz$/", "{{zzz}}", "", "inn zzz"}).Draw(t, "key")))
		e.UID, e.Group = 999, "g"
		at := rapid.IntRange(0, len(book.Entries)).Draw(t, "at")
		book.Entries = slices.Insert(slices.Clone(book.Entries), at, e)
		got := Compile([]Book{book}, set).NewScan().Activate(seeded(in))
		if diff := cmp.Diff(outcome(want), outcome(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Entries that prevent recursion are not counted in later rounds, as in the original, so they are
// left out here.
func TestTheBudgetHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book, set, in := draw(t)
		for i := range book.Entries {
			book.Entries[i].PreventRecursion = false
		}
		r := Compile([]Book{book}, set).NewScan().Activate(seeded(in))
		cost := 0
		for _, f := range r.Triggered {
			if !f.Entry.IgnoreBudget {
				cost += f.Tokens
			}
		}
		if cost >= r.Budget && cost > 0 {
			t.Fatalf("%d tokens fired, the budget is %d", cost, r.Budget)
		}
	})
}

// A chat grows, is edited and cut, and books change under it: what a Scan
// remembers must not show.
func TestAScanThatGoesOnIsLikeAFreshOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book, set, in := draw(t)
		set.Depth = rapid.IntRange(1, 6).Draw(t, "depth")
		x := Compile([]Book{book}, set)
		s := x.NewScan()
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			text := rapid.SampledFrom(append(naiveWords, "the inn", "dragon the", "")).Draw(t, "text")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				in.Messages = in.Messages[:len(in.Messages)/2]
			case 1:
				in.Messages = slices.Clone(in.Messages)
				for i := range in.Messages {
					in.Messages[i].Text += " " + text
				}
			case 2:
				if len(book.Entries) > 0 {
					book.Entries = slices.Clone(book.Entries)
					e := &book.Entries[rapid.IntRange(0, len(book.Entries)-1).Draw(t, "entry")]
					e.Keys = append(slices.Clone(e.Keys), text)
					x = x.With(book)
					s.SetIndex(x)
				}
			default:
				in.Messages = slices.Insert(slices.Clone(in.Messages), 0, Message{ID: "new", Name: "Ada", Text: text})
			}
			in.Length = len(in.Messages)
			got, want := s.Activate(seeded(in)), Compile([]Book{book}, set).NewScan().Activate(seeded(in))
			if diff := cmp.Diff(outcome(want), outcome(got)); diff != "" {
				t.Fatal(diff)
			}
			in.Effects = got.Effects
		}
	})
}

func TestWithIsLikeCompilingAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, set, in := draw(t)
		var books []Book
		for i := range rapid.IntRange(0, 3).Draw(t, "books") {
			b, _, _ := draw(t)
			b.ID, b.Source = storage.LorebookID(fmt.Sprint("book", i)), Source(rapid.IntRange(0, 3).Draw(t, "source"))
			prefix(&b)
			books = append(books, b)
		}
		x := Compile(books, set)
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			i := rapid.IntRange(0, len(books)).Draw(t, "book")
			if i == len(books) || rapid.IntRange(0, 3).Draw(t, "anew") == 0 {
				b, _, _ := draw(t)
				b.ID = storage.LorebookID(fmt.Sprint("book", rapid.IntRange(0, 4).Draw(t, "id")))
				prefix(&b)
				if i = slices.IndexFunc(books, func(o Book) bool { return o.ID == b.ID }); i < 0 {
					i = len(books)
					books = append(books, b)
				}
				books[i] = b
				x = x.With(b)
			} else if rapid.IntRange(0, 4).Draw(t, "remove") == 0 {
				x = x.Without(books[i].ID)
				books = slices.Delete(slices.Clone(books), i, i+1)
			} else {
				changed, _, _ := draw(t)
				b := books[i]
				b.Entries = slices.Clone(b.Entries)
				for j := range b.Entries {
					if j < len(changed.Entries) && rapid.Bool().Draw(t, "entry") {
						id := b.Entries[j].ID
						b.Entries[j] = changed.Entries[j]
						b.Entries[j].ID = id
					}
				}
				books[i] = b
				x = x.With(b)
			}
			fresh := Compile(books, set)
			if diff := cmp.Diff(outcome(fresh.NewScan().Activate(seeded(in))), outcome(x.NewScan().Activate(seeded(in)))); diff != "" {
				t.Fatal(diff)
			}
			if a, b := len(fresh.Faults()), len(x.Faults()); a != b {
				t.Fatalf("%d faults, with changes %d", a, b)
			}
		}
	})
}

func prefix(b *Book) {
	for i := range b.Entries {
		b.Entries[i].ID = storage.EntryID(b.ID) + "." + b.Entries[i].ID
	}
}

func TestFoldIsToLowerCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("ΑΣσς.'aA İıI-\n\u0301\u00adK")))).Draw(t, "text")
		if got, want := fold(text), lower(text); got != want {
			t.Fatalf("%q folds to %q, not %q", text, got, want)
		}
	})
}

// A Σ at the end of a word is another letter there, however long the text is.
func TestFold_LongTexts(t *testing.T) {
	for n := range 1000 {
		before := strings.Repeat("a", n)
		for text, want := range map[string]string{before + "ΟΔΟΣ": before + "οδος", before + "ΣΑ ΑΣ": before + "σα ας"} {
			if got := fold(text); got != want {
				t.Fatalf("%d: %q", n, got[n:])
			}
		}
	}
}
