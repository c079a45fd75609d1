package play_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// innOf is a number as a name.
func innOf(n int) string {
	name := []byte("Qaaaa")
	for i := range 4 {
		name[4-i] += byte(n % 26)
		n /= 26
	}
	return string(name)
}

// A turn's look at lorebooks in a chat of 20 messages, where there is a book of 100,000
// entries whose keys are regexes: on in the chat, and not.
func BenchmarkLoreTurnRegex100000(b *testing.B) {
	s := (&stage{enginetest.NewStage(b)})
	texts := make([]string, 20)
	for i := range texts {
		texts[i] = fmt.Sprintf("They walk on, %d, past the Inn of %s, and nobody speaks for a while.", i, innOf(i))
	}
	s.Tell(texts...)
	path := filepath.Join(b.TempDir(), "book.json")
	var doc strings.Builder
	doc.WriteString(`{"name":"Big","entries":{`)
	for i := range 100_000 {
		if i > 0 {
			doc.WriteByte(',')
		}
		fmt.Fprintf(&doc, `"%d":{"uid":%d,"key":["/\\b(?:inn|tavern)s? of (?:the )?%s\\b/i"],"comment":"Inn %d","content":"An inn.","order":100}`, i, i, innOf(i), i)
	}
	doc.WriteString(`}}`)
	enginetest.Must(b, os.WriteFile(path, []byte(doc.String()), 0o600))
	began := time.Now()
	got, err := s.Lore.Import(path, storage.Lorebook{})
	enginetest.Must(b, err)
	b.Logf("it came in within %v", time.Since(began))
	look := func(b *testing.B) (first time.Duration, act func()) {
		s.Reopen()
		known := s.House.NewKnown(rehearsal.Model)
		m := chats.Moment{Chat: s.View().Chat}
		snap, err := play.Snapshot(s.Play, play.RequestAt(s.Chat, s.Last().ID), m, known)
		enginetest.Must(b, err)
		act = func() {
			next := snap
			if _, _, err := play.AddContext(s.Play, &next, m); err != nil {
				b.Fatal(err)
			}
		}
		start := time.Now()
		act()
		return time.Since(start), act
	}
	s.Reopen() // by then its keys are kept
	b.Logf("and could be played with after %v", time.Since(began))
	for name, on := range map[string]bool{"off": false, "on": true} {
		b.Run(name, func(b *testing.B) {
			enginetest.Must(b, s.Lore.SwitchBook(s.Chat, got.Book.ID, &on))
			first, act := look(b)
			for b.Loop() {
				act()
			}
			b.ReportMetric(float64(first.Milliseconds()), "ms-first")
		})
	}
}
