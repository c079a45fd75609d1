package pictures

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/image/draw"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// thumbnailSide is the longer side of a thumbnail, in pixels.
const thumbnailSide = 640

// storePicture writes the output of a workflow and its thumbnail, named after the capture, so that
// repeating interrupted work leaves no other files. preview is the last one that the server sent,
// or nil: it replaces the first frame of a film that cannot be decoded.
//
// A file that was too large for memory is moved into place; its thumbnail, and that of a very
// large picture, is made line by line.
func (svc *Service) storePicture(c *storage.Capture, out comfy.Output, preview []byte) error {
	svc.removeOldFiles(c.ID)
	film := c.Kind == string(capture.Video)
	data, ext := out.Data, out.Format
	still, err := svc.stillOf(out)
	moves := ext == media.MP4 || ext == media.WebM
	large := out.Path != "" || errors.Is(err, media.ErrTooLarge)
	switch {
	case err == nil && !film && !large && (ext == media.JPEG || ext == media.WebP):
		if data, err = encodePNG(still); err != nil {
			return failure.Wrap("keep picture", err)
		}
		ext = media.PNG
	case err != nil && !moves && !large:
		return failure.Wrap("keep picture", fmt.Errorf("the server's file is not a usable picture: %w", err))
	case err != nil && preview != nil:
		if still, err = media.Poster(preview, media.Sniff(preview)); err != nil {
			svc.core.Log.Debug("the last preview cannot be used as a still", "capture", c.ID, "err", err)
		}
	}
	switch {
	case film && ext == media.JPEG:
		c.Warnings = append(c.Warnings, "the workflow generated a picture, not a video")
	case !film && moves:
		c.Warnings = append(c.Warnings, "the workflow generated a video, not a picture")
	}
	id := string(c.ID)
	c.ImageID, c.ImagePath, c.ThumbnailPath = id, filepath.Join(core.CaptureFolder, id+"."+ext), ""
	if large && !moves && still == nil {
		c.Warnings = append(c.Warnings, "the picture is too large to be shown here; its file is kept as it is, as "+
			filepath.ToSlash(c.ImagePath)+" in the data folder")
	}
	if err := svc.putFile(c.ImagePath, out.Path, data); err != nil {
		return err
	}
	if err != nil || still == nil {
		return nil // a film without a poster is a film all the same
	}
	if data, err = encodePNG(thumbnail(still)); err != nil {
		return failure.Wrap("keep picture", err)
	}
	c.ThumbnailPath = filepath.Join(core.CaptureFolder, id+"_thumb.png")
	return svc.WriteFile(c.ThumbnailPath, data)
}

// stillOf returns a still of a workflow's output: at full size if it can be decoded, else as a
// thumbnail.
func (svc *Service) stillOf(out comfy.Output) (image.Image, error) {
	if out.Path == "" {
		still, err := media.Poster(out.Data, out.Format)
		if !errors.Is(err, media.ErrTooLarge) || out.Format != media.PNG {
			return still, err
		}
		return reduceImage(bytes.NewReader(out.Data))
	}
	if out.Format != media.PNG {
		return nil, media.ErrTooLarge
	}
	f, err := os.Open(out.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r, err := svc.core.Store.Key().DecryptFrom(f)
	if err != nil {
		return nil, err
	}
	return reduceImage(r)
}

// reduceImage is media.Reduce that returns a nil interface for no picture.
func reduceImage(r io.Reader) (image.Image, error) {
	img, err := media.Reduce(r, thumbnailSide)
	if err != nil {
		return nil, err
	}
	return img, nil
}

// putFile writes a file below the data directory: it moves the file at path, or writes data if
// path is "".
func (svc *Service) putFile(rel, path string, data []byte) error {
	if path == "" {
		return svc.WriteFile(rel, data)
	}
	info, err := os.Stat(path)
	if key := svc.core.Store.FileKey(); err == nil && key != nil {
		_, err = core.ConvertFile(key, path, info, true) // it is encrypted already if it came so
	}
	if err == nil {
		err = os.Rename(path, filepath.Join(svc.core.Config.DataDir, rel))
	}
	if err != nil {
		return failure.Wrap("write "+rel, err)
	}
	return nil
}

// spool returns where a file that is too large for memory is stored while it is received.
func (svc *Service) spool(id storage.CaptureID) (comfy.Spool, error) {
	dir := filepath.Join(svc.core.Config.DataDir, core.CaptureFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return comfy.Spool{}, failure.Wrap("keep picture", err)
	}
	key := svc.core.Store.FileKey()
	return comfy.Spool{Path: filepath.Join(dir, spoolName(id)), Seal: key.EncryptTo, Open: key.ReaderAt}, nil
}

func spoolName(id storage.CaptureID) string { return core.PartPrefix + string(id) + ".download" }

func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

func thumbnail(img image.Image) image.Image { return fitWithin(img, thumbnailSide) }

// fitWithin scales a picture down so that no side is longer than most, in pixels.
func fitWithin(img image.Image, most int) image.Image {
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	if long <= most {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()*most/long), max(1, b.Dy()*most/long)))
	draw.CatmullRom.Scale(out, out.Bounds(), img, b, draw.Src, nil)
	return out
}

// WriteFile writes a file below the data directory, completely or not at all, and encrypted if the
// data file is.
func (svc *Service) WriteFile(rel string, data []byte) error {
	data, err := svc.core.Store.FileKey().Encrypt(data)
	if err != nil {
		return failure.Wrap("write "+rel, err)
	}
	path := filepath.Join(svc.core.Config.DataDir, rel)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failure.Wrap("write "+rel, err)
	}
	tmp, err := os.OpenFile(filepath.Join(dir, core.PartPrefix+filepath.Base(path)),
		os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return failure.Wrap("write "+rel, err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return failure.Wrap("write "+rel, err)
	}
	return nil
}

// AddToChat adds a finished picture to the chat, below the last message of its moment, which may
// be on another branch. If the moment was deleted, and for series and sketches, it is only in the
// gallery.
func (svc *Service) AddToChat(c storage.Capture) func(tx *storage.Tx) error {
	return func(tx *storage.Tx) error {
		now, err := storage.Captures.Get(tx, c.ID)
		if err != nil {
			svc.RemoveFiles(c.ID)
			return queue.ErrDiscard
		}
		if now.Status == storage.CaptureCompleted {
			return queue.ErrDiscard // it hangs already, with these files
		}
		now = nextState(now, jobEvent{kind: jobPaint})
		now.UpdatedAt = svc.core.Config.Now()
		now.ImageID, now.ImagePath, now.ThumbnailPath = c.ImageID, c.ImagePath, c.ThumbnailPath
		now.GenerationTime, now.Seed, now.FinalPrompt, now.Warnings = c.GenerationTime, c.Seed,
			c.FinalPrompt, c.Warnings
		now.Workflow = c.Workflow
		if err := svc.Continuity.learn(tx, now); err != nil {
			return err
		}
		if isGalleryOnly(tx, now) {
			return storage.Captures.Put(tx, c.ID, now)
		}
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return err
		}
		below, gone, err := parentOf(tx, chat, now.At)
		if err != nil {
			return err
		}
		if gone {
			return storage.Captures.Put(tx, c.ID, now)
		}
		n := storage.Node{Chat: c.Chat, Parent: below, Role: storage.SceneCapture, State: storage.Complete,
			Capture: c.ID, CreatedAt: svc.core.Config.Now()}
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		now.Node = n.ID
		if err := storage.Captures.Put(tx, c.ID, now); err != nil {
			return err
		}
		if chat.UpdatedAt = svc.core.Config.Now(); chat.Head == below {
			chat.Head = n.ID
		}
		return storage.Chats.Put(tx, chat.ID, chat)
	}
}

// parentOf returns the message below which a picture of a moment is added. gone means that the
// moment was deleted.
func parentOf(tx *storage.Tx, chat storage.Chat, at storage.NodeID) (below storage.NodeID, gone bool, err error) {
	if at == "" || chats.OnPath(tx, chat.ID, chat.Head, at) {
		return chat.Head, false, nil
	}
	p, err := tx.NodeInfo(chat.ID, at)
	if err != nil || p.Deleted {
		return "", true, failure.IgnoreMissing(err)
	}
	below, err = tx.Leaf(chat.ID, at)
	return below, false, err
}

// isGalleryOnly reports whether a picture is only shown in the gallery: storyboard sketches, and
// pictures of a series, which would all be added at the end of the chat.
func isGalleryOnly(tx *storage.Tx, c storage.Capture) bool {
	if c.Board != "" || c.Batch == "" {
		return c.Board != ""
	}
	b, err := storage.Batches.Get(tx, c.Chat, c.Batch)
	return err == nil && (b.By == storage.ByScenes || b.By == storage.ByEvery)
}

// pictureSuffixes are the suffixes of capture files.
var pictureSuffixes = []string{".png", ".jpeg", ".webp", ".gif", ".mp4", ".webm", "_thumb.png"}

// RemoveFiles deletes the files of a capture, complete or not.
func (svc *Service) RemoveFiles(id storage.CaptureID) {
	svc.removeOldFiles(id)
	_ = os.Remove(filepath.Join(svc.core.Config.DataDir, core.CaptureFolder, spoolName(id))) // most have none
}

// removeOldFiles is RemoveFiles except for the new file.
func (svc *Service) removeOldFiles(id storage.CaptureID) {
	_ = os.Remove(filepath.Join(svc.core.Config.DataDir, core.SmallFolder, string(id)+".png")) // of an earlier version
	for _, end := range pictureSuffixes {
		for _, name := range []string{string(id) + end, core.PartPrefix + string(id) + end} {
			if err := os.Remove(filepath.Join(svc.core.Config.DataDir, core.CaptureFolder, name)); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				svc.core.Log.Warn("removing a picture failed", "name", name, "err", err)
			}
		}
	}
}

// dropPicture deletes the files of a capture whose work failed after they were written.
func (svc *Service) dropPicture(id storage.CaptureID) {
	var c storage.Capture
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err })
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.ImagePath == "" {
		svc.RemoveFiles(id)
	}
}

// Path returns the path of a capture's picture, "" if it has none.
func (gallery *Gallery) Path(c storage.Capture) string {
	if c.ImagePath == "" {
		return ""
	}
	return filepath.Join(gallery.core.Config.DataDir, c.ImagePath)
}

// Picture reads a capture's picture, or its thumbnail, as it is stored.
func (gallery *Gallery) Picture(c storage.Capture, small bool) ([]byte, error) {
	rel := c.ImagePath
	if small && c.ThumbnailPath != "" {
		rel = c.ThumbnailPath
	}
	if rel == "" {
		return nil, failure.Wrap("picture", failure.ErrRefused)
	}
	data, err := gallery.core.ReadFile(rel)
	if err != nil {
		return nil, failure.Wrap("picture", err)
	}
	return data, nil
}

// CaptureAsAvatar makes a capture's picture the avatar of its chat's character.
func (svc *Service) CaptureAsAvatar(id storage.CaptureID) error {
	var c storage.Capture
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		c, err = storage.Captures.Get(tx, id)
		return err
	}); err != nil {
		return failure.Wrap("avatar", err)
	}
	if c.ThumbnailPath == "" {
		return failure.Wrap("avatar", failure.Refusef("this video has no still picture"))
	}
	img, err := svc.Gallery.Still(c)
	if err != nil {
		return failure.Wrap("avatar", fmt.Errorf("the picture cannot be read: %w", err))
	}
	data, err := encodePNG(thumbnail(img))
	if err != nil {
		return failure.Wrap("avatar", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return err
		}
		who, err := storage.Characters.Get(tx, chat.Character)
		if err != nil {
			return err
		}
		who.HasAvatar, who.UpdatedAt = true, svc.core.Config.Now()
		if err := tx.PutAvatar(who.ID, data); err != nil {
			return err
		}
		return storage.Characters.Put(tx, who.ID, who)
	})
	if err != nil {
		return failure.Wrap("avatar", err)
	}
	svc.core.Emit(event.Notice{Level: event.Info, Text: "this picture is now the avatar"})
	svc.core.Emit(chats.CharactersChanged{})
	return nil
}
