package memory_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// longStory returns a chat with more messages than a turn reads in one go, which begins with Clara.
func longStory(t testing.TB, n int) *enginetest.Harness {
	s := enginetest.NewHarness(t)
	s.Plain()
	texts := []string{"I came with Clara.", "\"Clara fears deep water since the storm of Vale,\" I say."}
	for i := range n {
		texts = append(texts, fmt.Sprintf("The %d gulls cry over the quay, and the tide of morning %d goes out.", i, i))
	}
	s.Tell(texts...)
	return s
}

// A long story that was not played lately: a turn reads its newest messages, and facts from its
// beginning come back once its words are stored.
func TestRecall_FromTheBeginningOfALongStory(t *testing.T) {
	t.Parallel()
	s := longStory(t, 2500)
	s.Say("Where are the gulls of morning 1800?")
	if n := s.Memory.Holds(s.Chat); n > 2500 {
		t.Errorf("the turn has read %d facts", n)
	}
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	enginetest.Must(t, enginetest.Eventually(s, func() bool {
		s.Say("Shall we bring Clara?")
		return strings.Contains(s.Sent(), "Clara fears deep water since the storm of Vale")
	}))
}

// A view that was read before a message was rewritten must not bring its old words back.
func TestReread_AnOlderViewDoesNotBringOldWordsBack(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	ids := s.Tell("I came with Clara.", "Clara hides in the boathouse of Vale.", "Hush.")
	sync := func(tx *storage.Tx) error { return s.Memory.SyncIndex(tx, s.Chat, ids[2]) }
	enginetest.Must(t, s.Core().Store.View(sync))
	for i, text := range []string{"Clara hides in the tower of Moor.", "Clara hides in the mill of Fenn."} {
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			done := make(chan error)
			go func() { done <- s.Chats.Edit(s.Chat, ids[1], text) }()
			if err := <-done; err != nil {
				return err
			}
			return sync(tx)
		}))
		enginetest.Must(t, s.Core().Store.View(sync))
		if !s.Memory.IndexHas(s.Chat, text) {
			t.Errorf("after edit %d the index lacks the new words", i)
		}
		if s.Memory.IndexHas(s.Chat, "boathouse of Vale") {
			t.Errorf("after edit %d the index has the old words", i)
		}
	}
}

// The same while everything runs at the same time; it is for the race detector too.
func TestReread_WhileTheIndexIsBuiltAndRead(t *testing.T) {
	t.Parallel()
	s := longStory(t, 1300)
	enginetest.Must(t, s.Start())
	first := s.Nodes()[1].ID
	head := s.View().Chat.Head
	var all sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.Core().Store.View(func(tx *storage.Tx) error { return s.Memory.SyncIndex(tx, s.Chat, head) }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 20 {
		enginetest.Must(t, s.Chats.Edit(s.Chat, first, fmt.Sprintf("Clara hides in tower%d of Moor.", i)))
	}
	enginetest.Must(t, s.Chats.Index(s.Context(), s.Chat, 1, func(int) {}))
	close(stop)
	all.Wait()
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error { return s.Memory.SyncIndex(tx, s.Chat, head) }))
	for i := range 20 {
		if has := s.Memory.IndexHas(s.Chat, fmt.Sprintf("Clara hides in tower%d of Moor", i)); has != (i == 19) {
			t.Errorf("tower%d: %v", i, has)
		}
	}
}
