package play_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func BenchmarkView10k(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	for b.Loop() {
		if v, err := s.Play.View(s.Chat, 200); err != nil || len(v.Messages) != 200 {
			b.Fatal(len(v.Messages), err)
		}
	}
}

func BenchmarkPrompt10k(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	for b.Loop() {
		if p, err := s.Play.Prompt(b.Context(), s.Chat, "And now?"); err != nil || len(p.Messages) < 20 {
			b.Fatal(len(p.Messages), err)
		}
	}
}

// BenchmarkTurn measures a whole turn in a chat of 10,000 messages with a server that answers
// immediately: the cost of the program itself.
func BenchmarkTurn(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	for b.Loop() {
		s.Say("And now?")
	}
}

// BenchmarkTurnLong measures a turn with everything that the program does after it, in longer and
// longer chats: the evaluation of the exchange, and the beginning of the next prompt. The cost must
// not grow with the chat.
func BenchmarkTurnLong(b *testing.B) {
	for _, exchanges := range []int{500, 5_000, 50_000} {
		b.Run(fmt.Sprint(2*exchanges), func(b *testing.B) {
			s := (&harness{enginetest.NewHarness(b, func(o *enginetest.Setup) {
				o.Cfg.Scenes.NoDetect = false
				o.Cfg.Stage = config.Stage{WarmUp: true}
			})})
			s.Grow(exchanges)
			s.Say("And now?")
			s.Work()
			for b.Loop() {
				s.Say("And now?")
				s.Work()
				play.WarmOnce(s.Play, s.Chat)
			}
		})
	}
}

func BenchmarkSend(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	for b.Loop() {
		if _, err := play.CommitUser(s.Play, s.Chat, play.Line{Text: "And now?"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOneShot measures a turn of a program that has just started: the cost of a command.
func BenchmarkOneShot(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	for b.Loop() {
		s.Reopen()
		s.Say("And now?")
	}
}

// BenchmarkOneShotBook measures the same in a short chat with a book of n entries.
func BenchmarkOneShotBook(b *testing.B) {
	for _, n := range []int{0, 1_000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := (&harness{enginetest.NewHarness(b)})
			s.Book(storage.Lorebook{Name: "Gazetteer"}, gazetteer(n)...)
			s.Grow(20)
			b.ReportAllocs()
			for b.Loop() {
				s.Reopen()
				s.Say("And now? Is there news of " + place(n/2) + "?")
			}
		})
	}
}

// gazetteer are entries of three keys each, every twentieth with a regex.
func gazetteer(n int) []storage.LoreEntry {
	list := make([]storage.LoreEntry, n)
	for i := range list {
		e := enginetest.Keyed(place(i), "["+place(i)+": "+
			strings.Repeat("it lies behind "+place(i+1)+", a day away; ", 8)+"]", place(i), place(i+n)+" "+place(i))
		if i%20 == 0 {
			e.Keys = append(e.Keys, "/\\b"+place(i+2*n)+"(s|'s)?\\b/i")
		}
		list[i] = e
	}
	return list
}

// place is a name of five syllables, another one for each number.
func place(n int) string {
	const consonants, vowels = "bdfghklmnprstvwz", "aeiou"
	name := []byte{}
	for range 5 {
		name = append(name, consonants[n*7%16], vowels[n%5])
		n = n/5 + n*31
	}
	return strings.ToUpper(string(name[:1])) + string(name[1:])
}

// BenchmarkSearch searches a chat with indexed words for one message, for a word that every message
// has, and for a first letter; each for as many hits as a screen shows.
func BenchmarkSearch(b *testing.B) {
	for _, exchanges := range []int{5_000, 50_000} {
		s := (&harness{enginetest.NewHarness(b)})
		s.Grow(exchanges)
		enginetest.Must(b, s.Chats.Index(s.Context(), s.Chat, 1, func(int) {}))
		for _, text := range []string{"line 4000", "line", "l"} {
			for _, branch := range []bool{false, true} {
				b.Run(fmt.Sprintf("%d/%s/branch=%t", 2*exchanges, strings.ReplaceAll(text, " ", "_"), branch),
					func(b *testing.B) {
						for b.Loop() {
							if len(s.Search(chats.Search{Chat: s.Chat, Branch: branch, Text: text, Most: 50})) == 0 {
								b.Fatal("nothing is found")
							}
						}
					})
			}
		}
	}
}

func BenchmarkImport10k(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	path := enginetest.Write(b, "long.jsonl", enginetest.LongChat(10_000))
	for b.Loop() {
		if _, err := s.Library.ImportChat(path, ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen10k(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	for b.Loop() {
		s.Reopen()
	}
}
