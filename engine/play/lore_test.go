package play_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A turn's look at lorebooks of 10,000 entries over a chat of 10,000 messages.
func BenchmarkLoreTurn10000(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("They walk on, %d, past the Inn of %s, and nobody speaks for a while.", i,
			enginetest.Letters(i%900))
	}
	s.Tell(texts...)
	path := filepath.Join(b.TempDir(), "book.json")
	var doc strings.Builder
	doc.WriteString(`{"name":"Big","entries":{`)
	for i := range 10_000 {
		if i > 0 {
			doc.WriteByte(',')
		}
		fmt.Fprintf(&doc,
			`"%d":{"uid":%d,"key":["inn of %s","keeper %d"],"comment":"Inn %d","content":"[location-Inn %d: `+
				`%s]","order":100}`, i, i, enginetest.Letters(i), i, i, i, strings.Repeat("old stone ", 20))
	}
	doc.WriteString(`}}`)
	enginetest.Must(b, os.WriteFile(path, []byte(doc.String()), 0o600))
	_, err := s.Lore.Import(path, storage.Lorebook{})
	enginetest.Must(b, err)
	known := s.Models.NewKnownModel(demo.Model)
	head := s.Last().ID
	m := chats.Viewpoint{Chat: s.View().Chat}
	snap, err := play.Snapshot(s.Play, play.RequestAt(s.Chat, head), m, known)
	enginetest.Must(b, err)
	act := func() {
		next := snap
		if _, _, err := play.AddContext(s.Play, &next, m); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	act()
	b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-first")
	for b.Loop() {
		act()
	}
}
