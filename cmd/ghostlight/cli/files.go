package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
)

// FileFlags are the flags for the destination of an export.
type FileFlags struct {
	Output string
	force  bool
}

// Add adds the flags to a command that exports to a file by default.
func (f *FileFlags) Add(c *cobra.Command) {
	c.Flags().StringVarP(&f.Output, "output", "o", "",
		"write to `FILE`, or to standard output for - (default: the id, in this folder)")
	c.Flags().BoolVar(&f.force, "force", false, "replace the file if it exists")
}

// AddForDocument is Add for an export that is itself one JSON document, and is written to standard
// output by default.
func (f *FileFlags) AddForDocument(c *cobra.Command) {
	c.Flags().StringVarP(&f.Output, "output", "o", "", "write to `FILE` instead of standard output")
	c.Flags().BoolVar(&f.force, "force", false, "replace the file if it exists")
}

// WriteDocument writes an export that is itself one JSON document. Without --output it goes to
// standard output, also with --json.
func (app *App) WriteDocument(f FileFlags, format string, data []byte) error {
	if f.Output == "" || f.Output == "-" {
		app.WarnUnencrypted()
		return app.Write(escapeJSON(data))
	}
	return app.WriteFile(f, "", format, data)
}

// WriteFile writes an export to a file and prints the file's path. name is the default file name.
// It must be made by the program: names from imported data are never used as paths.
func (app *App) WriteFile(f FileFlags, name, format string, data []byte) error {
	return app.WriteFrom(f, name, format, whole(data))
}

func whole(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// WriteFrom is like WriteFile, for output that write writes piece by piece, never less than a line
// at a time.
func (app *App) WriteFrom(f FileFlags, name, format string, write func(io.Writer) error) error {
	if f.Output == "-" {
		err := app.copyOut(format, write)
		if err == nil {
			app.WarnUnencrypted()
		}
		return err
	}
	path, err := Absolute(app.Path(cmp.Or(f.Output, name)))
	if err != nil {
		return err
	}
	if err := pictures.CheckExportPath(app.Dirs.Data, path); err != nil {
		return err
	}
	size, err := placeFile(path, f.force, write)
	if err != nil {
		return err
	}
	app.WarnUnencrypted()
	return app.Print(map[string]any{"path": path, "format": format, "bytes": size}, func(p *Page) { p.Line(path) })
}

// placeFile calls file.Put, and makes its errors say what to do.
func placeFile(path string, force bool, write func(io.Writer) error) (size int64, err error) {
	size, err = file.Put(path, file.Options{Replace: force}, write)
	switch {
	case errors.Is(err, file.ErrFolder):
		err = fmt.Errorf("%s is a folder: --output needs a file", path)
	case errors.Is(err, fs.ErrExist):
		err = fmt.Errorf("%s already exists; --force replaces it", path)
	case errors.Is(err, file.ErrIrregular):
		err = fmt.Errorf("%s is not a regular file; --output - writes to standard output", path)
	}
	return size, err
}

// ReadInput calls read with path. If path is "-", it first copies standard input, at most limit
// bytes, into a temporary file called name and passes that file's path; more than limit is an
// error.
func (app *App) ReadInput(path, name string, limit int64, read func(path string) error) error {
	if path != "-" {
		return read(app.Path(path))
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
	n, err := io.Copy(f, io.LimitReader(app.In, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if n > limit {
		return fmt.Errorf("standard input holds more than %s", ByteSize(limit))
	}
	return read(path)
}

// textFormats are the export formats that a terminal can show. The others are binary, and are
// written unchanged.
var textFormats = map[string]bool{"json": true, "v2": true, "jsonl": true, "markdown": true, "md": true, "text": true,
	"txt": true, "html": true}

// copyOut writes an export to standard output.
func (app *App) copyOut(format string, write func(io.Writer) error) error {
	switch {
	case app.JSON:
		return UsageError("--output - and --json cannot be combined: both write to standard output")
	case !textFormats[format] && IsTerminal(app.Out):
		return UsageError("a terminal cannot show a picture, a book or an archive: give a file with --output FILE")
	}
	app.Printed = true
	out := bufio.NewWriter(app.Out)
	var to io.Writer = out
	if textFormats[format] {
		to = escaping{out}
	}
	return errors.Join(write(to), out.Flush())
}

// escaping escapes JSON, line by line, as escapeJSON does.
type escaping struct{ to io.Writer }

func (e escaping) Write(line []byte) (int, error) {
	_, err := e.to.Write(escapeJSON(line))
	return len(line), err
}

// SuggestForce adds to an error about a file that is there how to replace it.
func SuggestForce(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s; --force replaces it", failure.Text(err))
	}
	return err
}

// PrintExport is PrintFile for an export, which may need the note that it is not encrypted.
func (app *App) PrintExport(path string, more map[string]any) error {
	app.WarnUnencrypted()
	return app.PrintFile(path, more)
}

// PrintFile prints the path of a file that was written. more holds further keys of the JSON
// document.
func (app *App) PrintFile(path string, more map[string]any) error {
	doc := map[string]any{"path": path, "format": strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")),
		"bytes": int64(0)}
	if info, err := os.Stat(path); err == nil {
		doc["bytes"] = info.Size()
	}
	for k, v := range more {
		doc[k] = v
	}
	return app.Print(doc, func(p *Page) { p.Line(path) })
}
