package lore_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Each kind of operation that fills the lorebook is killed again and again, and
// in the end everything was learnt, and once.
func TestLoreOperationsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	lamp := candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter, heavy]", "lamp")
	add := map[string]func(s *harness, node storage.NodeID, lampID storage.EntryID, n int) error{
		lore.OpLoreLookup: func(s *harness, node storage.NodeID, _ storage.EntryID, n int) error {
			return s.addLoreOp(lore.OpLoreLookup, lore.Params{Chat: s.Chat, Node: node, Candidate: candidate("item", "Key of "+enginetest.Letters(n), "[item-Key of "+enginetest.Letters(n)+": small]", "key")})
		},
		lore.OpLoreResolve: func(s *harness, node storage.NodeID, id storage.EntryID, n int) error {
			return s.addLoreOp(lore.OpLoreResolve, lore.Params{Chat: s.Chat, Node: node, Type: "item", Candidate: candidate("item", "Bell "+enginetest.Letters(n), "[item-Bell "+enginetest.Letters(n)+": loud]", "bell"),
				Maybe: []storage.EntryID{id}})
		},
		lore.OpLoreMerge: func(s *harness, node storage.NodeID, id storage.EntryID, n int) error {
			c := lamp
			c.Content = "[item-Brass Lamp: scratch " + enginetest.Letters(n) + "]"
			return s.addLoreOp(lore.OpLoreMerge, lore.Params{Chat: s.Chat, Node: node, Type: "item", Candidate: c, Book: s.taughtBook(), Entry: id})
		},
		lore.OpLoreCompact: func(s *harness, _ storage.NodeID, id storage.EntryID, _ int) error {
			_, err := s.Lore.Compact(s.taughtBook(), s.Chat, id)
			return err
		},
	}
	for typ, again := range add {
		t.Run(typ, func(t *testing.T) {
			s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
			a := s.Exchange(6, "lamp")
			s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, brass lamp, an old lamp of brass]", "lamp"))
			id := s.named(s.taughtBook(), "Brass Lamp").ID
			enginetest.Must(t, again(s, a[3], id, 0))
			dir, done := s.Cfg.DataDir, 0
			for range enginetest.Kills() {
				s.Shut()
				finished := enginetest.KilledWork(t, dir)
				s.Open()
				s.learntOnce()
				if finished {
					done++
					enginetest.Must(t, again(s, a[3], id, done))
				}
			}
			s.Work()
			s.learntOnce()
			s.Sound()
			t.Logf("killed %d times, of which %d came after the work was done", enginetest.Kills(), done)
			if err := s.Core().Store.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func (s *harness) addLoreOp(typ string, p lore.Params) error {
	return s.Core().Store.Update(func(tx *storage.Tx) error { _, err := lore.AddLore(s.Lore, tx, typ, p); return err })
}

// learntOnce fails the test when what the lorebook holds is not what completed
// operations have made: less is lost, more was done twice.
func (s *harness) learntOnce() {
	s.T.Helper()
	book := s.taughtBook()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		done := map[storage.OperationID]bool{}
		for id, op := range storage.Operations.All(tx) {
			var r lore.Result
			if op.Status == storage.Completed && json.Unmarshal(op.Result, &r) == nil &&
				(strings.HasPrefix(r.Decision, "new") || r.Decision == "merged" || r.Decision == "proposed") {
				done[id] = true
			}
		}
		by := map[storage.OperationID]int{}
		for _, x := range storage.LoreEntries.All(tx, book) {
			for _, p := range append(slices.Clone(x.Past), storage.LorePast{Revision: x.Revision}) {
				st, err := lore.StateOf(tx, book, x, p.Revision)
				if err != nil {
					s.T.Errorf("a state of %s is lost: %v", x.Name, err)
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
				s.T.Errorf("operation %s made %d states, done: %v", id, by[id], done[id])
			}
		}
		return nil
	}))
}

// Each job on the lorebook asks a real server, whose model writes gibberish that
// keeps to the schema: none may break the server, and nothing of it is stored
// that is no entry.
func TestReal_LoreOnARealServer(t *testing.T) {
	url, model := ollamatest.Real(t)
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling, func(o *enginetest.Setup) { o.Cfg.Model, o.Cfg.Sampling.NumPredict = model, 40 })})
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	a := s.Exchange(4, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	book := s.taughtBook()
	id := s.named(book, "Brass Lamp").ID
	enginetest.Must(t, s.addLoreOp(lore.OpLoreLookup, lore.Params{Chat: s.Chat, Node: a[3], Candidate: candidate("item", "Silver Key", "[item-Silver Key: small]", "key")}))
	enginetest.Must(t, s.addLoreOp(lore.OpLoreResolve, lore.Params{Chat: s.Chat, Node: a[3], Type: "item", Candidate: candidate("item", "Old Lamp", "[item-Old Lamp: heavy]", "lamp"), Maybe: []storage.EntryID{id}}))
	enginetest.Must(t, s.addLoreOp(lore.OpLoreMerge, lore.Params{Chat: s.Chat, Node: a[3], Type: "item", Candidate: candidate("item", "Brass Lamp", "[item-Brass Lamp: heavy]", "lamp"), Book: book, Entry: id}))
	_, err := s.Lore.Compact(book, s.Chat, id)
	enginetest.Must(t, err)
	sum, err := s.Queue.Drain(t.Context())
	t.Logf("%d done, %d failed, %v", sum.Done, sum.Failed, err)
	ops, err := s.Queue.List()
	enginetest.Must(t, err)
	for _, op := range ops {
		t.Logf("%s %s %s %s", op.Type, op.Status, op.Result, op.Error)
	}
	rows, err := s.Lore.Entries(book, s.Chat)
	enginetest.Must(t, err)
	for _, r := range rows {
		t.Logf("%s", r.Content)
		if v := s.entry(book, r.ID); len(v.Problems) > 0 {
			t.Errorf("%s is stored with %v", r.Content, v.Problems)
		}
	}
	s.Sound()
}
