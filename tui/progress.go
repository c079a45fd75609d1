package tui

import (
	"fmt"

	"ghostlight/engine/pictures"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
)

// captureProgress is how far the painting of a picture has come, in words for
// the play: what is being done, a bar of its steps, and the time that is left.
func captureProgress(j *desk.Job) string {
	if words := desk.ProgressWords(j); words != "" {
		return words
	}
	return "waiting for ComfyUI"
}

// batchStands is what a batch is made of and where its captures stand.
func batchStands(b pictures.BatchView) string {
	words := []string{fmt.Sprintf("%s %d/%d", batchName(b), b.Done, b.Total)}
	for _, part := range []struct {
		n     int
		words string
	}{{b.Painting, "painting"}, {b.Prompting, "being written"}, {b.Failed, "failed"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", part.words, part.n))
		}
	}
	if b.Drafts > 0 {
		words = append(words, look.Plural(b.Drafts, "draft"))
	}
	return look.Join(append(words, look.TimeLeft(b.Left))...)
}

// batchName is what the captures of a batch differ in, in one or two words.
func batchName(b pictures.BatchView) string {
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
