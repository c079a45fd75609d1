package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// maxImports is the maximum number of files of one folder that are imported in one command.
const maxImports = 100_000

// ImportHelp says what every command does that imports files.
const ImportHelp = "The file type is detected from the content. Several files, and the files of a folder, are " +
	"reported one by one; a file that fails does not stop the others, but the exit code is 1. With --json the result " +
	"is a list with one row per file."

// ImportResult is the result of importing one file: its JSON document, its line of plain output,
// and remarks for the user.
type ImportResult[D any] struct {
	Doc     D
	Line    string
	Remarks []string
}

// importRow is the result for one of several files. Error is "" if the file was imported.
type importRow[D any] struct {
	File     string   `json:"file"`
	Error    string   `json:"error"`
	Imported *D       `json:"imported"`
	Remarks  []string `json:"remarks"`
}

// ImportAll imports the files and folders that the arguments name. The result for a single file is
// its own document; for several files, each has a row. A file that fails does not stop the others,
// but the command ends with an error.
func ImportAll[D any](app *App, args []string, read func(path string) (ImportResult[D], error)) error {
	paths, several, err := app.filesOf(args)
	if err != nil {
		return err
	}
	if !several {
		got, err := read(paths[0])
		if err != nil {
			return err
		}
		app.Notes(got.Remarks)
		return app.Print(got.Doc, func(p *Page) { p.Line(got.Line) })
	}
	rows := []importRow[D]{}
	refused := 0
	run := func(p *Page) {
		for _, path := range paths {
			got, err := read(path)
			row := importRow[D]{File: path, Remarks: got.Remarks}
			if err != nil {
				refused++
				row.Error = app.Redact(shorten(failure.Text(err)))
			} else {
				row.Imported = &got.Doc
			}
			if p == nil {
				rows = append(rows, row)
				continue
			}
			if err != nil {
				p.Linef("%s: not imported: %s", OneLine(path), OneLine(row.Error))
			} else {
				p.Linef("%s: %s", OneLine(path), got.Line)
			}
			for _, remark := range got.Remarks {
				p.Linef("  note: %s", OneLine(remark))
			}
			_ = p.Flush() // a fault stays with the page
		}
	}
	if app.JSON {
		run(nil)
		err = app.Print(rows, nil)
	} else {
		err = app.Print(nil, run)
	}
	if err == nil && refused > 0 {
		err = fmt.Errorf("%d of %s not imported", refused, Plural(len(paths), "file was", "files were"))
	}
	return err
}

// filesOf returns the files that arguments name: those of folders too, at any depth, but for
// hidden ones. Links within folders are not followed. several reports whether more than
// one could have been meant.
func (app *App) filesOf(args []string) (paths []string, several bool, err error) {
	several = len(args) > 1
	for _, arg := range args {
		at := app.Path(arg)
		info, err := os.Stat(at)
		if arg == "-" || err != nil || !info.IsDir() {
			paths = append(paths, arg) // reading it reports the error
			continue
		}
		several = true
		before := len(paths)
		typed := func(path string) string { return filepath.Join(arg, strings.TrimPrefix(path, at)) }
		err = filepath.WalkDir(at, func(path string, d fs.DirEntry, err error) error {
			hidden := path != at && strings.HasPrefix(d.Name(), ".")
			switch {
			case err != nil && path != at:
				paths = append(paths, typed(path))
				return skipped(d)
			case err != nil:
				return err
			case hidden:
				return skipped(d)
			case d.Type().IsRegular():
				paths = append(paths, typed(path))
			}
			if len(paths) > maxImports {
				return fmt.Errorf("%s has more than %d files: import parts of it", arg, maxImports)
			}
			return nil
		})
		if err != nil {
			return nil, several, err
		}
		if len(paths) == before {
			return nil, several, errors.New(Quote(arg) + " is an empty folder: choose another")
		}
	}
	return paths, several, nil
}

func skipped(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
