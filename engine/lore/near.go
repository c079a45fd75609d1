package lore

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	words "github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// NearMiss is an entry that a text would trigger if its keys were matched less strictly.
type NearMiss struct {
	Entry storage.EntryID
	Name  string
	Key   string
	Word  string // of the text, that the key is found in
	Why   string // the reason why it does not trigger, in words
}

// maxNear is the largest number of near misses.
const maxNear = 20

// NearMisses returns entries that Test does not trigger for a text only because whole words are
// asked for, or because case counts.
func (svc *Service) NearMisses(ctx context.Context, chat storage.ChatID, book storage.LorebookID,
	text string) ([]NearMiss, error) {
	out := []NearMiss{}
	set, lower := svc.loreSettings(), strings.ToLower(text)
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		books, err := svc.testedBooks(tx, chat, book)
		if err != nil {
			return err
		}
		for _, b := range books {
			for i := range b.Entries {
				e := &b.Entries[i]
				cased, whole := set.CaseSensitive, set.WholeWords
				if e.CaseSensitive != nil {
					cased = *e.CaseSensitive
				}
				if e.WholeWords != nil {
					whole = *e.WholeWords
				}
				if e.Disabled || e.Constant || len(out) == maxNear || ctx.Err() != nil {
					continue
				}
				if near, ok := findNearMiss(e.Keys, text, lower, cased, whole); ok {
					near.Entry, near.Name = e.ID, e.Name
					out = append(out, near)
				}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, failure.Wrap("test lore", err)
	}
	return out, nil
}

// findNearMiss returns the first key that nearly occurs in a text; none if a key does occur.
func findNearMiss(keys []string, text, lower string, cased, whole bool) (near NearMiss, ok bool) {
	for _, key := range keys {
		key = strings.TrimSpace(key)
		if key == "" || strings.HasPrefix(key, "/") {
			continue
		}
		from, alone := findKey(lower, strings.ToLower(key))
		if from < 0 {
			continue
		}
		same := !cased || strings.Contains(text, key)
		switch {
		case same && (alone || !whole):
			return NearMiss{}, false
		case ok:
		case !same:
			near, ok = NearMiss{Key: key, Word: wordAround(lower, from, len(key)), Why: "case-sensitive"}, true
		default:
			near, ok = NearMiss{Key: key, Word: wordAround(lower, from, len(key)), Why: "whole words only"}, true
		}
	}
	return near, ok
}

// findKey returns the position of a key in a text, -1 if there is none, and whether it is a whole
// word there. Whole words are preferred.
func findKey(text, key string) (at int, alone bool) {
	at = -1
	for from := 0; ; {
		i := strings.Index(text[from:], key)
		if i < 0 {
			return at, false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(key):])
		if !words.InWord(before) && !words.InWord(after) {
			return i, true
		}
		if at < 0 {
			at = i
		}
		from = i + max(1, len(key))
	}
}

// wordAround returns the whole word that a place in a text is in.
func wordAround(text string, at, n int) string {
	from, to := at, at+n
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		if !words.InWord(r) {
			break
		}
		from -= size
	}
	for to < len(text) {
		r, size := utf8.DecodeRuneInString(text[to:])
		if !words.InWord(r) {
			break
		}
		to += size
	}
	return text[from:to]
}
