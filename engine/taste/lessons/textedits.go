package lessons

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The kinds of edits that something is learnt from. They are also what their
// events are about.
const (
	ofCapture = "capture"
	ofRecap   = "recap"
)

// notTaste are the fields of a capture that say nothing of taste in prompts: which
// picture is drawn of it, and what draws it.
var notTaste = []string{"seed", "workflow"}

// FromEdits makes events of what the user changed in prompts of captures and in
// recaps, oldest first. Of many the newest are kept.
func FromEdits(edits []storage.Edit) []storage.EditEvent {
	out := []storage.EditEvent{}
	for i := len(edits) - 1; i >= 0 && len(out) < mostEdits; i-- {
		if e, ok := fromEdit(&edits[i]); ok {
			out = append(out, e)
		}
	}
	slices.Reverse(out)
	return out
}

// mostEdits is how many edits of captures and recaps become events of one scene.
const mostEdits = 24

func fromEdit(x *storage.Edit) (storage.EditEvent, bool) {
	if x.Kind != ofCapture && x.Kind != ofRecap {
		return storage.EditEvent{}, false
	}
	var parts []string
	mended := true
	for _, c := range x.Changes {
		if slices.Contains(notTaste, c.Field) || c.Removed == c.Added || respelt(c.Removed, c.Added) {
			continue
		}
		mended = mended && (swapped(c.Removed, c.Added) || x.Kind == ofRecap && renamed(c.Removed, c.Added))
		if len(parts) < maxRefs {
			parts = append(parts, plain(c.Field)+": "+replacedWords(c.Removed, c.Added))
		}
	}
	if len(parts) == 0 {
		return storage.EditEvent{}, false
	}
	words := "changed a picture's prompt: "
	if x.Kind == ofRecap {
		words = "changed a recap: "
	}
	words += strings.Join(parts, "; ")
	if mended {
		words = mendedWords + words
	}
	return storage.EditEvent{Type: storage.EventModify, About: x.Kind, Summary: said(words, maxSummary)}, true
}

// respelt tells whether the words stayed, and only capitals or signs changed.
func respelt(gone, came string) bool {
	a := words(gone)
	return len(a) > 0 && slices.Equal(a, words(came))
}
