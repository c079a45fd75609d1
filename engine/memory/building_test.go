package memory_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// longStory is a chat of more messages than a turn reads at once, that begins with Clara.
func longStory(t testing.TB, n int) *enginetest.Stage {
	s := enginetest.NewStage(t)
	s.Plain()
	texts := []string{"I came with Clara.", "\"Clara fears deep water since the storm of Vale,\" I say."}
	for i := range n {
		texts = append(texts, fmt.Sprintf("The %d gulls cry over the quay, and the tide of morning %d goes out.", i, i))
	}
	s.Tell(texts...)
	return s
}

func (ops operations) of(typ string, status storage.OperationStatus) (out []storage.OperationID) {
	for _, op := range ops {
		if op.Type == typ && op.Status == status {
			out = append(out, op.ID)
		}
	}
	return out
}

type operations []storage.Operation

func ops(s *enginetest.Stage) operations {
	s.T.Helper()
	list, err := s.House.Operations()
	enginetest.Must(s.T, err)
	return list
}

func TestPrepare_ALongStoryIsReadInTheBackgroundAndNoTurnWaits(t *testing.T) {
	t.Parallel()
	s := longStory(t, 2500)
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	if n := len(ops(s).of(memory.OpIndex, storage.Pending)); n != 1 {
		t.Fatalf("%d operations wait", n)
	}
	s.Say("Where are the gulls of morning 1800?")
	if messages := s.Memory.Reads(s.Chat); messages > 1200 {
		t.Errorf("the turn has read %d messages", messages)
	}
	if n := len(ops(s).of(memory.OpIndex, storage.Pending)); n != 1 {
		t.Errorf("%d operations wait after a turn", n)
	}
	s.Work()
	if has, messages := s.Memory.IndexHas(s.Chat, "Clara fears deep water"); !has || messages < 2502 {
		t.Fatalf("%d messages are read", messages)
	}
	s.Say("Shall we bring Clara?")
	if !strings.Contains(s.Sent(), "Clara fears deep water since the storm of Vale") {
		t.Error("what stands at the beginning does not come back")
	}
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	if n := len(ops(s).of(memory.OpIndex, storage.Pending)); n != 0 {
		t.Error("it is begun twice")
	}
}

func TestPrepare_StoppedItIsBegunAgainOnlyByOpening(t *testing.T) {
	t.Parallel()
	s := longStory(t, 1500)
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	enginetest.Must(t, s.House.QueueCancel(ops(s).of(memory.OpIndex, storage.Pending)[0]))
	s.Say("And now?")
	if n := len(ops(s).of(memory.OpIndex, storage.Pending)); n != 0 {
		t.Error("a turn begins what the user has stopped")
	}
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	if n := len(ops(s).of(memory.OpIndex, storage.Pending)); n != 1 {
		t.Error("opening the chat does not begin it")
	}
}

func TestPrepare_AShortStoryNeedsNone(t *testing.T) {
	t.Parallel()
	s := longStory(t, 100)
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	if n := len(ops(s).of(memory.OpIndex, storage.Pending)); n != 0 {
		t.Errorf("%d operations wait", n)
	}
}

// A view that was read before a message was rewritten must not bring its old words back.
func TestReread_AnOlderViewDoesNotBringOldWordsBack(t *testing.T) {
	t.Parallel()
	s := enginetest.NewStage(t)
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
		if has, _ := s.Memory.IndexHas(s.Chat, text); !has {
			t.Errorf("after edit %d the index lacks the new words", i)
		}
		if has, _ := s.Memory.IndexHas(s.Chat, "boathouse of Vale"); has {
			t.Errorf("after edit %d the index has the old words", i)
		}
	}
}

// The same while all of it goes on at once; it is for the race detector too.
func TestReread_WhileTheIndexIsBuiltAndRead(t *testing.T) {
	t.Parallel()
	s := longStory(t, 1300)
	enginetest.Must(t, s.Chats.Opened(s.Chat))
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
	enginetest.Until(s, func(ev house.OperationChanged) bool {
		return ev.Operation.Type == memory.OpIndex && ev.Operation.Status == storage.Completed
	})
	close(stop)
	all.Wait()
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error { return s.Memory.SyncIndex(tx, s.Chat, head) }))
	for i := range 20 {
		if has, messages := s.Memory.IndexHas(s.Chat, fmt.Sprintf("Clara hides in tower%d of Moor", i)); has != (i == 19) || messages < 1302 {
			t.Errorf("tower%d: %v, of %d messages", i, has, messages)
		}
	}
}
