package lore

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxLore is the largest content of an entry, in bytes.
const maxLore = 1 << 20

// Entries reads the entries of a book as a chat sees them, in the order of
// the book; with book "" those of all books that count in the chat.
func (svc *Service) Entries(book storage.LorebookID, chat storage.ChatID) ([]Row, error) {
	if err := svc.ImportCardBook(chat); err != nil {
		return nil, failure.Wrap("read entries", err)
	}
	out := []Row{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		out = out[:0]
		books, err := svc.listedBooks(tx, book, chat)
		if err != nil {
			return err
		}
		triggered := lastTriggered(tx, chat)
		waiting := waitingIn(tx)
		stale := staleStates(tx)
		for _, b := range books {
			entries, err := svc.cache.entries(tx, b, loreTrail(tx, b, chat))
			if err != nil {
				return err
			}
			for i := range entries {
				r := rowOf(b, entries[i], triggered)
				r.Waiting, r.Stale = waiting[b.ID][r.ID], stale(&r.LoreEntry)
				out = append(out, r)
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("read entries", err)
	}
	return out, nil
}

// listedBooks returns one book, or those that count in a chat.
func (svc *Service) listedBooks(tx *storage.Tx, book storage.LorebookID,
	chat storage.ChatID) ([]storage.Lorebook, error) {
	if book != "" {
		b, err := storage.Lorebooks.Get(tx, book)
		return []storage.Lorebook{b}, err
	}
	list, err := svc.booksFor(tx, chat)
	var out []storage.Lorebook
	for _, b := range list {
		if b.On {
			out = append(out, b.Lorebook)
		}
	}
	return out, err
}

func rowOf(b storage.Lorebook, x storage.LoreEntry, triggered map[storage.EntryID]int) Row {
	r := Row{LoreEntry: x, Book: b.ID, BookName: b.Name, Tokens: len(x.Content)/usualTokenBytes + 1, OnPath: x.At != ""}
	if depth, ok := triggered[x.ID]; ok {
		r.LastTriggered = depth + 1
	}
	return r
}

// staleStates returns the entries whose state came from a scene that was changed since, or is gone.
func staleStates(tx *storage.Tx) func(*storage.LoreEntry) bool {
	type lesson struct {
		brk   storage.NodeID
		recap storage.RecapID
	}
	known := map[lesson]bool{}
	return func(x *storage.LoreEntry) bool {
		c := x.Cause
		if c.Origin != storage.LoreByScene {
			return false
		}
		of := lesson{c.Break, c.Recap}
		stale, ok := known[of]
		if !ok {
			b, err := scenes.VisibleBreak(tx, c.Chat, c.Break)
			stale = err != nil
			if r, err := storage.Recaps.Get(tx, c.Chat, c.Recap); err == nil && !stale {
				stale = scenes.StaleFor(r, b.InputsHash)
			}
			known[of] = stale
		}
		return stale
	}
}

// lastTriggered returns at which depth of a chat's path each keyed entry triggered last.
func lastTriggered(tx *storage.Tx, chat storage.ChatID) map[storage.EntryID]int {
	out := map[storage.EntryID]int{}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return out
	}
	turns := map[storage.NodeID]storage.LoreTurn{}
	for id, t := range storage.LoreTurns.All(tx, chat) {
		turns[id] = t
	}
	if len(turns) == 0 {
		return out
	}
	for p := range tx.PathInfos(chat, c.Head) {
		for _, f := range turns[p.ID].Triggered {
			if _, later := out[f.Entry]; !later {
				out[f.Entry] = p.Depth
			}
		}
	}
	return out
}

// waitingIn counts the changes that wait, by book and entry.
func waitingIn(tx *storage.Tx) map[storage.LorebookID]map[storage.EntryID]int {
	out := map[storage.LorebookID]map[storage.EntryID]int{}
	for id, b := range storage.Lorebooks.All(tx) {
		if b.Removed {
			continue
		}
		for _, c := range storage.LoreChanges.All(tx, id) {
			if out[id] == nil {
				out[id] = map[storage.EntryID]int{}
			}
			out[id][c.After.ID]++
		}
	}
	return out
}

// Entry reads an entry with its history, oldest state first.
func (svc *Service) Entry(book storage.LorebookID, entry storage.EntryID,
	chat storage.ChatID) (v EntryView, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := storage.Lorebooks.Get(tx, book)
		if err != nil {
			return err
		}
		t := loreTrail(tx, b, chat)
		x, err := storage.LoreEntries.Get(tx, book, entry)
		if err != nil {
			return err
		}
		here, err := entryOnPath(tx, book, x, t)
		if err != nil && !errors.Is(err, errNoEntry) {
			return err
		}
		if err != nil {
			here = x
		}
		v.Row = rowOf(b, here, lastTriggered(tx, t.chat))
		v.Waiting, v.Stale = waitingIn(tx)[book][entry], staleStates(tx)(&here)
		v.Ended = endedFacts(tx, t.chat, &here)
		v.History, err = historyOf(tx, b, x, here.Revision, t)
		return err
	})
	if err != nil {
		return v, failure.Wrap("read entry", err)
	}
	if plist.IsList(v.Content) {
		v.Problems = plist.Check(v.Content, plist.Want{Name: v.Name, Aliases: v.Aliases, Types: svc.Types()})
	}
	v.Faults = activation.Compile([]activation.Book{
		{ID: book, Name: v.BookName, Entries: []storage.LoreEntry{v.Row.LoreEntry}}}, svc.loreSettings()).Faults()
	return v, nil
}

// historyOf returns all states of an entry, oldest first.
func historyOf(tx *storage.Tx, b storage.Lorebook, x storage.LoreEntry, current storage.RevisionID,
	t *trail) ([]State, error) {
	texts := map[storage.RevisionID]string{}
	scene := sceneNames(tx)
	var out []State
	for _, p := range append(x.Past[:len(x.Past):len(x.Past)], storage.LorePast{Revision: x.Revision}) {
		s, err := StateOf(tx, b.ID, x, p.Revision)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		texts[s.Revision] = s.Content
		v := State{LoreEntry: s, Current: s.Revision == current, OnPath: t.Holds(s.At, s.AtDepth),
			Scene: scene(s.Cause)}
		for _, h := range plist.Diff(texts[s.Before], s.Content) {
			if !h.Head && (h.Kind == plist.Added || h.Kind == plist.Changed) {
				v.Facts = append(v.Facts, h.After)
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// sceneNames returns the names of the scenes that caused changes, "" for others. Each chat's path
// is walked once.
func sceneNames(tx *storage.Tx) func(storage.LoreCause) string {
	numbers := map[storage.ChatID]map[storage.NodeID]int{}
	return func(c storage.LoreCause) string {
		if c.Break == "" {
			return ""
		}
		if numbers[c.Chat] == nil {
			numbers[c.Chat] = map[storage.NodeID]int{}
			chat, err := storage.Chats.Get(tx, c.Chat)
			if err == nil {
				for i, s := range scenes.SpansOf(tx, c.Chat, chat.Head) {
					if s.Break != nil {
						numbers[c.Chat][s.Break.Node] = i + 1
					}
				}
			}
		}
		return sceneWords(tx, c, numbers[c.Chat][c.Break])
	}
}

// sceneWords names a scene; 0 is the number of one that is not on the chat's path.
func sceneWords(tx *storage.Tx, c storage.LoreCause, number int) string {
	b, err := storage.Breaks.Get(tx, c.Chat, c.Break)
	if err != nil {
		return "a deleted scene"
	}
	name := b.Name
	if name == "" {
		name = "a scene without a name"
	}
	if number > 0 {
		return fmt.Sprintf("Scene %d: %s", number, name)
	}
	return name + " (on another branch)"
}

// FindEntry finds an entry of a book by id, unique id prefix, number, name or alias. Deleted
// entries are found last.
func (svc *Service) FindEntry(book storage.LorebookID, ref string) (id storage.EntryID, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := storage.Lorebooks.Get(tx, book)
		if err != nil {
			return err
		}
		entries, err := svc.cache.entries(tx, b, loreTrail(tx, b, ""))
		if err != nil {
			return err
		}
		uid, isNumber := strconv.Atoi(strings.TrimPrefix(ref, "#"))
		var list []core.Named
		for i := range entries {
			x := &entries[i]
			if isNumber == nil && x.UID == uid {
				id = x.ID
				return nil
			}
			list = append(list, core.Named{ID: string(x.ID), Name: x.Name, Short: ""})
			for _, alias := range x.Aliases {
				if strings.EqualFold(alias, ref) {
					list[len(list)-1].Short = alias
				}
			}
		}
		found, err := core.Resolve("entry", ref, list)
		if errors.Is(err, storage.ErrNotFound) {
			found, err = core.Resolve("entry", ref, missingFrom(tx, book, entries))
		}
		id = storage.EntryID(found)
		return err
	})
	return id, err
}

// missingFrom returns the entries of a book that are not in list: deleted ones and those of other
// branches.
func missingFrom(tx *storage.Tx, book storage.LorebookID, seen []storage.LoreEntry) []core.Named {
	here := map[storage.EntryID]bool{}
	for i := range seen {
		here[seen[i].ID] = true
	}
	var list []core.Named
	for id, x := range storage.LoreEntries.All(tx, book) {
		if !here[id] {
			list = append(list, core.Named{ID: string(id), Name: x.Name, Short: ""})
		}
	}
	return list
}

// SaveEntry stores an edited entry, or a new one if its id is empty. A new entry is valid
// everywhere; an edit is valid where the edited state was. Changes since the state that Revision
// names are kept unless the edit touches the same fields or facts.
func (svc *Service) SaveEntry(book storage.LorebookID, chat storage.ChatID,
	x storage.LoreEntry) (storage.LoreEntry, error) {
	if err := checkEntry(&x); err != nil {
		return x, failure.Wrap("save entry", err)
	}
	err := svc.changeLore("save entry", book, chat, func(tx *storage.Tx, b *storage.Lorebook, t *trail) (err error) {
		next := x
		next.Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
		if x.ID == "" {
			next.UID, next.At, next.AtDepth, next.Before = uidFor(b), "", 0, ""
			x, err = svc.putState(tx, book, next)
			return err
		}
		old, err := entryAt(tx, book, x.ID, t)
		if err != nil {
			return err
		}
		if x.Revision != "" && x.Revision != old.Revision {
			if base, err := baseOf(tx, book, x); err == nil {
				next = rebase(base, next, old)
				next.Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
			}
		}
		next.UID, next.CreatedAt, next.Removed = old.UID, old.CreatedAt, false
		next.Facts = factsLeft(old.Facts, next.Content)
		fill.InheritKnowers(&old, &next)
		if next.Source == nil {
			next.Source = old.Source
		}
		x, err = svc.putAfter(tx, book, old, next)
		return err
	})
	return x, err
}

// baseOf returns the state of an entry on which an edit is based.
func baseOf(tx *storage.Tx, book storage.LorebookID, x storage.LoreEntry) (storage.LoreEntry, error) {
	whole, err := storage.LoreEntries.Get(tx, book, x.ID)
	if err != nil {
		return x, err
	}
	return StateOf(tx, book, whole, x.Revision)
}

// rebase applies the changes between base and x to now: field by field, and in the content by fact.
// If the contents cannot be joined, x's counts.
func rebase(base, x, now storage.LoreEntry) storage.LoreEntry {
	content := x.Content
	switch {
	case content == base.Content:
		content = now.Content
	case now.Content != base.Content:
		if both := plist.Rebase(base.Content, content, now.Content); both != now.Content {
			content = both
		}
	}
	from, own, to := reflect.ValueOf(base), reflect.ValueOf(&x).Elem(), reflect.ValueOf(now)
	for i := range own.NumField() {
		if reflect.DeepEqual(from.Field(i).Interface(), own.Field(i).Interface()) {
			own.Field(i).Set(to.Field(i))
		}
	}
	x.Content = content
	return x
}

// putAfter stores a state that is derived from old and is valid wherever old is.
func (svc *Service) putAfter(tx *storage.Tx, book storage.LorebookID,
	old, next storage.LoreEntry) (storage.LoreEntry, error) {
	next.ID, next.Before, next.At, next.AtDepth = old.ID, old.Revision, old.At, old.AtDepth
	return svc.putState(tx, book, next)
}

// factsLeft returns the facts that a content still holds.
func factsLeft(facts []storage.LoreFact, content string) []storage.LoreFact {
	if len(facts) == 0 {
		return nil
	}
	in := plist.Facts(content)
	return slices.DeleteFunc(slices.Clone(facts), func(f storage.LoreFact) bool { return !slices.Contains(in, f.Text) })
}

// checkEntry returns an error for values that no entry can have, and tidies the rest.
func checkEntry(x *storage.LoreEntry) error {
	x.Name = failure.FirstRunes(strings.Join(strings.Fields(x.Name), " "), maxBookName)
	if err := EntryFields.Valid(x); err != nil {
		return err
	}
	for _, list := range []*[]string{&x.Keys, &x.SecondaryKeys, &x.Aliases, &x.Triggers} {
		*list = tidyList(*list)
	}
	if x.Name == "" && len(x.Keys) > 0 {
		x.Name = failure.FirstRunes(x.Keys[0], maxBookName)
	}
	if x.Name == "" {
		return &field.Error{Name: "name", Reason: "must not be empty unless the entry has a key"}
	}
	return nil
}

// tidyList drops empty items and repeated ones.
func tidyList(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
