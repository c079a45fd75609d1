package pictures

import (
	"image"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/image/draw"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// smallSide is the longer side of a small picture, in pixels.
	smallSide = 64
	// smallDir holds the small pictures. All of it can be made again.
	smallDir = core.SmallFolder
)

// Small is a capture's picture as a list shows it, at most 64 pixels wide and high. It is
// made once, of the thumbnail, and kept: to decode a thumbnail takes a hundred times as
// long, and a gallery shows dozens.
func (gallery *Gallery) Small(c storage.Capture) (image.Image, error) {
	made, err := gallery.source(c)
	if err != nil {
		return nil, failure.Fail("picture", err)
	}
	path := gallery.smallPath(c.ID)
	if info, err := os.Stat(path); err == nil && info.ModTime().Equal(made) {
		if data, err := gallery.core.ReadFile(smallName(c.ID)); err == nil {
			if img, err := media.Poster(data, media.PNG); err == nil {
				return img, nil
			}
		}
	}
	img, err := gallery.Still(c)
	if err != nil {
		return nil, err
	}
	img = small(img)
	gallery.keepSmall(c, img, made)
	return img, nil
}

// source is when the file was written that a small picture is made of.
func (gallery *Gallery) source(c storage.Capture) (time.Time, error) {
	for _, rel := range []string{c.ThumbnailPath, c.ImagePath} {
		if rel == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(gallery.core.Config.DataDir, rel)); err == nil {
			return info.ModTime(), nil
		}
	}
	return time.Time{}, failure.ErrNothing
}

func (gallery *Gallery) smallPath(id storage.CaptureID) string {
	return filepath.Join(gallery.core.Config.DataDir, smallName(id))
}

func smallName(id storage.CaptureID) string { return filepath.Join(smallDir, string(id)+".png") }

// keepSmall keeps a small picture for the next time. It gets the time of the file that it
// was made of: where that one is written again meanwhile, it is not taken for its picture.
// That it cannot be kept is no fault.
func (gallery *Gallery) keepSmall(c storage.Capture, img image.Image, made time.Time) {
	path := gallery.smallPath(c.ID)
	part := filepath.Join(filepath.Dir(path), core.PartPrefix+filepath.Base(path))
	data, err := encodePNG(img)
	if err == nil {
		data, err = gallery.core.Store.FileKey().Encrypt(data)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(part, data, 0o600)
	}
	if err == nil {
		err = os.Chtimes(part, made, made)
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
		gallery.core.Log.Debug("a small picture is not kept", "capture", c.ID, "err", err)
	}
}

// small is a picture in the size of a list's.
func small(img image.Image) image.Image {
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	if long <= smallSide {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()*smallSide/long), max(1, b.Dy()*smallSide/long)))
	draw.BiLinear.Scale(out, out.Bounds(), img, b, draw.Src, nil)
	return out
}
