package play

import (
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// The names of the panes; their actions are declared under them.
const (
	promptName   = "prompt"
	habitsName   = "habits"
	samplersName = "samplers"
	scriptsName  = "regex"
)

// Actions of one of the panes only.
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

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	of := func(name string, p pane.Pane) pane.PaneActions {
		return pane.PaneActions{Name: name, System: keys.SystemPlay, Actions: p.Actions()}
	}
	return []pane.PaneActions{
		of(promptName, newPromptPane(r)),
		of(habitsName, newHabitsPane(r.host, nil, &r.habit)),
		of(samplersName, newSamplersPane(r)),
		of(scriptsName, newScriptsPane(r.host)),
	}
}
