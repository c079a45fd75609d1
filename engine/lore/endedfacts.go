package lore

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// EndedFact is a fact of an entry that has ended at the chat's current message: it is in no prompt,
// and stays in the entry.
type EndedFact struct {
	Fact string // as the entry has it
	Nth  int    // which of its content's facts it is, counted from zero
	End  storage.StatementEnd
}

// maxEndedRunes is the longest fact that the user can end; a longer one is several.
const maxEndedRunes = 4 << 10

// EndOf returns the end of a fact of an entry if one counts. Facts that the user has written or
// locked are ended only by the user.
func EndOf(over *scenes.EndIndex, chat storage.ChatID, x *storage.LoreEntry, fact string) (storage.StatementEnd, bool) {
	if over == nil {
		return storage.StatementEnd{}, false
	}
	if from := fill.LearnedFact(x, chat, fact); from != nil {
		return over.FactEnd(fill.Statement(x.Name, fact), from.Messages)
	}
	return over.Withdrawn(fill.Statement(x.Name, fact))
}

// endedFacts returns the facts of an entry that have ended at the head of a chat for any of the
// cast; none without a chat.
func endedFacts(tx *storage.Tx, chat storage.ChatID, x *storage.LoreEntry) (out []EndedFact) {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return nil
	}
	ends := scenes.EndIndexAt(tx, c, c.Head, func([]storage.CharacterID) bool { return true })
	if ends == nil {
		return nil
	}
	for n, fact := range plist.Facts(x.Content) {
		if e, ok := EndOf(ends, chat, x, fact); ok {
			out = append(out, EndedFact{fact, n, e})
		}
	}
	return out
}

// EndFact ends a fact of an entry in a chat, whichever branch the chat is on. nth is the index of
// the fact in the content, from zero. The entry keeps the fact. back undoes the change, once.
func (svc *Service) EndFact(chat storage.ChatID, entry storage.EntryID, nth int) (back func() error, err error) {
	const op = "end a fact"
	end := storage.StatementEnd{End: storage.End{Mention: storage.Mention{Chat: chat, At: svc.core.Config.Now()},
		Kind: storage.Withdrawn}}
	err = changeEnds(svc, op, chat, func(tx *storage.Tx, list []storage.StatementEnd) ([]storage.StatementEnd, error) {
		x, fact, err := factAt(tx, svc, chat, entry, nth)
		if err != nil {
			return nil, err
		}
		if end.Text = fill.Statement(x.Name, fact); len(end.Text) > maxEndedRunes {
			return nil, failure.Refusef("this is too long for one fact: edit the entry")
		}
		if from := fill.LearnedFact(&x, chat, fact); from != nil {
			end.Rests = from.Messages
		}
		return append(list, end), nil
	})
	return func() error {
		return changeEnds(svc, "reopen a fact", chat,
			func(_ *storage.Tx, list []storage.StatementEnd) ([]storage.StatementEnd, error) {
				return without(list, func(e storage.StatementEnd) bool { return sameEnd(e, end) }), nil
			})
	}, err
}

// ReopenFact removes all ends of a fact of an entry. back undoes that, once.
func (svc *Service) ReopenFact(chat storage.ChatID, entry storage.EntryID, nth int) (back func() error, err error) {
	var undone []storage.StatementEnd
	undo := func(list []storage.StatementEnd, is func(e storage.StatementEnd) bool, to bool) (some bool) {
		for i := range list {
			if list[i].Undone != to && is(list[i]) {
				undone, some = append(undone, list[i]), true
				list[i].Undone = to
			}
		}
		return some
	}
	err = changeEnds(svc, "reopen a fact", chat,
		func(tx *storage.Tx, list []storage.StatementEnd) ([]storage.StatementEnd, error) {
			undone = nil
			x, _, err := factAt(tx, svc, chat, entry, nth)
			if err != nil {
				return nil, err
			}
			for again := true; again; { // behind an end there may be an older one
				again = false
				for _, o := range endedFacts(tx, chat, &x) {
					again = again || o.Nth == nth &&
						undo(list, func(e storage.StatementEnd) bool { return sameEnd(e, o.End) }, true)
				}
				if err := scenes.PutStatementEnds(tx, chat, list); err != nil {
					return nil, err
				}
			}
			return list, nil
		})
	return func() error {
		return changeEnds(svc, "undo that a fact holds", chat,
			func(_ *storage.Tx, list []storage.StatementEnd) ([]storage.StatementEnd, error) {
				for _, was := range undone {
					undo(list, func(e storage.StatementEnd) bool { return sameEnd(e, was) }, false)
				}
				return list, nil
			})
	}, err
}

// factAt finds a fact of an entry at the head of a chat.
func factAt(tx *storage.Tx, svc *Service, chat storage.ChatID, entry storage.EntryID,
	nth int) (x storage.LoreEntry, fact string, err error) {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return x, "", err
	}
	books, err := svc.BooksAt(tx, chat, c.Head)
	if err != nil {
		return x, "", err
	}
	for _, b := range books {
		for i := range b.Entries {
			if b.Entries[i].ID != entry {
				continue
			}
			if list := plist.Facts(b.Entries[i].Content); nth >= 0 && nth < len(list) {
				return b.Entries[i], list[nth], nil
			}
		}
	}
	return x, "", &failure.Missing{Kind: "fact", Ref: string(entry)}
}

// changeEnds changes the ends of a chat's recap lines and lorebook facts.
func changeEnds(svc *Service, op string, chat storage.ChatID,
	change func(tx *storage.Tx, list []storage.StatementEnd) ([]storage.StatementEnd, error)) error {
	err := svc.scenes.ChangeScenes(chat, op, func(tx *storage.Tx) error {
		list, err := change(tx, scenes.StatementEnds(tx, chat))
		if err != nil {
			return err
		}
		return scenes.PutStatementEnds(tx, chat, list)
	})
	if err == nil {
		svc.core.Emit(Changed{Chat: chat})
	}
	return err
}

func without(list []storage.StatementEnd, is func(e storage.StatementEnd) bool) (out []storage.StatementEnd) {
	for _, e := range list {
		if !is(e) {
			out = append(out, e)
		}
	}
	return out
}

// sameEnd reports whether two are one end.
func sameEnd(a, b storage.StatementEnd) bool {
	return a.Text == b.Text && a.Kind == b.Kind && a.Node == b.Node && a.At.Equal(b.At)
}
