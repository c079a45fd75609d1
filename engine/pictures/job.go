package pictures

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// jobState is the state of a capture's picture. It is derived from the stored Status, Waiting and
// Job, which only nextState changes, because anything else is lost in a crash.
type jobState string

// The states of a job.
const (
	jobDraft     jobState = "draft"     // no work
	jobWaiting   jobState = "waiting"   // a draft that was sent while no server was available
	jobAbandoned jobState = "left"      // it was cancelled, but its server may still have it
	jobPrompting jobState = "prompting" // its prompt is being written
	jobQueued    jobState = "queued"    // it is to be painted
	jobSent      jobState = "sent"      // its server may have it; the same operation continues it
	jobDone      jobState = "done"      // there is a picture
	jobFailed    jobState = "failed"    // Error says why; it can be sent again
)

func stateOf(c storage.Capture) jobState {
	switch {
	case c.Status == storage.CaptureCompleted:
		return jobDone
	case c.Status == storage.CapturePrompting:
		return jobPrompting
	case c.Status == storage.CaptureGenerating && c.Job != "":
		return jobSent
	case c.Status == storage.CaptureGenerating:
		return jobQueued
	case c.Status == storage.CaptureFailed:
		return jobFailed
	case c.Job != "":
		return jobAbandoned
	case c.Waiting:
		return jobWaiting
	}
	return jobDraft
}

// isBusy reports whether a capture is in progress, by its record.
func isBusy(c storage.Capture) bool {
	return c.Status == storage.CapturePrompting || c.Status == storage.CaptureGenerating
}

// jobEvent is an event of a job. It is stored in one transaction with its consequences.
type jobEvent struct {
	kind        jobEventKind
	words       string // why it failed or waits
	server, job string // the server and the job's ID there
}

type jobEventKind string

const (
	// jobAsk queues the writing of its prompt, jobSend its painting.
	jobAsk  jobEventKind = "ask"
	jobSend jobEventKind = "send"
	// jobAssign sets its server and ID: before it is sent, and when the server has given it
	// another ID.
	jobAssign jobEventKind = "give"
	// jobOffline means that no server answers: the operation completes.
	jobOffline jobEventKind = "away"
	// jobPaint adds the picture, whose files exist already, with its message and the end of the
	// operation.
	jobPaint jobEventKind = "paint"
	// jobFail and jobCancel follow on an operation that failed or was cancelled.
	jobFail   jobEventKind = "fail"
	jobCancel jobEventKind = "drop"
	// jobForget means that its server no longer has it, or that nobody will check.
	jobForget jobEventKind = "forget"
)

// nextState returns the capture after an event. An event without a meaning in its state changes
// nothing: a picture stays one, and events of an operation may be outdated.
func nextState(c storage.Capture, e jobEvent) storage.Capture {
	if c.Status == storage.CaptureCompleted && e.kind != jobForget {
		return c
	}
	switch e.kind {
	case jobAsk:
		c.Status, c.Error = storage.CapturePrompting, ""
	case jobSend:
		c.Status, c.Error, c.Waiting = storage.CaptureGenerating, "", false
	case jobAssign:
		c.Server, c.Job = e.server, e.job
	case jobOffline:
		if c.Status == storage.CaptureGenerating {
			c.Status, c.Error, c.Waiting, c.Job = storage.CaptureDraft, e.words, true, ""
		}
	case jobPaint:
		c.Status, c.Error, c.Waiting = storage.CaptureCompleted, "", false
	case jobFail:
		if isBusy(c) {
			c.Status, c.Error = storage.CaptureFailed, e.words
		}
	case jobCancel:
		if isBusy(c) {
			c.Status, c.Error, c.Waiting = storage.CaptureDraft, "", false
		}
	case jobForget:
		c.Job = ""
	}
	return c
}

// withOperation returns a capture in the state of its newest operation, the zero one for none. A
// completed operation has stored the capture itself.
func withOperation(c storage.Capture, op storage.Operation) storage.Capture {
	switch op.Status {
	case storage.Pending, storage.InProgress:
		if op.Type == OpCaptureSend {
			return nextState(c, jobEvent{kind: jobSend})
		}
		return nextState(c, jobEvent{kind: jobAsk})
	case storage.Failed:
		return nextState(c, jobEvent{kind: jobFail, words: op.Error})
	}
	return nextState(c, jobEvent{kind: jobCancel})
}

// The phases of painting, in order.
const (
	phaseUnload = iota
	phasePaint
	phaseFree
)

// phasesOf returns the phases of a picture that has not started.
func phasesOf(v config.VRAM) []queue.Phase {
	phase := func(name string, off bool) queue.Phase {
		if off {
			return queue.Phase{Name: name, State: queue.PhaseSkipped, Note: "turned off in the settings"}
		}
		return queue.Phase{Name: name}
	}
	return []queue.Phase{
		phaseUnload: phase("unload the language models", v.KeepOllama),
		phasePaint:  phase("generate the picture", false),
		phaseFree:   phase("free ComfyUI's memory", !v.FreeComfy),
	}
}

// reportProgress reports the state of the picture.
func (p *painting) reportProgress() {
	now := p.progress
	now.Phases = slices.Clone(p.phases)
	p.report(now)
}

// beginPhase starts a phase with a text.
func (p *painting) beginPhase(phase int, words string) {
	p.phases[phase].State, p.progress = queue.PhaseRunning, queue.Progress{Text: words}
	p.reportProgress()
}

// endPhase sets the result of a phase. It is reported with the next one.
func (p *painting) endPhase(phase int, state queue.PhaseState, note string) {
	p.phases[phase].State, p.phases[phase].Note = state, note
}
