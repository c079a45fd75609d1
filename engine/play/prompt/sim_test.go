package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// played is the cost of a simulated chat.
type played struct {
	turns, folds int
	shares       []float64 // of each prompt but the last: the part that the next one begins with
	reread       int
	tokens       int
	least        int    // messages of history in the smallest prompt
	steps        []step // one for each prompt but the first
}

// step is the cost of one prompt of a simulated chat, in addition to the reply and the prompt
// before it.
type step struct {
	folded        bool
	recapped      bool // the memory, which is before the history, has changed
	reread, bytes int  // read again, in tokens and in bytes
	turn          int  // tokens of its new parts: the last reply, and everything from the newest message on
	uncovered     int  // messages outside it that no recap covers
	chat, lore    int  // tokens of its history, and of the lorebooks' entries
}

func (p played) median() float64 {
	s := slices.Sorted(slices.Values(p.shares))
	return s[len(s)/2]
}

// reused is the share of all prompts' tokens that the server had read before.
func (p played) reused() float64 { return 1 - float64(p.reread)/float64(p.tokens) }

// around returns the average bytes read again by prompts that are turns turns away from a fold.
func (p played) around(turns int) float64 {
	total, n := 0, 0
	for i, s := range p.steps {
		if j := i + turns; s.folded && j >= 0 && j < len(p.steps) && (turns == 0 || !p.steps[j].folded) {
			total, n = total+p.steps[j].bytes, n+1
		}
	}
	return float64(total) / float64(max(n, 1))
}

// play simulates a chat of turns turns. Before each prompt stagehand may change the snapshot;
// change may change the compiled messages.
func play(t testing.TB, d dist, turns int, s Snapshot, stagehand func(turn int, s *Snapshot), change func([]Message) []Message) played {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(d.char)))
	s.History = []storage.Node{message(0, storage.Assistant, text("greeting", d.char))}
	p := played{turns: turns, least: 1 << 30}
	var prev []Message
	for turn := range turns {
		n := len(s.History)
		if stagehand != nil {
			stagehand(turn, &s)
		}
		s.History = append(s.History, message(n, storage.User, text(fmt.Sprint("u", n), drawn(r, d.user))))
		prompt, err := Compile(s)
		if err != nil {
			t.Fatalf("turn %d: %v", turn, err)
		}
		if budget := s.Limits.Context - s.Limits.Reply; prompt.Tokens > budget {
			t.Fatalf("turn %d: %d tokens do not fit %d", turn, prompt.Tokens, budget)
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
			p.add(s.History, prompt, prev, now)
			p.steps[len(p.steps)-1].recapped = told(prev) != told(now)
		}
		reply := message(n+1, storage.Assistant, text(fmt.Sprint("a", n+1), min(drawn(r, d.char), s.Limits.Reply)))
		reply.Window = prompt.Window
		s.History = append(s.History, reply)
		s.Window, s.Lore = prompt.Window, onward(s.Lore, prompt.Lore)
		prev = now
	}
	return p
}

// told returns the memory of a prompt, "" if there is none.
func told(prompt []Message) string {
	if len(prompt) > 1 && strings.Contains(prompt[1].Content, memoryOpen) {
		return prompt[1].Content
	}
	return ""
}

// add records the cost of a prompt that ends with the newest message of a history.
func (p *played) add(h []storage.Node, prompt Prompt, prev, now []Message) {
	newest, reply := h[len(h)-1].Content, h[len(h)-2].Content
	s := step{folded: prompt.Folded, uncovered: prompt.Uncovered, reread: Reread(prev, now, words),
		bytes: Reread(prev, now, func(s string) int { return len(s) }), turn: words(reply) + messageTokens}
	for i := len(now) - 1; i >= 0; i-- {
		s.turn += words(now[i].Content) + messageTokens
		if now[i].Content == newest {
			break
		}
	}
	for _, part := range prompt.Parts {
		switch {
		case part.Included && part.Layer == LayerHistory:
			s.chat += part.Tokens
		case part.Included && part.Layer == LayerLore:
			s.lore += part.Tokens
		}
	}
	p.shares = append(p.shares, common(prev, now))
	p.reread += s.reread
	p.tokens += prompt.Tokens
	p.steps = append(p.steps, s)
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
			p := play(t, d, turns, s, nil, nil)
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
				most = turns / 6 // no more turns of 500 tokens have room
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
		after, other := play(t, d, 100, staged(), nil, nil), play(t, d, 100, staged(), nil, before)
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
	if p := play(t, dists[1], 60, s, nil, nil); p.median() != 1 {
		t.Errorf("median share %.3f, want all of it", p.median())
	}
}
