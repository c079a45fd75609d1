package boards_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A key in a board of 200 shots: the change, stored, and the board read again.
func BenchmarkCallBoard200(b *testing.B) {
	s, node := scened(b)
	var texts []string
	for i := range 200 {
		texts = append(texts, fmt.Sprint("Her hands on the lamp, and the rain behind the window, number ", i))
	}
	_, err := s.Boards.Call(s.Chat, node, enginetest.Shots(b, texts...))
	enginetest.Must(b, err)
	b.Run("change", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, err := s.Boards.Call(s.Chat, node, modify(b, "s7", fmt.Sprint("other ", i)))
			enginetest.Must(b, err)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			s.board(node)
		}
	})
	enginetest.Must(b, s.Core().Store.Update(func(tx *storage.Tx) error {
		bd, err := storage.Boards.Get(tx, s.Chat, node)
		if err != nil {
			return err
		}
		for i := range 2000 {
			c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.Chat, Board: node, Shot: storage.ShotID(fmt.Sprint("s", 1+i%150)), Prompt: "Her hands on the lamp, and the rain behind the window.", CreatedAt: time.Now()}
			if err := storage.Captures.Put(tx, c.ID, c); err != nil {
				return err
			}
		}
		bd.Batch = storage.BatchID(storage.NewID())
		return storage.Boards.Put(tx, s.Chat, bd)
	}))
	b.Run("read beside 2000 captures", func(b *testing.B) {
		for b.Loop() {
			s.board(node)
		}
	})
}
