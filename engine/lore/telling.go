package lore

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/scribe"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// told is what of an entry's text stands in a prompt, and why not all of it.
type told struct {
	text  string
	facts []script.Statement
	why   string // "" where it is all of it

	content, full string          // the entry, and all of its text
	keep          map[string]bool // the facts that are told
	learned       []learnedFact   // those of them that something else may tell in their place
}

// tell is of an entry's text what the speaker knows and what has not ended. What the
// user has written ends by nobody's word but the user's.
func (a *loreAsk) tell(tx *storage.Tx, x *storage.LoreEntry, content, text string) (t told) {
	all, heard, over := plist.Facts(content), 0, 0
	whole := a.moment.May(x.Witnesses)
	keep := map[string]bool{}
	t.content, t.full, t.keep = content, text, keep
	for _, fact := range all {
		s := script.Statement{Text: scribe.Statement(x.Name, fact)}
		if from := scribe.Taught(x, a.chat, fact); from != nil {
			s.Messages = from.Messages
		}
		switch {
		case !whole && !a.moment.May(KnownTo(tx, a.moment.Chat, x, fact)):
			heard++
		case a.ended(x, fact):
			over++
		default:
			keep[fact], t.facts = true, append(t.facts, s)
			if a.once != nil && len(s.Messages) > 0 && !x.Constant {
				t.learned = append(t.learned, a.once.learned(fact, s))
			}
		}
	}
	switch {
	case heard == 0 && over == 0 && whole:
		t.text = text
		return t
	case !whole && scribe.Alike(x) && !chats.HasAttended(a.moment.Chat, a.moment.Speaker):
		t.why, t.facts = "the speaker has not witnessed it", nil
		return t
	}
	t.text = strings.TrimSpace(plist.Only(text, content, func(fact string) bool { return keep[fact] }))
	switch {
	case t.text == "" && heard == 0 && len(keep) > 0:
		t.text = text // nothing tells which part of it has ended
	case t.text == "" && heard > 0:
		t.why = "the speaker has not witnessed it"
	case t.text == "":
		t.why = "all of it has ended"
	case heard > 0:
		t.why = heardWords
	default:
		t.why = overWords
	}
	return t
}

// Why a prompt tells a part of an entry.
const (
	heardWords = "the speaker has not witnessed part of it"
	overWords  = "some of it has ended"
)

// ended reports whether a fact of an entry holds no longer where the lorebooks are asked.
func (a *loreAsk) ended(x *storage.LoreEntry, fact string) bool {
	_, is := EndOf(a.over, a.chat, x, fact)
	return is
}

// Known is a fact that scenes have taught the lorebook, in words that stand for
// themselves.
type Known struct {
	script.Statement
	Witnesses []storage.CharacterID // who know it, nil everybody
}

// KnownAt are the facts that scenes have taught a chat's lorebooks of whom or what a
// text names, as they are at a message, and that have not ended.
func (svc *Service) KnownAt(tx *storage.Tx, c storage.Chat, leaf storage.NodeID, said string) ([]Known, error) {
	books, err := svc.BooksAt(tx, c.ID, leaf)
	if err != nil || len(books) == 0 {
		return nil, err
	}
	said = strings.ToLower(said)
	over := scenes.OverAt(tx, c, leaf, nil)
	var out []Known
	for _, b := range books {
		for i := range b.Entries {
			x := &b.Entries[i]
			if len(x.Facts) == 0 || x.Disabled || x.Locked || !names(said, x) {
				continue
			}
			for _, fact := range plist.Facts(x.Content) {
				from := scribe.Taught(x, c.ID, fact)
				if _, ended := EndOf(over, c.ID, x, fact); from == nil || ended || len(out) == mostTold {
					continue
				}
				out = append(out, Known{script.Statement{Text: scribe.Statement(x.Name, fact), Messages: from.Messages}, KnownTo(tx, c, x, fact)})
			}
		}
	}
	return out, nil
}

// TaughtBy are the statements of a chat's lorebooks that came from a message.
func (svc *Service) TaughtBy(tx *storage.Tx, c storage.Chat, from storage.NodeID) (out []string, err error) {
	books, err := svc.BooksAt(tx, c.ID, c.Head)
	if err != nil {
		return nil, err
	}
	for _, b := range books {
		for i := range b.Entries {
			x := &b.Entries[i]
			for _, fact := range x.Facts {
				if slices.Contains(fact.Messages, from) && scribe.Taught(x, c.ID, fact.Text) != nil {
					out = append(out, scribe.Statement(x.Name, fact.Text))
				}
			}
		}
	}
	return out, nil
}

// mostTold is how many facts of entries an exchange is held against.
const mostTold = 200

// names reports whether a text, in small letters, names an entry.
func names(said string, x *storage.LoreEntry) bool {
	for _, n := range append([]string{x.Name}, x.Aliases...) {
		if n = strings.ToLower(strings.TrimSpace(n)); n != "" && text.HasWord(said, n) {
			return true
		}
	}
	return false
}
