package play

import (
	"fmt"
	"time"

	"ghostlight/tui/look"
)

// Progress is what the reply is at, "" while none is written.
func (r *Room) Progress() string {
	if !r.turn.running {
		return ""
	}
	what := "reading the prompt"
	if m, ok := r.Message(r.turn.node); ok {
		if m.Content != "" {
			what = "replying"
		} else if m.Thinking != "" {
			what = "thinking"
		}
	}
	return what + " " + look.Elapsed(time.Since(r.turn.since))
}

// HiddenBelow tells whether there are messages below the last one in view.
func (r *Room) HiddenBelow() bool { return !r.list.Follow && len(r.list.Items) > 0 }

// Tokens is how much of the model's context the last turn took; ok is false before
// the first one.
func (r *Room) Tokens() (used int, ok bool) {
	for i := len(r.list.Items) - 1; i >= 0 && i >= len(r.list.Items)-20; i-- {
		if u := r.list.Items[i].Msg.Usage; u != nil && u.PromptTokens > 0 {
			return u.PromptTokens + u.ReplyTokens, true
		}
	}
	return 0, false
}

// PromptWords are what the status line tells of prompts where it is wide: what the
// next one lacks, and what was read for the last.
func (r *Room) PromptWords() (parts []string) {
	if n := r.outlook.uncovered; n > 0 && r.outlook.chat == r.view.Chat.ID {
		parts = append(parts, forgotten(n))
	}
	if m, ok := r.LastMessage(); ok && m.Usage != nil && m.Usage.PromptEvalMS > 0 {
		parts = append(parts, fmt.Sprintf("read ~%d in %.1fs", m.Usage.EstimatedRead, float64(m.Usage.PromptEvalMS)/1000))
	}
	return parts
}
