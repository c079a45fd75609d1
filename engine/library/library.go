package library

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ImportResult describes an imported file: a character, a chat with its character, a lorebook, a
// preset or regex scripts. The IDs of the others are "". Format is the name of the file's format,
// for display. More are the other chats of the same file, each with its character.
type ImportResult struct {
	Character storage.Character
	Chat      storage.Chat
	Lorebook  storage.Lorebook
	Preset    storage.Preset
	Entries   int // of the lorebook
	// Merged means that Added messages were added to an existing chat: see ChatImport.KeepIDs.
	Merged bool
	Added  int
	// Regex is the result of regex scripts, nil for another file.
	Regex    *chats.RegexImport
	Format   string
	Warnings []string
	More     []ImportResult
}

// headBytes is the number of bytes that are read to identify a file.
const headBytes = 64 << 10

// Import imports a card, a chat, a lorebook, a preset or regex scripts.
func (svc *Service) Import(path string) (ImportResult, error) {
	path = core.ExpandHome(path)
	f, err := os.Open(path)
	if err != nil {
		return ImportResult{}, failure.Wrap("import", err)
	}
	head := make([]byte, headBytes)
	n, _ := io.ReadFull(f, head)
	_ = f.Close()
	switch formats.Detect(path, head[:n]) {
	case formats.KindChat:
		return svc.ImportChat(path, "")
	case formats.KindGroup:
		_, err := svc.ImportGroup(path, nil) // its error says what else is needed
		return ImportResult{}, err
	case formats.KindLorebook, formats.KindStory:
		got, err := svc.lore.Import(path, storage.Lorebook{})
		return ImportResult{Lorebook: got.Book, Entries: got.Entries, Format: got.Format, Warnings: got.Warnings}, err
	case formats.KindPreset, formats.KindQuickReplies:
		p, err := svc.ImportPreset(path)
		return ImportResult{Preset: p, Warnings: p.Remarks}, err
	case formats.KindRegex:
		got, err := svc.chats.Regex.Import(path)
		return ImportResult{Regex: &got, Warnings: got.Remarks}, err
	}
	return svc.ImportCharacter(path)
}

// ImportCharacter imports a card from a file.
func (svc *Service) ImportCharacter(path string) (ImportResult, error) {
	got, err := formats.ReadCardFile(core.ExpandHome(path))
	if err != nil {
		return ImportResult{}, failure.Wrap("import", err)
	}
	c, err := svc.addCharacter(storage.Character{Card: got.Card, Source: got.Source, Actor: got.Actor,
		Immersion: storage.Full}, got.Avatar, got.Assets...)
	if words := RegexSummary(got.Source); words != "" {
		got.Warnings = append(got.Warnings, words)
	}
	return ImportResult{Character: c, Format: got.Format, Warnings: got.Warnings}, err
}

// RegexSummary returns a sentence on the regex scripts of a card and what becomes of them, "" for
// a card without any.
func RegexSummary(source json.RawMessage) string {
	switch n := len(formats.CardRegex(source)); n {
	case 0:
		return ""
	case 1:
		return "it contains 1 regex script, inactive until you allow it: see the list of regex scripts, or " +
			"ghostlight regex allow"
	default:
		return fmt.Sprintf("it contains %d regex scripts, inactive until you allow them: see the list of regex "+
			"scripts, or ghostlight regex allow", n)
	}
}

func (svc *Service) addCharacter(c storage.Character, avatar []byte,
	assets ...formats.Asset) (storage.Character, error) {
	err := svc.core.Store.Update(func(tx *storage.Tx) (err error) {
		c, err = svc.putNewCharacter(tx, c, avatar, assets...)
		return err
	})
	if err != nil {
		return c, failure.Wrap("add character", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return c, nil
}

// AddCard stores a card as a new character, as part of a transaction. book is the lorebook that
// goes with it, "" for the one in the card.
func (svc *Service) AddCard(tx *storage.Tx, got formats.ImportedCard, id storage.CharacterID,
	book storage.LorebookID) (storage.Character, error) {
	return svc.putNewCharacter(tx, storage.Character{ID: id, Card: got.Card, Source: got.Source, Actor: got.Actor,
		Immersion: storage.Full, Book: book}, got.Avatar, got.Assets...)
}

func (svc *Service) putNewCharacter(tx *storage.Tx, c storage.Character, avatar []byte,
	assets ...formats.Asset) (storage.Character, error) {
	if c.ID == "" {
		c.ID = storage.CharacterID(storage.NewID())
	}
	c.CreatedAt, c.UpdatedAt = svc.core.Config.Now(), svc.core.Config.Now()
	if c.HasAvatar = len(avatar) > 0; c.HasAvatar {
		if err := tx.PutAvatar(c.ID, avatar); err != nil {
			return c, err
		}
	}
	if err := storage.Characters.Put(tx, c.ID, c); err != nil {
		return c, err
	}
	for _, a := range assets {
		if err := tx.PutAsset(c.ID, a.Path, a.Data); err != nil {
			return c, err
		}
	}
	return c, svc.lore.ImportCharacterBook(tx, &c)
}

// SaveCharacter stores an edited character, or a new one whose ID is empty. An invalid field is a
// *field.Error.
func (svc *Service) SaveCharacter(c storage.Character) (storage.Character, error) {
	c.Immersion = cmp.Or(c.Immersion, storage.Full)
	if c.ID == "" {
		if err := CharacterFields.Valid(&c); err != nil {
			return c, failure.Wrap("save character", err)
		}
		return svc.addCharacter(c, nil)
	}
	c.UpdatedAt = svc.core.Config.Now()
	if err := svc.core.Store.Update(func(tx *storage.Tx) error {
		old, err := storage.Characters.Get(tx, c.ID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		c.Book = cmp.Or(c.Book, old.Book)
		if err := CharacterFields.ValidChange(&old, &c); err != nil {
			return err
		}
		return storage.Characters.Put(tx, c.ID, c)
	}); err != nil {
		return c, failure.Wrap("save character", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return c, nil
}

// DeleteCharacter removes a character. Group chats continue without it. Its other chats and its
// lorebooks stay; the lorebooks are disabled.
func (svc *Service) DeleteCharacter(id storage.CharacterID) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if err := errors.Join(tx.PutAvatar(id, nil), tx.DeleteAssets(id)); err != nil {
			return err
		}
		if err := svc.lore.ReleaseBooks(tx, func(b *storage.Lorebook) bool { return b.Character == id }); err != nil {
			return err
		}
		if err := chats.LeaveAll(tx, id); err != nil {
			return err
		}
		return storage.Characters.Delete(tx, id)
	})
	if err != nil {
		return failure.Wrap("delete character", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return nil
}

// RenameDefaultPersona gives the default persona another name, in its description too.
func (svc *Service) RenameDefaultPersona(name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return failure.Wrap("save persona", failure.Refusef("enter a name"))
	}
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		p := chats.DefaultPersona(tx)
		now := svc.core.Config.Now()
		if p.ID == "" {
			p = storage.Persona{ID: storage.PersonaID(storage.NewID()), Default: true, CreatedAt: now}
		}
		if p.Name != "" {
			p.Description = strings.ReplaceAll(p.Description, p.Name, name)
		}
		p.Name, p.UpdatedAt = name, now
		return storage.Personas.Put(tx, p.ID, p)
	})
	if err != nil {
		return failure.Wrap("save persona", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return nil
}

// SavePersona stores an edited persona, or a new one whose ID is empty. The first one becomes the
// default; there is at most one default.
func (svc *Service) SavePersona(p storage.Persona) (storage.Persona, error) {
	if err := PersonaFields.Valid(&p); err != nil {
		return p, failure.Wrap("save persona", err)
	}
	err := svc.core.Store.Update(func(tx *storage.Tx) (err error) { p, err = svc.AddPersona(tx, p); return err })
	if err != nil {
		return p, failure.Wrap("save persona", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return p, nil
}

// AddPersona is SavePersona as part of a transaction.
func (svc *Service) AddPersona(tx *storage.Tx, p storage.Persona) (storage.Persona, error) {
	p.UpdatedAt = svc.core.Config.Now()
	if p.ID == "" {
		p.ID, p.CreatedAt = storage.PersonaID(storage.NewID()), p.UpdatedAt
	}
	first := true
	for id, other := range storage.Personas.All(tx) {
		if id == p.ID {
			continue
		}
		first = false
		if p.Default && other.Default {
			other.Default = false
			if err := storage.Personas.Put(tx, id, other); err != nil {
				return p, err
			}
		}
	}
	p.Default = p.Default || first
	return p, storage.Personas.Put(tx, p.ID, p)
}

// DeletePersona removes a persona. Its chats use the default persona; its lorebooks stay and are
// disabled.
func (svc *Service) DeletePersona(id storage.PersonaID) error {
	if err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if err := svc.lore.ReleaseBooks(tx, func(b *storage.Lorebook) bool { return b.Persona == id }); err != nil {
			return err
		}
		return errors.Join(tx.PutAvatar(storage.CharacterID(id), nil), storage.Personas.Delete(tx, id))
	}); err != nil {
		return failure.Wrap("delete persona", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return nil
}

// Avatar returns a character's picture, nil if it has none.
func (svc *Service) Avatar(id storage.CharacterID) (data []byte, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error { data, err = tx.Avatar(id); return err })
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

// writeExport writes a file into a directory, completely or not at all.
func (svc *Service) writeExport(dir, name string, write func(io.Writer) error) (string, error) {
	if dir == "" {
		dir = filepath.Join(svc.core.Config.DataDir, "exports")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", failure.Wrap("export", err)
	}
	path := filepath.Join(dir, name)
	if _, err := file.Put(path, file.Options{Replace: true}, write); err != nil {
		return "", failure.Wrap("export", err)
	}
	return path, nil
}

const settingBundled = "bundled"

// EnsureBundled stores the bundled character and persona in a new store, once.
func (svc *Service) EnsureBundled() error {
	var done bool
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingBundled, &done)
		return err
	}); err != nil || done {
		return err
	}
	c, p, now := bundled.Character(), bundled.Persona(), svc.core.Config.Now()
	c.ID, c.CreatedAt, c.UpdatedAt = storage.CharacterID(storage.NewID()), now, now
	p.ID, p.CreatedAt, p.UpdatedAt = storage.PersonaID(storage.NewID()), now, now
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		p.Default = chats.DefaultPersona(tx).ID == ""
		return errors.Join(storage.Characters.Put(tx, c.ID, c), storage.Personas.Put(tx, p.ID, p),
			tx.PutSetting(settingBundled, true))
	})
	if err != nil {
		return failure.Wrap("first start", err)
	}
	return nil
}

// FindCharacter finds a character by its ID, a unique prefix of it, its name or its nickname.
func (svc *Service) FindCharacter(ref string) (storage.Character, error) {
	return core.Find(svc.core, "character", ref, storage.Characters,
		func(c storage.Character) (string, string) { return c.Card.Name, c.Card.Nickname })
}

// FindPersona finds a persona by its ID, a unique prefix of it, or its name.
func (svc *Service) FindPersona(ref string) (storage.Persona, error) {
	return core.Find(svc.core, "persona", ref, storage.Personas,
		func(p storage.Persona) (string, string) { return p.Name, "" })
}

// Characters returns the characters by name.
func (svc *Service) Characters() ([]storage.Character, error) {
	out, err := core.All(svc.core, "characters", storage.Characters)
	slices.SortStableFunc(out, func(a, b storage.Character) int {
		return strings.Compare(strings.ToLower(a.Card.Name), strings.ToLower(b.Card.Name))
	})
	return out, err
}

// Personas returns the personas, the default one first.
func (svc *Service) Personas() ([]storage.Persona, error) {
	out, err := core.All(svc.core, "personas", storage.Personas)
	slices.SortStableFunc(out, func(a, b storage.Persona) int {
		if a.Default != b.Default {
			if a.Default {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out, err
}
