package chats_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// tell adds messages to the chat, one below the other, and moves the head to the last.
func tell(s *harness, texts ...string) (ids []storage.NodeID) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		for _, text := range texts {
			n := storage.Node{Chat: s.Chat, Parent: c.Head, Role: storage.User, State: storage.Complete, Content: text}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			c.Head = n.ID
			ids = append(ids, n.ID)
		}
		return storage.Chats.Put(tx, c.ID, c)
	}))
	return ids
}

// Text in quotes is found exactly, whether it is indexed or not: also within words, across
// punctuation, in other scripts, and in truncated words.
func TestSearch_LetterForLetter(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	long := strings.Repeat("ab", 30) + "zq"
	texts := []string{"The Lamp’s light, again.", "a lampshade; the dogs' bowl", "größe GRÖSSE Größe", "灯台の下", "she \"said\" <so> & went\nhome", "一\u2028二 İstanbul 5\u212A", long, "— ?! …"}
	ids := tell(s, texts...)
	queries := []string{`"amp`, `"lamp’s li`, `"amps`, `"the l`, `"he lam`, `"e d`, `"RÖSS`, `"rosse`, `"台の`, `"灯`, `"下`, `"の下`, `"\"said\"`, `"<so> &`, "\"went\nho", "\"一\u2028", `"İst`, `"ist`, `"5k`, `"— ?`, `"?!`, `"zq`, `"` + long[10:], `"b" `, `"s'`, `"’s`, `"nowhere`, `"a lampshade; the d"`}
	for _, taken := range []bool{false, true} {
		if taken {
			enginetest.Must(t, s.Chats.IndexAll(s.Context()))
		}
		for _, q := range queries {
			var want, got []storage.NodeID
			for i, text := range texts {
				if at, ok := chats.NewQuery(q).Match(text, 1); ok && len(at) > 0 {
					want = append(want, ids[i])
				}
			}
			for _, h := range s.Search(chats.Search{Chat: s.Chat, Text: q}) {
				if slices.Contains(ids, h.Node) {
					got = append(got, h.Node)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%q, taken in %t: %v, want %v", q, taken, got, want)
			}
		}
	}
}

// However the tree grows and the head moves, a search on the branch finds all of its matches and no
// others, even if other branches have newer ones.
func TestSearch_Branch(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	r := rand.New(rand.NewPCG(2, 8))
	all := tell(s, "lamp 0")
	for step := range 120 {
		switch r.IntN(3) {
		case 0:
			enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
				return s.Chats.SetHead(tx, s.Chat, all[r.IntN(len(all))])
			}))
		case 1:
			all = append(all, tell(s, fmt.Sprintf("lamp %d", step), "nothing", "the lamp again")...)
		default:
			all = append(all, tell(s, "more of the lamp")...)
		}
		if step%30 == 0 {
			enginetest.Must(t, s.Chats.IndexAll(s.Context()))
		}
		var want, got []storage.NodeID
		_, path, err := s.Chats.Path(s.Chat, 0)
		enginetest.Must(t, err)
		for _, m := range path {
			if strings.Contains(m.Content, "lamp") {
				want = append(want, m.ID)
			}
		}
		slices.Reverse(want)
		for _, h := range s.Search(chats.Search{Chat: s.Chat, Branch: true, Text: "lamp", Most: 500}) {
			got = append(got, h.Node)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("step %d: %d found, %d are on the branch", step, len(got), len(want))
		}
	}
}

// A search without time returns what it has, and reports that it is incomplete; so does a cancelled
// one.
func TestSearch_InTime(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	s.Grow(2000)
	found, err := s.Chats.Search(s.Context(), chats.Search{Text: `"?§"`, Within: time.Nanosecond})
	if err != nil || found.Whole || found.Unread > 1000 {
		t.Errorf("%d read, whole %t, %v", found.Unread, found.Whole, err)
	}
	if found, err = s.Chats.Search(s.Context(), chats.Search{Text: `"?§"`}); err != nil || !found.Whole || found.Unread < 4000 {
		t.Errorf("without a bound: %d read, whole %t, %v", found.Unread, found.Whole, err)
	}
	ctx, stop := context.WithCancel(s.Context())
	stop()
	if _, err := s.Chats.Search(ctx, chats.Search{Text: "line"}); err == nil {
		t.Error("an ended search is answered")
	}
}

// Imported messages are taken in without a start, and all that was left at the start.
func TestSearch_ImportIsTakenIn(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	got, err := s.Library.ImportChat(enginetest.Write(t, "long.jsonl", enginetest.LongChat(600)), "")
	enginetest.Must(t, err)
	enginetest.Must(t, enginetest.Eventually(s.Harness, func() bool {
		found, err := s.Chats.Search(s.Context(), chats.Search{Chat: got.Chat.ID, Text: "lamp"})
		return err == nil && found.Unread == 0 && len(found.Hits) >= 600
	}))
}

// An index that disagrees with the messages is found and rebuilt.
func TestCheckWords(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	ids := tell(s, "the glowworm", "the door", "the glowworm and the door")
	enginetest.Must(t, s.Chats.IndexAll(s.Context()))
	well := func(want bool, says string) {
		t.Helper()
		if c := s.Chats.CheckWords(s.Context()); c.OK != want || !strings.Contains(c.Detail, says) {
			t.Errorf("%+v, want %t, %q", c, want, says)
		}
	}
	well(true, "indexed")
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "another door"))
	well(true, "1 still to come")
	for _, words := range []string{"the lantern", "the", "the door and more", ""} {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			var list []storage.Word
			for w := range strings.FieldsSeq(words) {
				list = append(list, storage.Word{Text: w})
			}
			return tx.IndexWords(s.Chat, []storage.MessageWords{{ID: ids[0], Words: list}})
		}))
		well(false, "was rebuilt")
		well(true, "indexed")
		if hits := s.Search(chats.Search{Chat: s.Chat, Text: "the glow"}); len(hits) != 2 {
			t.Errorf("%d are found after it was made anew", len(hits))
		}
	}
}

// Whenever the program is killed, its index agrees with the messages that are there, and
// finds each that was safe.
func TestSearch_KilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	var safe []storage.NodeID
	for range 4 {
		s.Shut()
		cmd := enginetest.Child(t, s.Cfg.DataDir, "write")
		out, err := cmd.StdoutPipe()
		enginetest.Must(t, err)
		enginetest.Must(t, cmd.Start())
		after := len(safe) + 200 + rand.IntN(400)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if id := lines.Text(); len(id) == 26 { // a torn line is no promise
				safe = append(safe, storage.NodeID(id))
			}
			if len(safe) == after {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		s.Open()
		s.Sound()
		if c := s.Chats.CheckWords(s.Context()); !c.OK {
			t.Errorf("after a kill: %s", c.Detail)
		}
		for range 50 {
			id := safe[rand.IntN(len(safe))]
			if hits := s.Search(chats.Search{Chat: s.Chat, Text: string(id)}); len(hits) != 1 || hits[0].Node != id {
				t.Errorf("%s is found %d times", id, len(hits))
			}
		}
	}
}
