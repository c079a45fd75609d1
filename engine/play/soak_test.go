package play_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// soak plays on and on, and changes what was played.
type soak struct {
	*harness
	rng     *rand.Rand
	said    []string // every line of the user's
	changes int      // made, undone and redone
	texts   int      // of changes
}

// play says something, or asks for another take, for more of a reply, or changes its mind.
func (s *soak) play() {
	var err error
	switch n := s.rng.IntN(10); {
	case n < 6:
		line := fmt.Sprint("line ", len(s.said))
		if _, err = s.Play.Send(s.Chat, line); err == nil {
			s.said = append(s.said, line)
		}
	case n < 8 && len(s.View().Messages) > 0:
		err = s.Play.Regenerate(s.Chat, s.Last().ID)
	default:
		err = s.Play.Continue(s.Chat)
	}
	switch {
	case errors.Is(err, failure.ErrRefused):
		return
	case err != nil:
		s.T.Fatal(err)
	case s.rng.IntN(4) == 0:
		s.Play.Stop(s.Chat)
	}
	if _, err := s.Play.Wait(s.Context(), s.Chat); err != nil && !errors.Is(err, failure.ErrStopped) &&
		!errors.Is(err, failure.ErrRefused) {
		s.T.Fatal(err)
	}
}

// change makes one change to the played messages.
func (s *soak) change() {
	all := s.View().Messages
	if len(all) == 0 { // all messages were deleted
		return
	}
	m := all[s.rng.IntN(len(all))]
	var err error
	switch s.rng.IntN(6) {
	case 0, 1:
		s.texts++
		err = s.Chats.Edit(s.Chat, m.ID, fmt.Sprintf("%s, text %d", m.Content[:min(len(m.Content), 40)], s.texts))
	case 2:
		err = s.Chats.Delete(s.Chat, m.ID, s.rng.IntN(2) == 0)
	case 3:
		err = s.Chats.DeleteSwipes(s.Chat, m.ID)
	case 4:
		err = s.Chats.Branch(s.Chat, m.ID)
	default:
		list, lerr := s.Chats.Changes(s.Chat, m.ID)
		enginetest.Must(s.T, lerr)
		if len(list) > 0 {
			err = s.Chats.Restore(s.Chat, list[s.rng.IntN(len(list))].ID)
		}
	}
	if err != nil && !errors.Is(err, failure.ErrRefused) {
		s.T.Fatal(err)
	}
}

// story returns everything that the chat shows.
func (s *soak) story() string {
	var b strings.Builder
	for _, m := range s.View().Messages {
		fmt.Fprintf(&b, "%s %q %s %q %t\n", m.ID, m.Content, m.State, m.Fault, m.EditedAt.IsZero())
	}
	return b.String()
}

func (s *soak) holding() (n int) {
	list, err := s.Chats.Changes(s.Chat, "")
	enginetest.Must(s.T, err)
	for _, c := range list {
		if !c.Undone && !c.Spent {
			n++
		}
	}
	return n
}

// backAndForth makes some changes, undoes them, and redoes them, as in another session.
func (s *soak) backAndForth() {
	s.ForgetChanges()
	before := s.story()
	for range 1 + s.rng.IntN(6) {
		s.change()
	}
	after, n := s.story(), s.holding()
	if s.rng.IntN(3) == 0 {
		s.Reopen()
	}
	for range n {
		enginetest.Must(s.T, s.Chats.Undo(s.Chat))
	}
	if err := s.Chats.Undo(s.Chat); !errors.Is(err, chats.ErrNoUndo) {
		s.T.Fatalf("undone once more: %v", err)
	}
	if got := s.story(); got != before {
		s.T.Fatalf("%d changes undone:\n%s\nbefore:\n%s", n, got, before)
	}
	for range n {
		if _, err := s.Chats.StepForward(s.Chat); err != nil {
			s.T.Fatal(err)
		}
	}
	if got := s.story(); got != after {
		s.T.Fatalf("%d changes done again:\n%s\nbefore:\n%s", n, got, after)
	}
	if s.rng.IntN(2) == 0 {
		for range n {
			enginetest.Must(s.T, s.Chats.Undo(s.Chat))
		}
	}
	s.changes += n
}

// A very long play loses no line, undoes and redoes every change, and leaks neither goroutines nor
// memory.
func TestSoak(t *testing.T) {
	s := &soak{harness: &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Servers.Record = false
		o.Servers.Script = func([]storage.Node, int) string { return "She nods, and the rain goes on." }
		o.Servers.Fault = func(c demo.Call) demo.Fault { return demo.Fault{} }
	})}, rng: enginetest.Chance(t)}
	long := enginetest.Torture(t)
	began, rounds, least := time.Now(), 0, 24
	if testing.Short() {
		least = 12
	}
	var threads, most int
	var heap, now runtime.MemStats
	for ; rounds < least || time.Since(began) < long; rounds++ {
		for range 1 + s.rng.IntN(3) {
			s.play()
		}
		s.backAndForth()
		s.Seen = nil
		if rounds%12 == 11 {
			s.Reopen()
			s.Sound()
			most = max(most, runtime.NumGoroutine())
			if rounds == 11 {
				threads = runtime.NumGoroutine()
				runtime.GC()
				runtime.ReadMemStats(&heap)
			}
		}
		if rounds%200 == 199 { // another play, so that the rounds do not get longer
			s.count()
			c, err := s.Chats.New(s.View().Character.ID, "")
			enginetest.Must(t, err)
			s.Chat, s.said = c.ID, nil
		}
	}
	s.count()
	s.Reopen()
	s.Sound()
	runtime.GC()
	runtime.ReadMemStats(&now)
	enginetest.Must(t, enginetest.Eventually(s.Harness, func() bool { return runtime.NumGoroutine() <= threads+20 }))
	t.Logf(
		"%d rounds in %s: %d changes undone and done again; goroutines %d, later at most %d; heap %d KB, later %d KB",
		rounds, time.Since(began).Round(time.Second), s.changes, threads, most, heap.HeapAlloc>>10, now.HeapAlloc>>10)
}

// count checks that every line of the play exists once, whatever its text is by now.
func (s *soak) count() {
	s.T.Helper()
	lines := 0
	for _, n := range s.Nodes() {
		if n.Role == storage.User {
			lines++
		}
	}
	if lines != len(s.said) {
		s.T.Errorf("%d lines were said, and %d are there", len(s.said), lines)
	}
}
