package memory

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Correction is what an edited message says no longer, and what it says again. Gone and
// Again tell it of what was made of that message.
type Correction struct {
	End         storage.End // of kind Corrected, at the message
	Gone, Again func(content string) bool
	// Unsure and Sure tell of what the message may say no longer, and may say again; nil
	// for nothing. Of the former the user is asked.
	Unsure, Sure func(content string) bool
}

// Correct ends the memories and hooks of a story that came from an edited message and
// say what it says no longer; those that it says again hold again.
func Correct(tx *storage.Tx, scope storage.ScopeID, c Correction) error {
	for _, m := range storage.Memories.All(tx, scope) {
		if ends, changed := c.of(m.Content, m.Told, m.Ends); changed {
			m.Ends, m.UpdatedAt = ends, c.End.At
			if err := storage.Memories.Put(tx, scope, m); err != nil {
				return err
			}
		}
	}
	for _, h := range storage.Hooks.All(tx, scope) {
		if ends, changed := c.of(h.Content, h.Told, h.Ends); changed {
			h.Ends, h.UpdatedAt = ends, c.End.At
			if err := storage.Hooks.Put(tx, scope, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// of are the ends of something after a correction.
func (c Correction) of(content string, told []storage.Told, ends []storage.End) (out []storage.End, changed bool) {
	from := slices.ContainsFunc(told, func(at storage.Told) bool {
		return at.Chat == c.End.Chat && (at.Node == c.End.Node || slices.Contains(at.Sources, c.End.Node))
	})
	switch {
	case !from:
		return ends, false
	case c.Gone(content):
		return c.end(ends)
	case c.Again(content):
		return Reopened(ends, c.End)
	case c.Sure != nil && c.Sure(content):
		return undoubted(ends, c.End)
	case c.Unsure != nil && c.Unsure(content):
		return doubt(ends, c.End)
	}
	return ends, false
}

func (c Correction) end(ends []storage.End) ([]storage.End, bool) {
	if out, changed := redone(ends, c.End, false); changed {
		return out, true
	}
	return addEnd(ends, c.End)
}

// Reopened are ends without those that an earlier edit of the same message made.
func Reopened(ends []storage.End, e storage.End) ([]storage.End, bool) { return redone(ends, e, true) }

func redone(ends []storage.End, e storage.End, undone bool) ([]storage.End, bool) {
	out, changed := slices.Clone(ends), false
	for i := range out {
		if o := &out[i]; o.Kind == storage.Corrected && o.Chat == e.Chat && o.Node == e.Node && o.Undone != undone && (undone || !o.Doubt) {
			o.Undone, changed = undone, true
		}
	}
	return out, changed
}
