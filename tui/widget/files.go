package widget

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// maxFiles is the maximum number of listed entries of a directory.
const maxFiles = 5000

// ListFiles lists a folder: its parent, its folders, and its files with one of the endings.
func ListFiles(dir string, endings []string) ([]Entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	found, err := f.ReadDir(maxFiles)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(found, func(x, y os.DirEntry) int {
		return strings.Compare(strings.ToLower(x.Name()), strings.ToLower(y.Name()))
	})
	out := []Entry{{Title: "../", Detail: "parent folder", Value: filepath.Dir(dir)}}
	var files []Entry
	for _, e := range found {
		name := e.Name()
		path := filepath.Join(dir, name)
		switch {
		case strings.HasPrefix(name, "."):
		case e.IsDir():
			out = append(out, Entry{Title: name + "/", Value: path})
		case slices.Contains(endings, strings.ToLower(filepath.Ext(name))):
			size := ""
			if info, err := e.Info(); err == nil {
				size = draw.Size(info.Size())
			}
			files = append(files, Entry{Title: name, Right: size, Value: path})
		}
	}
	return append(out, files...), nil
}
