package pictures

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// jobState is where a capture stands on its way to a picture. It follows from what is
// stored of the capture, its Status, Waiting and Job, which after alone changes: what
// a process knows besides may be lost at any moment.
type jobState string

// The states of a job.
const (
	jobDraft     jobState = "draft"     // nothing is under way
	jobWaiting   jobState = "waiting"   // a draft that was sent while no server was there
	jobLeft      jobState = "left"      // nobody wants it any more, but its server may still have it
	jobPrompting jobState = "prompting" // its prompt is being written
	jobQueued    jobState = "queued"    // it is to be painted
	jobSent      jobState = "sent"      // its server may have it: the same operation takes it up there
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
		return jobLeft
	case c.Waiting:
		return jobWaiting
	}
	return jobDraft
}

// busy reports whether a capture is being worked on, by its record.
func busy(c storage.Capture) bool {
	return c.Status == storage.CapturePrompting || c.Status == storage.CaptureGenerating
}

// jobEvent is something that happens to a job. Each is stored in one transaction, with
// what else follows from it.
type jobEvent struct {
	kind        jobEventKind
	words       string // why it failed or waits
	server, job string // to whom it is given, and under which id
}

type jobEventKind string

const (
	// jobAsk has its prompt written, jobSend has it painted: with the operation that does it.
	jobAsk  jobEventKind = "ask"
	jobSend jobEventKind = "send"
	// jobGive names its server and the id there: before it is sent, and when the server
	// has given it another id.
	jobGive jobEventKind = "give"
	// jobAway finds no server that answers: the operation ends well with that.
	jobAway jobEventKind = "away"
	// jobPaint brings the picture, whose files lie there already: with the message that
	// shows it and the end of the operation.
	jobPaint jobEventKind = "paint"
	// jobFail and jobDrop follow on an operation that has failed, or was cancelled.
	jobFail jobEventKind = "fail"
	jobDrop jobEventKind = "drop"
	// jobForget says that its server no longer has it, or that nobody will look there.
	jobForget jobEventKind = "forget"
)

// after returns the capture after an event. It is unchanged where the event means
// nothing in its state: a picture stays one, and news of an operation may be old.
func after(c storage.Capture, e jobEvent) storage.Capture {
	if c.Status == storage.CaptureCompleted && e.kind != jobForget {
		return c
	}
	switch e.kind {
	case jobAsk:
		c.Status, c.Error = storage.CapturePrompting, ""
	case jobSend:
		c.Status, c.Error, c.Waiting = storage.CaptureGenerating, "", false
	case jobGive:
		c.Server, c.Job = e.server, e.job
	case jobAway:
		if c.Status == storage.CaptureGenerating {
			c.Status, c.Error, c.Waiting, c.Job = storage.CaptureDraft, e.words, true, ""
		}
	case jobPaint:
		c.Status, c.Error, c.Waiting = storage.CaptureCompleted, "", false
	case jobFail:
		if busy(c) {
			c.Status, c.Error = storage.CaptureFailed, e.words
		}
	case jobDrop:
		if busy(c) {
			c.Status, c.Error, c.Waiting = storage.CaptureDraft, "", false
		}
	case jobForget:
		c.Job = ""
	}
	return c
}

// settled is a capture as its newest operation has it, the zero one where there is
// none. A completed operation has stored the capture itself.
func settled(c storage.Capture, op storage.Operation) storage.Capture {
	switch op.Status {
	case storage.Pending, storage.InProgress:
		if op.Type == OpCaptureSend {
			return after(c, jobEvent{kind: jobSend})
		}
		return after(c, jobEvent{kind: jobAsk})
	case storage.Failed:
		return after(c, jobEvent{kind: jobFail, words: op.Error})
	}
	return after(c, jobEvent{kind: jobDrop})
}

// The stages of the painting of a picture that was given to a server, in their order.
const (
	stageUnload = iota
	stagePaint
	stageFree
)

// stagesOf are the stages of a picture before it is begun.
func stagesOf(v config.VRAM) []queue.Stage {
	stage := func(name string, off bool) queue.Stage {
		if off {
			return queue.Stage{Name: name, State: queue.StageSkipped, Note: "turned off in the settings"}
		}
		return queue.Stage{Name: name}
	}
	return []queue.Stage{
		stageUnload: stage("unload the language models", v.KeepOllama),
		stagePaint:  stage("generate the picture", false),
		stageFree:   stage("free ComfyUI's memory", !v.FreeComfy),
	}
}

// tell reports where the picture stands.
func (p *painting) tell() {
	now := p.now
	now.Stages = slices.Clone(p.stages)
	p.report(now)
}

// beginStage says that a stage has begun, and in which words.
func (p *painting) beginStage(stage int, words string) {
	p.stages[stage].State, p.now = queue.StageNow, queue.Progress{Text: words}
	p.tell()
}

// endStage says what a stage has come to. It is told with the next one.
func (p *painting) endStage(stage int, state queue.StageState, note string) {
	p.stages[stage].State, p.stages[stage].Note = state, note
}
