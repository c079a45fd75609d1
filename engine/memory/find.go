package memory

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/words"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// HitKind is the kind of a remembered thing.
type HitKind string

// The kinds of results.
const (
	MemoryHit HitKind = "memory"
	HookHit   HitKind = "hook"
	ThreadHit HitKind = "thread"
)

// Hit is a search result. Record is the id of a memory or a hook, and the key of a thread.
type Hit struct {
	Chat    storage.ChatID `json:"chat"` // one of the story's
	Title   string         `json:"title"`
	Kind    HitKind        `json:"sort"`
	Record  string         `json:"record"`
	Snippet string         `json:"snippet"`
}

// Search finds memories, hooks and recap threads of a chat's story, or of all stories if chat is
// "": those with words that begin with each word of text or, for text in quotes, those that contain
// it literally. It returns no more than most results, 0 for all. Removed ones are not found; ended
// ones are.
func (svc *Service) Search(chat storage.ChatID, text string, most int) ([]Hit, error) {
	hits := []Hit{}
	q := words.Parse(text)
	if q.Empty() {
		return hits, nil
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		list := []storage.ChatID{chat}
		if chat == "" {
			list = storage.Chats.Keys(tx)
		}
		var met []storage.ScopeID
		for _, id := range list {
			c, err := storage.Chats.Get(tx, id)
			if err != nil {
				return err
			}
			scope := chats.ScopeOf(c)
			whole := !slices.Contains(met, scope) // its memories and hooks are its series'
			met = append(met, scope)
			if hits, err = svc.searchStory(tx, c, whole, q, hits, most); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("search memories", err)
	}
	return hits, nil
}

// searchStory adds what is found in the story of a chat.
func (svc *Service) searchStory(tx *storage.Tx, c storage.Chat, whole bool, q words.Query, hits []Hit,
	most int) ([]Hit, error) {
	look := func(sort HitKind, record, text string) (goOn bool) {
		if most > 0 && len(hits) >= most {
			return false
		}
		if at, ok := q.Match(text, 1); ok && len(at) > 0 {
			hits = append(hits, Hit{c.ID, c.Title, sort, record, core.Snippet(text, at[0].From, at[0].To-at[0].From)})
		}
		return true
	}
	if whole {
		for id, m := range storage.Memories.All(tx, chats.ScopeOf(c)) {
			if !m.Removed && !look(MemoryHit, string(id), m.Content) {
				return hits, nil
			}
		}
		for id, h := range storage.Hooks.All(tx, chats.ScopeOf(c)) {
			if !h.Dropped && !look(HookHit, string(id), h.Content) {
				return hits, nil
			}
		}
	}
	threads, err := svc.threads(tx, c.ID)
	for _, t := range threads {
		if t.Hook == "" && !look(ThreadHit, t.Key, t.Text) {
			break
		}
	}
	return hits, err
}
