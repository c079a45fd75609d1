package config

// Setting is a setting of the config file, as it can be shown and changed.
type Setting struct {
	Name         string        `json:"name"` // with its section, "ollama.num_ctx"
	Section      string        `json:"section"`
	SectionWords string        `json:"-"`
	Words        string        `json:"words"` // what it is for
	Kind         string        `json:"kind"`
	Choices      []string      `json:"choices"` // what it can be, none where that is open
	Value        string        `json:"value"`   // in force; "" where nothing is
	Default      string        `json:"default"` // "" for none
	Source       SettingSource `json:"source"`
	Restart      bool          `json:"restart"` // it is read when the program starts
}

// The kinds of settings.
const (
	SettingSwitch = "switch"
	SettingChoice = "choice"
	SettingWhole  = "whole number"
	SettingNumber = "number"
	SettingText   = "text"
	SettingList   = "list"
)

// SettingSource is the source of a setting's value.
type SettingSource string

// The sources of settings.
const (
	FromDefault     SettingSource = "default"
	FromFile        SettingSource = "file"
	FromFlag        SettingSource = "flag"
	FromEnvironment SettingSource = "environment"
	FromProgram     SettingSource = "chosen in the program"
)
