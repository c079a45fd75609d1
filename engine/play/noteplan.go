package play

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// planNote puts the author's note of a snapshot where its chat wants it. In a chat without
// a plan it stays what the program makes of it.
func (svc *Service) planNote(s *script.Snapshot, m chats.Moment) error {
	plan, text := m.Chat.Note, strings.TrimSpace(s.AuthorNote)
	s.NoteBefore, s.NoteInside = "", ""
	if plan == (storage.NotePlan{}) || text == "" {
		return nil
	}
	if s.AuthorNote = ""; plan.Every == storage.NoteNever {
		return nil
	}
	switch plan.Place {
	case storage.NoteBeforePrompt:
		s.NoteBefore = text
		return nil
	case storage.NoteInPrompt:
		s.NoteInside = text
		return nil
	}
	if plan.Every > 1 {
		due, err := svc.noteDue(s, plan.Every)
		if err != nil || !due {
			return err
		}
	}
	s.Lore = append(s.Lore, script.LoreItem{ID: "author's note", Layer: script.LayerNote, Source: "author's note", Text: script.Moving(s, text),
		Place: script.LoreAtDepth, Depth: plan.Depth, Role: string(plan.Role), Active: true, Reason: planWords(plan)})
	return nil
}

func planWords(plan storage.NotePlan) string {
	if plan.Every > 1 {
		return fmt.Sprintf("the chat's note: with every %d messages of the user", plan.Every)
	}
	return "the chat's note: with every turn"
}

// noteDue tells whether a note comes at the end of a history that comes with every so
// many messages of the user's.
func (svc *Service) noteDue(s *script.Snapshot, every int) (bool, error) {
	said := 0
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		leaf := lore.StoredLeaf(tx, s.Chat, s.History)
		for i := len(s.History) - 1; i >= 0 && s.History[i].ID != leaf; i-- { // not stored yet
			if s.History[i].Role == storage.User {
				said++
			}
		}
		for p := range tx.Spine(s.Chat, leaf) {
			if p.Role == storage.User && !p.Deleted {
				said++
			}
		}
		return nil
	})
	return said > 0 && said%every == 0, err
}
