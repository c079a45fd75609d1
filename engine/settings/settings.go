// Package settings stores what the program remembers about its user in addition to the config file:
// the theme, the terminal, the state of the screen, and the progress of the first questions.
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

// Changed is the event of changed settings in the config file that were not changed on a screen.
// Names are their names in the file.
type Changed struct{ Names []string }

// setting returns a setting of the front end, "" if it was never set.
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

// RememberTheme stores the user's choice of a theme; Theme returns it.
func (svc *Service) RememberTheme(name string) error { return svc.put(settingTheme, name) }

// Theme returns the theme that the user chose last, "" for none.
func (svc *Service) Theme() string { return svc.setting(settingTheme) }

// Tell emits Changed. A changed default model in the file replaces one that was chosen in the
// program.
func (svc *Service) Tell(names []string) error {
	svc.core.Emit(Changed{names})
	if slices.Contains(names, "ollama.model") {
		return svc.models.SetDefaultModel("") // the newest setting counts
	}
	return nil
}

const settingTerminal = "terminal"

// RememberTerminal stores how the screen shows pictures on its terminal, in words; Terminal returns
// it if no terminal can be asked.
func (svc *Service) RememberTerminal(words string) error {
	return svc.put(settingTerminal, words)
}

// Terminal returns the screen's stored description of its terminal, "" if the screen has never run.
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
	Steps  int  `json:"steps,omitempty"`  // wider, or narrower if negative
	Zoomed bool `json:"zoomed,omitempty"` // it takes the whole screen while it has the focus
}

// RememberScreen stores the state of the screen; Screen returns it.
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
