package library

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CardFormat is a file format of a character.
type CardFormat struct {
	Name        string // as commands name it
	Ending      string // file name extension
	Description string
}

// CardFormats returns the file formats of a character. Where two share an extension, the first is
// used.
func CardFormats() []CardFormat {
	return []CardFormat{
		{formats.CardPNG, ".png", "PNG with the card embedded, V3 and V2"},
		{formats.CardV3JSON, ".json", "V3 card as JSON"},
		{formats.CardV2JSON, ".json", "V2 card as JSON, for older programs"},
		{formats.CardCharx, ".charx", "archive with all assets of the card"},
	}
}

// CardFormatOf returns the format to write a card in: the one asked for by name, else the one of
// the file's extension, else PNG.
func CardFormatOf(file, asked string) (CardFormat, error) {
	all := CardFormats()
	if asked != "" {
		if asked == "v3" {
			asked = formats.CardV3JSON
		}
		at := slices.IndexFunc(all, func(f CardFormat) bool { return f.Name == asked })
		if at < 0 {
			return CardFormat{}, failure.Refusef("a card can be exported as json (V3), v2 (JSON), png or charx, not %q",
				failure.FirstRunes(asked, 30))
		}
		ending := strings.ToLower(filepath.Ext(file))
		if ending != all[at].Ending && slices.ContainsFunc(all, func(f CardFormat) bool { return f.Ending == ending }) {
			return CardFormat{}, failure.Refusef("the extension %s does not match the format %s: use %s", ending,
				strings.ToUpper(all[at].Ending[1:]), all[at].Ending)
		}
		return all[at], nil
	}
	if file == "" {
		return all[0], nil
	}
	ending := strings.ToLower(filepath.Ext(file))
	at := slices.IndexFunc(all, func(f CardFormat) bool { return f.Ending == ending })
	if at < 0 {
		return CardFormat{}, failure.Refusef("unknown card extension %q: use .png, .json or .charx",
			failure.FirstRunes(filepath.Base(file), 60))
	}
	return all[at], nil
}

// ExportCard returns a character in one of CardFormats, with all that came with its card. remarks
// say what the format cannot hold.
func (svc *Service) ExportCard(id storage.CharacterID, format string) (data []byte, remarks []string, err error) {
	return svc.exportCard(id, format, nil)
}

// SpriteFolder is the prefix of assets that were expression pictures in separate files beside the
// card.
const SpriteFolder = "sprites/"

// IsMovedOut reports whether moving out would write exactly this card for the character now.
func (svc *Service) IsMovedOut(id storage.CharacterID, card formats.ImportedCard) (bool, error) {
	now, err := svc.movedOutCard(id, card)
	if err != nil {
		return false, err
	}
	_, changed := formats.CardID(card.Source)
	source, err := formats.WithCardID(now.Source, string(id), changed)
	return bytes.Equal(source, card.Source) && bytes.Equal(now.Avatar, card.Avatar), err
}

// IsSame reports whether a card has the texts, the picture, the lorebook and the scripts of a
// character. IDs are not compared.
func (svc *Service) IsSame(id storage.CharacterID, card formats.ImportedCard) (bool, error) {
	now, err := svc.movedOutCard(id, card)
	if err != nil {
		return false, err
	}
	ours, _, err := formats.CardBook(now.Source)
	theirs, _, theirErr := formats.CardBook(card.Source)
	same := reflect.DeepEqual(now.Card, card.Card) && bytes.Equal(now.Avatar, card.Avatar) &&
		reflect.DeepEqual(ours.Entries, theirs.Entries) &&
		reflect.DeepEqual(formats.CardRegex(now.Source), formats.CardRegex(card.Source))
	return same, errors.Join(err, theirErr)
}

// movedOutCard returns the card of a character as moving out would write it now, with the lorebook
// name of another card.
func (svc *Service) movedOutCard(id storage.CharacterID, as formats.ImportedCard) (formats.ImportedCard, error) {
	data, err := svc.exportWithBook(id, "png", formats.CardWorld(as.Source))
	if err != nil {
		return formats.ImportedCard{}, err
	}
	return formats.ReadCard("", data)
}

// exportWithBook is ExportCharacter of a card that names a lorebook; "" keeps the name that it
// has.
func (svc *Service) exportWithBook(id storage.CharacterID, format, world string) ([]byte, error) {
	data, _, err := svc.exportCard(id, format, func(c *storage.Character) (err error) {
		if world != "" {
			if c.Source, err = formats.WithWorld(c.Source, world); err != nil {
				return err
			}
		}
		c.Source, err = formats.WithCardID(c.Source, string(c.ID), c.UpdatedAt)
		return err
	})
	return data, err
}

func (svc *Service) exportCard(id storage.CharacterID, format string,
	change func(*storage.Character) error) (data []byte, remarks []string, err error) {
	if _, err := CardFormatOf("", format); err != nil {
		return nil, nil, failure.Wrap("export", err)
	}
	var c storage.Character
	var avatar []byte
	var assets []formats.Asset
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Characters.Get(tx, id); err != nil {
			return err
		}
		if c, err = svc.lore.WithBook(tx, c); err != nil {
			return err
		}
		if change != nil {
			if err = change(&c); err != nil {
				return err
			}
		}
		if avatar, err = tx.Avatar(id); failure.IgnoreMissing(err) != nil {
			return err
		}
		paths, _ := tx.Assets(id)
		for _, path := range paths {
			if change != nil && strings.HasPrefix(path, SpriteFolder) {
				continue // has a file of its own there
			}
			data, err := tx.Asset(id, path)
			if err != nil {
				return err
			}
			assets = append(assets, formats.Asset{Path: path, Data: data})
		}
		return nil
	}); err != nil {
		return nil, nil, failure.Wrap("export", err)
	}
	if data, remarks, err = formats.WriteCard(format, c, avatar, assets); err != nil {
		return nil, nil, failure.Wrap("export", err)
	}
	return data, remarks, nil
}

// ExportCharacter is ExportCard without the remarks.
func (svc *Service) ExportCharacter(id storage.CharacterID, format string) ([]byte, error) {
	data, _, err := svc.ExportCard(id, format)
	return data, err
}

// ExportCharacterFile writes a card into a directory and returns the path. An empty dir means the
// exports folder of the data directory.
func (svc *Service) ExportCharacterFile(id storage.CharacterID, format, dir string) (string, error) {
	f, err := CardFormatOf("", format)
	if err != nil {
		return "", failure.Wrap("export", err)
	}
	data, err := svc.ExportCharacter(id, f.Name)
	if err != nil {
		return "", err
	}
	return svc.writeExport(dir, string(id)+f.Ending, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Asset is a file of a character's card: a picture of a mood, a background, a sound.
type Asset struct {
	Number int `json:"number"` // from 1, in the order of the card
	formats.CardAsset
	Bytes int `json:"bytes"` // of the file, 0 if there is none
}

// HasFile reports whether the asset has content.
func (a Asset) HasFile() bool {
	return a.Place == formats.AssetKept || a.Place == formats.AssetInline || a.Place == formats.AssetPicture
}

// Title returns the name of an asset as it is shown.
func (a Asset) Title() string {
	if a.Name == "" {
		return a.Path
	}
	return a.Name
}

// Assets returns the assets that a character's card names, and the files that came with it
// unnamed.
func (svc *Service) Assets(id storage.CharacterID) (list []Asset, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		list, err = assetsOf(tx, id)
		return err
	})
	if err != nil {
		return nil, failure.Wrap("list assets", err)
	}
	return list, nil
}

func assetsOf(tx *storage.Tx, id storage.CharacterID) ([]Asset, error) {
	c, err := storage.Characters.Get(tx, id)
	if err != nil {
		return nil, err
	}
	paths, sizes := tx.Assets(id)
	avatar, err := tx.Avatar(id)
	if failure.IgnoreMissing(err) != nil {
		return nil, err
	}
	list := []Asset{}
	for i, a := range formats.CardAssets(c.Source, paths, len(avatar) > 0) {
		out := Asset{Number: i + 1, CardAsset: a}
		switch a.Place {
		case formats.AssetKept:
			out.Bytes = sizes[slices.Index(paths, a.Path)]
		case formats.AssetInline:
			data, _ := a.Inline()
			out.Bytes = len(data)
		case formats.AssetPicture:
			out.Bytes = len(avatar)
		}
		list = append(list, out)
	}
	return list, nil
}

// AssetData returns an asset and its content, by its number.
func (svc *Service) AssetData(id storage.CharacterID, number int) (a Asset, data []byte, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		list, err := assetsOf(tx, id)
		if err != nil {
			return err
		}
		if number < 1 || number > len(list) {
			return failure.Refusef("there is no asset %d: the card has %d", number, len(list))
		}
		switch a = list[number-1]; a.Place {
		case formats.AssetKept:
			data, err = tx.Asset(id, a.Path)
		case formats.AssetInline:
			data, err = a.Inline()
		case formats.AssetPicture:
			data, err = tx.Avatar(id)
		case formats.AssetAddress:
			err = failure.Refusef("the asset %q is external and is not downloaded: %s", a.Title(),
				failure.FirstRunes(a.URI, 200))
		case formats.AssetMissing:
			err = failure.Refusef("the asset %q was missing from the file of the card", a.Title())
		default:
			err = failure.Refusef("the asset %q is a program default; the card has no file for it", a.Title())
		}
		return err
	})
	if err != nil {
		return a, nil, failure.Wrap("read asset", err)
	}
	return a, data, nil
}

// AssetFile writes an asset to a file of the data directory, to be opened by another program, and
// returns the path. The file name is generated, with the extension of the actual content.
func (svc *Service) AssetFile(id storage.CharacterID, number int) (string, error) {
	a, data, err := svc.AssetData(id, number)
	if err != nil {
		return "", err
	}
	return svc.writeExport(filepath.Join(svc.core.Config.DataDir, "exports"),
		fmt.Sprintf("%s-asset-%d%s", id, a.Number, formats.PictureEnding(data)), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
}

// AssetPicture returns an asset as a PNG that is safe to decode.
func (svc *Service) AssetPicture(id storage.CharacterID, number int) ([]byte, error) {
	_, data, err := svc.AssetData(id, number)
	if err != nil {
		return nil, err
	}
	out, err := formats.SafePicture(data)
	if err != nil {
		return nil, failure.Wrap("show asset", err)
	}
	return out, nil
}
