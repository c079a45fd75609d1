package prompt

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// long returns a history of n messages, the user's first, each of size words.
func long(n, size int) []storage.Node {
	var h []storage.Node
	for i := range n {
		role := storage.User
		if i%2 == 1 {
			role = storage.Assistant
		}
		h = append(h, message(i, role, text(fmt.Sprint("t", i), size)))
	}
	return h
}

func compile(t *testing.T, s Snapshot) Prompt {
	t.Helper()
	p, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, part := range p.Parts {
		if part.Included {
			sum += part.Tokens
		}
		if part.Layer == "" || part.Source == "" || part.Reason == "" {
			t.Errorf("a ledger line says too little: %+v", part)
		}
	}
	if sum != p.Tokens {
		t.Errorf("the ledger adds up to %d tokens, the prompt has %d", sum, p.Tokens)
	}
	return p
}

func part(p Prompt, layer string, included bool) (Part, bool) {
	for _, part := range p.Parts {
		if part.Layer == layer && part.Included == included {
			return part, true
		}
	}
	return Part{}, false
}

// room returns the tokens that a snapshot's history may have.
func room(t *testing.T, s Snapshot) int {
	t.Helper()
	s.History = nil
	return s.Limits.Context - s.Limits.Reply - margin(s.Limits.Context) - compile(t, s).Tokens
}

func TestWindow(t *testing.T) {
	base := snapshot()
	r := room(t, base)
	for _, c := range []struct {
		name            string
		history         []storage.Node
		more            bool
		window          storage.NodeID
		first           storage.NodeID
		folded          bool
		atMost, atLeast float64 // of the room
	}{
		{name: "all fits", history: long(41, 30), first: "m00000", atMost: 1},
		{name: "stays", history: long(41, 30), window: "m00006", first: "m00006", atMost: 1},
		{name: "stays on a reply", history: long(41, 30), window: "m00007", first: "m00007", atMost: 1},
		{name: "branch before the window", history: long(41, 30), window: "m00099", first: "m00000", atMost: 1},
		{name: "branch before the window, more above", history: long(41, 30)[10:], more: true, window: "m00099", first: "m00010", folded: true, atMost: 1},
		{name: "overflow, small turns", history: long(1001, 14), window: "m00000", folded: true, atMost: foldTo, atLeast: foldTo - 0.05},
		{name: "overflow, large turns", history: long(1001, 144), window: "m00000", folded: true, atMost: foldTo, atLeast: minFoldTo},
		{name: "overflow, huge turns", history: long(1001, 394), window: "m00000", folded: true, atMost: foldTo, atLeast: minFoldTo - 0.05},
		{name: "no window, does not fit", history: long(1001, 14), folded: true, atMost: foldTo, atLeast: foldTo - 0.05},
		{name: "one message more than fits", history: long((r/20+1)|1, 14), window: "m00000", folded: true, atMost: foldTo, atLeast: foldTo - 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			s.History, s.More, s.Window = c.history, c.more, c.window
			p := compile(t, s)
			if p.Folded != c.folded {
				t.Errorf("folded %v", p.Folded)
			}
			if c.first != "" && p.Window != c.first {
				t.Errorf("starts at %s, want %s", p.Window, c.first)
			}
			kept, _ := part(p, LayerHistory, true)
			newest := s.History[len(s.History)-1] // it has no reply yet, and does not count
			if share := float64(kept.Tokens-words(newest.Content)) / float64(r); share > c.atMost || share < c.atLeast {
				t.Errorf("%.3f of the room is kept, want %.3f to %.3f", share, c.atLeast, c.atMost)
			}
			if c.folded && !strings.HasPrefix(p.Messages[1].Content, "t") {
				t.Fatalf("the history is not in place: %+v", p.Messages[1])
			}
			if c.folded && p.Messages[1].Role != "user" {
				t.Error("a fold should begin with a user's message")
			}
			if last := p.Messages[len(p.Messages)-1].Content; last != c.history[len(c.history)-1].Content {
				t.Errorf("the newest message is missing; the prompt ends with %.20q", last)
			}
		})
	}
}

func TestWindowIsKeptUntilItOverflows(t *testing.T) {
	s := snapshot()
	s.History = long(999, 30)
	p := compile(t, s)
	s.Window = p.Window
	turns := 0
	for {
		n := len(s.History)
		s.History = append(s.History, message(n, storage.Assistant, text("a", 30)), message(n+1, storage.User, text("u", 30)))
		p = compile(t, s)
		if p.Folded {
			break
		}
		if p.Window != s.Window {
			t.Fatalf("the window moved to %s without a fold", p.Window)
		}
		turns++
	}
	if most := int(float64(room(t, s))*(1-foldTo)) / 72; turns < most-2 {
		t.Errorf("folded again after %d turns, and %d have room", turns, most)
	}
}

func TestLedgerTellsWhatLeft(t *testing.T) {
	s := snapshot()
	s.History = long(1001, 14)
	s.Window = "m00000"
	p := compile(t, s)
	left, ok := part(p, LayerHistory, false)
	if want := fmt.Sprintf("%d older messages left the context and no recap covers them", 1001-(len(p.Messages)-1)); !ok || left.Reason != want {
		t.Errorf("got %+v, want %q", left, want)
	}
	// The same from the end of the path alone.
	s.History, s.More = s.History[600:], true
	if again := compile(t, s); again.Window != p.Window || len(again.Parts) != len(p.Parts) || again.Parts[len(again.Parts)-1] != p.Parts[len(p.Parts)-1] {
		t.Errorf("another window from the end of the path: %s, was %s", again.Window, p.Window)
	}
}

func TestFoldKeepsTheNewestExchange(t *testing.T) {
	s := snapshot()
	r := room(t, s)
	s.History = append(long(500, 20),
		message(500, storage.User, text("u", r/10)), message(501, storage.Assistant, text("a", r*6/10)),
		message(502, storage.User, text("newest", r/10)))
	p := compile(t, s)
	if p.Window != "m00500" {
		t.Errorf("starts at %s: the exchange before the newest message had room", p.Window)
	}
	s.History[501].Content = text("a", r*95/100)
	if p = compile(t, s); p.Window != "m00502" {
		t.Errorf("starts at %s, want the newest message alone", p.Window)
	}
}

func TestTooLong(t *testing.T) {
	s := snapshot()
	s.Card.Description = text("d", 9000)
	s.Limits.Reply = 4000
	_, err := Compile(s)
	var e *TooLongError
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if want := 8192 - 4000 - margin(8192); e.Room != want || e.Need <= 9000 || !strings.Contains(e.Part, "description") || e.PartTokens < 9000 {
		t.Errorf("%+v, want room %d", e, want)
	}
	for _, want := range []string{"description (card: Ada)", "lower the reply limit", "larger context (ollama.num_ctx in config.toml)", "8192"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	s = snapshot()
	s.History = append(long(100, 20), message(100, storage.User, text("u", 8000)))
	if _, err := Compile(s); !errors.As(err, &e) || !strings.Contains(e.Part, "Ben") {
		t.Errorf("a newest message too long: %v", err)
	}
	s.Limits.Context = 0
	if _, err := Compile(s); err == nil || errors.As(err, &e) && e.Context == 0 {
		t.Errorf("no context: %v", err)
	}
}

func TestCountsNoMoreThanItKeeps(t *testing.T) {
	s := snapshot()
	s.History = long(10_000, 14)
	calls := 0
	s.Count = func(text string) int { calls++; return words(text) }
	p := compile(t, s)
	if most := 3 * len(p.Messages); calls > most {
		t.Errorf("%d texts counted for a prompt of %d messages", calls, len(p.Messages))
	}
}

func BenchmarkCompile10k(b *testing.B) {
	for _, window := range []storage.NodeID{"", "m09800"} {
		b.Run("window="+string(window), func(b *testing.B) {
			s := snapshot()
			s.History, s.Window, s.Count = long(10_000, 60), window, nil
			for i := range s.History {
				s.History[i].Content = strings.Repeat("some words ", 12)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
