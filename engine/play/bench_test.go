package play_test

import (
	"fmt"
	"strings"
	"testing"

	"ghostlight/engine/enginetest"
	"ghostlight/engine/play"
)

func BenchmarkView10k(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	s.Grow(5000)
	for b.Loop() {
		if v, err := s.Play.View(s.Chat, 200); err != nil || len(v.Messages) != 200 {
			b.Fatal(len(v.Messages), err)
		}
	}
}

func BenchmarkPrompt10k(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	s.Grow(5000)
	for b.Loop() {
		if p, err := s.Play.Prompt(b.Context(), s.Chat, "And now?"); err != nil || len(p.Messages) < 20 {
			b.Fatal(len(p.Messages), err)
		}
	}
}

// BenchmarkTurn is a whole turn in a chat of 10,000 messages with a server that
// answers at once: what the program itself costs.
func BenchmarkTurn(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	s.Grow(5000)
	for b.Loop() {
		s.Say("And now?")
	}
}

func BenchmarkSend(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	s.Grow(5000)
	for b.Loop() {
		if _, _, err := play.CommitUser(s.Play, s.Chat, "And now?", enginetest.Alone); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOneShot is a turn of a program that has just started: what a command costs.
func BenchmarkOneShot(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	s.Grow(5000)
	for b.Loop() {
		s.Reopen()
		s.Say("And now?")
	}
}

// BenchmarkSearch looks, in a chat whose words are shelved, for one message, for what
// every message has, and for a first letter: each as many hits as a screen shows.
func BenchmarkSearch(b *testing.B) {
	for _, exchanges := range []int{5_000, 50_000} {
		s := (&stage{enginetest.NewStage(b)})
		s.Grow(exchanges)
		enginetest.Must(b, s.Chats.Shelve(s.Chat, 1))
		for _, text := range []string{"line 4000", "line", "l"} {
			b.Run(fmt.Sprintf("%d/%s", 2*exchanges, strings.ReplaceAll(text, " ", "_")), func(b *testing.B) {
				for b.Loop() {
					if hits, err := s.Chats.Search(s.Chat, text, 50); err != nil || len(hits) == 0 {
						b.Fatal(len(hits), err)
					}
				}
			})
		}
	}
}

func BenchmarkImport10k(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	path := enginetest.Write(b, "long.jsonl", enginetest.LongChat(10_000))
	for b.Loop() {
		if _, err := s.Library.ImportChat(path, ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen10k(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	s.Grow(5000)
	for b.Loop() {
		s.Reopen()
	}
}
