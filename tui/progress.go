package tui

import (
	"fmt"
	"strings"
	"time"

	"ghostlight/engine"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// operationPaints is the type of the operations that have a picture painted.
const operationPaints = "capture_send"

// progressWords tells how far a job has come.
func progressWords(j *job) string {
	p := j.progress
	words := p.Text
	if j.node != "" || strings.Contains(words, "\n") {
		words = "" // it is what was written so far
	}
	if words == "" {
		words = stageNow(p.Stages)
	}
	if p.Of > 0 {
		words = strings.TrimSpace(fmt.Sprintf("%s %s %d/%d", words, meter(float64(p.Step)/float64(p.Of), 8), p.Step, p.Of))
	} else if p.Tokens > 0 {
		words = strings.TrimSpace(words + " " + plural(p.Tokens, "token"))
	}
	return joined(words, timeLeft(p.Left))
}

// captureProgress is how far the painting of a picture has come, in words for
// the play: what is being done, a bar of its steps, and the time that is left.
func captureProgress(j *job) string {
	if words := progressWords(j); words != "" {
		return words
	}
	return "waiting for ComfyUI"
}

// briefProgress is the same for the status line: nothing but what changes.
func briefProgress(j *job) string {
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
			words += " " + elapsed(time.Since(j.op.StartedAt))
		}
	}
	return joined(words, timeLeft(p.Left))
}

// joined puts words between dots, those that are empty left out.
func joined(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, between)
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

// timeLeft is how long something will still take, as people say it; "" while that
// is not known.
func timeLeft(d time.Duration) string {
	s := int((d + time.Second - 1) / time.Second)
	switch {
	case d <= 0:
		return ""
	case s < 90:
		return fmt.Sprintf("%d s left", s)
	case s < 90*60:
		return fmt.Sprintf("%d min left", (s+30)/60)
	}
	return fmt.Sprintf("%d h left", (s+1800)/3600)
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
		words = append(words, plural(b.Drafts, "draft"))
	}
	return joined(append(words, timeLeft(b.Left))...)
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
