// Package settings keeps what the program remembers of its user beside the config file: the
// theme, the terminal, how the screen is used, and how far the first questions were answered.
package settings

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service keeps settings in the store. It is safe for concurrent use.
type Service struct {
	core   *core.Core
	models *models.Service
}

// New makes the service.
func New(c *core.Core, models *models.Service) *Service { return &Service{core: c, models: models} }

// Changed is the event of settings of the config file that are others now, and were not
// changed on a screen. Names are theirs in the file.
type Changed struct{ Names []string }

// setting reads a small setting of the front end, "" when it was never set.
func (svc *Service) setting(key string) string {
	var v string
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(key, &v)
		return err
	}); err != nil {
		svc.core.Log.Warn("reading a setting failed", "key", key, "err", err)
	}
	return v
}

func (svc *Service) put(key string, v any) error {
	return svc.core.Store.Update(func(tx *storage.Tx) error { return tx.PutSetting(key, v) })
}

const settingTheme = "theme"

// RememberTheme keeps the user's choice of a theme; Theme gives it back.
func (svc *Service) RememberTheme(name string) error { return svc.put(settingTheme, name) }

// Theme returns the theme that the user chose last, "" for none.
func (svc *Service) Theme() string { return svc.setting(settingTheme) }

// Tell emits Changed. A model that was chosen in the program before gives way to the file's.
func (svc *Service) Tell(names []string) error {
	svc.core.Emit(Changed{names})
	if slices.Contains(names, "ollama.model") {
		return svc.models.SetDefaultModel("") // the newest setting counts
	}
	return nil
}

const settingTerminal = "terminal"

// RememberTerminal keeps how the screen shows pictures on its terminal, in words;
// Terminal gives it back if there is no terminal to be asked.
func (svc *Service) RememberTerminal(words string) error {
	return svc.put(settingTerminal, words)
}

// Terminal returns what the screen found about its terminal when it ran last, "" when
// it has not run.
func (svc *Service) Terminal() string { return svc.setting(settingTerminal) }

const settingScreen = "screen"

// ScreenState holds the screen's state that has no setting of its own.
type ScreenState struct {
	// Recent are the names of the actions that were chosen by name, the newest first.
	Recent []string            `json:"recent,omitempty"`
	Panes  map[string]PaneSize `json:"panes,omitempty"` // by the name of the action that opens one
	Tips   []string            `json:"tips,omitempty"`  // that were shown, by their ids
}

// PaneSize is the difference of a pane from its usual size.
type PaneSize struct {
	Steps  int  `json:"steps,omitempty"`  // wider, or narrower where it is less than 0
	Zoomed bool `json:"zoomed,omitempty"` // it takes the whole screen while it has the keys
}

// RememberScreen keeps what the screen remembers; Screen gives it back.
func (svc *Service) RememberScreen(s ScreenState) error { return svc.put(settingScreen, s) }

// Screen returns the stored state of the screen, the zero value if none was stored.
func (svc *Service) Screen() (s ScreenState) {
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingScreen, &s)
		return err
	}); err != nil {
		svc.core.Log.Warn("reading a setting failed", "key", settingScreen, "err", err)
	}
	return s
}
