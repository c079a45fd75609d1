package engine

import (
	"testing"
)

func BenchmarkView10k(b *testing.B) {
	s := newStage(b)
	s.grow(5000)
	for b.Loop() {
		if v, err := s.View(s.chat, 200); err != nil || len(v.Messages) != 200 {
			b.Fatal(len(v.Messages), err)
		}
	}
}

func BenchmarkPrompt10k(b *testing.B) {
	s := newStage(b)
	s.grow(5000)
	for b.Loop() {
		if p, err := s.Prompt(b.Context(), s.chat, "And now?"); err != nil || len(p.Messages) < 20 {
			b.Fatal(len(p.Messages), err)
		}
	}
}

// BenchmarkTurn is a whole turn in a chat of 10,000 messages with a server that
// answers at once: what the program itself costs.
func BenchmarkTurn(b *testing.B) {
	s := newStage(b)
	s.grow(5000)
	for b.Loop() {
		s.say("And now?")
	}
}

func BenchmarkSend(b *testing.B) {
	s := newStage(b)
	s.grow(5000)
	for b.Loop() {
		if _, _, err := s.commitUser(s.chat, "And now?", alone); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch10k(b *testing.B) {
	s := newStage(b)
	s.grow(5000)
	for b.Loop() {
		if hits, err := s.Search(s.chat, "line 4000", 50); err != nil || len(hits) != 2 {
			b.Fatal(len(hits), err)
		}
	}
}

func BenchmarkImport10k(b *testing.B) {
	s := newStage(b)
	path := write(b, "long.jsonl", longChat(10_000))
	for b.Loop() {
		if _, err := s.ImportChat(path, ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen10k(b *testing.B) {
	s := newStage(b)
	s.grow(5000)
	for b.Loop() {
		s.reopen()
	}
}
