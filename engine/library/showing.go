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

// What of a picture goes into a story as it is: a small one always, a larger one while all
// of them together are bearable. Anything else is made smaller, or is written as JPEG, so
// that a story with hundreds of them can still be opened. WebP is always written anew: not
// every reader of books knows it.
const (
	smallBytes   = 1 << 20
	keptBytes    = 4 << 20
	keptTogether = 192 << 20
	keptSide     = 2048
	madeSide     = 1600
	madeQuality  = 85
	mostBytes    = 128 << 20 // of a file that is read at all
)

// pictureAhead reads pictures in the order in which a story asks for them, a few of them
// before it does.
type pictureAhead struct {
	queue chan chan loaded
	stop  func() // waits until nothing is read any more
}

type loaded struct {
	key string
	img novel.Image
	err error
}

var errNoPicture = errors.New("picture not found")

// loadAhead begins to read pictures.
func (svc *Service) loadAhead(ctx context.Context, list []storage.Capture) *pictureAhead {
	ctx, cancel := context.WithCancel(ctx)
	a := &pictureAhead{queue: make(chan chan loaded, max(1, runtime.GOMAXPROCS(0)-1))}
	var work sync.WaitGroup
	a.stop = func() { cancel(); work.Wait() }
	work.Add(1)
	crash.Go("pictures of a story", func() {
		defer work.Done()
		defer close(a.queue)
		var together int64
		for _, c := range list {
			slot := make(chan loaded, 1)
			select {
			case a.queue <- slot:
			case <-ctx.Done():
				return
			}
			keep := int64(smallBytes)
			if size := svc.pictureSize(c.ImagePath); size <= keptBytes && together+size <= keptTogether {
				keep, together = keptBytes, together+size
			}
			work.Add(1)
			crash.Go("a picture of a story", func() {
				defer work.Done()
				img, err := svc.shownPicture(c, keep)
				slot <- loaded{string(c.ID), img, err}
			})
		}
	})
	return a
}

// take is the next picture, by its key.
func (a *pictureAhead) take(key string) (novel.Image, error) {
	for slot := range a.queue {
		if l := <-slot; l.key == key {
			return l.img, l.err
		}
	}
	return novel.Image{}, errNoPicture
}

// shownPicture is a capture's picture as every reader shows it, without what programs
// have written into it. Of a film it is the still. Up to keep bytes stay as they are.
func (svc *Service) shownPicture(c storage.Capture, keep int64) (novel.Image, error) {
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
	if w, h, err := media.Size(data, format); err == nil && int64(len(data)) <= keep && max(w, h) <= keptSide && w > 0 && h > 0 &&
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

// pictureSize is how large a file below the data directory is, 0 where there is none.
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
	if !info.Mode().IsRegular() || info.Size() > mostBytes {
		return nil, fmt.Errorf("%s is too large, or no file", rel)
	}
	return svc.core.ReadFile(rel)
}

// asJPEG writes a picture as JPEG, smaller where it is large, on white where it is clear.
func asJPEG(from image.Image) (novel.Image, error) {
	size := from.Bounds()
	w, h := size.Dx(), size.Dy()
	if long := max(w, h); long > madeSide {
		w, h = max(1, w*madeSide/long), max(1, h*madeSide/long)
	}
	if o, ok := from.(interface{ Opaque() bool }); !ok || !o.Opaque() || w != size.Dx() {
		to := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(to, to.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.ApproxBiLinear.Scale(to, to.Bounds(), from, size, draw.Over, nil)
		from = to
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, from, &jpeg.Options{Quality: madeQuality})
	return novel.Image{Format: media.JPEG, Data: out.Bytes(), Width: w, Height: h}, err
}
