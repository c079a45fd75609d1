package play

import (
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// The names of the panes, under which their actions are declared.
const (
	promptName   = "prompt"
	habitsName   = "habits"
	samplersName = "samplers"
	scriptsName  = "regex"
)

// What only one of the panes can do.
const (
	promptFoldAll keys.Name = "prompt-fold-all"
	samplersWhy   keys.Name = "samplers-why"
	regexTry      keys.Name = "regex-try"
	regexImport   keys.Name = "regex-import"
	regexExport   keys.Name = "regex-export"
	regexApply    keys.Name = "regex-apply"
	regexUp       keys.Name = "regex-up"
	regexDown     keys.Name = "regex-down"
)

// Panes implements desk.Paned.
func (r *Room) Panes() []desk.PaneActions {
	of := func(name string, p desk.Pane) desk.PaneActions {
		return desk.PaneActions{Name: name, System: keys.SystemPlay, Actions: p.Actions()}
	}
	return []desk.PaneActions{
		of(promptName, newPromptPane(r)),
		of(habitsName, newHabitsPane(r.desk, nil, &r.habit)),
		of(samplersName, newSamplersPane(r)),
		of(scriptsName, newScriptsPane(r.desk)),
	}
}
