package lore

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// chatIndexes caches the compiled books of the chats used last.
type chatIndexes struct {
	mu    sync.Mutex
	list  []*chatIndex // used last comes last
	asked int          // activations that somebody has looked at
}

// maxChatIndexes is the maximum number of chats whose compiled books are kept.
const maxChatIndexes = 3

// chatIndex holds the compiled books that count in a chat.
type chatIndex struct {
	key string // the chat and who speaks, or the book that is tried alone

	// Of an activation that a view shows, guarded by the cache's mutex: its chat, and when it was
	// last viewed.
	chat  storage.ChatID
	asked int

	mu       sync.Mutex
	settings activation.Settings
	made     []compiledBook
	index    *activation.Index
	scan     *activation.Scan
	// the place of each entry, and the needs of all entries.
	entries map[storage.EntryID]entryRef
	deepest int // messages that an entry scans at the most
}

type compiledBook struct {
	id     storage.LorebookID
	source activation.Source
	depth  int
	made   int
}

// entryRef is an entry and the book that it is in.
type entryRef struct {
	book  *activation.Book
	entry *storage.LoreEntry
}

// get returns the index of a key and creates it if needed.
func (s *chatIndexes) get(key string) *chatIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, have := range s.list {
		if have.key == key {
			s.list = append(slices.Delete(s.list, i, i+1), have)
			return have
		}
	}
	made := &chatIndex{key: key}
	s.list = append(s.list, made)
	if len(s.list) > maxChatIndexes {
		s.list = slices.Delete(s.list, 0, 1)
	}
	return made
}

// markViewed records that a view shows the activation of a key.
func (s *chatIndexes) markViewed(key string, chat storage.ChatID) *chatIndex {
	stage := s.get(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	stage.chat, stage.asked = chat, s.asked
	return stage
}

// lastViewed returns the index whose activation was viewed last in a chat, or nil.
func (s *chatIndexes) lastViewed(chat storage.ChatID) (stage *chatIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.list {
		if x.asked > 0 && x.chat == chat && (stage == nil || x.asked > stage.asked) {
			stage = x
		}
	}
	return stage
}

// activeBook is a book that counts, with its entries.
type activeBook struct {
	activation.Book
	made int
}

// BooksAt returns the books that count in a chat, with their entries as they are at leaf.
func (svc *Service) BooksAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) ([]activeBook, error) {
	list, err := svc.booksFor(tx, chat)
	if err != nil {
		return nil, err
	}
	var out []activeBook
	for _, b := range list {
		if !b.On {
			continue
		}
		t := NewTrail(tx, chat, leaf)
		if b.Chat != "" && b.Chat != chat {
			t = loreTrail(tx, b.Lorebook, "")
		}
		seen, err := svc.cache.read(tx, b.Lorebook, t)
		if err != nil {
			return nil, err
		}
		out = append(out, activeBook{activation.Book{ID: b.ID, Name: b.Name, Source: b.Source, ScanDepth: b.ScanDepth,
			Entries: seen.entries}, seen.made})
	}
	return out, nil
}

// set replaces the books of the index and compiles only what has changed. The caller holds s.mu.
func (s *chatIndex) set(books []activeBook, settings activation.Settings) {
	made := make([]compiledBook, len(books))
	for i, b := range books {
		made[i] = compiledBook{id: b.ID, source: b.Source, depth: -1, made: b.made}
		if b.ScanDepth != nil {
			made[i].depth = *b.ScanDepth
		}
	}
	if s.index != nil && slices.Equal(made, s.made) && settings == s.settings {
		return
	}
	if s.index == nil || len(made) != len(s.made) || settings != s.settings {
		list := make([]activation.Book, len(books))
		for i, b := range books {
			list[i] = b.Book
		}
		s.index = activation.Compile(list, settings)
	} else {
		s.replaceBooks(books, made)
	}
	if s.scan == nil {
		s.scan = s.index.NewScan()
	} else {
		s.scan.SetIndex(s.index)
	}
	s.made, s.settings = made, settings
	s.inspect(books, settings)
}

// replaceBooks takes the books in that have changed.
func (s *chatIndex) replaceBooks(books []activeBook, made []compiledBook) {
	for _, old := range s.made {
		if !slices.ContainsFunc(made, func(m compiledBook) bool { return m.id == old.id }) {
			s.index = s.index.Without(old.id)
		}
	}
	for i, m := range made {
		if !slices.Contains(s.made, m) {
			s.index = s.index.With(books[i].Book)
		}
	}
}

// inspect records the needs of the entries for an activation.
func (s *chatIndex) inspect(books []activeBook, settings activation.Settings) {
	s.entries = map[storage.EntryID]entryRef{}
	// A minimum of activations looks one further than it is bound to.
	s.deepest = max(settings.Depth, settings.MaxDepth+1)
	if settings.MinActivations > 0 && settings.MaxDepth == 0 {
		s.deepest = maxScanned
	}
	for i := range books {
		b := &books[i].Book
		if b.ScanDepth != nil {
			s.deepest = max(s.deepest, *b.ScanDepth)
		}
		for j := range b.Entries {
			x := &b.Entries[j]
			s.entries[x.ID] = entryRef{b, x}
			if x.ScanDepth != nil {
				s.deepest = max(s.deepest, *x.ScanDepth)
			}
			s.deepest = max(s.deepest, decoratedDepth(x.Content))
		}
	}
	s.deepest = min(s.deepest, maxScanned)
}

// maxScanned is the maximum number of messages that are scanned, by SillyTavern's rules.
const maxScanned = 1000

// loreSettings returns the configured rules.
func (svc *Service) loreSettings() activation.Settings {
	if svc.core.Settings().Lore.Settings != nil {
		return *svc.core.Settings().Lore.Settings
	}
	return activation.DefaultSettings()
}

// The placements of keyed entries.
const (
	PlacePinned = "stay" // at the message at which they triggered, until the window leaves it
	PlaceTail   = "tail" // after the newest message, repeated every turn
)

// DefaultPlacement is the placement of keyed entries by default.
const DefaultPlacement = PlacePinned

func (svc *Service) lorePlacement() string {
	if svc.core.Settings().Lore.Placement == PlaceTail {
		return PlaceTail
	}
	return DefaultPlacement
}

// randomFor draws for a place of the tree: the same numbers whenever the same turn
// is asked for, so that another reply to it finds the same prompt.
func randomFor(chat storage.ChatID, at storage.NodeID) func() float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(chat))
	_, _ = h.Write([]byte(at))
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(len(at)))) //nolint:gosec // a play's chance, not a secret
	return r.Float64
}

// loreExpand expands macros of lore. The texts of the stable part must not
// change from turn to turn, so nothing in them follows the newest message.
func loreExpand(s *prompt.Snapshot) func(string) string {
	env := prompt.Env(s)
	return func(text string) string {
		out, _ := prompts.Expand(text, env)
		return out
	}
}

// decoratedDepth returns the number of messages that the decorators of a content may need.
func decoratedDepth(content string) int {
	if strings.HasPrefix(content, "@@") {
		return maxScanned
	}
	return 0
}
