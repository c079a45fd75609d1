package pictures

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// inState is what is stored of a capture in a state.
func inState(s jobState) storage.Capture {
	c := storage.Capture{ID: "c", ImagePrompt: "A lamp."}
	switch s {
	case jobDraft, jobWaiting, jobAbandoned:
		c.Status = storage.CaptureDraft
	case jobPrompting:
		c.Status = storage.CapturePrompting
	case jobQueued, jobSent:
		c.Status = storage.CaptureGenerating
	case jobDone:
		c.Status, c.ImagePath = storage.CaptureCompleted, "captures/c.png"
	case jobFailed:
		c.Status, c.Error = storage.CaptureFailed, "no memory"
	}
	c.Waiting = s == jobWaiting
	if s == jobAbandoned || s == jobSent {
		c.Server, c.Job = "http://paint", "j1"
	}
	return c
}

// jobTable is every state with what every event makes of it.
var jobTable = map[jobState]map[jobEventKind]jobState{
	jobDraft: {
		jobAsk: jobPrompting, jobSend: jobQueued, jobAssign: jobAbandoned, jobOffline: jobDraft,
		jobPaint: jobDone, jobFail: jobDraft, jobCancel: jobDraft, jobForget: jobDraft,
	},
	jobWaiting: {
		jobAsk: jobPrompting, jobSend: jobQueued, jobAssign: jobAbandoned, jobOffline: jobWaiting,
		jobPaint: jobDone, jobFail: jobWaiting, jobCancel: jobWaiting, jobForget: jobWaiting,
	},
	jobAbandoned: {
		jobAsk: jobPrompting, jobSend: jobSent, jobAssign: jobAbandoned, jobOffline: jobAbandoned,
		jobPaint: jobDone, jobFail: jobAbandoned, jobCancel: jobAbandoned, jobForget: jobDraft,
	},
	jobPrompting: {
		jobAsk: jobPrompting, jobSend: jobQueued, jobAssign: jobPrompting, jobOffline: jobPrompting,
		jobPaint: jobDone, jobFail: jobFailed, jobCancel: jobDraft, jobForget: jobPrompting,
	},
	jobQueued: {
		jobAsk: jobPrompting, jobSend: jobQueued, jobAssign: jobSent, jobOffline: jobWaiting,
		jobPaint: jobDone, jobFail: jobFailed, jobCancel: jobDraft, jobForget: jobQueued,
	},
	jobSent: {
		jobAsk: jobPrompting, jobSend: jobSent, jobAssign: jobSent, jobOffline: jobWaiting,
		jobPaint: jobDone, jobFail: jobFailed, jobCancel: jobAbandoned, jobForget: jobQueued,
	},
	jobDone: {
		jobAsk: jobDone, jobSend: jobDone, jobAssign: jobDone, jobOffline: jobDone,
		jobPaint: jobDone, jobFail: jobDone, jobCancel: jobDone, jobForget: jobDone,
	},
	jobFailed: {
		jobAsk: jobPrompting, jobSend: jobQueued, jobAssign: jobFailed, jobOffline: jobFailed,
		jobPaint: jobDone, jobFail: jobFailed, jobCancel: jobFailed, jobForget: jobFailed,
	},
}

func happens(kind jobEventKind) jobEvent {
	return jobEvent{kind: kind, words: "why", server: "http://other", job: "j2"}
}

func TestJob_EveryEventInEveryState(t *testing.T) {
	t.Parallel()
	for state, row := range jobTable {
		before := inState(state)
		if got := stateOf(before); got != state {
			t.Fatalf("%s is read as %s", state, got)
		}
		for kind, want := range row {
			c := nextState(before, happens(kind))
			if got := stateOf(c); got != want {
				t.Errorf("%s after %s is %s, want %s", state, kind, got, want)
			}
			if c.ImagePrompt != before.ImagePrompt || c.ImagePath != before.ImagePath {
				t.Errorf("%s after %s has lost its prompt or picture: %+v", state, kind, c)
			}
			says := c.Error == "why"
			if wants := (kind == jobFail || kind == jobOffline) && want != state; says != wants {
				t.Errorf("%s after %s says %q", state, kind, c.Error)
			}
		}
	}
}

// restarted is what the next start makes of a job that the process died over, by how its
// operation stands: one that was being worked on is pending then, and none is left of what
// was not stored.
var restarted = map[jobState]map[storage.OperationStatus]jobState{
	jobPrompting: {storage.Pending: jobQueued, storage.Failed: jobFailed,
		storage.Cancelled: jobDraft, "": jobDraft},
	jobQueued: {storage.Pending: jobQueued, storage.Failed: jobFailed,
		storage.Cancelled: jobDraft, "": jobDraft},
	jobSent: {storage.Pending: jobSent, storage.Failed: jobFailed,
		storage.Cancelled: jobAbandoned, "": jobAbandoned},
	jobAbandoned: {storage.Pending: jobSent, storage.Failed: jobAbandoned, storage.Cancelled: jobAbandoned, "": jobAbandoned},
	jobDraft:     {storage.Pending: jobQueued, storage.Failed: jobDraft, storage.Cancelled: jobDraft, "": jobDraft},
	jobWaiting:   {storage.Pending: jobQueued, storage.Completed: jobWaiting, "": jobWaiting},
	jobFailed: {storage.Pending: jobQueued, storage.Failed: jobFailed,
		storage.Cancelled: jobFailed, "": jobFailed},
	jobDone: {storage.Pending: jobDone, storage.Completed: jobDone, storage.Failed: jobDone, storage.Cancelled: jobDone},
}

func TestJob_ACrashInEveryState(t *testing.T) {
	t.Parallel()
	for state, row := range restarted {
		for status, want := range row {
			c := withOperation(inState(state), storage.Operation{Type: OpCaptureSend, Status: status, Error: "why"})
			if got := stateOf(c); got != want {
				t.Errorf("%s with a painting that is %q becomes %s, want %s", state, status, got, want)
			}
			c = withOperation(c, storage.Operation{Type: OpCaptureSend, Status: status, Error: "why"})
			if stateOf(c) != want {
				t.Errorf("%s with a painting that is %q does not stay %s", state, status, want)
			}
		}
	}
}

// Whatever happens in whatever order: nothing is lost, and what is sent can be painted.
func TestJob_Walks(t *testing.T) {
	t.Parallel()
	kinds := []jobEventKind{jobAsk, jobSend, jobAssign, jobOffline, jobPaint, jobFail, jobCancel, jobForget}
	rapid.Check(t, func(t *rapid.T) {
		c := inState(jobDraft)
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 30).Draw(t, "events") {
			was := stateOf(c)
			c = nextState(c, happens(kind))
			if c.ImagePrompt == "" || was == jobDone && stateOf(c) != jobDone || c.Waiting && c.Status == storage.CaptureGenerating {
				t.Fatalf("after %s: %+v", kind, c)
			}
		}
		c = nextState(nextState(c, jobEvent{kind: jobSend}), jobEvent{kind: jobPaint})
		if stateOf(c) != jobDone {
			t.Fatalf("it cannot be painted: %+v", c)
		}
	})
}
