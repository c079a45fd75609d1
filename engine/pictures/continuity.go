package pictures

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Continuity manages the continuity sheets of chats: facts that stay the same from picture to
// picture.
type Continuity struct {
	core  *core.Core
	chats *chats.Service
}

// Facts returns a chat's continuity sheet, by kind and then by person. It includes facts from
// cards and lorebooks, whose IDs stay the same while their text does.
func (cont *Continuity) Facts(chat storage.ChatID) (out []storage.Fact, err error) {
	err = cont.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out = cont.sheetOf(tx, c)
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("continuity", err)
	}
	return out, nil
}

// sheetOf returns a chat's sheet, including muted and ended facts.
func (cont *Continuity) sheetOf(tx *storage.Tx, c storage.Chat) []storage.Fact {
	out := []storage.Fact{}
	settled := map[storage.FactID]storage.Fact{}
	for id, f := range storage.Facts.All(tx, c.ID) {
		settled[id] = f
		if f.Source != storage.FactFromLore {
			out = append(out, f)
		}
	}
	for _, f := range cont.cardFacts(tx, c) {
		known, decided := settled[f.ID]
		if decided && known.Source != storage.FactFromLore ||
			slices.ContainsFunc(out, func(o storage.Fact) bool { return capture.SameFact(o, f) }) {
			continue
		}
		f.Muted, f.Ended = known.Muted, known.Ended
		out = append(out, f)
	}
	kinds := capture.FactKinds()
	slices.SortStableFunc(out, func(a, b storage.Fact) int {
		return cmp.Or(
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			strings.Compare(strings.ToLower(a.Who), strings.ToLower(b.Who)),
		)
	})
	return out
}

// factsAt returns the facts that apply at a message: not those of later messages or other
// branches. ended are those that have ended by then.
func (cont *Continuity) factsAt(tx *storage.Tx, c storage.Chat, at storage.NodeID) (list, ended []storage.Fact) {
	list = cont.sheetOf(tx, c)
	seen := map[storage.NodeID]bool{} // whether it is on the path
	for _, f := range list {
		if f.Source == storage.FactFromCapture && f.At != "" {
			seen[f.At] = false
		}
		if f.Ended != "" {
			seen[f.Ended] = false
		}
	}
	left := len(seen)
	for p := range tx.PathInfos(c.ID, at) {
		if left == 0 {
			break
		}
		if _, wanted := seen[p.ID]; wanted {
			seen[p.ID] = true
			left--
		}
	}
	list = slices.DeleteFunc(list, func(f storage.Fact) bool {
		return f.Muted || f.Source == storage.FactFromCapture && f.At != "" && !seen[f.At]
	})
	over := func(f storage.Fact) bool { return f.Ended != "" && seen[f.Ended] }
	for _, f := range list {
		if over(f) {
			ended = append(ended, f)
		}
	}
	return slices.DeleteFunc(list, over), ended
}

// cardFacts returns the appearance facts of the cast's cards: the phrases of the appearance,
// separated by semicolons, line breaks or else commas.
func (cont *Continuity) cardFacts(tx *storage.Tx, c storage.Chat) (out []storage.Fact) {
	add := func(who storage.Character) {
		if strings.Contains(who.Imagery.Appearance, "{{") {
			return // what a macro says changes
		}
		marks := ","
		if strings.ContainsAny(who.Imagery.Appearance, ";\n") {
			marks = ";\n"
		}
		name, ends := who.Card.CharName(), func(r rune) bool { return strings.ContainsRune(marks, r) }
		for phrase := range strings.FieldsFuncSeq(who.Imagery.Appearance, ends) {
			phrase = strings.TrimPrefix(strings.Trim(phrase, " ."), name+", ") // the fact has the name already
			f, ok := capture.CleanFact(storage.Fact{
				Kind: storage.FactAppearance, Who: name, Text: phrase, Source: storage.FactFromLore,
			})
			ok = ok && phrase != name
			if ok && len(out) < capture.MaxFacts &&
				!slices.ContainsFunc(out, func(o storage.Fact) bool { return capture.SameFact(o, f) }) {
				f.ID = cardFactID(c.ID, f)
				out = append(out, f)
			}
		}
	}
	who, _ := cont.chats.Cast(tx, c)
	add(who)
	for _, id := range chats.CastOf(c) {
		if other, err := storage.Characters.Get(tx, id); err == nil && id != who.ID {
			add(other)
		}
	}
	return out
}

// cardFactID returns the ID of a fact that is not stored; the same text has the same ID.
func cardFactID(chat storage.ChatID, f storage.Fact) storage.FactID {
	h := sha256.Sum256([]byte(strings.Join([]string{string(chat), string(f.Kind), f.Who, f.Text}, "\x00")))
	return storage.FactID(ulid.ULID(h[:16]).String())
}

// Save stores a line of the sheet as edited by the user. A line without an ID is new. A fact of a
// card or lorebook that is only muted stays theirs.
func (cont *Continuity) Save(chat storage.ChatID, f storage.Fact) (storage.Fact, error) {
	err := cont.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		clean, _ := capture.CleanFact(f)
		for _, v := range []storage.Fact{{Kind: clean.Kind, Text: f.Text}, clean} {
			if err := capture.FactFields.Valid(&v); err != nil {
				return err
			}
		}
		for _, name := range cont.chats.CastNames(tx, c) {
			if clean.Who != "" && capture.SameName(name, clean.Who) {
				clean.Who = name
				break
			}
		}
		f, err = cont.normalize(tx, c, clean)
		if err != nil {
			return err
		}
		return storage.Facts.Put(tx, chat, f)
	})
	if err != nil {
		return f, failure.Wrap("continuity", err)
	}
	cont.emitChanged(chat)
	return f, nil
}

// normalize returns a fact as it is stored after an edit by the user.
func (cont *Continuity) normalize(tx *storage.Tx, c storage.Chat, f storage.Fact) (storage.Fact, error) {
	now := cont.core.Config.Now()
	was := storage.Fact{}
	if f.ID != "" {
		list := cont.sheetOf(tx, c)
		i := slices.IndexFunc(list, func(o storage.Fact) bool { return o.ID == f.ID })
		if i < 0 {
			return f, &failure.Missing{Kind: "line of the continuity sheet", Ref: failure.FirstRunes(string(f.ID), 40)}
		}
		was = list[i]
	}
	if was.ID == "" || was.CreatedAt.IsZero() {
		n := 0
		for range storage.Facts.All(tx, c.ID) {
			n++
		}
		if n >= capture.MaxFacts {
			return f, failure.Refusef("the continuity sheet can have %d lines: remove one first", capture.MaxFacts)
		}
		f.CreatedAt = now
	} else {
		f.CreatedAt = was.CreatedAt
	}
	if f.ID == "" {
		f.ID = storage.FactID(storage.NewID())
	}
	f.UpdatedAt = now
	f.Ended = "" // the user set it
	if was.ID != "" && was.Text == f.Text && was.Kind == f.Kind && was.Who == f.Who {
		f.Source, f.Capture, f.At = was.Source, was.Capture, was.At
		if f.Muted {
			f.Ended = was.Ended
		}
		return f, nil
	}
	f.Source, f.Capture, f.At = storage.FactFromUser, was.Capture, c.Head
	return f, nil
}

// Delete removes a line of the sheet. A fact of a card or a lorebook can only be muted.
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
		if slices.ContainsFunc(cont.sheetOf(tx, c), func(f storage.Fact) bool { return f.ID == id }) {
			return failure.Refusef("this comes from a card or a lorebook: mute it here, or change it there")
		}
		return &failure.Missing{Kind: "line of the continuity sheet", Ref: failure.FirstRunes(string(id), 40)}
	})
	if err != nil {
		return failure.Wrap("continuity", err)
	}
	cont.emitChanged(chat)
	return nil
}

// emitChanged emits that a chat's sheet has changed.
func (cont *Continuity) emitChanged(chat storage.ChatID) {
	cont.core.Emit(ContinuityChanged{chat})
}

// shownFacts returns the facts that a picture shows according to the model. They are kept with the
// capture until it is painted.
func shownFacts(a capture.Answer) (out []storage.ShownFact) {
	inView := func(who string) bool {
		return a.InView == nil || slices.ContainsFunc(a.InView, func(n string) bool { return capture.SameName(n, who) })
	}
	for _, f := range capture.CleanSeenFacts(a.Continuity) {
		if f.Who != "" && !inView(f.Who) {
			continue
		}
		out = append(out, storage.ShownFact{Kind: f.Kind, Who: f.Who, Text: f.Text})
	}
	return out
}

// endFacts marks the facts that are no longer true at the moment of a capture, by their numbers in
// the request.
func (cont *Continuity) endFacts(
	tx *storage.Tx,
	c storage.Capture,
	told []storage.Fact,
	numbers []int,
) (notes []string, err error) {
	for _, n := range numbers {
		if n < 1 || n > len(told) {
			continue
		}
		f := told[n-1]
		if err := cont.endFact(tx, c.Chat, f, c.At); err != nil {
			return nil, err
		}
		notes = append(notes, "No longer true: "+strings.TrimPrefix(f.Who+": "+f.Text, ": "))
	}
	return notes, nil
}

// endFact marks a fact as no longer true from a message on. A fact of a card stays in the card.
func (cont *Continuity) endFact(tx *storage.Tx, chat storage.ChatID, f storage.Fact, at storage.NodeID) error {
	now := cont.core.Config.Now()
	kept, err := storage.Facts.Get(tx, chat, f.ID)
	switch {
	case errors.Is(err, storage.ErrNotFound) && f.Source != storage.FactFromLore:
		return nil // deleted meanwhile
	case errors.Is(err, storage.ErrNotFound):
		kept, kept.CreatedAt = f, now
	case err != nil:
		return err
	}
	kept.Ended, kept.UpdatedAt = at, now
	return storage.Facts.Put(tx, chat, kept)
}

// AppearanceAt implements director.PictureMaker.
func (svc *Service) AppearanceAt(tx *storage.Tx, c storage.Chat, at storage.NodeID) []storage.Fact {
	list, _ := svc.Continuity.factsAt(tx, c, at)
	return slices.DeleteFunc(
		capture.PromptFacts(list),
		func(f storage.Fact) bool { return f.Source == storage.FactFromLore },
	)
}

// EndAppearanceFact implements director.PictureMaker.
func (svc *Service) EndAppearanceFact(tx *storage.Tx, chat storage.ChatID, f storage.Fact, at storage.NodeID) error {
	svc.unannounced.Add(chat, "")
	return svc.Continuity.endFact(tx, chat, f, at)
}

// learn adds the facts of a painted picture to its chat's sheet.
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
		f, ok := capture.CleanFact(
			storage.Fact{
				Kind:      s.Kind,
				Who:       s.Who,
				Text:      s.Text,
				Source:    storage.FactFromCapture,
				Capture:   c.ID,
				At:        c.At,
				CreatedAt: now,
				UpdatedAt: now,
			},
		)
		for _, name := range cast {
			if f.Who != "" && capture.SameName(name, f.Who) {
				f.Who = name
				break
			}
		}
		if ok {
			seen = append(seen, f)
		}
	}
	var sheet []storage.Fact
	for _, f := range storage.Facts.All(tx, c.Chat) {
		sheet = append(sheet, f)
	}
	put, gone := capture.UpdateSheet(sheet, seen)
	for _, id := range gone {
		if err := storage.Facts.Delete(tx, c.Chat, id); err != nil {
			return err
		}
	}
	for _, f := range put {
		f.ID = storage.FactID(storage.NewID())
		if err := storage.Facts.Put(tx, c.Chat, f); err != nil {
			return err
		}
	}
	return cont.endOlder(tx, c, sheet, seen)
}

// endOlder ends the place and light of earlier pictures when a later one shows its own: a moment
// has one of each.
func (cont *Continuity) endOlder(tx *storage.Tx, c storage.Capture, sheet, seen []storage.Fact) error {
	for _, f := range sheet {
		if f.Kind != storage.FactPlace && f.Kind != storage.FactLight || f.Source != storage.FactFromCapture ||
			f.Ended != "" ||
			f.At >= c.At ||
			slices.ContainsFunc(seen, func(o storage.Fact) bool { return capture.SameFact(o, f) }) ||
			!slices.ContainsFunc(seen, func(o storage.Fact) bool { return o.Kind == f.Kind }) {
			continue
		}
		if err := cont.endFact(tx, c.Chat, f, c.At); err != nil {
			return err
		}
	}
	return nil
}
