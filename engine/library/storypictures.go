package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/image/draw"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of the pictures of a story. A small picture is kept as it is, a larger one as long as the
// total stays small. Others are resized or written as JPEG, so that a story with hundreds of
// pictures can still be opened. WebP is always converted: not every e-book reader supports it.
const (
	smallBytes      = 1 << 20
	maxKeptBytes    = 4 << 20
	maxKeptTotal    = 192 << 20
	maxKeptSide     = 2048
	resizedSide     = 1600
	jpegQuality     = 85
	maxPictureBytes = 128 << 20 // of a file that is read at all
)

// pictureLoader reads pictures ahead, in the order of their use in a story.
type pictureLoader struct {
	queue chan chan loadedPicture
	stop  func() // waits until nothing is read any more
}

type loadedPicture struct {
	key string
	img novel.Image
	err error
}

var errNoPicture = errors.New("picture not found")

// newPictureLoader starts to read pictures.
func (svc *Service) newPictureLoader(ctx context.Context, list []storage.Capture) *pictureLoader {
	ctx, cancel := context.WithCancel(ctx)
	a := &pictureLoader{queue: make(chan chan loadedPicture, max(1, runtime.GOMAXPROCS(0)-1))}
	var work sync.WaitGroup
	a.stop = func() { cancel(); work.Wait() }
	work.Add(1)
	crash.Go("pictures of a story", func() {
		defer work.Done()
		defer close(a.queue)
		var together int64
		for _, c := range list {
			slot := make(chan loadedPicture, 1)
			select {
			case a.queue <- slot:
			case <-ctx.Done():
				return
			}
			keep := int64(smallBytes)
			if size := svc.pictureSize(c.ImagePath); size <= maxKeptBytes && together+size <= maxKeptTotal {
				keep, together = maxKeptBytes, together+size
			}
			work.Add(1)
			crash.Go("a picture of a story", func() {
				defer work.Done()
				img, err := svc.storyPicture(c, keep)
				slot <- loadedPicture{string(c.ID), img, err}
			})
		}
	})
	return a
}

// next returns the next picture, by its key.
func (a *pictureLoader) next(key string) (novel.Image, error) {
	for slot := range a.queue {
		if l := <-slot; l.key == key {
			return l.img, l.err
		}
	}
	return novel.Image{}, errNoPicture
}

// storyPicture returns the picture of a capture in a format that every reader supports, without
// metadata. For a film it is the still. Up to keep bytes are kept as they are.
func (svc *Service) storyPicture(c storage.Capture, keep int64) (novel.Image, error) {
	data, err := svc.pictureFile(c.ImagePath)
	if err != nil {
		return novel.Image{}, err
	}
	format := media.Sniff(data)
	if format == media.MP4 || format == media.WebM {
		if data, err = svc.pictureFile(c.ThumbnailPath); err != nil {
			return novel.Image{}, err
		}
		format = media.Sniff(data)
	}
	if w, h, err := media.Size(data, format); err == nil && int64(len(data)) <= keep && max(w, h) <= maxKeptSide &&
		w > 0 && h > 0 &&
		(format == media.PNG || format == media.JPEG || format == media.GIF) {
		if bare, err := media.Strip(data, format); err == nil {
			return novel.Image{Format: format, Data: bare, Width: w, Height: h}, nil
		}
	}
	still, err := media.Poster(data, format)
	if err != nil {
		return novel.Image{}, err
	}
	return asJPEG(still)
}

// pictureSize returns the size of a file below the data directory, 0 if there is none.
func (svc *Service) pictureSize(rel string) int64 {
	info, err := os.Stat(filepath.Join(svc.core.Config.DataDir, rel))
	if rel == "" || err != nil {
		return 0
	}
	return info.Size()
}

// pictureFile reads a file below the data directory.
func (svc *Service) pictureFile(rel string) ([]byte, error) {
	if rel == "" {
		return nil, errNoPicture
	}
	path := filepath.Join(svc.core.Config.DataDir, rel)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPictureBytes {
		return nil, fmt.Errorf("%s is too large, or no file", rel)
	}
	return svc.core.ReadFile(rel)
}

// asJPEG converts a picture to JPEG. A large one is resized; transparency becomes white.
func asJPEG(from image.Image) (novel.Image, error) {
	size := from.Bounds()
	w, h := size.Dx(), size.Dy()
	if long := max(w, h); long > resizedSide {
		w, h = max(1, w*resizedSide/long), max(1, h*resizedSide/long)
	}
	if o, ok := from.(interface{ Opaque() bool }); !ok || !o.Opaque() || w != size.Dx() {
		to := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(to, to.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.ApproxBiLinear.Scale(to, to.Bounds(), from, size, draw.Over, nil)
		from = to
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, from, &jpeg.Options{Quality: jpegQuality})
	return novel.Image{Format: media.JPEG, Data: out.Bytes(), Width: w, Height: h}, err
}
