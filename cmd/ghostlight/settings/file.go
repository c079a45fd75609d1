package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
)

// File is a config file whose settings can be changed one by one. Each change reads the file again,
// changes only the one value, and keeps the rest unchanged.
type File struct{ Path string }

// List returns all settings in force. now holds the settings of the file combined with flags and
// environment.
func (f File) List(now Settings) ([]config.Setting, error) {
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	l, err := scan(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return now.list(now.WithDefaults().Shown(), Settings{}.WithDefaults(),
		func(name string) bool { return l.find(pathOf(name)) != nil }), nil
}

// Set writes a setting, and returns what the file says then. What the file's reader
// would refuse is refused, and nothing is written.
func (f File) Set(name, value string) (Settings, error) {
	kind, ok := kindOfName(name)
	if !ok {
		return Settings{}, unknown(name)
	}
	lit, err := literal(name, kind, value)
	if err != nil {
		return Settings{}, err
	}
	return f.change(name, func(text []byte, path []string) ([]byte, error) { return put(text, path, lit) })
}

// Unset removes a setting from the file, so that its default is used, and returns the settings of
// the file after that. A setting that is not in the file is no error.
func (f File) Unset(name string) (Settings, error) {
	_, known := kindOfName(name)
	if _, was := outdated[name]; !known && !was {
		return Settings{}, unknown(name)
	}
	return f.change(name, removed)
}

func (f File) change(name string, edit func(text []byte, path []string) ([]byte, error)) (Settings, error) {
	text, err := f.read()
	if err != nil {
		return Settings{}, err
	}
	out, err := edit(text, pathOf(name))
	if err != nil {
		if _, broken := parse(f.Path, text); broken != nil {
			return Settings{}, broken
		}
		return Settings{}, err
	}
	s, err := parse(f.Path, out)
	if err != nil {
		var wrong settingError
		if errors.As(err, &wrong) && wrong.key == name {
			return Settings{}, wrong // its position is not in the file yet
		}
		return Settings{}, err
	}
	if bytes.Equal(text, out) {
		return s, nil
	}
	return s, f.write(out, len(s.Ollama.Headers)+len(s.ComfyUI.Headers)+len(s.ComfyUI.APIKey) > 0)
}

// read returns the text of the file, empty if it does not exist yet.
func (f File) read() ([]byte, error) {
	text, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the config file cannot be read: %w", err)
	}
	return text, nil
}

// write replaces the text of the file atomically. If the file is a link, because the user keeps
// settings elsewhere, it remains one. A file with secrets is readable by its owner only.
func (f File) write(text []byte, secret bool) error {
	err := os.MkdirAll(filepath.Dir(f.Path), 0o755)
	mode := fs.FileMode(0o644)
	if secret {
		mode = 0o600
		if info, statErr := os.Stat(f.Path); statErr == nil && info.Mode().IsRegular() && err == nil {
			err = os.Chmod(f.Path, info.Mode().Perm()&^0o077) // the new text gets the old one's mode
		}
	}
	if err == nil {
		err = file.Write(f.Path, file.Options{Replace: true, Mode: mode}, text)
	}
	if err != nil {
		return fmt.Errorf("the config file cannot be written: %w", err)
	}
	return nil
}

// pathOf returns the path of a setting. Names that are the user's own may have dots.
func pathOf(name string) []string {
	for _, open := range []string{"lore.review.", "keys."} {
		if own, ok := strings.CutPrefix(name, open); ok {
			return append(strings.Split(strings.TrimSuffix(open, "."), "."), own)
		}
	}
	return strings.Split(name, ".")
}

// kindOfName returns the kind of a setting; ok is false if there is no such setting.
func kindOfName(name string) (kind string, ok bool) {
	if path := pathOf(name); path[len(path)-1] == "" {
		return "", false
	}
	switch {
	case strings.HasPrefix(name, "lore.review."):
		return KindText, true
	case strings.HasPrefix(name, "keys."):
		return KindList, true
	}
	for _, s := range (Settings{}).list(Settings{}, Settings{}, func(string) bool { return false }) {
		if s.Name == name {
			return s.Kind, true
		}
	}
	return "", false
}

// unknown says that there is no setting of a name, and which one may be meant.
func unknown(name string) error {
	var near []string
	last := name[strings.LastIndexByte(name, '.')+1:]
	for _, s := range (Settings{}).list(Settings{}, Settings{}, func(string) bool { return false }) {
		if last != "" && strings.Contains(s.Name, last) {
			near = append(near, s.Name)
		}
	}
	slices.Sort(near)
	if len(near) > 0 {
		return fmt.Errorf("unknown setting %s; did you mean %s", name, strings.Join(near[:min(len(near), 4)], ", "))
	}
	return fmt.Errorf("unknown setting %s; ghostlight config list shows them", name)
}
