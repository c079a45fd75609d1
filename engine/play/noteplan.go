package play

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// planNote moves the author's note of a snapshot to the place that its chat's plan asks for.
// Without a plan it stays in the tail.
func planNote(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint) {
	plan, text := m.Chat.Note, strings.TrimSpace(s.AuthorNote)
	s.NoteBefore, s.NoteInside = "", ""
	if plan == (storage.NotePlan{}) || text == "" {
		return
	}
	if s.AuthorNote = ""; plan.Every == storage.NoteNever {
		return
	}
	switch plan.Place {
	case storage.NoteBeforePrompt:
		s.NoteBefore = text
		return
	case storage.NoteInPrompt:
		s.NoteInside = text
		return
	}
	if plan.Every > 1 && !isNoteDue(tx, s, plan.Every) {
		return
	}
	s.Lore = append(s.Lore, prompt.LoreItem{ID: "author's note", Layer: prompt.LayerNote, Source: "author's note",
		Text:  prompt.ExpandInTail(s, text),
		Place: prompt.LoreAtDepth, Depth: plan.Depth, Role: string(plan.Role), Active: true, Reason: planWords(plan)})
}

func planWords(plan storage.NotePlan) string {
	if plan.Every > 1 {
		return fmt.Sprintf("author's note: every %d of your messages", plan.Every)
	}
	return "author's note: every turn"
}

// isNoteDue reports whether a note that comes with every every-th message of the user is due at the
// end of the history.
func isNoteDue(tx *storage.Tx, s *prompt.Snapshot, every int) bool {
	said := 0
	leaf := lore.StoredLeaf(tx, s.Chat, s.History)
	for i := len(s.History) - 1; i >= 0 && s.History[i].ID != leaf; i-- { // not stored yet
		if s.History[i].Role == storage.User {
			said++
		}
	}
	for p := range tx.PathInfos(s.Chat, leaf) {
		if p.Role == storage.User && !p.Deleted {
			said++
		}
	}
	return said > 0 && said%every == 0
}
