package pictures

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ExportedCapture is what came of exporting one of several captures: where its
// picture is, or why it is not.
type ExportedCapture struct {
	Capture storage.CaptureID `json:"id"`
	Path    string            `json:"path"`
	Err     error             `json:"-"`
}

// Export writes a capture's picture to a file and says where. A path that
// is a directory gets a name of our own; one without an ending gets the
// picture's; "" is the exports folder of the data directory. A picture is written
// whole or not at all; a file that is there is fs.ErrExist, unless o says to replace
// it.
func (gallery *Gallery) Export(id storage.CaptureID, path string, o ExportOptions) (string, error) {
	const op = "export capture"
	var c storage.Capture
	scene := 0
	err := gallery.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if chat, err := storage.Chats.Get(tx, c.Chat); err == nil { // else it is one of a chat that is gone
			scene = spotsOf(tx, chat, []storage.Capture{c}).at[c.ID].scene
		}
		return nil
	})
	if err != nil {
		return "", failure.Fail(op, err)
	}
	if path == "" {
		if path, err = gallery.exportsFolder(); err != nil {
			return "", failure.Fail(op, err)
		}
	}
	if path, err = gallery.exportPicture(c, scene, path, o); err != nil {
		return "", failure.Fail(op, err)
	}
	return path, nil
}

// ExportAll writes the pictures of all finished captures of a chat into a
// directory, which is made where it is missing, in the story's order. What goes
// wrong with one does not keep the others from being written.
func (gallery *Gallery) ExportAll(chat storage.ChatID, dir string, o ExportOptions) ([]ExportedCapture, error) {
	const op = "export captures"
	scenes, err := gallery.Scenes(chat)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		dir, err = gallery.exportsFolder()
	} else {
		dir = core.ExpandHome(dir)
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, failure.Fail(op, err)
	}
	var out []ExportedCapture
	for _, s := range scenes {
		for _, c := range s.Captures {
			if c.ImagePath == "" {
				continue
			}
			path, err := gallery.exportPicture(c.Capture, s.Number, dir, o)
			out = append(out, ExportedCapture{c.ID, path, err})
		}
	}
	if len(out) == 0 {
		return nil, failure.Fail(op, failure.Refuse("no capture of this chat has a picture yet"))
	}
	return out, nil
}

// exportsFolder is where exports go for which nobody named a place.
func (gallery *Gallery) exportsFolder() (string, error) {
	dir := filepath.Join(gallery.core.Config.DataDir, "exports")
	return dir, os.MkdirAll(dir, 0o700)
}

// exportPicture writes a capture's picture to path, or into it where it is a
// directory.
func (gallery *Gallery) exportPicture(c storage.Capture, scene int, path string, o ExportOptions) (string, error) {
	if c.ImagePath == "" {
		return "", failure.Refuse("this capture has no picture yet")
	}
	ext := filepath.Ext(c.ImagePath)
	path, err := exportPath(path, exportName(c, scene), ext)
	if err != nil {
		return "", err
	}
	return path, gallery.PutFile(path, o.Overwrite, func(w io.Writer) error {
		if o.KeepGraph {
			return gallery.core.CopyFile(w, c.ImagePath)
		}
		return gallery.copyBare(w, c.ImagePath)
	})
}

// copyBare writes a picture without what ComfyUI has written into it. It may be too large
// for memory.
func (gallery *Gallery) copyBare(w io.Writer, rel string) error {
	r, err := gallery.core.OpenFile(rel)
	if err != nil {
		return failure.Fail("picture", err)
	}
	defer func() { _ = r.Close() }() // was only read
	in := bufio.NewReader(r)
	head, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	format := media.Sniff(head)
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(rel), ".")
	}
	if err := media.StripTo(w, in, format); err != nil {
		return fmt.Errorf("what is embedded in the picture could not be removed: %w; exporting it with the graph leaves it in", err)
	}
	return nil
}

// sniffed is how much of a file tells its format.
const sniffed = 64

// stat tells how large a capture's file is.
func (gallery *Gallery) stat(c storage.Capture) (int64, error) {
	info, err := os.Stat(gallery.Path(c))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// exportName is a file's name of our own: nothing in it comes from outside. Files
// sort by scene, then by time.
func exportName(c storage.Capture, scene int) string {
	return fmt.Sprintf("scene-%02d_%s_%s", scene, c.CreatedAt.UTC().Format("20060102-150405"), c.ID)
}

// exportPath is the full path of an export: a directory gets the name, a name
// without an ending gets the picture's. An ending of another kind of picture is
// refused: nothing is converted.
func exportPath(path, name, ext string) (string, error) {
	path, err := filepath.Abs(core.ExpandHome(path))
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, name+ext), nil
	} else if err == nil && !info.Mode().IsRegular() {
		return "", failure.Refuse("%s is not a regular file", path)
	}
	switch has := strings.ToLower(filepath.Ext(path)); has {
	case "":
		path += ext
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp4", ".webm", ".mov", ".mkv":
		if same := map[string]string{".jpg": ".jpeg", ".mkv": ".webm"}; cmp.Or(same[has], has) != cmp.Or(same[ext], ext) {
			return "", failure.Refuse("the picture is a %s file, and is exported as it is: name it so", strings.TrimPrefix(ext, "."))
		}
	}
	return path, nil
}

// PlaceFault says why a file must not be put at a path: what the program keeps
// lies there. It is nil elsewhere.
func PlaceFault(dataDir, path string) error {
	path, data := realPath(path), realPath(dataDir)
	rel, err := filepath.Rel(data, path)
	if err != nil {
		return nil // another drive
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	for _, own := range []string{"ghostlight.db", core.CaptureFolder, "backups", core.SmallFolder, referenceDir} {
		if strings.EqualFold(top, own) {
			return failure.Refuse("%s is one of Ghostlight's own files or in its folder: name another file", path)
		}
	}
	return nil
}

// realPath is a path with the links in it followed, as far as it is there.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(realPath(dir), filepath.Base(path))
	}
	return path
}

// PutFile puts a file where the user wants it, who has no say over what the program
// keeps itself. See file.Put.
func (gallery *Gallery) PutFile(path string, overwrite bool, write func(io.Writer) error) error {
	if err := PlaceFault(gallery.core.Config.DataDir, path); err != nil {
		return err
	}
	_, err := file.Put(path, file.Options{Replace: overwrite}, write)
	if errors.Is(err, file.ErrFolder) || errors.Is(err, file.ErrIrregular) {
		return failure.Refuse("%v", err)
	}
	return err
}
