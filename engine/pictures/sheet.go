package pictures

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ContactSheet writes all pictures of a chat to one file and returns its path: a PNG, or an HTML
// page with the story's text, by the extension of path. The page is self-contained: no network
// access, no scripts, and pictures without metadata. An existing file is fs.ErrExist without
// overwrite.
func (gallery *Gallery) ContactSheet(chat storage.ChatID, path string, overwrite bool) (string, error) {
	const op = "contact sheet"
	path, err := filepath.Abs(core.ExpandHome(path))
	if err != nil {
		return "", failure.Wrap(op, err)
	}
	var write func(galleryRead, io.Writer) error
	story := false
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		write = gallery.writeSheet
	case ".html", ".htm":
		write, story = gallery.writePage, true
	default:
		return "", failure.Wrap(op,
			failure.Refusef("a contact sheet is a .png or an .html file: use one of these file extensions"))
	}
	var g galleryRead
	err = gallery.core.Store.View(func(tx *storage.Tx) (err error) {
		if g, err = readGallery(tx, chat); err != nil {
			return err
		}
		if g.pictures() == 0 {
			return failure.Refusef("no capture of this chat has a picture yet")
		}
		if story {
			err = g.readStory(gallery, tx)
		}
		return err
	})
	if err == nil {
		err = gallery.PutFile(path, overwrite, func(w io.Writer) error { return write(g, w) })
	}
	if err != nil {
		return "", failure.Wrap(op, err)
	}
	return path, nil
}

// pictures counts the captures that have a picture.
func (g galleryRead) pictures() (n int) {
	for _, s := range g.scenes {
		for _, c := range s.Captures {
			if c.ImagePath != "" {
				n++
			}
		}
	}
	return n
}

// about returns the subtitle of a sheet.
func (gallery *Gallery) about(g galleryRead) string {
	return failure.Count(g.pictures(), "picture") + " · " + gallery.core.Config.Now().Format("2006-01-02")
}

// SceneTitle returns a scene's heading.
func SceneTitle(number int, name string) string {
	switch {
	case number == 0:
		return "From other branches"
	case name == "":
		return fmt.Sprintf("Scene %d", number)
	}
	return fmt.Sprintf("Scene %d · %s", number, name)
}

// writeSheet draws the thumbnails of a gallery.
func (gallery *Gallery) writeSheet(g galleryRead, w io.Writer) error {
	var tiles []media.Tile
	for _, s := range g.scenes {
		for _, c := range s.Captures {
			if c.ImagePath == "" {
				continue
			}
			t := media.Tile{Group: SceneTitle(s.Number, s.Name), Caption: shownPrompt(c.Capture),
				Placeholder: "No still available.",
				Picture:     func() (image.Image, error) { return gallery.Still(c.Capture) }}
			if c.Seed != nil {
				t.Caption = fmt.Sprintf("seed %d · %s", *c.Seed, t.Caption)
			}
			if c.Kind == string(capture.Video) {
				t.Mark = "video"
			}
			tiles = append(tiles, t)
		}
	}
	return DrawSheet(w, tiles, media.SheetOptions{Title: g.chat.Title, Subtitle: gallery.about(g)})
}

// DrawSheet draws pictures side by side as a PNG.
func DrawSheet(w io.Writer, tiles []media.Tile, o media.SheetOptions) error {
	img, err := media.Sheet(tiles, o)
	if err != nil {
		return err
	}
	// Better compression saves little for photographs and takes long.
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
}

// shownPrompt returns the prompt as the user saw it.
func shownPrompt(c storage.Capture) string {
	if c.ImagePrompt != "" {
		return c.ImagePrompt
	}
	return c.Prompt
}

// Still returns a small picture of a capture: its thumbnail, else a still of its file.
func (gallery *Gallery) Still(c storage.Capture) (image.Image, error) {
	if c.ThumbnailPath != "" {
		if data, err := gallery.Picture(c, true); err == nil {
			if img, err := media.Poster(data, media.Sniff(data)); err == nil {
				return img, nil
			}
		}
	}
	c.ThumbnailPath = ""
	data, err := gallery.Picture(c, false)
	if err != nil {
		return nil, err
	}
	return media.Poster(data, media.Sniff(data))
}

// smallSide is the longer side of a small picture, in pixels.
const smallSide = 64

// Small returns a capture's picture for a list, at most 64 pixels wide and high. It is scaled from
// the thumbnail each time: callers should cache it.
func (gallery *Gallery) Small(c storage.Capture) (image.Image, error) {
	img, err := gallery.Still(c)
	if err != nil {
		return nil, err
	}
	return fitWithin(img, smallSide), nil
}

// dimensions returns a picture's width and height, 0 if they are unknown.
func dimensions(data []byte) (w, h int) {
	w, h, err := media.Size(data, media.Sniff(data))
	if err != nil {
		return 0, 0
	}
	return w, h
}
