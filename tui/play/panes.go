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
	promptFoldAll keys.Action = "prompt-fold-all"
	samplersWhy   keys.Action = "samplers-why"
	regexTry      keys.Action = "regex-try"
	regexImport   keys.Action = "regex-import"
	regexExport   keys.Action = "regex-export"
	regexApply    keys.Action = "regex-apply"
	regexUp       keys.Action = "regex-up"
	regexDown     keys.Action = "regex-down"
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
