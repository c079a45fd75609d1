package pictures

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of reference images. Larger ones are scaled down before they are stored.
const (
	MaxReferences   = comfy.MaxReferences
	maxReference    = 32 << 20 // bytes of a source file
	referencePixels = 1536     // of the longer side, as stored
	referenceDir    = core.ReferenceFolder
)

// References are the reference images of characters. They are stored as files without metadata,
// named by their content.
type References struct {
	core    *core.Core
	gallery *Gallery
	write   func(rel string, data []byte) error
}

// ReferenceSource is the source of a reference image: one of its fields.
type ReferenceSource struct {
	Avatar  bool              // the current avatar, read for each picture
	Capture storage.CaptureID // a picture of the gallery
	File    string            // a PNG, JPEG or WebP file of the user's
}

// Add adds a reference image to a character, as the first one if first is set.
func (faces *References) Add(id storage.CharacterID, from ReferenceSource, first bool) (storage.Character, error) {
	ref, err := faces.create(from)
	if err != nil {
		return storage.Character{}, failure.Wrap("reference image", err)
	}
	return faces.change(id, func(tx *storage.Tx, c *storage.Character) error {
		list := c.Imagery.References
		if ref.Avatar {
			if _, err := tx.Avatar(id); err != nil {
				return failure.Refusef("%s has no avatar", c.Card.Name)
			}
		}
		list = slices.DeleteFunc(slices.Clone(list), func(r storage.Reference) bool {
			return r.Avatar == ref.Avatar && r.File == ref.File
		})
		if len(list) >= MaxReferences {
			return failure.Refusef("%s already has %d reference images, the limit: remove one first", c.Card.Name,
				MaxReferences)
		}
		at := len(list)
		if first {
			at = 0
		}
		c.Imagery.References = slices.Insert(list, at, ref)
		return nil
	})
}

// Remove removes the n-th reference image, from 1, of a character.
func (faces *References) Remove(id storage.CharacterID, n int) (storage.Character, error) {
	c, err := faces.change(id, func(_ *storage.Tx, c *storage.Character) error {
		if n < 1 || n > len(c.Imagery.References) {
			return failure.Refusef("%s has no reference image %d", c.Card.Name, n)
		}
		c.Imagery.References = slices.Delete(slices.Clone(c.Imagery.References), n-1, n)
		return nil
	})
	if err == nil {
		faces.removeUnused()
	}
	return c, err
}

// MakeFirst makes the n-th reference image of a character, from 1, the most important one.
func (faces *References) MakeFirst(id storage.CharacterID, n int) (storage.Character, error) {
	return faces.change(id, func(_ *storage.Tx, c *storage.Character) error {
		list := slices.Clone(c.Imagery.References)
		if n < 1 || n > len(list) {
			return failure.Refusef("%s has no reference image %d", c.Card.Name, n)
		}
		ref := list[n-1]
		c.Imagery.References = slices.Insert(slices.Delete(list, n-1, n), 0, ref)
		return nil
	})
}

func (faces *References) change(id storage.CharacterID,
	f func(*storage.Tx, *storage.Character) error) (c storage.Character, err error) {
	err = faces.core.Store.Update(func(tx *storage.Tx) (err error) {
		if c, err = storage.Characters.Get(tx, id); err != nil {
			return err
		}
		if err := f(tx, &c); err != nil {
			return err
		}
		c.UpdatedAt = faces.core.Config.Now()
		return storage.Characters.Put(tx, id, c)
	})
	if err != nil {
		return c, failure.Wrap("reference image", err)
	}
	faces.core.Emit(chats.CharactersChanged{})
	return c, nil
}

// create creates a stored file from a source.
func (faces *References) create(from ReferenceSource) (ref storage.Reference, err error) {
	var data []byte
	switch {
	case from.Avatar:
		return storage.Reference{Avatar: true}, nil
	case from.Capture != "":
		var c storage.Capture
		err = faces.core.Store.View(func(tx *storage.Tx) (err error) {
			c, err = storage.Captures.Get(tx, from.Capture)
			return err
		})
		if err == nil && c.ImagePath == "" {
			err = failure.Refusef("this capture has no picture yet")
		}
		if err == nil {
			data, err = faces.gallery.Picture(c, false)
		}
	default:
		data, err = readPicture(core.ExpandHome(from.File))
	}
	if err != nil {
		return ref, err
	}
	img, err := media.Poster(data, media.Sniff(data))
	if err != nil {
		return ref, fmt.Errorf("this is not a picture that can be used: %w", err)
	}
	if data, err = encodePNG(fitWithin(img, referencePixels)); err != nil {
		return ref, err
	}
	sum := sha256.Sum256(data)
	ref = storage.Reference{File: hex.EncodeToString(sum[:16]) + ".png", Capture: from.Capture}
	return ref, faces.write(filepath.Join(referenceDir, ref.File), data)
}

// readPicture reads a file of the user that may be a picture.
func readPicture(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, failure.Refusef("%s is not a regular file", filepath.Base(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxReference+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxReference {
		return nil, failure.Refusef("%s is larger than %d MB", filepath.Base(path), maxReference>>20)
	}
	switch media.Sniff(data) {
	case media.PNG, media.JPEG, media.WebP:
		return data, nil
	}
	return nil, failure.Refusef("%s is not a PNG, JPEG or WebP", filepath.Base(path))
}

// read returns the content of a reference image.
func (faces *References) read(ref storage.Reference, avatar []byte) ([]byte, error) {
	if ref.Avatar {
		if len(avatar) == 0 {
			return nil, failure.Refusef("the character has no avatar, which is its reference image")
		}
		return avatar, nil
	}
	if !referenceName(ref.File) {
		return nil, failure.Refusef("a reference image is damaged: remove it and add it again")
	}
	data, err := faces.core.ReadFile(filepath.Join(referenceDir, ref.File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failure.Refusef("the file of a reference image is missing: remove the image and add it again")
	}
	return data, err
}

// Picture returns the n-th reference image of a character, from 1.
func (faces *References) Picture(c storage.Character, n int) (image.Image, error) {
	if n < 1 || n > len(c.Imagery.References) {
		return nil, failure.Wrap("reference image", failure.ErrRefused)
	}
	var avatar []byte
	err := faces.core.Store.View(func(tx *storage.Tx) error { avatar, _ = tx.Avatar(c.ID); return nil })
	data, err2 := faces.read(c.Imagery.References[n-1], avatar)
	if err = errors.Join(err, err2); err != nil {
		return nil, failure.Wrap("reference image", err)
	}
	return media.Poster(data, media.Sniff(data))
}

// referenceName reports whether a name was generated by this package; a record must not make it
// read other files.
func referenceName(name string) bool {
	stem, ok := strings.CutSuffix(name, ".png")
	return ok && len(stem) == 32 && strings.Trim(stem, "0123456789abcdef") == ""
}

// removeUnused deletes the files that no character uses.
func (faces *References) removeUnused() {
	used := map[string]bool{}
	err := faces.core.Store.View(func(tx *storage.Tx) error {
		for _, c := range storage.Characters.All(tx) {
			for _, r := range c.Imagery.References {
				used[r.File] = true
			}
		}
		return nil
	})
	dir := filepath.Join(faces.core.Config.DataDir, referenceDir)
	list, err2 := os.ReadDir(dir)
	if err != nil || err2 != nil {
		return // they take room, and do no harm
	}
	for _, f := range list {
		if referenceName(f.Name()) && !used[f.Name()] {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// reencodePNG returns a picture as a PNG without metadata, because it is sent to a server.
func reencodePNG(data []byte) ([]byte, error) {
	format := media.Sniff(data)
	if format == media.PNG {
		if out, err := media.Strip(data, format); err == nil {
			return out, nil
		}
	}
	img, err := media.Poster(data, format)
	if err != nil {
		return nil, err
	}
	return encodePNG(img)
}
