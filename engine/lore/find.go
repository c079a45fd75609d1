package lore

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/words"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Hit is a search result. Snippet is an excerpt of the entry's content, or of its names and keys if
// only these match.
type Hit struct {
	Book     storage.LorebookID `json:"book"`
	BookName string             `json:"book_name"`
	Entry    storage.EntryID    `json:"entry"`
	Name     string             `json:"name"`
	Snippet  string             `json:"snippet"`
}

// Search finds entries of all books as a chat sees them, in the order of Books: entries whose
// content, names or keys have words that begin with each word of text or, for text in quotes,
// contain it literally. It returns no more than most results, 0 for all.
func (svc *Service) Search(chat storage.ChatID, text string, most int) ([]Hit, error) {
	hits := []Hit{}
	q := words.Parse(text)
	if q.Empty() {
		return hits, nil
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		books, err := svc.booksFor(tx, chat)
		if err != nil {
			return err
		}
		for _, b := range books {
			entries, err := svc.cache.entries(tx, b.Lorebook, loreTrail(tx, b.Lorebook, chat))
			if err != nil {
				return err
			}
			for i := range entries {
				snippet, ok := foundIn(&entries[i], q)
				if !ok {
					continue
				}
				hits = append(hits, Hit{b.ID, b.Name, entries[i].ID, entries[i].Name, snippet})
				if len(hits) == most {
					return nil
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("search lorebooks", err)
	}
	return hits, nil
}

// foundIn reports whether an entry matches a query, and returns the snippet.
func foundIn(e *storage.LoreEntry, q words.Query) (snippet string, ok bool) {
	if at, ok := q.Match(e.Content, 1); ok && len(at) > 0 {
		return core.Snippet(e.Content, at[0].From, at[0].To-at[0].From), true
	}
	head := append([]string{e.Name}, e.Aliases...)
	head = append(append(head, e.Keys...), e.SecondaryKeys...)
	names := strings.Join(head, " · ")
	if at, ok := q.Match(names, 1); ok && len(at) > 0 {
		return core.Snippet(names, at[0].From, at[0].To-at[0].From), true
	}
	if q.Exact != "" {
		return "", false
	}
	// Some of the words are in its names, and the others in its content.
	if _, ok := q.Match(names+"\n"+e.Content, 1); !ok {
		return "", false
	}
	return core.Snippet(e.Content, 0, 60), true
}
