package tui

import (
	"fmt"
	"strings"
	"time"

	"ghostlight/engine"
	"ghostlight/engine/queue"
	"ghostlight/storage"
	"ghostlight/tui/look"
)

// operationPaints is the type of the operations that have a picture painted.
const operationPaints = "capture_send"

// progressWords tells how far a job has come.
func progressWords(j *Job) string {
	p := j.progress
	words := p.Text
	if j.node != "" || strings.Contains(words, "\n") {
		words = "" // it is what was written so far
	}
	if words == "" {
		words = stageNow(p.Stages)
	}
	if p.Of > 0 {
		words = strings.TrimSpace(fmt.Sprintf("%s %s %d/%d", words, look.Meter(float64(p.Step)/float64(p.Of), 8), p.Step, p.Of))
	} else if p.Tokens > 0 {
		words = strings.TrimSpace(words + " " + look.Plural(p.Tokens, "token"))
	}
	return look.Join(words, look.TimeLeft(p.Left))
}

// captureProgress is how far the painting of a picture has come, in words for
// the play: what is being done, a bar of its steps, and the time that is left.
func captureProgress(j *Job) string {
	if words := progressWords(j); words != "" {
		return words
	}
	return "waiting for ComfyUI"
}

// briefProgress is the same for the status line: nothing but what changes.
func briefProgress(j *Job) string {
	p := j.progress
	words := operationWords(j.op.Type)
	switch {
	case p.Of > 0:
		words += fmt.Sprintf(" %d/%d", p.Step, p.Of)
	case p.Text != "" && !strings.Contains(p.Text, "\n"):
		words += ": " + p.Text
	default:
		if now := stageNow(p.Stages); now != "" {
			words += ": " + now
		} else {
			words += " " + look.Elapsed(time.Since(j.op.StartedAt))
		}
	}
	return look.Join(words, look.TimeLeft(p.Left))
}

// stageNow is the name of the stage that is being worked on, "" for none.
func stageNow(stages []queue.Stage) string {
	for _, s := range stages {
		if s.State == queue.StageNow {
			return s.Name
		}
	}
	return ""
}

// stageMark is the sign of a stage's state.
func stageMark(s queue.StageState) string {
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

// batchStands is what a batch is made of and where its captures stand.
func batchStands(b engine.BatchView) string {
	words := []string{fmt.Sprintf("%s %d/%d", batchName(b), b.Done, b.Total)}
	for _, part := range []struct {
		n     int
		words string
	}{{b.Painting, "painting"}, {b.Prompting, "being written"}, {b.Failed, "failed"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", part.words, part.n))
		}
	}
	if b.Drafts > 0 {
		words = append(words, look.Plural(b.Drafts, "draft"))
	}
	return look.Join(append(words, look.TimeLeft(b.Left))...)
}

// batchName is what the captures of a batch differ in, in one or two words.
func batchName(b engine.BatchView) string {
	switch b.By {
	case storage.ByAngles:
		return "angles"
	case storage.ByScenes:
		return "scenes"
	case storage.ByEvery:
		return fmt.Sprintf("every %d messages", b.Every)
	case storage.ByDrafts:
		return "drafts"
	case storage.ByShots:
		return "sketches"
	}
	return "batch"
}
