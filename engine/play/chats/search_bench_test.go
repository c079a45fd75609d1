package chats_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// BenchmarkSearch_TypedKeys types a query key by key, and reports how long the answers took: in one
// chat that has half of all messages, on its branch, and in all chats. The store is built once,
// with GHOSTLIGHT_MESSAGES messages:
//
//	GHOSTLIGHT_MESSAGES=1000000 go test ./engine/play/chats -run - -bench TypedKeys -benchtime 1x -timeout 1h
func BenchmarkSearch_TypedKeys(b *testing.B) {
	messages := 20_000
	if n, err := strconv.Atoi(os.Getenv("GHOSTLIGHT_MESSAGES")); err == nil && n > 0 {
		messages = n
	}
	s := &harness{enginetest.NewHarness(b)}
	w := newWriter(s)
	begun, who := time.Now(), s.View().Character.ID
	w.chat(s.Chat, messages/2)
	for left := messages - messages/2; left > 0; left -= 2000 {
		c, err := s.Chats.New(who, "Another night")
		enginetest.Must(b, err)
		w.chat(c.ID, min(left, 2000))
	}
	written, size := time.Since(begun), fileSize(b, s)
	begun = time.Now()
	enginetest.Must(b, s.Chats.IndexAll(s.Context()))
	built := fmt.Sprintf("%d messages: written in %.0f s, %d MB; words taken in %.0f s, %d MB", messages, written.Seconds(), size>>20, time.Since(begun).Seconds(), fileSize(b, s)>>20)
	for _, scope := range []struct {
		name string
		ask  chats.Search
	}{{"branch", chats.Search{Chat: s.Chat, Branch: true}}, {"chat", chats.Search{Chat: s.Chat}}, {"all", chats.Search{}}} {
		b.Run(scope.name, func(b *testing.B) {
			b.Log(built)
			for b.Loop() {
				typeAll(b, s, scope.ask)
			}
		})
	}
}

// typeAll types all queries, and reports the slowest keys.
func typeAll(b *testing.B, s *harness, ask chats.Search) {
	type key struct {
		text  string
		took  time.Duration
		hits  int
		whole bool
	}
	var all []key
	ask.Most, ask.Within = 500, chats.AnswerWithin
	for _, text := range []string{"needle", "nobody saw the lantern", "s needle", "qu zy", "zzyzx", "the of and", "lantern needle river", "e a i o u", `"the grey needle"`, `"eedle"`, `"n the la"`, `"the of the"`, `"— ?"`} {
		for i := range text {
			ask.Text = text[:i+1]
			k := key{text: ask.Text, took: time.Hour}
			for range 3 { // the best, since a machine may be busy with other things
				begun := time.Now()
				found, err := s.Chats.Search(s.Context(), ask)
				enginetest.Must(b, err)
				k.took, k.hits, k.whole = min(k.took, time.Since(begun)), len(found.Hits), found.Whole
			}
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b key) int { return cmp.Compare(b.took, a.took) })
	words := slices.DeleteFunc(slices.Clone(all), func(k key) bool { return k.text[0] == '"' })
	parts, quoted := 0, 0
	for _, k := range all {
		switch {
		case k.whole:
		case k.text[0] == '"':
			quoted++
		default:
			parts++
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(all[0].took), "ms/slowest-key")
	b.ReportMetric(ms(all[len(all)/2].took), "ms/median-key")
	b.ReportMetric(ms(words[0].took), "ms/slowest-key-of-words")
	b.ReportMetric(float64(parts), "words-in-part")
	b.ReportMetric(float64(quoted), "quotes-in-part")
	for _, k := range slices.Concat(all[:4], words[:4]) {
		b.Logf("%8.1f ms  %-24q %d hits, whole %t", ms(k.took), k.text, k.hits, k.whole)
	}
}

func fileSize(b *testing.B, s *harness) int64 {
	info, err := os.Stat(s.Core().Store.Path())
	enginetest.Must(b, err)
	return info.Size()
}

// writer generates messages whose words are distributed as in a natural language.
type writer struct {
	s     *harness
	r     *rand.Rand
	words []string
	total int
}

func newWriter(s *harness) *writer {
	w := &writer{s: s, r: rand.New(rand.NewPCG(3, 9)), words: strings.Fields("the and of to a in was his her you that he she with it on as for at but not from had is they nobody saw lantern river night door")}
	syllables := strings.Fields("ka lo mi ren tas vel dor an es qui zy bra sto nel ur ith wen gar")
	for len(w.words) < 60_000 {
		word := ""
		for range 2 + w.r.IntN(3) {
			word += syllables[w.r.IntN(len(syllables))]
		}
		w.words = append(w.words, word)
	}
	return w
}

// text returns about words words. One of 50,000 messages has the needle.
func (w *writer) text(words int) string {
	var b strings.Builder
	for i := range words {
		// Of Zipf's law: the n-th word is used 1/n times as often as the first.
		n := int(math.Exp(w.r.Float64()*math.Log(float64(len(w.words))))) - 1
		b.WriteString(w.words[n])
		if i%11 == 10 {
			b.WriteString(". *")
		}
		b.WriteByte(' ')
	}
	if w.total++; w.total%50_000 == 777 {
		b.WriteString("the grey needle")
	}
	return b.String()
}

// chat writes messages into a chat; one in ten is another take of a reply.
func (w *writer) chat(chat storage.ChatID, messages int) {
	for from := 0; from < messages; from += 5000 {
		enginetest.Must(w.s.T, w.s.Core().Store.Update(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, chat)
			if err != nil {
				return err
			}
			for i := from; i < min(from+5000, messages); i++ {
				n := storage.Node{Chat: chat, Parent: c.Head, Role: storage.User, Name: "Robin", State: storage.Complete, Content: w.text(25)}
				if i%2 == 1 {
					n.Role, n.Name, n.Content = storage.Assistant, "Tove", w.text(90)
				}
				if i%20 == 3 {
					take := n
					take.Content = w.text(90)
					if err := tx.AppendNode(&take); err != nil {
						return err
					}
				}
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				c.Head = n.ID
			}
			return storage.Chats.Put(tx, chat, c)
		}))
	}
}
