package lore

import (
	"errors"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Act applies an action to several entries of a book in one change and returns how many changed.
func (svc *Service) Act(book storage.LorebookID, chat storage.ChatID, ids []storage.EntryID, do Action,
	arg string) (n int, err error) {
	act, err := applyAction(do, arg)
	if err != nil {
		return 0, failure.Wrap("change entries", err)
	}
	err = svc.changeLore("change entries", book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		n = 0
		for _, id := range ids {
			if do == UndoDelete {
				_, err := svc.undoState(tx, book, id, t)
				if err == nil {
					n++
				} else if !errors.Is(err, failure.ErrRefused) {
					return err
				}
				continue
			}
			old, err := entryAt(tx, book, id, t)
			if err != nil {
				return err
			}
			next := old
			if !act(&next) {
				continue
			}
			next.Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
			if _, err := svc.putAfter(tx, book, old, next); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// applyAction applies an action to an entry and reports whether that changed it.
func applyAction(do Action, arg string) (func(*storage.LoreEntry) bool, error) {
	set := func(field func(*storage.LoreEntry) *bool, to bool) func(*storage.LoreEntry) bool {
		return func(x *storage.LoreEntry) bool {
			p := field(x)
			was := *p
			*p = to
			return was != to
		}
	}
	disabled := func(x *storage.LoreEntry) *bool { return &x.Disabled }
	locked := func(x *storage.LoreEntry) *bool { return &x.Locked }
	constant := func(x *storage.LoreEntry) *bool { return &x.Constant }
	switch do {
	case Enable, Disable:
		return set(disabled, do == Disable), nil
	case Lock, Unlock:
		return set(locked, do == Lock), nil
	case Constant, Keyed:
		return set(constant, do == Constant), nil
	case Delete:
		return set(func(x *storage.LoreEntry) *bool { return &x.Removed }, true), nil
	case UndoDelete:
		return nil, nil
	case Retype:
		typ := strings.ToLower(strings.TrimSpace(arg))
		return func(x *storage.LoreEntry) bool {
			was := x.Type
			x.Type, x.Content = typ, plist.Retype(x.Content, typ)
			return was != typ
		}, nil
	case Reorder:
		order, err := strconv.Atoi(strings.TrimSpace(arg))
		if err != nil {
			return nil, failure.Refusef("an order must be a whole number, not %q", arg)
		}
		return func(x *storage.LoreEntry) bool { was := x.Order; x.Order = order; return was != order }, nil
	}
	return nil, failure.Refusef("there is no action %q for entries", do)
}
