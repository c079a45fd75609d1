package movein_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A move that is killed again and again goes on each time: in the end everything is there,
// whole, and once.
func TestMoveIn_KilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := made(t, small)
	_, err := s.MoveIn.Begin(dir, false)
	enginetest.Must(t, err)
	data := s.Cfg.DataDir
	for range enginetest.Kills() {
		s.Shut()
		enginetest.KilledWork(t, data)
		s.Open()
		wholeChats(t, s)
	}
	_, err = s.Queue.Drain(t.Context())
	enginetest.Must(t, err)
	sameData(t, s)
	list, err := s.MoveIn.Moves()
	enginetest.Must(t, err)
	if len(list) != 1 || list[0].Ended.IsZero() {
		t.Fatalf("%d reports, the last: %+v", len(list), list[0])
	}
	// What came in before it was killed is told as what came in, too.
	if c := counts(list[0].Kinds, "chats"); c.New != 12 || c.Here != 0 || c.Left != 0 {
		t.Errorf("the report says %+v", c)
	}
}

// A chat that is too long for one transaction is there as a whole or not at all, wherever the
// move is killed, and no message of it stays that belongs to nobody.
func TestMoveIn_KilledInALongChat(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("NOT TESTED: killing a child, with -short")
	}
	const messages = 60_000
	s := furnished(t)
	dir := filepath.Join(t.TempDir(), "data", "default-user")
	enginetest.Must(t, os.MkdirAll(filepath.Join(dir, "chats", "Mara Quill"), 0o700))
	enginetest.WriteLongChat(t, filepath.Join(dir, "chats", "Mara Quill", "long.jsonl"), messages)
	began := records(t, s)
	_, err := s.MoveIn.Begin(dir, false)
	enginetest.Must(t, err)
	data, cut := s.Cfg.DataDir, 0
	for range 2 * enginetest.Kills() {
		s.Shut()
		finished := enginetest.KilledGrowing(t, data, rand.Int64N(24<<20))
		s.Open()
		switch now := records(t, s); {
		case now["messages"] == began["messages"] && now["chats"] == began["chats"] && now["characters"] == began["characters"]:
			cut++
		case now["messages"] != began["messages"]+messages || now["chats"] != began["chats"]+1 || now["characters"] != began["characters"]+1:
			t.Fatalf("half a chat is left: %v, before %v", now, began)
		}
		if finished {
			break
		}
	}
	s.Sound()
	if cut == 0 {
		t.Error("it was never killed on its way")
	}
	_, err = s.Queue.Drain(t.Context())
	enginetest.Must(t, err)
	list, err := s.MoveIn.Moves()
	enginetest.Must(t, err)
	if c := counts(list[0].Kinds, "chats"); c.New != 1 || c.Here != 0 || c.Left != 0 {
		t.Errorf("the report says %+v", c)
	}
	if now := records(t, s); now["messages"] != began["messages"]+messages {
		t.Errorf("%v", now)
	}
}

// wholeChats looks whether each chat that is there is whole.
func wholeChats(t *testing.T, s *enginetest.Harness) {
	t.Helper()
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for id, c := range storage.Chats.All(tx) {
			if c.Extra == nil {
				continue
			}
			if path, err := tx.Path(id, c.Head, 100); err != nil || len(path) != 11 {
				t.Errorf("%s has %d messages, %v", c.Title, len(path), err)
			}
		}
		return nil
	}))
}

// A move that is cancelled keeps what came in, and the next one takes the rest.
func TestMoveIn_CancelledAndContinued(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := made(t, small)
	id, err := s.MoveIn.Begin(dir, false)
	enginetest.Must(t, err)
	again, err := s.MoveIn.Begin(dir, false)
	enginetest.Must(t, err)
	if again != id {
		t.Error("a move that is not over was begun a second time")
	}
	enginetest.Must(t, s.Queue.Cancel(id))
	got := move(t, s, dir, false)
	if c := counts(got.Kinds, "chats"); c.New+c.Here != 12 {
		t.Errorf("%+v", c)
	}
	sameData(t, s)
}

// records are how many there are of each kind.
func records(t *testing.T, s *enginetest.Harness) (n map[string]int) {
	t.Helper()
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error { n = tx.Counts(); return nil }))
	return n
}
