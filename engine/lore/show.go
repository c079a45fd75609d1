package lore

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// shownEntry is the part of an entry's text that a prompt contains, and why it is not all of it.
type shownEntry struct {
	text   string
	facts  []prompt.Statement
	reason string // "" if it is all of it

	content, full string          // the entry, and all of its text
	keep          map[string]bool // the facts that are in the text
	sourced       []sourcedFact   // facts of keep that another part of the prompt may state instead
}

// show returns the part of an entry's text that the speaker knows and that has not ended. Facts
// that the user has written are ended only by the user.
func (a *query) show(tx *storage.Tx, x *storage.LoreEntry, content, text string) (t shownEntry) {
	all, heard, over := plist.Facts(content), 0, 0
	whole := a.moment.MayKnow(x.Witnesses)
	keep := map[string]bool{}
	t.content, t.full, t.keep = content, text, keep
	for _, fact := range all {
		s := prompt.Statement{Text: fill.Statement(x.Name, fact)}
		if from := fill.LearnedFact(x, a.chat, fact); from != nil {
			s.Messages = from.Messages
		}
		switch {
		case !whole && !a.moment.MayKnow(KnownTo(tx, a.moment.Chat, x, fact)):
			heard++
		case a.hasEnded(x, fact):
			over++
		default:
			keep[fact], t.facts = true, append(t.facts, s)
			if a.dedup != nil && len(s.Messages) > 0 && !x.Constant {
				t.sourced = append(t.sourced, a.dedup.learnedFact(fact, s))
			}
		}
	}
	switch {
	case heard == 0 && over == 0 && whole:
		t.text = text
		return t
	case !whole && fill.SameKnowers(x) && !chats.HasAttended(a.moment.Chat, a.moment.Speaker):
		t.reason, t.facts = "the speaker has not witnessed it", nil
		return t
	}
	t.text = strings.TrimSpace(plist.KeepFacts(text, content, func(fact string) bool { return keep[fact] }))
	switch {
	case t.text == "" && heard == 0 && len(keep) > 0:
		t.text = text // it is unknown which part has ended
	case t.text == "" && heard > 0:
		t.reason = "the speaker has not witnessed it"
	case t.text == "":
		t.reason = "all of it has ended"
	case heard > 0:
		t.reason = partlyHeard
	default:
		t.reason = partlyEnded
	}
	return t
}

// Why a prompt contains only a part of an entry.
const (
	partlyHeard = "the speaker has not witnessed part of it"
	partlyEnded = "some of it has ended"
)

// hasEnded reports whether a fact of an entry has ended at the message of the query.
func (a *query) hasEnded(x *storage.LoreEntry, fact string) bool {
	_, ok := EndOf(a.ended, a.chat, x, fact)
	return ok
}

// KnownFact is a lorebook fact that came from scenes, as a sentence that is understood without its
// entry.
type KnownFact struct {
	prompt.Statement
	Witnesses []storage.CharacterID // who know it, nil everybody
}

// KnownFactsAt returns the facts in a chat's lorebooks that came from scenes, have not ended at a
// message, and are about somebody or something that a text names.
func (svc *Service) KnownFactsAt(tx *storage.Tx, c storage.Chat, leaf storage.NodeID,
	said string) ([]KnownFact, error) {
	books, err := svc.BooksAt(tx, c.ID, leaf)
	if err != nil || len(books) == 0 {
		return nil, err
	}
	said = strings.ToLower(said)
	over := scenes.EndIndexAt(tx, c, leaf, nil)
	var out []KnownFact
	for _, b := range books {
		for i := range b.Entries {
			x := &b.Entries[i]
			if len(x.Facts) == 0 || x.Disabled || x.Locked || !mentionsEntry(said, x) {
				continue
			}
			for _, fact := range plist.Facts(x.Content) {
				from := fill.LearnedFact(x, c.ID, fact)
				if _, ended := EndOf(over, c.ID, x, fact); from == nil || ended || len(out) == maxKnownFacts {
					continue
				}
				out = append(out, KnownFact{prompt.Statement{Text: fill.Statement(x.Name, fact),
					Messages: from.Messages}, KnownTo(tx, c, x, fact)})
			}
		}
	}
	return out, nil
}

// FactsFrom returns the statements in a chat's lorebooks that came from a message.
func (svc *Service) FactsFrom(tx *storage.Tx, c storage.Chat, from storage.NodeID) (out []string, err error) {
	books, err := svc.BooksAt(tx, c.ID, c.Head)
	if err != nil {
		return nil, err
	}
	for _, b := range books {
		for i := range b.Entries {
			x := &b.Entries[i]
			for _, fact := range x.Facts {
				if slices.Contains(fact.Messages, from) && fill.LearnedFact(x, c.ID, fact.Text) != nil {
					out = append(out, fill.Statement(x.Name, fact.Text))
				}
			}
		}
	}
	return out, nil
}

// maxKnownFacts is the maximum number of entries' facts that are compared with an exchange.
const maxKnownFacts = 200

// mentionsEntry reports whether a text, in small letters, names an entry.
func mentionsEntry(said string, x *storage.LoreEntry) bool {
	for _, n := range append([]string{x.Name}, x.Aliases...) {
		if n = strings.ToLower(strings.TrimSpace(n)); n != "" && text.HasWord(said, n) {
			return true
		}
	}
	return false
}
