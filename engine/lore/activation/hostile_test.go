package activation

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ecmascript"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestInvalidRegexesAreNamed(t *testing.T) {
	bad := map[string]string{
		"/[/": "unterminated [] set", "/(?<n>a/": "",
		"/" + strings.Repeat("a", ecmascript.MaxPattern+1) + "/": "longer than",
	}
	for key, why := range bad {
		e := entry("inn", keys(key, "inn"))
		x := Compile([]Book{{ID: "book", Entries: list(e)}}, DefaultSettings())
		faults := x.Faults()
		if len(faults) != 1 || faults[0].Key != key || faults[0].Entry != "inn" || faults[0].Book != "book" || !strings.Contains(faults[0].Text, why) {
			t.Errorf("%.20q: %+v", key, faults)
		}
		if len(x.With(Book{ID: "book"}).Faults()) != 0 {
			t.Errorf("%.20q: a fault of an entry that is gone", key)
		}
	}
	x := Compile([]Book{{ID: "book", Entries: list(entry("inn", keys("{{x}}")))}}, DefaultSettings())
	r := x.NewScan().Activate(Input{Messages: chatOf("x"), Expand: func(string) string { return "/[/" }})
	if len(r.Faults) != 1 || r.Faults[0].Key != "{{x}}" {
		t.Errorf("a macro that became an invalid regex: %+v", r.Faults)
	}
}

// patience bounds regexes as they are outside of tests, and restores what the
// tests have.
func patience(t *testing.T, match, all time.Duration) {
	a, b := matchTimeout, regexBudget
	matchTimeout, regexBudget = match, all
	t.Cleanup(func() { matchTimeout, regexBudget = a, b })
}

func TestCatastrophicRegexesAreCutOff(t *testing.T) {
	patience(t, 20*time.Millisecond, time.Minute)
	for _, key := range []string{`/(a+)+$/`, `/(a*)*b\s/`, `/(\w+\s?)+!/`} {
		entries := list(entry("bad", keys(key)), entry("inn"))
		s := Compile([]Book{{ID: "book", Entries: entries}}, DefaultSettings()).NewScan()
		in := Input{Messages: chatOf(strings.Repeat("a", 60)+"? inn", "x"), Context: 4000}
		for range 2 {
			r := s.Activate(in)
			if names(r.Triggered) != "inn" || len(r.Faults) != 1 || r.Faults[0].Key != key || !strings.Contains(r.Faults[0].Text, "stopped") {
				t.Errorf("%s: fired %q, faults %+v", key, names(r.Triggered), r.Faults)
			}
		}
		if got := s.Why("bad"); got.Verdict != NoMatch {
			t.Errorf("%s: %s, %s", key, got.Verdict, got.Reason)
		}
	}
}

func TestTheRegexesOfAnActivationAreBoundedTogether(t *testing.T) {
	patience(t, time.Minute, 0)
	entries := list(entry("a", keys("/inn.*/")), entry("b", keys("/old.*/")), entry("inn"))
	r := Compile([]Book{{ID: "book", Entries: entries}}, DefaultSettings()).NewScan().Activate(Input{Messages: chatOf("old inn"), Context: 4000})
	if len(r.Faults) != 1 || !strings.Contains(r.Faults[0].Text, "together") {
		t.Errorf("%+v", r.Faults)
	}
}

func TestHugeContents(t *testing.T) {
	big := strings.Repeat("the inn and ", 1<<20/12)
	entries := list(entry("k", constant, says(big)), entry("inn", says(big)), entry("a", keys("/inn\\s+zzz/")), entry("b", keys(strings.Repeat("k", 1<<20))))
	r := Compile([]Book{{ID: "book", Entries: entries}}, DefaultSettings()).NewScan().Activate(Input{Messages: chatOf(big), Context: 1 << 30})
	if names(r.Triggered) != "inn k" {
		t.Error(names(r.Triggered))
	}
}

// Each entry wakes the next one: the loop goes as far as it may, and ends.
func TestLongChains(t *testing.T) {
	const n = maxRounds + 50
	var entries []storage.LoreEntry
	for i := range n {
		entries = append(entries, entry(fmt.Sprintf("k%dk", i), says(fmt.Sprintf("k%dk", (i+1)%n))))
	}
	set := DefaultSettings()
	r := Compile([]Book{{ID: "book", Entries: entries}}, set).NewScan().Activate(Input{Messages: chatOf("k0k")})
	if len(r.Triggered) != maxRounds || r.Rounds != maxRounds {
		t.Errorf("%d fired in %d rounds", len(r.Triggered), r.Rounds)
	}
	if got := r.Triggered[0]; len(got.Path) > maxRounds {
		t.Errorf("a path of %d", len(got.Path))
	}
}

func TestManyEntries(t *testing.T) {
	const n = 100_000
	entries := make([]storage.LoreEntry, n)
	for i := range entries {
		entries[i] = entry(fmt.Sprintf("word%d", i))
		entries[i].UID = i % 7 // duplicates: only timed effects care
	}
	x := Compile([]Book{{ID: "book", Entries: entries}}, DefaultSettings())
	if got := names(x.NewScan().Activate(Input{Messages: chatOf("word99 and word99999"), Context: 4000}).Triggered); got != "word99999 word99" {
		t.Error(got)
	}
}

// A Scan remembers what is in use, and no more than a few turns of the past.
func TestAScanForgets(t *testing.T) {
	s := Compile([]Book{{ID: "book", Entries: list(entry("inn"))}}, DefaultSettings()).NewScan()
	most := 0
	for i := range 3000 {
		s.Activate(Input{Messages: chatOf(fmt.Sprint("inn ", i), fmt.Sprint("inn ", i-1)), Context: 4000})
		most = max(most, len(s.parts))
	}
	if most > 200 {
		t.Errorf("%d texts are remembered", most)
	}
}

func TestConcurrentScans(t *testing.T) {
	book := benchBook(200)
	x := Compile([]Book{book}, benchSettings(20))
	in := benchInput(benchChat(book, 20))
	want := outcome(x.NewScan().Activate(in))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got := outcome(x.NewScan().Activate(in)); got != want {
				t.Error("scans disturb each other")
			}
		})
	}
	wait.Wait()
}

func TestExtremeNumbers(t *testing.T) {
	const big = int(^uint(0) >> 1)
	for _, n := range []int{-big - 1, -1, 0, big} {
		e := entry("inn", func(e *storage.LoreEntry) {
			e.Order, e.Depth, e.Sticky, e.Cooldown, e.Delay, e.DelayUntilRecursion, e.Logic = n, n, n, n, min(n, 0), min(n, 0), storage.LoreLogic(n)
			e.ScanDepth, e.Position, e.Group, e.GroupWeight = &n, storage.LorePosition(n), "g", float64(n)
			e.SecondaryKeys = []string{"inn"}
		})
		set := Settings{Depth: n, BudgetCap: n, MaxSteps: n, MinActivations: n, MaxDepth: n, Budget: float64(n), Recursive: true, Strategy: Strategy(n)}
		f := entry("other", constant, inGroup("g"))
		r := Compile([]Book{{ID: "b", Entries: list(e, f), ScanDepth: &n}}, set).NewScan().Activate(Input{Messages: chatOf("inn"), Length: n, Context: n,
			Effects: []storage.LoreEffect{{Kind: storage.LoreSticky, Book: "b", Start: n, End: n}}})
		if len(r.Triggered) > 2 {
			t.Error(names(r.Triggered))
		}
	}
}

// TestGroups_OneARound has groups that let one entry through per round; no real book has so many.
func TestGroups_OneARound(t *testing.T) {
	if testing.Short() {
		t.Skip("many entries, scanned by nobody else meanwhile")
	}
	tests := []struct {
		name            string
		entries, groups int
		rounds          int // at most
	}{
		{"few entries in few groups", 50, 2, 51},
		{"many entries in few groups", 20_000, 2, 1 + maxAsked/(3*15_000)},
		{"few entries in many groups", 300, 2000, 1 + maxAsked/(250*2000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var group strings.Builder
			for i := range tt.groups {
				fmt.Fprintf(&group, "g%d,", i)
			}
			var entries []storage.LoreEntry
			for i := range tt.entries {
				entries = append(entries, entry(fmt.Sprint("e", i), keys("hit"), says("x"), inGroup(group.String())))
			}
			_, r := rule{entries: entries, chat: []string{"hit"}, in: func(in *Input) { in.Context = 1 << 20 }}.run(t)
			if len(r.Triggered) == 0 || r.Rounds > tt.rounds {
				t.Errorf("%d fired in %d rounds, want some in at most %d", len(r.Triggered), r.Rounds, tt.rounds)
			}
		})
	}
}
