package lessons

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The kinds of edits besides storyboards, and what their events are about.
const (
	ofCapture = "capture"
	ofRecap   = "recap"
)

// ignoredFields are the fields of a capture that do not reflect taste: the picture that it shows,
// and the workflow.
var ignoredFields = []string{"seed", "workflow"}

// mostEdits is the maximum number of edits of a scene's captures and recaps that become events.
const mostEdits = 24

// FromEdits returns events for the user's changes of capture prompts and recaps, oldest first.
// Only the newest are kept.
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

func fromEdit(x *storage.Edit) (storage.EditEvent, bool) {
	words := "changed a picture's prompt: "
	switch x.Kind {
	case ofCapture:
	case ofRecap:
		words = "changed a recap: "
	default:
		return storage.EditEvent{}, false
	}
	var parts []string
	for _, c := range x.Changes {
		if !slices.Contains(ignoredFields, c.Field) && c.Removed != c.Added && len(parts) < maxRefs {
			parts = append(parts, plain(c.Field)+": "+replacedText(c.Removed, c.Added))
		}
	}
	if len(parts) == 0 {
		return storage.EditEvent{}, false
	}
	return storage.EditEvent{Type: storage.EventModify, About: x.Kind,
		Summary: onOneLine(words+strings.Join(parts, "; "), maxSummary)}, true
}

// Limits of an excerpt: words on either side of a change, and of the change itself.
const (
	contextWords    = 6
	maxChangedWords = 24
)

// Excerpt returns the part of a text that was changed, as it was and as it is, with some words on
// either side so that both read as language. Changes far from each other are one excerpt, whose
// middle is left out if it is long.
func Excerpt(field, before, after string) []storage.EditChange {
	a, b := strings.Fields(before), strings.Fields(after)
	same := func(x, y []string, from func(list []string, i int) string) (n int) {
		for n < len(x) && n < len(y) && from(x, n) == from(y, n) {
			n++
		}
		return n
	}
	if slices.Equal(a, b) {
		return nil
	}
	head := same(a, b, func(list []string, i int) string { return list[i] })
	tail := same(a[head:], b[head:], func(list []string, i int) string { return list[len(list)-1-i] })
	cut := func(list []string) string {
		from, to := max(0, head-contextWords), min(len(list), len(list)-tail+contextWords)
		part := list[from:to]
		if most := maxChangedWords + 2*contextWords; len(part) > most {
			part = slices.Concat(part[:most/2], []string{"…"}, part[len(part)-most/2:])
		}
		words := strings.Join(part, " ")
		if from > 0 {
			words = "… " + words
		}
		if to < len(list) {
			words += " …"
		}
		return words
	}
	return []storage.EditChange{{Field: field, Removed: cut(a), Added: cut(b)}}
}
