package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// FindDirs sets Dirs, and does nothing else.
func (app *App) FindDirs() (err error) {
	app.Dirs, err = findDirs(app.data, app.configFile)
	return err
}

// Absolute makes a path from the command line independent of the folder.
func Absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if strings.HasPrefix(path, "~/") { // not every caller has a shell
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, path[2:])
		}
	}
	return filepath.Abs(path)
}

// ConfigDir returns a folder beside the config file by its name: prompts, themes or workflows.
func (app *App) ConfigDir(name string) string { return filepath.Join(app.Dirs.Config, name) }

// Dirs are the folders and files of a run, all absolute.
type Dirs struct {
	Data, Config, State string
	File                string // the config file
	named               bool   // by the user, so that it has to be there
}

// LogFile returns the full path of the log.
func (p Dirs) LogFile() string { return filepath.Join(p.State, "ghostlight.log") }

// findDirs returns the folders. The config file's folder also contains the prompts, themes and
// workflows.
func findDirs(data, file string) (p Dirs, err error) {
	p = Dirs{Data: filepath.Join(xdg.DataHome, "ghostlight"), Config: filepath.Join(xdg.ConfigHome, "ghostlight"),
		State: filepath.Join(xdg.StateHome, "ghostlight")}
	if data != "" {
		if p.Data, err = Absolute(data); err != nil {
			return p, fmt.Errorf("--data: %w", err)
		}
	}
	if home, err := os.UserHomeDir(); err != nil || !filepath.IsAbs(home) {
		if err := p.withoutHome(data != ""); err != nil {
			return p, err
		}
	}
	if info, err := os.Stat(p.Data); err == nil && !info.IsDir() {
		fault := p.Data + " is a file; Ghostlight needs a folder"
		if data != "" {
			return p, UsageError("--data: " + fault)
		}
		return p, errors.New(fault)
	}
	p.File = filepath.Join(p.Config, "config.toml")
	if file != "" {
		if p.File, err = Absolute(file); err != nil {
			return p, fmt.Errorf("--config: %w", err)
		}
		p.Config, p.named = filepath.Dir(p.File), true
	}
	return p, nil
}

// withoutHome is for systems without a home folder. If named, the user has named the data folder:
// folders that the environment does not set then move into it.
func (p *Dirs) withoutHome(named bool) error {
	for name, at := range map[string]*string{"XDG_CONFIG_HOME": &p.Config, "XDG_STATE_HOME": &p.State,
		"XDG_DATA_HOME": &p.Data} {
		switch {
		case filepath.IsAbs(os.Getenv(name)) || named && at == &p.Data:
		case !named:
			return errors.New("HOME is not set to a full path: give a data folder with --data DIR")
		case at == &p.Config:
			*at = filepath.Join(p.Data, "config")
		default:
			*at = filepath.Join(p.Data, "state")
		}
	}
	return nil
}

// DataPath returns the full path of a file below the data folder.
func (app *App) DataPath(rel string) string {
	if rel == "" {
		return ""
	}
	return filepath.Join(app.Dirs.Data, rel)
}
