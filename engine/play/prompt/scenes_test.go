package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// How scenes go in a simulated chat.
const (
	sceneLeast, sceneMost = 20, 30 // turns of a scene
	recapLag              = 2      // turns until its recap is in force
	recapFirst, recapMore = 220, 90
	recapMost             = 900 // tokens of a running recap
)

// scenes returns a stagehand that ends a scene every now and then, and some turns later adds a
// running recap that covers it. A prompt uses the oldest version that covers the messages that have
// left it.
func scenes(keep int) func(turn int, s *Snapshot) {
	r := rand.New(rand.NewPCG(11, 5))
	length := func() int { return sceneLeast + r.IntN(sceneMost-sceneLeast+1) }
	ends := length()
	versions := []RecapBlock{*covering(-1, keep)}
	var next RecapBlock
	due := 0
	return func(turn int, s *Snapshot) {
		if turn == ends {
			n := len(versions)
			next = *covering(len(s.History)-1, keep)
			next.Text = text(fmt.Sprintf("Version %d:", n), min(recapFirst+recapMore*(n-1), recapMost))
			next.Source = fmt.Sprintf("running recap v%d (scenes 1 to %d)", n, n)
			ends, due = turn+length(), turn+recapLag
		}
		if next.Text != "" && turn == due {
			versions, next = append(versions, next), RecapBlock{}
		}
		m := versions[len(versions)-1]
		m.Recompute = func(depth int) RecapBlock {
			for _, v := range versions {
				if depth == 0 || v.Covers != "" && v.CoversDepth >= depth-1 {
					return v
				}
			}
			return versions[len(versions)-1]
		}
		began := 0
		for i := range s.History {
			if s.History[i].ID == s.Window {
				began = i
			}
		}
		s.Recap = m.recomputed(began)
	}
}

// lacking is in how many turns messages were missing that nothing covers.
func (p played) lacking() (turns int) {
	for _, s := range p.steps {
		if s.uncovered > 0 {
			turns++
		}
	}
	return turns
}

// interims is like scenes, with interim recaps of the open scene: each is ready some turns after a
// prompt has reported what will leave next, and is used from the next fold on.
func interims(keep int) func(turn int, s *Snapshot) {
	const (
		lag       = 3
		least     = 150 // tokens of one, and how much longer it gets by each message in it
		byMessage = 6
	)
	base := scenes(keep)
	type told struct{ from, to int }
	var have []told // of the open scene
	coming, due, from := -1, 0, 0
	return func(turn int, s *Snapshot) {
		base(turn, s)
		last, window := -1, 0
		for i := range s.History {
			if s.History[i].ID == s.Recap.Covers {
				last = i
			}
			if s.History[i].ID == s.Window {
				window = i
			}
		}
		if last+1 != from {
			from, coming = last+1, -1
			// The next fold uses the scene's own recap.
			have = slices.DeleteFunc(have, func(h told) bool { return h.to <= window })
		}
		if coming >= 0 && turn >= due {
			have, coming = append(have, told{from, coming}), -1
		}
		m := *s.Recap
		if n := len(have); n > 0 && have[n-1].to > last {
			m.Covers, m.CoversDepth, m.Open = id(have[n-1].to), have[n-1].to, true
		}
		bare := m.Recompute
		m.Recompute = func(depth int) RecapBlock {
			now := bare(depth)
			if depth == 0 || now.Covers != "" && now.CoversDepth >= depth-1 {
				return now
			}
			for _, h := range have {
				if h.to >= depth-1 && h.from < depth {
					now.Text += "\n\n" + text(fmt.Sprintf("Interim %d to %d:", h.from, h.to), least+byMessage*(h.to-h.from))
					return now
				}
			}
			return now
		}
		s.Recap = m.recomputed(window)
		if p, err := Compile(*s); err == nil && p.LeavesNext != "" && coming < 0 {
			at := s.History[len(s.History)-1].Depth
			for i := range s.History {
				if s.History[i].ID == p.LeavesNext {
					at = i
				}
			}
			coming, due = at, turn+lag
		}
	}
}

const sceneTurns = 300

// If a scene is larger than the room, interim recaps cost some re-reading, and no message leaves
// without a recap.
func TestOpenScenesKeepTheCache(t *testing.T) {
	for _, d := range dists {
		for _, context := range []int{8192, 16384} {
			s := staged()
			s.Limits.Context = context
			with, without := play(t, d, sceneTurns, s, interims(4), nil), play(t, d, sceneTurns, s, scenes(4), nil)
			t.Logf("%-6s %5d: %4.1f %% of all prompt tokens reused, %4.1f %% without interim recaps; %2d folds and %2d; %3d turns lack messages that nothing covers, %3d without",
				d.name, context, 100*with.reused(), 100*without.reused(), with.folds, without.folds, with.lacking(), without.lacking())
			if with.lacking() > 0 {
				t.Errorf("%s, %d: %d turns lack messages that nothing covers", d.name, context, with.lacking())
			}
			// The room of 8192 is smaller than a scene.
			least := map[string]float64{"short": 0.91, "medium": 0.81, "long": 0.72}[d.name]
			if context > 8192 {
				least += 0.04
			}
			if with.reused() < least {
				t.Errorf("%s, %d: %.3f of all prompt tokens are reused, want at least %.2f", d.name, context, with.reused(), least)
			}
		}
	}
}

func TestScenesKeepTheCache(t *testing.T) {
	for _, d := range dists {
		for _, context := range []int{8192, 16384, 32768} {
			s := staged()
			s.Limits.Context = context
			with, without := play(t, d, sceneTurns, s, scenes(4), nil), play(t, d, sceneTurns, s, nil, nil)
			for _, c := range []struct {
				name string
				p    played
			}{{"scenes   ", with}, {"no scenes", without}} {
				t.Logf("%-6s %5d %s: %4.1f %% of all prompt tokens reused; %2d folds; read again before, at and after one: %5.0f, %6.0f, %5.0f bytes; "+
					"%7d tokens read in all, of %8d; %3d turns lack messages that nothing covers",
					d.name, context, c.name, 100*c.p.reused(), c.p.folds, c.p.around(-1), c.p.around(0), c.p.around(1), c.p.reread, c.p.tokens, c.p.lacking())
				for i, step := range c.p.steps {
					if !step.folded && !step.recapped && step.reread != step.turn {
						t.Errorf("%s, %d, %s: prompt %d reads %d tokens again, and only %d are new", d.name, context, c.name, i+1, step.reread, step.turn)
					}
				}
				if c.p.around(1) > 2*c.p.around(-1) {
					t.Errorf("%s, %d, %s: a turn after a fold costs %.0f bytes, one before it %.0f", d.name, context, c.name, c.p.around(1), c.p.around(-1))
				}
			}
			least := 0.91
			if with.lacking() > 0 {
				least = 0.78 // a scene is larger than this room: it folds before its recap is there
			}
			if with.reused() < least {
				t.Errorf("%s, %d: %.3f of all prompt tokens are reused, want at least %.2f", d.name, context, with.reused(), least)
			}
			if with.reread > without.reread*8/5 { // drops old messages without a recap
				t.Errorf("%s, %d: scenes cost %d tokens, and %d without", d.name, context, with.reread, without.reread)
			}
			if with.lacking() >= without.lacking() && without.lacking() > 0 {
				t.Errorf("%s, %d: %d turns lack what nothing covers, %d without scenes", d.name, context, with.lacking(), without.lacking())
			}
		}
	}
}

// Tests the memory's other places, to show their cost.
func TestMemoryStandsWhereMostIsShared(t *testing.T) {
	at := func(depth int) played {
		stage := scenes(4)
		return play(t, dists[1], sceneTurns, staged(), func(turn int, s *Snapshot) {
			stage(turn, s)
			s.Recap.Depth = depth
		}, nil)
	}
	before := at(0)
	for _, depth := range []int{1, 4} {
		p := at(depth)
		t.Logf("depth %d: %.1f %% reused; before the history %.1f %%", depth, 100*p.reused(), 100*before.reused())
		if p.reused() >= before.reused() {
			t.Errorf("depth %d reuses %.3f, the default %.3f", depth, p.reused(), before.reused())
		}
	}
}

func BenchmarkScenesSim(b *testing.B) {
	for _, c := range []struct {
		name  string
		stage func() func(int, *Snapshot)
	}{
		{"scenes", func() func(int, *Snapshot) { return scenes(4) }},
		{"budget", func() func(int, *Snapshot) { return nil }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := staged()
			s.Limits.Context = 16384
			var p played
			for b.Loop() {
				p = play(b, dists[1], sceneTurns, s, c.stage(), nil)
			}
			b.ReportMetric(100*p.reused(), "%reused")
			b.ReportMetric(p.around(-1), "B/before-fold")
			b.ReportMetric(p.around(0), "B/at-fold")
			b.ReportMetric(p.around(1), "B/after-fold")
			b.ReportMetric(float64(p.folds), "folds")
		})
	}
}
