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

// ExportedCapture is the result of one export among several: the path, or the error.
type ExportedCapture struct {
	Capture storage.CaptureID `json:"id"`
	Path    string            `json:"path"`
	Err     error             `json:"-"`
}

// Export writes a capture's picture to a file and returns its path. A directory gets a generated
// name, a path without extension the picture's; "" is the exports folder of the data directory. A
// picture is written completely or not at all; an existing file is fs.ErrExist unless o.Overwrite
// is set.
func (gallery *Gallery) Export(id storage.CaptureID, path string, o ExportOptions) (string, error) {
	const op = "export capture"
	var c storage.Capture
	scene := 0
	err := gallery.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if chat, err := storage.Chats.Get(tx, c.Chat); err == nil { // else the chat was deleted
			scene = findPositions(tx, chat, []storage.Capture{c}).at[c.ID].scene
		}
		return nil
	})
	if err != nil {
		return "", failure.Wrap(op, err)
	}
	if path == "" {
		if path, err = gallery.exportsFolder(); err != nil {
			return "", failure.Wrap(op, err)
		}
	}
	if path, err = gallery.exportPicture(c, scene, path, o); err != nil {
		return "", failure.Wrap(op, err)
	}
	return path, nil
}

// ExportAll writes the pictures of all finished captures of a chat into a directory, in the
// story's order. The directory is created if needed. An error of one picture does not stop the
// others.
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
		return nil, failure.Wrap(op, err)
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
		return nil, failure.Wrap(op, failure.Refusef("no capture of this chat has a picture yet"))
	}
	return out, nil
}

// exportsFolder returns the default folder of exports.
func (gallery *Gallery) exportsFolder() (string, error) {
	dir := filepath.Join(gallery.core.Config.DataDir, "exports")
	return dir, os.MkdirAll(dir, 0o700)
}

// exportPicture writes a capture's picture to a file or into a directory.
func (gallery *Gallery) exportPicture(c storage.Capture, scene int, path string, o ExportOptions) (string, error) {
	if c.ImagePath == "" {
		return "", failure.Refusef("this capture has no picture yet")
	}
	ext := filepath.Ext(c.ImagePath)
	path, err := exportPath(path, exportName(c, scene), ext)
	if err != nil {
		return "", err
	}
	return path, gallery.PutFile(path, o.Overwrite, func(w io.Writer) error {
		if o.KeepMetadata {
			return gallery.core.CopyFile(w, c.ImagePath)
		}
		return gallery.copyWithoutMetadata(w, c.ImagePath)
	})
}

// copyWithoutMetadata copies a picture without the metadata of ComfyUI. It may be larger than
// memory.
func (gallery *Gallery) copyWithoutMetadata(w io.Writer, rel string) error {
	r, err := gallery.core.OpenFile(rel)
	if err != nil {
		return failure.Wrap("picture", err)
	}
	defer func() { _ = r.Close() }() // was only read
	in := bufio.NewReader(r)
	head, err := in.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	format := media.Sniff(head)
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(rel), ".")
	}
	if err := media.StripTo(w, in, format); err != nil {
		return fmt.Errorf("the metadata of the picture could not be removed: %w; to export it with its metadata, "+
			"keep the graph", err)
	}
	return nil
}

// sniffBytes is the number of bytes that identify the format of a file.
const sniffBytes = 64

// stat returns the size of a capture's file.
func (gallery *Gallery) stat(c storage.Capture) (int64, error) {
	info, err := os.Stat(gallery.Path(c))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// exportName returns a generated file name, which contains nothing from outside. Files sort by
// scene and then by time.
func exportName(c storage.Capture, scene int) string {
	return fmt.Sprintf("scene-%02d_%s_%s", scene, c.CreatedAt.UTC().Format("20060102-150405"), c.ID)
}

// exportPath returns the full path of an export: a directory gets the name, a path without
// extension the picture's. Another extension is an error, because nothing is converted.
func exportPath(path, name, ext string) (string, error) {
	path, err := filepath.Abs(core.ExpandHome(path))
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, name+ext), nil
	} else if err == nil && !info.Mode().IsRegular() {
		return "", failure.Refusef("%s is not a regular file", path)
	}
	switch has := strings.ToLower(filepath.Ext(path)); has {
	case "":
		path += ext
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp4", ".webm", ".mov", ".mkv":
		if same := map[string]string{".jpg": ".jpeg", ".mkv": ".webm"}; cmp.Or(same[has],
			has) != cmp.Or(same[ext], ext) {
			return "", failure.Refusef("the picture is exported unchanged, as a %s file: use this file extension",
				strings.TrimPrefix(ext, "."))
		}
	}
	return path, nil
}

// CheckExportPath returns an error for a path inside the program's own files.
func CheckExportPath(dataDir, path string) error {
	path, data := realPath(path), realPath(dataDir)
	rel, err := filepath.Rel(data, path)
	if err != nil {
		return nil // another drive
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	for _, own := range []string{"ghostlight.db", core.CaptureFolder, "backups", core.SmallFolder, referenceDir} {
		if strings.EqualFold(top, own) {
			return failure.Refusef("%s is one of Ghostlight's own files or in its folder: name another file", path)
		}
	}
	return nil
}

// realPath resolves the links in the existing part of a path.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(realPath(dir), filepath.Base(path))
	}
	return path
}

// PutFile writes a file to a path of the user's choice outside the program's own files. See
// file.Put.
func (gallery *Gallery) PutFile(path string, overwrite bool, write func(io.Writer) error) error {
	if err := CheckExportPath(gallery.core.Config.DataDir, path); err != nil {
		return err
	}
	_, err := file.Put(path, file.Options{Replace: overwrite}, write)
	if errors.Is(err, file.ErrFolder) || errors.Is(err, file.ErrIrregular) {
		return failure.Refusef("%v", err)
	}
	return err
}
