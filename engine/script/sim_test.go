package script

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ghostlight/storage"
)

// played is what a simulated chat cost.
type played struct {
	turns, folds int
	shares       []float64 // of each prompt but the last: what the next begins with
	reread       int
	tokens       int
	least        int // messages of history in the smallest prompt
}

func (p played) median() float64 {
	s := slices.Sorted(slices.Values(p.shares))
	return s[len(s)/2]
}

// play simulates a chat of so many turns. change may rework each prompt.
func play(t *testing.T, d dist, turns int, s Snapshot, change func([]Message) []Message) played {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(d.char)))
	s.History = []storage.Node{message(0, storage.Assistant, text("greeting", d.char))}
	p := played{turns: turns, least: 1 << 30}
	var prev []Message
	for turn := range turns {
		n := len(s.History)
		s.History = append(s.History, message(n, storage.User, text("u", drawn(r, d.user))))
		prompt, err := Compile(s)
		if err != nil {
			t.Fatalf("turn %d: %v", turn, err)
		}
		if room := s.Limits.Context - s.Limits.Reply; prompt.Tokens > room {
			t.Fatalf("turn %d: %d tokens do not fit %d", turn, prompt.Tokens, room)
		}
		if prompt.Folded {
			p.folds++
			p.least = min(p.least, len(prompt.Messages))
		}
		now := prompt.Messages
		if change != nil {
			now = change(slices.Clone(now))
		}
		if prev != nil {
			p.shares = append(p.shares, common(prev, now))
			p.reread += Reread(prev, now, words)
			p.tokens += prompt.Tokens
		}
		reply := message(n+1, storage.Assistant, text("a", min(drawn(r, d.char), s.Limits.Reply)))
		reply.Window = prompt.Window
		s.History = append(s.History, reply)
		s.Window = prompt.Window
		prev = now
	}
	return p
}

// common is the share of prev's tokens that next begins with.
func common(prev, next []Message) float64 {
	same, all, differ := 0, 0, false
	for i, m := range prev {
		n := words(m.Content) + messageTokens
		all += n
		if differ = differ || i >= len(next) || next[i] != m; !differ {
			same += n
		}
	}
	return float64(same) / float64(all)
}

func staged() Snapshot {
	s := snapshot()
	s.Card.Description = text("desc", 500)
	s.Card.PostHistoryInstructions = text("post", 30)
	s.AuthorNote = text("note", 30)
	s.Limits = Limits{Context: 8192, Reply: 700}
	return s
}

func TestHundredTurnsKeepTheCache(t *testing.T) {
	for _, d := range dists {
		for _, context := range []int{8192, 16384} {
			s := staged()
			s.Limits.Context = context
			turns := 100
			if context > 8192 {
				turns = 300
			}
			p := play(t, d, turns, s, nil)
			t.Logf("%s, context %d: %d folds in %d turns, median share %.3f, %.1f %% of all tokens read again",
				d.name, context, p.folds, turns, p.median(), 100*float64(p.reread)/float64(p.tokens))
			if p.folds == 0 {
				t.Errorf("%s, %d: the window never overflowed", d.name, context)
			}
			if p.median() < 0.95 {
				t.Errorf("%s, %d: the median share is %.3f, want at least 0.95", d.name, context, p.median())
			}
			most := turns / 12
			if d.name == "long" && context == 8192 {
				// Twelve turns of 500 tokens do not fit into the 70 % of this
				// room that a fold may free: here the floor decides.
				most = turns / 10
			}
			if p.folds > most {
				t.Errorf("%s, %d: %d folds in %d turns, want at most %d", d.name, context, p.folds, turns, most)
			}
		}
	}
}

func TestTailStandsWhereMostIsShared(t *testing.T) {
	before := func(ms []Message) []Message { // the other place: just before the newest user message
		n := len(ms)
		if ms[n-1].Role != "system" || ms[n-2].Role != "user" {
			t.Fatalf("the prompt ends with %s, %s", ms[n-2].Role, ms[n-1].Role)
		}
		ms[n-1], ms[n-2] = ms[n-2], ms[n-1]
		return ms
	}
	for _, d := range dists {
		after, other := play(t, d, 100, staged(), nil), play(t, d, 100, staged(), before)
		t.Logf("%s: tail after the newest message: %.3f shared, %d tokens read; before it: %.3f, %d",
			d.name, after.median(), after.reread, other.median(), other.reread)
		if after.median() <= other.median() || after.reread >= other.reread {
			t.Errorf("%s: the tail stands in the wrong place", d.name)
		}
	}
}

func TestWithoutTailNothingIsReadAgain(t *testing.T) {
	s := staged()
	s.Card.PostHistoryInstructions, s.AuthorNote = "", ""
	if p := play(t, dists[1], 60, s, nil); p.median() != 1 {
		t.Errorf("median share %.3f, want all of it", p.median())
	}
}
