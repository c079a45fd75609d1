package pictures

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Continuity keeps what stays as it is from picture to picture: a sheet for each chat.
type Continuity struct {
	core  *core.Core
	chats *chats.Service
	lore  *lore.Service
	sheet readSheet
}

// Facts is a chat's continuity sheet: what stays as it is from picture to
// picture, by kind, then by who it is about. Facts that cards and lorebooks tell
// are on it too; their ids stay the same while the text does.
func (cont *Continuity) Facts(chat storage.ChatID) (out []storage.Fact, err error) {
	err = cont.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out, err = cont.sheetOf(tx, c, c.Head)
		return err
	})
	if err != nil {
		return nil, failure.Fail("continuity", err)
	}
	return out, nil
}

// subjects are what facts are about, so that two of the same are found.
type subjects map[string][]string

// has tells whether a fact says something of what another one has.
func (s subjects) has(f storage.Fact) bool {
	return slices.ContainsFunc(s[subjectKey(f)], func(who string) bool {
		return who == "" && f.Who == "" || who != "" && f.Who != "" && capture.SameName(who, f.Who)
	})
}

func (s subjects) add(f storage.Fact) {
	key := subjectKey(f)
	s[key] = append(s[key], f.Who)
}

func subjectKey(f storage.Fact) string { return string(f.Kind) + " " + capture.Aspect(f) }

// sheetOf is a chat's sheet as it stands at a message.
func (cont *Continuity) sheetOf(tx *storage.Tx, c storage.Chat, at storage.NodeID) ([]storage.Fact, error) {
	told, err := cont.toldFacts(tx, c, at)
	if err != nil {
		return nil, err
	}
	out := []storage.Fact{}
	settled, said := map[storage.FactID]storage.Fact{}, subjects{}
	for id, f := range storage.Facts.All(tx, c.ID) {
		settled[id] = f
		if f.Source != storage.FactFromLore {
			out = append(out, f)
			if len(told) > 0 {
				said.add(f)
			}
		}
	}
	for _, f := range told {
		known, decided := settled[f.ID]
		if decided && known.Source != storage.FactFromLore || said.has(f) {
			continue
		}
		f.Muted = decided && known.Muted
		out = append(out, f)
	}
	kinds := capture.FactKinds()
	slices.SortStableFunc(out, func(a, b storage.Fact) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), strings.Compare(strings.ToLower(a.Who), strings.ToLower(b.Who)))
	})
	return out, nil
}

// factsAt are the facts that count for a picture of the moment at a message: what
// later moments have shown does not, nor what those of other branches have.
func (cont *Continuity) factsAt(tx *storage.Tx, c storage.Chat, at storage.NodeID) ([]storage.Fact, error) {
	list, err := cont.sheetOf(tx, c, at)
	if err != nil {
		return nil, err
	}
	seen := map[storage.NodeID]bool{} // whether it is on the way here
	for _, f := range list {
		if f.Source == storage.FactFromCapture && !f.Muted && f.At != "" {
			seen[f.At] = false
		}
	}
	left := len(seen)
	for p := range tx.Spine(c.ID, at) {
		if left == 0 {
			break
		}
		if _, wanted := seen[p.ID]; wanted {
			seen[p.ID] = true
			left--
		}
	}
	return slices.DeleteFunc(list, func(f storage.Fact) bool {
		return f.Muted || f.Source == storage.FactFromCapture && f.At != "" && !seen[f.At]
	}), nil
}

// mostToldEntries is how many entries of lorebooks are read for what somebody
// looks like.
const mostToldEntries = 40

// toldFacts are the facts about the cast's looks that cards, personas and the
// lorebooks tell that count at a message. What an earlier one says of the same, a
// later one does not.
func (cont *Continuity) toldFacts(tx *storage.Tx, c storage.Chat, at storage.NodeID) ([]storage.Fact, error) {
	var out []storage.Fact
	said := subjects{}
	add := func(who, text string, plain bool) {
		if strings.Contains(text, "{{") {
			return // what a macro says changes
		}
		for _, f := range capture.Describe(who, text, plain) {
			if len(out) < capture.MaxFacts && !said.has(f) {
				said.add(f)
				f.ID = toldID(c.ID, f)
				out = append(out, f)
			}
		}
	}
	who, persona := cont.chats.Cast(tx, c)
	add(who.Card.CharName(), who.Imagery.Appearance, true)
	for _, id := range chats.CastOf(c) {
		if other, err := storage.Characters.Get(tx, id); err == nil {
			add(other.Card.CharName(), other.Imagery.Appearance, true)
		}
	}
	if persona.Name != "" {
		add(persona.Name, persona.Description, false)
	}
	books, err := cont.lore.BooksAt(tx, c.ID, at)
	if err != nil {
		return nil, err
	}
	names, read := cont.chats.CastNames(tx, c), 0
	for _, b := range books {
		for i := range b.Entries {
			x := &b.Entries[i]
			about := slices.IndexFunc(names, func(n string) bool {
				return capture.SameName(n, x.Name) || slices.ContainsFunc(x.Aliases, func(a string) bool { return strings.EqualFold(a, n) })
			})
			if x.Disabled || about < 0 {
				continue
			}
			if read++; read > mostToldEntries {
				return out, nil
			}
			for _, fact := range plist.Facts(x.Content) {
				add(names[about], fact, false)
			}
		}
	}
	return out, nil
}

// toldID is the id of a fact that is not stored: the same for the same words.
func toldID(chat storage.ChatID, f storage.Fact) storage.FactID {
	h := sha256.Sum256([]byte(strings.Join([]string{string(chat), string(f.Kind), f.Who, f.Text}, "\x00")))
	return storage.FactID(ulid.ULID(h[:16]).String())
}

// Put keeps a line of the sheet as the user has it. One without an id is new.
// A fact of a card or lorebook that only gets muted stays one.
func (cont *Continuity) Put(chat storage.ChatID, f storage.Fact) (storage.Fact, error) {
	err := cont.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if n := utf8.RuneCountInString(f.Text); n > capture.MaxFact {
			return failure.Refuse("a fact has at most %d characters, and this one has %d: shorten it", capture.MaxFact, n)
		}
		clean, ok := capture.CleanFact(f)
		if !ok && clean.Text == "" {
			return failure.Refuse("a fact needs a text")
		}
		if !ok {
			return failure.Refuse("a fact is about %s, not %q", strings.Join(kindNames(), ", "), failure.FirstRunes(string(f.Kind), 40))
		}
		for _, name := range cont.chats.CastNames(tx, c) {
			if clean.Who != "" && capture.SameName(name, clean.Who) {
				clean.Who = name
				break
			}
		}
		f, err = cont.decide(tx, c, clean)
		if err != nil {
			return err
		}
		return storage.Facts.Put(tx, chat, f)
	})
	if err != nil {
		return f, failure.Fail("continuity", err)
	}
	cont.tell(chat)
	return f, nil
}

// decide is a fact as it is stored when the user has it so.
func (cont *Continuity) decide(tx *storage.Tx, c storage.Chat, f storage.Fact) (storage.Fact, error) {
	now := cont.core.Config.Now()
	was := storage.Fact{}
	if f.ID != "" {
		list, err := cont.sheetOf(tx, c, c.Head)
		if err != nil {
			return f, err
		}
		i := slices.IndexFunc(list, func(o storage.Fact) bool { return o.ID == f.ID })
		if i < 0 {
			return f, &failure.Missing{Kind: "fact of the continuity sheet", Ref: failure.FirstRunes(string(f.ID), 40)}
		}
		was = list[i]
	}
	if was.ID == "" || was.CreatedAt.IsZero() {
		n := 0
		for range storage.Facts.All(tx, c.ID) {
			n++
		}
		if n >= capture.MaxFacts {
			return f, failure.Refuse("a sheet holds %d facts: remove one first", capture.MaxFacts)
		}
		f.CreatedAt = now
	} else {
		f.CreatedAt = was.CreatedAt
	}
	if f.ID == "" {
		f.ID = storage.FactID(storage.NewID())
	}
	f.UpdatedAt = now
	if was.ID != "" && was.Text == f.Text && was.Kind == f.Kind && was.Who == f.Who {
		f.Source, f.Capture, f.At = was.Source, was.Capture, was.At
		return f, nil
	}
	f.Source, f.Capture, f.At = storage.FactFromUser, was.Capture, c.Head
	return f, nil
}

func kindNames() []string {
	var out []string
	for _, k := range capture.FactKinds() {
		out = append(out, string(k))
	}
	return out
}

// Delete takes a line off the sheet. What a card or a lorebook tells can only
// be muted.
func (cont *Continuity) Delete(chat storage.ChatID, id storage.FactID) error {
	err := cont.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if f, err := storage.Facts.Get(tx, chat, id); err == nil && f.Source != storage.FactFromLore {
			return storage.Facts.Delete(tx, chat, id)
		} else if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		list, err := cont.sheetOf(tx, c, c.Head)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(list, func(f storage.Fact) bool { return f.ID == id }) {
			return failure.Refuse("this comes from a card or a lorebook: mute it here, or change it there")
		}
		return &failure.Missing{Kind: "fact of the continuity sheet", Ref: failure.FirstRunes(string(id), 40)}
	})
	if err != nil {
		return failure.Fail("continuity", err)
	}
	cont.tell(chat)
	return nil
}

// readSheet is the sheet that prompts were compared with last: the same one is
// asked for at every key.
type readSheet struct {
	mu    sync.Mutex
	chat  storage.ChatID
	head  storage.NodeID
	at    time.Time
	sheet *capture.Sheet
}

// sheetLasts is how long a sheet may be compared with that cards or lorebooks may
// have changed. The chat's own facts count at once.
const sheetLasts = 2 * time.Second

// forget makes the next comparison read its sheet.
func (r *readSheet) forget() {
	r.mu.Lock()
	r.sheet = nil
	r.mu.Unlock()
}

// Contradictions says in which places a prompt disagrees with the chat's sheet,
// in words for the user.
func (cont *Continuity) Contradictions(chat storage.ChatID, prompt string) (out []string, err error) {
	r := &cont.sheet
	r.mu.Lock()
	defer r.mu.Unlock()
	err = cont.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		now := cont.core.Config.Now()
		if r.sheet != nil && r.chat == chat && r.head == c.Head && now.Sub(r.at).Abs() < sheetLasts {
			return nil
		}
		facts, err := cont.factsAt(tx, c, c.Head)
		if err == nil {
			r.chat, r.head, r.at, r.sheet = chat, c.Head, now, capture.NewSheet(facts, cont.chats.CastNames(tx, c))
		}
		return err
	})
	if err != nil {
		return nil, failure.Fail("continuity", err)
	}
	return r.sheet.Contradictions(prompt), nil
}

// tell says that a chat's sheet has changed.
func (cont *Continuity) tell(chat storage.ChatID) {
	cont.sheet.forget()
	cont.core.Emit(ContinuityChanged{chat})
}

// shownIn is what a model says that a picture fixes, as it is kept with the
// capture until the picture is there.
func shownIn(a capture.Answer) (out []storage.Shown) {
	for _, f := range capture.SeenFacts(a.Continuity) {
		out = append(out, storage.Shown{Kind: f.Kind, Who: f.Who, Text: f.Text})
	}
	return out
}

// learn takes what a picture shows into its chat's sheet, now that it is
// painted. What the user has written otherwise into the prompt is not taken.
func (cont *Continuity) learn(tx *storage.Tx, c storage.Capture) error {
	if c.Wrote == nil || len(c.Wrote.Shows) == 0 {
		return nil
	}
	chat, err := storage.Chats.Get(tx, c.Chat)
	if err != nil {
		return err
	}
	cast, now := cont.chats.CastNames(tx, chat), cont.core.Config.Now()
	var seen []storage.Fact
	for _, s := range c.Wrote.Shows {
		f, ok := capture.CleanFact(storage.Fact{Kind: s.Kind, Who: s.Who, Text: s.Text, Source: storage.FactFromCapture, Capture: c.ID, At: c.At, CreatedAt: now, UpdatedAt: now})
		for _, name := range cast {
			if f.Who != "" && capture.SameName(name, f.Who) {
				f.Who = name
				break
			}
		}
		if ok && len(capture.NewSheet([]storage.Fact{f}, cast).Contradictions(c.ImagePrompt)) == 0 {
			seen = append(seen, f)
		}
	}
	var sheet []storage.Fact
	for _, f := range storage.Facts.All(tx, c.Chat) {
		sheet = append(sheet, f)
	}
	put, gone := capture.Learn(sheet, seen)
	for _, id := range gone {
		if err := storage.Facts.Delete(tx, c.Chat, id); err != nil {
			return err
		}
	}
	for _, f := range put {
		if f.ID == "" {
			f.ID = storage.FactID(storage.NewID())
		}
		if err := storage.Facts.Put(tx, c.Chat, f); err != nil {
			return err
		}
	}
	return nil
}
