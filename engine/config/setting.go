package config

// Setting is a setting of the config file, for display and editing.
type Setting struct {
	Name           string        `json:"name"` // with its section, "ollama.num_ctx"
	Section        string        `json:"section"`
	SectionPurpose string        `json:"-"`
	Purpose        string        `json:"words"` // its purpose
	Kind           string        `json:"kind"`
	Choices        []string      `json:"choices"` // the allowed values, none if it is free
	Value          string        `json:"value"`   // in force; "" for none
	Default        string        `json:"default"` // "" for none
	Source         SettingSource `json:"source"`
	Restart        bool          `json:"restart"` // it is read when the program starts
}

// The kinds of settings.
const (
	SettingSwitch  = "switch"
	SettingChoice  = "choice"
	SettingInteger = "whole number"
	SettingNumber  = "number"
	SettingText    = "text"
	SettingList    = "list"
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
