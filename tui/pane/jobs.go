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

// NewJob returns an operation as a job, with the objects that it works on.
func NewJob(op storage.Operation) Job {
	j := Job{Op: op}
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

// ProgressWords describes the progress of a job.
func ProgressWords(j *Job) string {
	p := j.Progress
	words := p.Text
	if writes(j) {
		words = "" // the words are the text written so far
	}
	if words == "" {
		words = stageNow(p.Stages)
	}
	if p.Of > 0 {
		words = strings.TrimSpace(fmt.Sprintf("%s %s %d/%d", words, draw.Meter(float64(p.Step)/float64(p.Of), 8),
			p.Step, p.Of))
	} else if p.Tokens > 0 {
		words = strings.TrimSpace(words + " " + draw.Plural(p.Tokens, "token"))
	}
	return draw.Join(words, draw.TimeLeft(p.Left))
}

// writes reports whether the text of a job's progress is the output so far, and not a description
// of the current step.
func writes(j *Job) bool {
	return j.Node != "" || strings.Contains(j.Progress.Text, "\n") || j.Op.Type == pictures.OpCapturePrompt
}

// BriefProgress returns the same for the status line: only what changes.
func BriefProgress(j *Job) string {
	p := j.Progress
	words := queue.Words(j.Op.Type)
	switch {
	case p.Of > 0:
		words += fmt.Sprintf(" %d/%d", p.Step, p.Of)
	case p.Text != "" && !writes(j):
		words += ": " + p.Text
	default:
		if now := stageNow(p.Stages); now != "" {
			words += ": " + now
		} else {
			words += " " + draw.Elapsed(time.Since(j.Op.StartedAt))
		}
	}
	return draw.Join(words, draw.TimeLeft(p.Left))
}

// stageNow returns the name of the current stage, "" for none.
func stageNow(stages []queue.Stage) string {
	for _, s := range stages {
		if s.State == queue.StageNow {
			return s.Name
		}
	}
	return ""
}

// StageMark returns the sign of a stage's state.
func StageMark(s queue.StageState) string {
	switch s {
	case queue.StageNow:
		return "●"
	case queue.StageDone:
		return "✓"
	case queue.StageSkipped:
		return "–"
	case queue.StageFailed:
		return "!"
	}
	return "○"
}
