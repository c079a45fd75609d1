package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// How lore is activated in a simulated chat: now and then a subject begins, is talked about for
// some messages and is named in half of them. An entry is activated if one of the last two messages
// names it.
const (
	loreTurns   = 200
	loreEntries = 80
	loreTokens  = 80
	loreSeeds   = 5
	loreBegins  = 0.5
	loreEnds    = 1.0 / 6
	loreNamed   = 0.5
)

// subjects returns the entries that each of n messages names.
func subjects(n int, seed uint64) []map[int]bool {
	r := rand.New(rand.NewPCG(seed, 3))
	topics := map[int]bool{}
	var named []map[int]bool
	for range n {
		if r.Float64() < loreBegins {
			topics[r.IntN(loreEntries)] = true
		}
		here := map[int]bool{}
		for e := range loreEntries { // not over the map: its order is chance of another kind
			if topics[e] && r.Float64() < loreEnds {
				delete(topics, e)
			}
			if topics[e] && r.Float64() < loreNamed {
				here[e] = true
			}
		}
		named = append(named, here)
	}
	return named
}

// keyed returns a stagehand that activates entries and places them as place says.
func keyed(named []map[int]bool, place func(entry int) LoreItem) func(turn int, s *Snapshot) {
	return func(_ int, s *Snapshot) {
		n := len(s.History) // of the message to come
		var lore []LoreItem
		for _, it := range s.Lore {
			if it.Place == LorePinned {
				it.Active = false
				lore = append(lore, it)
			}
		}
		for e := range loreEntries {
			if !named[n][e] && !named[n-1][e] {
				continue
			}
			it := place(e)
			it.ID, it.Source, it.Reason, it.Active = fmt.Sprint(e), fmt.Sprint("lorebook: ", e), "a key", true
			it.Text = text(fmt.Sprintf("[item-%d:", e), loreTokens)
			if i := slices.IndexFunc(lore, func(has LoreItem) bool { return has.Place == LorePinned && has.ID == it.ID }); i >= 0 {
				lore[i].Active = true
			} else {
				lore = append(lore, it)
			}
		}
		s.Lore = lore
	}
}

func always(place LorePlace) func(int) LoreItem {
	return func(int) LoreItem { return LoreItem{Place: place, Depth: 4} }
}

// layouts are the possible places of keyed entries. The usual one spreads them over the stable part
// and the depth of four messages, where the note is too.
var layouts = []struct {
	name  string
	place func(int) LoreItem
}{
	{"stays", always(LorePinned)},
	{"tail", always(LoreTail)},
	{"depth", always(LoreAtDepth)},
	{"stable", always(LoreAfter)},
	{"usual", func(e int) LoreItem {
		return LoreItem{Place: []LorePlace{LoreBefore, LoreAfter, LoreAtDepth, LoreAtDepth}[e%4], Depth: 4}
	}},
}

// loreChat is a chat for the lore simulation, with the sizes of its texts and
// a stagehand for each seed.
func loreChat(layout string, place func(int) LoreItem, note, recaps bool) (Snapshot, func(seed uint64) func(int, *Snapshot)) {
	s := snapshot()
	s.Card.Description, s.Card.Personality, s.Card.Scenario = text("desc", 500), text("pers", 80), text("scen", 120)
	s.Persona.Description, s.Card.MessageExample = text("me", 80), text("<START> say", 330)
	s.Limits = Limits{Context: 8192, Reply: 350}
	switch {
	case note && layout == "usual":
		s.Card.DepthPrompt, s.Card.DepthPromptDepth = text("note", 60), 4
	case note:
		s.AuthorNote = text("note", 60)
	}
	return s, func(seed uint64) func(int, *Snapshot) {
		lore, scene := keyed(subjects(2*loreTurns+1, seed), place), scenes(4)
		return func(turn int, s *Snapshot) {
			if recaps {
				scene(turn, s)
			} else if s.Recap == nil {
				s.Recap = covering(-1, 4)
			}
			lore(turn, s)
		}
	}
}

// loreCost is the cost of a layout, over all seeds.
type loreCost struct {
	reused               float64
	newMean, newMedian   int // tokens that a turn reads again
	new95                int
	chat, lore, uncovers int // tokens of chat and of lore in a prompt; turns that lack uncovered messages
	folds                int
}

func loreCosts(t testing.TB, layout string, place func(int) LoreItem, note, recaps bool, seeds uint64) loreCost {
	s, stagehand := loreChat(layout, place, note, recaps)
	var c loreCost
	var reread, tokens int
	var fresh []int
	for seed := range seeds {
		p := play(t, dists[1], loreTurns, s, stagehand(seed), nil)
		reread, tokens = reread+p.reread, tokens+p.tokens
		c.folds += p.folds
		c.uncovers += p.lacking()
		for _, step := range p.steps {
			fresh = append(fresh, step.reread)
			c.chat += step.chat
			c.lore += step.lore
		}
	}
	slices.Sort(fresh)
	n := len(fresh)
	c.reused, c.newMean, c.newMedian, c.new95 = 1-float64(reread)/float64(tokens), reread/n, fresh[n/2], fresh[n*95/100]
	c.chat, c.lore, c.folds, c.uncovers = c.chat/n, c.lore/n, c.folds/int(seeds), c.uncovers/int(seeds)
	return c
}

// Entries with keys reuse most of a server's cache, which ends at the first change, if they stay
// where they were activated.
func TestLoreStandsWhereMostIsShared(t *testing.T) {
	for _, note := range []bool{false, true} {
		costs := map[string]loreCost{}
		for _, l := range layouts {
			c := loreCosts(t, l.name, l.place, note, true, 1)
			costs[l.name] = c
			t.Logf("note %-5v %-6s: %4.1f %% of all prompt tokens reused; %d tokens of chat in a prompt, %d of lore", note, l.name, 100*c.reused, c.chat, c.lore)
		}
		stays, tail := costs["stays"], costs["tail"]
		if stays.reused <= tail.reused || stays.newMedian >= tail.newMedian {
			t.Errorf("note %v: what stays reuses %.3f and reads %d, the tail %.3f and %d", note, stays.reused, stays.newMedian, tail.reused, tail.newMedian)
		}
		for _, l := range layouts[2:] {
			if tail.reused <= costs[l.name].reused {
				t.Errorf("note %v: %s reuses %.3f, the tail %.3f", note, l.name, costs[l.name].reused, tail.reused)
			}
		}
	}
}

func BenchmarkLoreSim(b *testing.B) {
	for _, recaps := range []bool{false, true} {
		for _, note := range []bool{false, true} {
			for _, l := range layouts {
				b.Run(fmt.Sprintf("%s/note=%v/recaps=%v", l.name, note, recaps), func(b *testing.B) {
					var c loreCost
					for b.Loop() {
						c = loreCosts(b, l.name, l.place, note, recaps, loreSeeds)
					}
					b.ReportMetric(100*c.reused, "%reused")
					b.ReportMetric(float64(c.newMean), "new-mean")
					b.ReportMetric(float64(c.newMedian), "new-median")
					b.ReportMetric(float64(c.new95), "new-p95")
					b.ReportMetric(float64(c.chat), "chat-tokens")
					b.ReportMetric(float64(c.lore), "lore-tokens")
					b.ReportMetric(float64(c.folds), "folds")
					b.ReportMetric(float64(c.uncovers), "lacking-turns")
				})
			}
		}
	}
}
