package lore

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stages keeps what was compiled of the books of the chats used last.
type stages struct {
	mu    sync.Mutex
	list  []*loreStage // used last comes last
	asked int          // activations that somebody has looked at
}

// mostStages is how many chats' compiled books are kept.
const mostStages = 3

// loreStage is what was compiled of the books that count in a chat.
type loreStage struct {
	key string // the chat and who speaks, or the book that is tried alone

	// Of an activation that somebody has looked at, guarded by the stages: its chat, and which
	// one it was.
	chat  storage.ChatID
	asked int

	mu       sync.Mutex
	settings activation.Settings
	made     []madeBook
	index    *activation.Index
	scan     *activation.Scan
	// where each entry is, and what they ask of an activation.
	entries map[storage.EntryID]loreRef
	deepest int // messages that an entry scans at the most
}

type madeBook struct {
	id     storage.LorebookID
	source activation.Source
	depth  int
	made   int
}

// loreRef is an entry and the book that it is in.
type loreRef struct {
	book  *activation.Book
	entry *storage.LoreEntry
}

// get returns the stage of a key, made where there is none.
func (s *stages) get(key string) *loreStage {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, have := range s.list {
		if have.key == key {
			s.list = append(slices.Delete(s.list, i, i+1), have)
			return have
		}
	}
	made := &loreStage{key: key}
	s.list = append(s.list, made)
	if len(s.list) > mostStages {
		s.list = slices.Delete(s.list, 0, 1)
	}
	return made
}

// looked notes that somebody looks at the activation of a key.
func (s *stages) looked(key string, chat storage.ChatID) *loreStage {
	stage := s.get(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	stage.chat, stage.asked = chat, s.asked
	return stage
}

// newest returns the stage whose activation somebody has looked at last in a chat, nil for none.
func (s *stages) newest(chat storage.ChatID) (stage *loreStage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.list {
		if x.asked > 0 && x.chat == chat && (stage == nil || x.asked > stage.asked) {
			stage = x
		}
	}
	return stage
}

// loreBook is a book that counts, with what of it was read.
type loreBook struct {
	activation.Book
	made int
}

// BooksAt are the books that count in a chat, with their entries as they are
// at leaf.
func (svc *Service) BooksAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) ([]loreBook, error) {
	list, err := svc.booksFor(tx, chat)
	if err != nil {
		return nil, err
	}
	var out []loreBook
	for _, b := range list {
		if !b.On {
			continue
		}
		t := TrailOf(tx, chat, leaf)
		if b.Chat != "" && b.Chat != chat {
			t = loreTrail(tx, b.Lorebook, "")
		}
		seen, err := svc.read.read(tx, b.Lorebook, t)
		if err != nil {
			return nil, err
		}
		out = append(out, loreBook{activation.Book{ID: b.ID, Name: b.Name, Source: b.Source, ScanDepth: b.ScanDepth, Entries: seen.entries}, seen.made})
	}
	return out, nil
}

// set makes the stage hold these books, compiling only what has changed. The
// caller holds s.mu.
func (s *loreStage) set(books []loreBook, settings activation.Settings) {
	made := make([]madeBook, len(books))
	for i, b := range books {
		made[i] = madeBook{id: b.ID, source: b.Source, depth: -1, made: b.made}
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
		s.swap(books, made)
	}
	if s.scan == nil {
		s.scan = s.index.NewScan()
	} else {
		s.scan.Use(s.index)
	}
	s.made, s.settings = made, settings
	s.survey(books, settings)
}

// swap takes the books in that have changed.
func (s *loreStage) swap(books []loreBook, made []madeBook) {
	for _, old := range s.made {
		if !slices.ContainsFunc(made, func(m madeBook) bool { return m.id == old.id }) {
			s.index = s.index.Without(old.id)
		}
	}
	for i, m := range made {
		if !slices.Contains(s.made, m) {
			s.index = s.index.With(books[i].Book)
		}
	}
}

// survey notes what the entries ask of an activation.
func (s *loreStage) survey(books []loreBook, settings activation.Settings) {
	s.entries = map[storage.EntryID]loreRef{}
	s.deepest = max(settings.Depth, settings.MaxDepth+1) // a minimum of activations looks one further than it is bound to
	if settings.MinActivations > 0 && settings.MaxDepth == 0 {
		s.deepest = mostScanned
	}
	for i := range books {
		b := &books[i].Book
		if b.ScanDepth != nil {
			s.deepest = max(s.deepest, *b.ScanDepth)
		}
		for j := range b.Entries {
			x := &b.Entries[j]
			s.entries[x.ID] = loreRef{b, x}
			if x.ScanDepth != nil {
				s.deepest = max(s.deepest, *x.ScanDepth)
			}
			s.deepest = max(s.deepest, decoratedDepth(x.Content))
		}
	}
	s.deepest = min(s.deepest, mostScanned)
}

// mostScanned is how many messages are scanned at the most, by the ecosystem's
// rules.
const mostScanned = 1000

// loreSettings are the configured rules.
func (svc *Service) loreSettings() activation.Settings {
	if svc.core.Settings().Lore.Settings != nil {
		return *svc.core.Settings().Lore.Settings
	}
	return activation.DefaultSettings()
}

// The placements of keyed entries.
const (
	PlaceStay = "stay" // where they fired, until the window leaves that behind
	PlaceTail = "tail" // after the newest message, anew every turn
)

// DefaultPlacement is how keyed entries stand where nobody says otherwise.
const DefaultPlacement = PlaceStay

func (svc *Service) lorePlacement() string {
	if svc.core.Settings().Lore.Placement == PlaceTail {
		return PlaceTail
	}
	return DefaultPlacement
}

// chance draws for a place of the tree: the same numbers whenever the same turn
// is asked for, so that another reply to it finds the same prompt.
func chance(chat storage.ChatID, at storage.NodeID) func() float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(chat))
	_, _ = h.Write([]byte(at))
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(len(at)))) //nolint:gosec // a play's chance, not a secret
	return r.Float64
}

// loreExpand expands macros of lore. The texts of the stable part must not
// change from turn to turn, so nothing in them follows the newest message.
func loreExpand(s *script.Snapshot) func(string) string {
	env := script.Env(s)
	return func(text string) string {
		out, _ := prompts.Expand(text, env)
		return out
	}
}

// decoratedDepth is how many messages the decorators of a content may ask for.
func decoratedDepth(content string) int {
	if strings.HasPrefix(content, "@@") {
		return mostScanned
	}
	return 0
}
