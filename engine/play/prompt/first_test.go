package prompt

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The first messages of the chat stay word for word after the history has folded, once, and the
// recap of the rest comes after them.
func TestFirst_StaysWordForWord(t *testing.T) {
	s := snapshot()
	s.History = long(1001, 30)
	s.Recap = covering(900, 4)
	s.Recap.Text = "What happened."
	s.First = s.History[:3]
	p := compile(t, s)
	if !p.Folded || p.Messages[1].Content != s.History[0].Content || p.Messages[3].Content != s.History[2].Content {
		t.Fatalf("folded %v: %.40q %.40q", p.Folded, p.Messages[1].Content, p.Messages[3].Content)
	}
	if p.Messages[4].Role != string(storage.System) {
		t.Errorf("the memory does not follow: %+v", p.Messages[4])
	}
	total := 0
	for _, l := range p.Parts {
		if l.Included {
			total += l.Tokens
		}
	}
	if total != p.Tokens || p.Tokens > s.Limits.budget() {
		t.Errorf("%d tokens in the ledger, %d in the prompt, room for %d", total, p.Tokens, s.Limits.budget())
	}
	if above := s.History[index(s, p.Window)].Depth; p.Covered+p.Uncovered != above-3 {
		t.Errorf("%d covered and %d not, of %d above", p.Covered, p.Uncovered, above)
	}
	s.History = long(11, 30)
	s.First = s.History[:3]
	with := compile(t, s)
	s.First = nil
	if without := compile(t, s); len(with.Messages) != len(without.Messages) {
		t.Errorf("%d messages, %d without: they are there twice", len(with.Messages), len(without.Messages))
	}
}

func index(s Snapshot, id storage.NodeID) int {
	for i := range s.History {
		if s.History[i].ID == id {
			return i
		}
	}
	return 0
}
