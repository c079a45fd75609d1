package pane

import (
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// BatchWords returns the name of a batch and the progress of its captures.
func BatchWords(b pictures.BatchView) string {
	words := []string{fmt.Sprintf("%s %d/%d", BatchName(b), b.Done, b.Total)}
	for _, part := range []struct {
		n     int
		words string
	}{{b.Painting, "generating"}, {b.Prompting, "writing"}, {b.Failed, "failed"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", part.words, part.n))
		}
	}
	if b.Drafts > 0 {
		words = append(words, draw.Plural(b.Drafts, "draft"))
	}
	return draw.Join(append(words, draw.TimeLeft(b.Left))...)
}

// BatchName returns the property in which the captures of a batch differ, in one or two words.
func BatchName(b pictures.BatchView) string {
	switch b.By {
	case storage.ByAngles:
		return "angles"
	case storage.ByScenes:
		return "scenes"
	case storage.ByEvery:
		return fmt.Sprintf("every %d messages", b.Every)
	case storage.ByDrafts:
		return "drafts"
	case storage.ByShots:
		return "sketches"
	}
	return "batch"
}

// Unfinished reports whether a batch has captures that are neither painted nor
// given up.
func Unfinished(b pictures.BatchView) bool { return b.Prompting+b.Drafts+b.Painting > 0 }
