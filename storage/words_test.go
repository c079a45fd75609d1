package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// wordsOf splits a text at white space into its distinct words, in lower case with a mark for
// capitals.
func wordsOf(text string) (out []Word) {
	for _, w := range strings.Fields(text) {
		low := strings.ToLower(w)
		if at := slices.IndexFunc(out, func(o Word) bool { return o.Text == low }); at >= 0 {
			out[at].Capital = out[at].Capital || w != low
		} else {
			out = append(out, Word{low, w != low})
		}
	}
	return out
}

// indexWords indexes no more than most messages and returns how many it were.
func indexWords(t testing.TB, s *Store, chat ChatID, most int) (n int) {
	t.Helper()
	update(t, s, func(tx *Tx) error {
		var list []MessageWords
		for _, id := range tx.NextUnindexed(chat, most) {
			node, err := tx.Node(chat, id)
			if err != nil {
				return err
			}
			list = append(list, MessageWords{id, wordsOf(node.Content)})
		}
		n = len(list)
		return tx.IndexWords(chat, list)
	})
	return n
}

// finds are the messages that a search finds: the indexed ones that say what is looked
// for, and those on none.
func finds(t testing.TB, s *Store, chat ChatID, begin ...string) (out []NodeID) {
	t.Helper()
	view(t, s, func(tx *Tx) error {
		says := func(id NodeID) bool {
			n, err := tx.Node(chat, id)
			return err == nil && !slices.ContainsFunc(begin, func(b string) bool {
				return !slices.ContainsFunc(wordsOf(n.Content), func(w Word) bool { return strings.HasPrefix(w.Text, b) })
			})
		}
		for id := range tx.MessagesWithWords(chat, WordQuery{Begin: begin}) {
			if says(id) {
				out = append(out, id)
			}
		}
		for id := range tx.Unindexed(chat) {
			if says(id) {
				out = append(out, id)
			}
		}
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Whatever is written, rewritten, deleted and indexed in whatever order, a search finds
// what looking at every message finds.
func TestWords_FindWhatIsThere(t *testing.T) {
	s := open(t)
	c := newChat(t, s)
	r := rand.New(rand.NewPCG(7, 7))
	vocabulary := strings.Fields("Lamp lamp lantern door Door doors night tide Clara clara über größe " + strings.Repeat("x", 40) + " " + strings.Repeat("x", 33))
	text := func() string {
		var words []string
		for range r.IntN(6) {
			words = append(words, vocabulary[r.IntN(len(vocabulary))])
		}
		return strings.Join(words, " ")
	}
	var nodes []Node
	for step := range 400 {
		update(t, s, func(tx *Tx) error {
			if len(nodes) > 0 && r.IntN(3) == 0 {
				n := &nodes[r.IntN(len(nodes))]
				n.Content, n.Deleted = text(), r.IntN(9) == 0
				return tx.PutNode(*n)
			}
			n := Node{Chat: c, Role: User, Content: text()}
			err := tx.AppendNode(&n)
			nodes = append(nodes, n)
			return err
		})
		if r.IntN(12) == 0 {
			indexWords(t, s, c, 1+r.IntN(40))
		}
		if step%20 > 0 {
			continue
		}
		for _, begin := range [][]string{{"lamp"}, {"la"}, {"door", "clara"}, {"doors", "n", "lamp"}, {"größ"}, {"missing"}, {"x"}, {strings.Repeat("x", 32)}} {
			var want []NodeID
			for _, n := range nodes {
				if !slices.ContainsFunc(begin, func(b string) bool {
					return !slices.ContainsFunc(wordsOf(n.Content), func(w Word) bool { return strings.HasPrefix(w.Text, b) })
				}) {
					want = append(want, n.ID)
				}
			}
			if got := finds(t, s, c, begin...); !slices.Equal(got, want) {
				t.Fatalf("step %d, %q: %d found, want %d", step, begin, len(got), len(want))
			}
		}
	}
	for indexWords(t, s, c, 100) > 0 {
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	view(t, s, func(tx *Tx) error {
		messages, capitals := tx.CountWordUses(c, WordFilter{Begin: "clara"})
		if messages == 0 || capitals == 0 || capitals >= messages {
			t.Errorf("clara is in %d messages, in %d with a capital", messages, capitals)
		}
		return nil
	})
	update(t, s, func(tx *Tx) error { return tx.DeleteChat(c) })
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// A segment that is full is followed by another, and what is in the newest is found
// first.
func TestWords_SegmentsFollowEachOther(t *testing.T) {
	s := open(t)
	c := manyWords(t, s, segmentSize+100)
	var got []NodeID
	view(t, s, func(tx *Tx) error {
		for id := range tx.MessagesWithWords(c, WordQuery{Begin: []string{"every"}}) {
			got = append(got, id)
		}
		return nil
	})
	if len(got) != segmentSize+100 || !slices.IsSortedFunc(got, func(a, b NodeID) int { return -strings.Compare(string(a), string(b)) }) {
		t.Errorf("%d messages, not the newest first", len(got))
	}
	if got := finds(t, s, c, fmt.Sprint("only", segmentSize+99)); len(got) != 1 {
		t.Errorf("%d messages, want the one", len(got))
	}
}

// manyWords is a chat of indexed messages.
func manyWords(t testing.TB, s *Store, messages int) ChatID {
	t.Helper()
	c := newChat(t, s)
	for from := 0; from < messages; from += 1000 {
		update(t, s, func(tx *Tx) error {
			var list []MessageWords
			for i := from; i < min(from+1000, messages); i++ {
				text := fmt.Sprintf("every message has only%d of its own and rare%d beside word%d word%d word%d", i, i%997, i%17, i%311, i%1999)
				n := Node{Chat: c, Role: User, Content: text}
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				list = append(list, MessageWords{n.ID, wordsOf(text)})
			}
			return tx.IndexWords(c, list)
		})
	}
	return c
}

// BenchmarkWords_Find searches a chat of 100,000 messages for words: for a rare one, and for the
// beginning of a word that all messages have, taking the newest 50.
func BenchmarkWords_Find(b *testing.B) {
	s := open(b)
	c := manyWords(b, s, 100_000)
	for name, begin := range map[string][]string{"rare": {"rare41", "only"}, "common": {"ev"}, "letter": {"w"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				view(b, s, func(tx *Tx) error {
					n := 0
					for range tx.MessagesWithWords(c, WordQuery{Begin: begin}) {
						if n++; n == 50 {
							break
						}
					}
					return nil
				})
			}
		})
	}
}
