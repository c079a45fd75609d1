package engine

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"ghostlight/storage"
)

// Each kind of operation that fills the lorebook is killed again and again, and
// in the end everything was learnt, and once.
func TestLoreOperationsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	lamp := candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter, heavy]", "lamp")
	add := map[string]func(s *stage, node storage.NodeID, lampID storage.EntryID, n int) error{
		opLoreLookup: func(s *stage, node storage.NodeID, _ storage.EntryID, n int) error {
			return s.addLoreOp(opLoreLookup, loreParams{Chat: s.chat, Node: node, Candidate: candidate("item", "Key of "+letters(n), "[item-Key of "+letters(n)+": small]", "key")})
		},
		opLoreResolve: func(s *stage, node storage.NodeID, id storage.EntryID, n int) error {
			return s.addLoreOp(opLoreResolve, loreParams{Chat: s.chat, Node: node, Type: "item", Candidate: candidate("item", "Bell "+letters(n), "[item-Bell "+letters(n)+": loud]", "bell"),
				Maybe: []storage.EntryID{id}})
		},
		opLoreMerge: func(s *stage, node storage.NodeID, id storage.EntryID, n int) error {
			c := lamp
			c.Content = "[item-Brass Lamp: scratch " + letters(n) + "]"
			return s.addLoreOp(opLoreMerge, loreParams{Chat: s.chat, Node: node, Type: "item", Candidate: c, Book: s.taughtBook(), Entry: id})
		},
		opLoreCompact: func(s *stage, _ storage.NodeID, id storage.EntryID, _ int) error {
			_, err := s.CompactLore(s.taughtBook(), s.chat, id)
			return err
		},
	}
	for typ, again := range add {
		t.Run(typ, func(t *testing.T) {
			s := newStage(t, filling)
			a := s.exchange(6, "lamp")
			s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, brass lamp, an old lamp of brass]", "lamp"))
			id := s.named(s.taughtBook(), "Brass Lamp").ID
			must(t, again(s, a[3], id, 0))
			dir, done := s.cfg.DataDir, 0
			for range kills() {
				s.close()
				finished := killedWork(t, dir)
				s.open()
				s.learntOnce()
				if finished {
					done++
					must(t, again(s, a[3], id, done))
				}
			}
			s.work()
			s.learntOnce()
			s.sound()
			t.Logf("killed %d times, of which %d came after the work was done", kills(), done)
			if err := s.store.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// letters is a number as a word.
func letters(n int) string {
	return strings.Repeat(string(rune('A'+n%26)), 3+n/26) + "a"
}

func (s *stage) addLoreOp(typ string, p loreParams) error {
	return s.store.Update(func(tx *storage.Tx) error { _, err := s.addLore(tx, typ, p); return err })
}

// learntOnce fails the test when what the lorebook holds is not what completed
// operations have made: less is lost, more was done twice.
func (s *stage) learntOnce() {
	s.t.Helper()
	book := s.taughtBook()
	must(s.t, s.store.View(func(tx *storage.Tx) error {
		done := map[storage.OperationID]bool{}
		for id, op := range storage.Operations.All(tx) {
			var r loreResult
			if op.Status == storage.Completed && json.Unmarshal(op.Result, &r) == nil &&
				(strings.HasPrefix(r.Decision, "new") || r.Decision == "merged" || r.Decision == "proposed") {
				done[id] = true
			}
		}
		by := map[storage.OperationID]int{}
		for _, x := range storage.LoreEntries.All(tx, book) {
			for _, p := range append(slices.Clone(x.Past), storage.LorePast{Revision: x.Revision}) {
				st, err := loreState(tx, book, x, p.Revision)
				if err != nil {
					s.t.Errorf("a state of %s is lost: %v", x.Name, err)
					continue
				}
				by[st.Cause.Operation]++
			}
		}
		for _, c := range storage.LoreChanges.All(tx, book) {
			by[c.Cause.Operation]++
		}
		for id := range by {
			if by[id] != 1 || !done[id] {
				s.t.Errorf("operation %s made %d states, done: %v", id, by[id], done[id])
			}
		}
		return nil
	}))
}

// Each job on the lorebook asks a real server, whose model writes gibberish that
// keeps to the schema: none may break the server, and nothing of it is stored
// that is no entry.
func TestReal_LoreOnARealServer(t *testing.T) {
	url, model := os.Getenv("GHOSTLIGHT_TEST_OLLAMA"), os.Getenv("GHOSTLIGHT_TEST_MODEL")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test ./engine`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	if model == "" {
		model = "tiny"
	}
	s := newStage(t, filling, func(o *setup) { o.cfg.Model, o.cfg.Sampling.NumPredict = model, 40 })
	s.close()
	s.cfg.Ollama = url
	s.open()
	a := s.exchange(4, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	book := s.taughtBook()
	id := s.named(book, "Brass Lamp").ID
	must(t, s.addLoreOp(opLoreLookup, loreParams{Chat: s.chat, Node: a[3], Candidate: candidate("item", "Silver Key", "[item-Silver Key: small]", "key")}))
	must(t, s.addLoreOp(opLoreResolve, loreParams{Chat: s.chat, Node: a[3], Type: "item", Candidate: candidate("item", "Old Lamp", "[item-Old Lamp: heavy]", "lamp"), Maybe: []storage.EntryID{id}}))
	must(t, s.addLoreOp(opLoreMerge, loreParams{Chat: s.chat, Node: a[3], Type: "item", Candidate: candidate("item", "Brass Lamp", "[item-Brass Lamp: heavy]", "lamp"), Book: book, Entry: id}))
	_, err := s.CompactLore(book, s.chat, id)
	must(t, err)
	sum, err := s.QueueDrain(t.Context())
	t.Logf("%d done, %d failed, %v", sum.Done, sum.Failed, err)
	ops, err := s.Operations()
	must(t, err)
	for _, op := range ops {
		t.Logf("%s %s %s %s", op.Type, op.Status, op.Result, op.Error)
	}
	rows, err := s.LoreEntries(book, s.chat)
	must(t, err)
	for _, r := range rows {
		t.Logf("%s", r.Content)
		if v := s.entry(book, r.ID); len(v.Problems) > 0 {
			t.Errorf("%s is stored with %v", r.Content, v.Problems)
		}
	}
	s.sound()
}
