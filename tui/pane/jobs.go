package pane

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// NewOperation returns a stored operation, with the objects that it works on.
func NewOperation(op storage.Operation) Operation {
	j := Operation{Op: op}
	var params struct {
		Capture storage.CaptureID `json:"capture"`
		Chat    storage.ChatID    `json:"chat"`
		Node    storage.NodeID    `json:"node"`
	}
	if json.Unmarshal(op.Params, &params) == nil {
		j.Capture, j.Chat, j.Node = params.Capture, params.Chat, params.Node
	}
	return j
}

// Queue shows words about the work, and queues it. Notices of the engine about it come later, and
// stay.
func Queue(d Host, words string, add func() (storage.OperationID, error)) tea.Cmd {
	return tea.Batch(d.Say(event.Info, words), Try(d, func() error { _, err := add(); return err }))
}

// Paints is the type of the operations that paint a picture.
const Paints = "capture_send"

// ProgressWords describes the progress of an operation.
func ProgressWords(j *Operation) string {
	p := j.Progress
	words := p.Text
	if writes(j) {
		words = "" // the words are the text written so far
	}
	if words == "" {
		words = phaseNow(p.Phases)
	}
	if p.Of > 0 {
		words = strings.TrimSpace(fmt.Sprintf("%s %s %d/%d", words, draw.Meter(float64(p.Step)/float64(p.Of), 8),
			p.Step, p.Of))
	} else if p.Tokens > 0 {
		words = strings.TrimSpace(words + " " + draw.Plural(p.Tokens, "token"))
	}
	return draw.Join(words, draw.TimeLeft(p.Left))
}

// writes reports whether the text of an operation's progress is the output so far, and not a
// description of the current step.
func writes(j *Operation) bool {
	return j.Node != "" || strings.Contains(j.Progress.Text, "\n") || j.Op.Type == pictures.OpCapturePrompt
}

// BriefProgress returns the same for the status line: only what changes.
func BriefProgress(j *Operation) string {
	p := j.Progress
	words := queue.TypeText(j.Op.Type)
	switch {
	case p.Of > 0:
		words += fmt.Sprintf(" %d/%d", p.Step, p.Of)
	case p.Text != "" && !writes(j):
		words += ": " + p.Text
	default:
		if now := phaseNow(p.Phases); now != "" {
			words += ": " + now
		} else {
			words += " " + draw.Elapsed(time.Since(j.Op.StartedAt))
		}
	}
	return draw.Join(words, draw.TimeLeft(p.Left))
}

// phaseNow returns the name of the current phase, "" for none.
func phaseNow(phases []queue.Phase) string {
	for _, s := range phases {
		if s.State == queue.PhaseRunning {
			return s.Name
		}
	}
	return ""
}

// PhaseMark returns the sign of a phase's state.
func PhaseMark(s queue.PhaseState) string {
	switch s {
	case queue.PhaseRunning:
		return "●"
	case queue.PhaseDone:
		return "✓"
	case queue.PhaseSkipped:
		return "–"
	case queue.PhaseFailed:
		return "!"
	}
	return "○"
}
