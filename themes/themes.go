// Package themes holds the colours of the program: built-in theme files, and files from a folder
// that add themes or replace built-in ones.
//
// A theme file names some colours and assigns them to roles, for a dark and for a light terminal:
//
//	title = "Dusk"
//	about = "Blue hour."
//	base  = "ghostlight"      # a built-in theme that lends what is missing here
//	narration = "italic"      # paragraphs that begin with *an action*; else "upright"
//
//	[colors]
//	fog = "#9fb6c9"
//
//	[dark]
//	action = "fog"            # a name from [colors], "#rgb", "#rrggbb", or "0" to "255" for a terminal colour
//
//	[light]
//	action = "#2f4f6b"
//
// The file's name, without .toml, is the theme's name. Themes are values: nothing here is shared or
// changes.
package themes

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DefaultName is the name of the default theme.
const DefaultName = "ghostlight"

const (
	maxFile  = 64 << 10 // bytes of one theme file
	maxFiles = 200      // theme files in one folder
)

//go:embed *.toml
var builtin embed.FS

// order is the order of the built-in themes in lists.
var order = [...]string{DefaultName, "footlights", "blackout", "beacon", "ghostlight-italic"}

// Theme is a set of colours in two variants.
type Theme struct {
	Name   string // lower-case letters, digits, - and _; unique in a [Set]
	Title  string // for people; from a file, so clean it before showing it
	About  string // one sentence; also
	Source string // the path of the file, or "" for a built-in theme

	dark, light Palette
}

// Palette returns the colours for a terminal with a dark or a light background. No colour in it is nil.
func (t Theme) Palette(dark bool) Palette {
	if dark {
		return t.dark
	}
	return t.light
}

// Set is a list of themes: the built-in ones first, then the others by name.
type Set []Theme

// Find returns the theme with a name.
func (s Set) Find(name string) (Theme, bool) {
	for _, t := range s {
		if t.Name == name {
			return t, true
		}
	}
	return Theme{}, false
}

// Names returns the names of the themes, in order.
func (s Set) Names() []string {
	names := make([]string, len(s))
	for i, t := range s {
		names[i] = t.Name
	}
	return names
}

// Default returns the built-in default theme. It reads one small file (about a tenth of a
// millisecond): call it once at the start, and [Load] when the user wants another theme.
func Default() Theme { return mustBuiltin(DefaultName, Theme{}) }

// Load returns the built-in themes and those in the folder dir, which may be "" or not exist. A
// file named like a built-in theme replaces it. Faults are returned in the order of the files, each
// with file and key. A theme with a bad key is included, with the colour of its base in that role.
// A theme that cannot be read at all is left out.
func Load(dir string) (Set, []error) {
	base := Default()
	set := Set{base}
	for _, name := range order[1:] {
		set = append(set, mustBuiltin(name, base))
	}
	if dir == "" {
		return set, nil
	}
	names, faults := list(dir)
	builtins := slices.Clone(set)
	for _, file := range names {
		t, errs := read(dir, file, builtins)
		faults = append(faults, errs...)
		if t.Name == "" {
			continue
		}
		if i := slices.IndexFunc(set, func(o Theme) bool { return o.Name == t.Name }); i >= 0 {
			set[i] = t
		} else {
			set = append(set, t)
		}
	}
	return set, faults
}

// mustBuiltin parses a built-in theme. A test checks that all are valid.
func mustBuiltin(name string, base Theme) Theme {
	data, err := builtin.ReadFile(name + ".toml")
	if err != nil {
		panic("themes: " + err.Error())
	}
	t, errs := parse(name, name+".toml", data, Set{base})
	if len(errs) > 0 {
		panic(errors.Join(errs...))
	}
	return t
}

// list returns the names of the theme files in dir, sorted.
func list(dir string) ([]string, []error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{fmt.Errorf("themes: read the folder: %w", err)}
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) > maxFiles {
		return names[:maxFiles], []error{fmt.Errorf("themes: %s: more than %d theme files; the rest is left out",
			dir, maxFiles)}
	}
	return names, nil
}

// read reads one theme file of a folder. The theme's name is empty if it is unusable.
func read(dir, file string, builtins Set) (Theme, []error) {
	path := filepath.Join(dir, file)
	name := strings.TrimSuffix(file, ".toml")
	if !isValidName(name) {
		return Theme{}, []error{fmt.Errorf("themes: %q: the name of a theme file takes only a-z, 0-9, - and _", path)}
	}
	data, err := readFile(path)
	if err != nil {
		return Theme{}, []error{fmt.Errorf("themes: %w", err)}
	}
	t, errs := parse(name, path, data, builtins)
	t.Source = path
	return t, errs
}

// readFile reads a regular file of at most maxFile bytes.
func readFile(path string) (data []byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: larger than %d KB", path, maxFile>>10)
	}
	return data, err
}

func isValidName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
