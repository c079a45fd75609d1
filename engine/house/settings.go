package house

import (
	"path/filepath"

	"ghostlight/prompts"
	"ghostlight/storage"
)

// BackupDir is the folder of the backups.
func (svc *Service) BackupDir() string { return filepath.Join(svc.core.Config.DataDir, "backups") }

// promptFiles lists the prompt files in use, and what is wrong with the user's own.
func (svc *Service) promptFiles() ([]prompts.Info, []error) {
	return svc.core.Set().Names(), svc.core.PromptFault
}

// setting reads a small setting of the front end, "" when it was never set.
func (svc *Service) setting(key string) string {
	var v string
	if err := svc.core.Store.View(func(tx *storage.Tx) error { _, err := tx.Setting(key, &v); return err }); err != nil {
		svc.core.Log.Warn("reading a setting failed", "key", key, "err", err)
	}
	return v
}

// PutSetting keeps a small setting; nil forgets it.
func (svc *Service) PutSetting(key string, v any) error {
	return svc.core.Store.Update(func(tx *storage.Tx) error { return tx.PutSetting(key, v) })
}

const (
	settingTheme = "theme"
	settingModel = "model"
)

// RememberTheme keeps the user's choice of a theme; Theme gives it back.
func (svc *Service) RememberTheme(name string) error { return svc.PutSetting(settingTheme, name) }

// Theme is the theme that the user chose last, "" for none.
func (svc *Service) Theme() string { return svc.setting(settingTheme) }

const settingTerminal = "terminal"

// RememberTerminal keeps how the screen shows pictures on its terminal, in words;
// Terminal gives it back where there is no terminal to be asked.
func (svc *Service) RememberTerminal(words string) error {
	return svc.PutSetting(settingTerminal, words)
}

// Terminal is what the screen found about its terminal when it ran last, "" when
// it has not run.
func (svc *Service) Terminal() string { return svc.setting(settingTerminal) }
