package play

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Progress returns the state of the reply, "" while none is written.
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
		what = "finishing " + draw.Truncate(after, 40) + ", then your message"
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

// quietAfter is how long a reply may produce no text before the status line mentions it.
const quietAfter = 30 * time.Second

// quietText returns words about how long a reply has produced no text, and when it is given up, ""
// while it makes progress.
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

// workBefore returns the background work that the open chat's turn waits for, "" for none.
func workBefore(r *Part) string {
	if r.waits.Chat != r.view.Chat.ID {
		return ""
	}
	return r.waits.Work
}

// HiddenBelow reports whether there are messages below the last one in view.
func (r *Part) HiddenBelow() bool { return !r.list.Follow && len(r.list.Items) > 0 }

// Fill returns the share of the context that the next prompt uses, as in the prompt pane. ok is
// false before the first turn, and while it is not known.
func (r *Part) Fill() (share float64, ok bool) {
	if r.outlook.chat != r.view.Chat.ID || r.outlook.fill == 0 {
		return 0, false
	}
	for i := len(r.list.Items) - 1; i >= 0 && i >= len(r.list.Items)-20; i-- {
		m := &r.list.Items[i].Msg
		// The user composed it from other replies.
		stitched := m.Role == storage.Assistant && m.Depth > 0 && !m.EditedAt.IsZero()
		if u := m.Usage; u != nil && u.PromptTokens > 0 || stitched {
			return r.outlook.fill, true
		}
	}
	return 0, false
}

// filled returns the share of its budget that a prompt uses.
func filled(v play.PromptView) float64 {
	if v.Budget <= 0 {
		return 0
	}
	return float64(v.Tokens) / float64(v.Budget)
}

// nearlyFull is the share of its budget from which a prompt will soon lose messages.
const nearlyFull = 0.6

// PromptWords returns the status line's words about messages that the next prompt lacks, if there
// is room for them.
func (r *Part) PromptWords() (parts []string) {
	if n := r.outlook.uncovered; n > 0 && r.outlook.chat == r.view.Chat.ID {
		parts = append(parts, uncoveredText(n))
	}
	if n := r.outlook.unrecapped; n > 0 && r.outlook.fill >= nearlyFull && r.outlook.chat == r.view.Chat.ID {
		parts = append(parts, leavingText(n))
	}
	return parts
}
