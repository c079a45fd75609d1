package play

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/habits"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// HabitsView is a report on the last replies of a chat. Banned are the phrases that the user does
// not want to read again.
type HabitsView struct {
	Chat storage.ChatID `json:"chat"`
	habits.Report
	Banned []string `json:"banned"`
}

// Habits reports what the model repeats in the last replies of a chat; last is their number, 0 for
// habits.DefaultWindow. Greetings do not count, as they come from the card. It reads no more of the
// chat than it needs, and never runs in a turn.
func (svc *Service) Habits(chat storage.ChatID, last int) (HabitsView, error) {
	if last == 0 {
		last = habits.DefaultWindow
	}
	if last < 1 || last > habits.MaxWindow {
		return HabitsView{}, failure.Wrap("habits",
			failure.Refusef("the number of replies must be from 1 to %d, not %d", habits.MaxWindow, last))
	}
	var replies []habits.Reply
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		replies, err = lastReplies(tx, chat, last)
		return err
	})
	if err != nil {
		return HabitsView{}, failure.Wrap("habits", err)
	}
	return HabitsView{Chat: chat, Report: habits.Of(replies),
		Banned: append([]string{}, svc.core.Settings().Voice.Phrases...)}, nil
}

// scanPerReply bounds the search for replies, in messages read per reply.
const scanPerReply = 8

// lastReplies returns the replies at the end of a chat, oldest first.
func lastReplies(tx *storage.Tx, chat storage.ChatID, last int) (list []habits.Reply, err error) {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return nil, err
	}
	seen := 0
	for p := range tx.PathInfos(chat, c.Head) {
		if seen++; len(list) == last || seen > scanPerReply*last {
			break
		}
		if !p.InStory() || p.Parent == "" {
			continue
		}
		n, err := tx.Node(chat, p.ID)
		if err != nil {
			return nil, err
		}
		if n.Role == storage.Assistant && n.State != storage.Draft && strings.TrimSpace(n.Content) != "" {
			list = append(list, habits.Reply{ID: n.ID, Text: n.Content, Cut: n.State == storage.Cut ||
				n.State == storage.Broken})
		}
	}
	slices.Reverse(list)
	return list, nil
}

// AddNoteLine adds a line to the author's note of a chat, and reports whether the line was new.
// RemoveNoteLine removes it again.
func (svc *Service) AddNoteLine(chat storage.ChatID, line string) (added bool, err error) {
	line = strings.TrimSpace(line)
	if line == "" {
		return false, failure.Wrap("author's note", failure.Refusef("there is no advice about this"))
	}
	err = svc.chats.Change(chat, func(c *storage.Chat) {
		lines := noteLines(c.AuthorNote)
		if added = !slices.Contains(lines, line); added {
			c.AuthorNote = strings.Join(append(lines, line), "\n")
		}
	})
	return added, err
}

// RemoveNoteLine removes a line from the author's note of a chat, if the note has it.
func (svc *Service) RemoveNoteLine(chat storage.ChatID, line string) error {
	return svc.chats.Change(chat, func(c *storage.Chat) {
		lines := noteLines(c.AuthorNote)
		if i := slices.Index(lines, strings.TrimSpace(line)); i >= 0 {
			c.AuthorNote = strings.Join(slices.Delete(lines, i, i+1), "\n")
		}
	})
}

// noteLines returns the lines of a note, none for an empty one.
func noteLines(note string) []string {
	if strings.TrimSpace(note) == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(note, "\n"), "\n")
}
