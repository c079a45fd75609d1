package lore

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestFindEntries(t *testing.T) {
	rows := []lore.Row{}
	for _, e := range []storage.LoreEntry{
		EntryOf("Marta", "character", "Keeps the inn.", "innkeeper"),
		EntryOf("The Blue Gull", "location", "An inn at the quay where sailors drink.", "gull"),
		EntryOf("Isle of Nine Nights", "location", "Far away.", "isle"),
		EntryOf("Compass", "item", "Points to the quay, always.", "needle"),
	} {
		rows = append(rows, lore.Row{LoreEntry: e})
	}
	texts := [][]searchText{nil, searchTexts(rows, nil, nil)}
	for want, names := range map[string]string{
		"inn":         "Marta, The Blue Gull", // by rank; what only has the letters is left out
		"GULL":        "The Blue Gull",
		"quay":        "The Blue Gull, Compass",
		"quay sailor": "The Blue Gull",
		"character":   "Marta",
		"mrta":        "Marta",
		"zzz":         "",
	} {
		var got []string
		for _, h := range findEntries(texts, want, &atomic.Bool{}) {
			if h.book != 1 {
				t.Fatalf("%q: a hit in book %d", want, h.book)
			}
			got = append(got, rows[h.row].Name)
		}
		if got := strings.Join(got, ", "); got != names {
			t.Errorf("%q finds %q, want %q", want, got, names)
		}
	}
	stopped := &atomic.Bool{}
	stopped.Store(true)
	if hits := findEntries(texts, "inn", stopped); hits != nil {
		t.Error("a search that was ended went on")
	}
}

// BenchmarkLoreFind is the search alone.
func BenchmarkLoreFind(b *testing.B) {
	texts := [][]searchText{searchTexts(ManyEntries(10_000), nil, nil)}
	b.ReportAllocs()
	for b.Loop() {
		findEntries(texts, "lantern", &atomic.Bool{})
	}
}
