package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ghostlight/engine/pictures"
)

// fileFlags say where an export goes.
type fileFlags struct {
	output string
	force  bool
}

func (f *fileFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.output, "output", "o", "", "write to `FILE`, or to standard output for - (default: the id, in this folder)")
	c.Flags().BoolVar(&f.force, "force", false, "replace the file if it exists")
}

// writeFile writes an export and says where. Names of the program's own stand
// in for a missing one: names from outside are never a path.
func (d *door) writeFile(f fileFlags, name, format string, data []byte) error {
	if f.output == "-" {
		return d.pour(format, data)
	}
	path, err := absolute(first(f.output, name))
	if err != nil {
		return err
	}
	if err := pictures.PlaceFault(d.at.data, path); err != nil {
		return err
	}
	if err := placeFile(path, f.force, data); err != nil {
		return err
	}
	return d.tell(map[string]any{"path": path, "format": format, "bytes": len(data)}, func(p *page) { p.line(path) })
}

// placeFile puts a file at path: whole or not at all. With force it takes the
// place, and the mode, of an ordinary file that is there.
func placeFile(path string, force bool, data []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return fmt.Errorf("%s is a folder; --output names a file", path)
		case !force:
			return fmt.Errorf("%s exists already; --force replaces it", path)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is no ordinary file; --output - writes to standard output", path)
		}
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil { // a link stays one
			return fmt.Errorf("write: %w", err)
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".ghostlight-*")
	if err != nil {
		return pictures.WriteFault(path, err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already where it was renamed
	_, err = temp.Write(data)
	if err == nil {
		err = errors.Join(temp.Chmod(mode), temp.Sync())
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if !force {
		// A link, unlike a renaming, never replaces a file that has come in
		// between. Not every file system has links.
		if err := os.Link(temp.Name(), path); err == nil {
			return nil
		} else if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s exists already; --force replaces it", path)
		}
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return pictures.WriteFault(path, err)
	}
	return nil
}

// fromFile has a file read: the one at path, or for "-" one of that name with
// what standard input holds, at most limit bytes.
func (d *door) fromFile(path, name string, limit int64, read func(path string) error) error {
	if path != "-" {
		return read(path)
	}
	dir, err := os.MkdirTemp("", "ghostlight-")
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path = filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	n, err := io.Copy(f, io.LimitReader(d.in, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if n > limit {
		return fmt.Errorf("standard input holds more than %s", size(limit))
	}
	return read(path)
}

// pour writes an export to standard output.
func (d *door) pour(format string, data []byte) error {
	switch {
	case d.json:
		return misuse{"--output - and --json both want standard output"}
	case format == "png" && isTerminal(d.out):
		return misuse{"a picture is nothing for a terminal; name a file with --output"}
	case format != "png":
		data = escapeJSON(data)
	}
	d.said = true
	_, err := d.out.Write(data)
	return err
}
