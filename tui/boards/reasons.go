package boards

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Reasons why an action is not possible, "" if it is. While a change is being stored, it may be
// about to make the action possible.

// whyNoScenes uses the current scenes: one may have ended since the pane was read.
func (p *boardPane) whyNoScenes() string {
	if p.noScene {
		return pane.NeedsScene(p.Host)()
	}
	return ""
}

func (p *boardPane) whyNotBegun() string {
	if !p.view.Begun {
		return "this scene has no storyboard yet"
	}
	return ""
}

func (p *boardPane) whyNothingRuns() string {
	b := p.view.Batch
	if p.film == nil && p.view.Working == "" && (b == nil || b.Painting+b.Prompting == 0) {
		return "nothing is running on this storyboard"
	}
	return ""
}

func (p *boardPane) whyNoProposal() string {
	if p.view.Proposal == nil && !p.changing {
		return "no proposal"
	}
	return ""
}

func (p *boardPane) whyNoSketch() string {
	if p.view.Stage != storage.BoardReady {
		return "confirm the shots first" + p.keyHint(confirmShots, "confirms them")
	}
	return ""
}

func (p *boardPane) whyPlanned() string {
	if len(p.view.Shots) > 0 && !p.changing {
		return "there are shots already" + p.keyHint(keys.PaneInstruct, "changes them") +
			p.keyHint(keys.PaneRegenerate, "plans a step again")
	}
	return ""
}

func (p *boardPane) whyNoConfirm() string {
	switch {
	case p.changing:
		return ""
	case len(p.view.Shots) == 0:
		return "there are no shots to confirm yet"
	case p.view.Stage == storage.BoardReady:
		return "already confirmed" + p.keyHint(sketchShots, "sketches the shots")
	}
	return ""
}

func (p *boardPane) whyNoPlay() string {
	if len(p.view.Shots) == 0 {
		return "there are no shots to play yet"
	}
	return ""
}

func (p *boardPane) whyNoUndo() string {
	if !p.view.CanUndo && !p.changing {
		return "there is nothing to undo"
	}
	return ""
}

func (p *boardPane) whyNoRedo() string {
	if !p.view.CanRedo && !p.changing {
		return "there is nothing to redo"
	}
	return ""
}

func (p *boardPane) whyNoSource() string {
	if p.sourceOf() == "" {
		return "no source message recorded"
	}
	return ""
}

// whyFixed returns a function that gives the reason why an action is not available for the selected
// item: it is for shots and beats only. done is the action in words. The reason is "" if it is
// available.
func (p *boardPane) whyFixed(done string) func() string {
	return func() string {
		if it, ok := p.item(); ok && it.head != headShots && it.head != headBeats {
			return "only shots and beats can be " + done
		}
		return ""
	}
}

func (p *boardPane) whyNoMerge() string {
	_, why := p.mergeable()
	return why
}
