package play

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Progress returns what the reply is at, "" while none is written.
func (r *Part) Progress() string {
	if c := r.composer; c.hasSuggestion() {
		return "impersonating " + draw.Elapsed(time.Since(c.ghost.since)) + quietText(r)
	}
	if r.mending.writes() {
		return "rewriting " + draw.Elapsed(time.Since(r.mending.since)) + quietText(r)
	}
	if r.proposing.asking() {
		return "asking for suggestions " + draw.Elapsed(time.Since(r.proposing.since))
	}
	if !r.turn.running {
		return ""
	}
	what := "reading the prompt"
	if after := cmp.Or(r.turn.after, workBefore(r)); after != "" {
		what = "finishing " + draw.Within(after, 40) + ", then your message"
	}
	if m, ok := r.Message(r.turn.node); ok {
		if m.Content != "" {
			what = "replying"
		} else if m.Thinking != "" {
			what = "thinking"
		}
	}
	return what + " " + draw.Elapsed(time.Since(r.turn.since)) + quietText(r)
}

// quietAfter is how long no word of a reply comes before that is worth a word.
const quietAfter = 30 * time.Second

// quietText says for how long nothing of the reply has come, and when it is given up, "" while it
// gets on.
func quietText(r *Part) string {
	quiet, left := r.host.Engine().Play.ServerQuiet(r.view.Chat.ID)
	switch {
	case quiet < quietAfter:
		return ""
	case left == 0:
		return ", no new text for " + draw.Elapsed(quiet)
	}
	return ", no new text for " + draw.Elapsed(quiet) + ", gives up in " + draw.Elapsed(left)
}

// workBefore returns the background work that the open chat's turn has to come after, "" for none.
func workBefore(r *Part) string {
	if r.waits.Chat != r.view.Chat.ID {
		return ""
	}
	return r.waits.Work
}

// HiddenBelow reports whether there are messages below the last one in view.
func (r *Part) HiddenBelow() bool { return !r.list.Follow && len(r.list.Items) > 0 }

// Fill returns how much of its room the next prompt takes, as the prompt pane has it; ok is
// false before the first turn, and while it is not known.
func (r *Part) Fill() (share float64, ok bool) {
	if r.outlook.chat != r.view.Chat.ID || r.outlook.fill == 0 {
		return 0, false
	}
	for i := len(r.list.Items) - 1; i >= 0 && i >= len(r.list.Items)-20; i-- {
		m := &r.list.Items[i].Msg
		// The user put it together of replies.
		stitched := m.Role == storage.Assistant && m.Depth > 0 && !m.EditedAt.IsZero()
		if u := m.Usage; u != nil && u.PromptTokens > 0 || stitched {
			return r.outlook.fill, true
		}
	}
	return 0, false
}

// filled returns how much of its room a prompt takes.
func filled(v play.PromptView) float64 {
	if v.Budget <= 0 {
		return 0
	}
	return float64(v.Tokens) / float64(v.Budget)
}

// nearlyFull is how much of its room a prompt takes when messages will soon leave it.
const nearlyFull = 0.6

// PromptWords returns what the status line tells of prompts where it is wide: what the
// next one lacks.
func (r *Part) PromptWords() (parts []string) {
	if n := r.outlook.uncovered; n > 0 && r.outlook.chat == r.view.Chat.ID {
		parts = append(parts, uncoveredText(n))
	}
	if n := r.outlook.unrecapped; n > 0 && r.outlook.fill >= nearlyFull && r.outlook.chat == r.view.Chat.ID {
		parts = append(parts, leavingText(n))
	}
	return parts
}
