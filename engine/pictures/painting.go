package pictures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// painting is the painting of one capture by ComfyUI.
type painting struct {
	svc               *Service
	op                storage.Operation
	C                 storage.Capture
	who               storage.Imagery
	reused            reusedParts
	requestedWorkflow string // "" for any
	flow              comfy.Workflow
	server            *comfy.Client
	// lacking names what skipped servers lack, "" for none.
	lacking string
	resume  bool // the job may be on the server already

	report         func(queue.Progress)
	progress       queue.Progress
	phases         []queue.Phase
	clock          clock
	serverReported bool   // the server has reported the job
	preview        []byte // the last one
}

// runCaptureSend paints a picture and stores it: first the file and its thumbnail, then the
// message, so that no message is without its file.
func (svc *Service) runCaptureSend(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	p := &painting{svc: svc, op: op, report: report, phases: phasesOf(svc.core.Settings().VRAM)}
	if err := p.read(); err != nil {
		return queue.Effect{}, err
	}
	svc.gpu.add(p.C.ID)
	painted := false
	defer func() { p.finish(ctx, painted) }() // also after a panic
	eff, err := p.paint(ctx)
	if painted = err == nil; !painted {
		eff, err = p.failureEffect(ctx, err)
	}
	return eff, err
}

// read reads the capture and sets what will be sent: the seed, and the prompt with the trigger
// word.
func (p *painting) read() error {
	return p.svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, paramsOf(p.op).Capture)
		if err != nil || c.Status == storage.CaptureCompleted {
			return queue.ErrDiscard
		}
		if _, live := operationsOn(tx, c.ID); live != "" && live > p.op.ID {
			return queue.ErrDiscard // it was sent again: one of them is enough
		}
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return queue.ErrDiscard
		}
		who := p.svc.subjectOf(tx, chat, c)
		p.who = who.Imagery
		p.reused = p.svc.reusedFor(tx, chat, who, c)
		if c.Seed == nil {
			seed := p.reused.seed
			c.Seed = &seed
		}
		c.FinalPrompt = capture.WithTrigger(c.ImagePrompt, p.who.TriggerWord)
		if c.NegativePrompt == "" && c.Prompt == "" { // no model has set it
			c.NegativePrompt = cmp.Or(p.who.NegativePrompt, p.svc.core.Settings().Negative)
		}
		c.Waiting, c.Warnings = false, nil
		if c.Wrote != nil { // those belong to an earlier painting
			c.Warnings = slices.Clone(c.Wrote.Warnings)
		}
		p.C = c
		return storage.Captures.Put(tx, c.ID, c)
	})
}

// paint runs the phases of runCaptureSend.
func (p *painting) paint(ctx context.Context) (queue.Effect, error) {
	p.resume = p.C.Job != "" && isSameJob(p.C.Job, p.op.ID)
	servers, err := p.chooseFlow(ctx)
	if err != nil {
		return queue.Effect{}, err
	}
	if err := p.chooseServer(ctx, servers); err != nil {
		return queue.Effect{}, err
	}
	if err := p.storeJob(); err != nil {
		return queue.Effect{}, err
	}
	graph, err := p.graph(ctx)
	if err != nil {
		return queue.Effect{}, err
	}
	if err := p.releaseModelMemory(ctx); err != nil {
		return queue.Effect{}, err
	}
	p.clock = p.svc.startClock(p.key(p.requestedWorkflow))
	p.beginPhase(phasePaint, "sending the workflow to ComfyUI")
	out, err := p.run(ctx, graph)
	if err != nil {
		return queue.Effect{}, err
	}
	took := p.clock.elapsed(p.svc.core.Config.Now())
	if p.resume && out.Took > 0 { // it was started before this process
		took = out.Took
	}
	p.C.GenerationTime, p.C.Workflow = took.Seconds(), p.flow.Name
	p.C.Warnings = append(p.C.Warnings, out.Warnings...)
	err = p.svc.storePicture(&p.C, out, p.preview)
	var more []storage.Capture
	if err == nil && ctx.Err() == nil {
		more = p.storeExtra(ctx, out.Extra)
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		p.svc.RemoveFiles(p.C.ID)
		p.dropExtra(more)
		return queue.Effect{}, err
	}
	return p.successEffect(more, took), nil
}

// successEffect adds the picture to the chat and the other pictures of the run to the gallery.
func (p *painting) successEffect(more []storage.Capture, took time.Duration) queue.Effect {
	hang := p.svc.AddToChat(p.C)
	result := map[string]any{"image_path": p.C.ImagePath, "seed": *p.C.Seed}
	if len(more) > 0 {
		ids := make([]string, len(more))
		for i, c := range more {
			ids[i] = string(c.ID)
		}
		result["more"] = ids
	}
	return queue.Effect{Result: result, Apply: func(tx *storage.Tx) error {
		if err := hang(tx); err != nil {
			p.dropExtra(more)
			return err
		}
		for _, c := range more {
			if err := storage.Captures.Put(tx, c.ID, c); err != nil {
				return err
			}
		}
		return p.learnTiming(tx, took)
	}}
}

// workflowName returns the capture's workflow, or the character's for its kind.
func (p *painting) workflowName() string {
	switch {
	case p.C.Workflow != "":
		return p.C.Workflow
	case p.C.Kind == string(capture.Video):
		return p.who.VideoWorkflow
	}
	return p.who.Workflow
}

// size returns the capture's size, or the character's; 0 leaves it to the workflow.
func (p *painting) size() (w, h int) {
	if p.C.Width == 0 && p.C.Height == 0 {
		return p.who.Width, p.who.Height
	}
	return p.C.Width, p.C.Height
}

// storeJob stores the server and the job ID before the job is sent, so that it is found again
// after a crash.
func (p *painting) storeJob() error {
	return p.svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, p.C.ID)
		if err != nil {
			return queue.ErrDiscard
		}
		job := c.Job
		if !p.resume {
			job = newJob(p.op.ID)
		}
		p.C = nextState(c, jobEvent{kind: jobAssign, server: p.server.BaseURL(), job: job})
		return storage.Captures.Put(tx, c.ID, p.C)
	})
}

// graph returns the workflow with all values.
func (p *painting) graph(ctx context.Context) ([]byte, error) {
	w, h := p.size()
	v := comfy.Values{Prompt: p.C.FinalPrompt, Negative: p.C.NegativePrompt, Seed: *p.C.Seed, Width: w, Height: h,
		Trigger: p.who.TriggerWord}
	if err := p.uploadInputs(ctx, &v); err != nil {
		return nil, err
	}
	if err := p.server.Equip(ctx, p.flow, &v); err != nil {
		return nil, err
	}
	return p.flow.Fill(v)
}

// run runs the job. If the program ends, the job continues and the next start resumes it.
func (p *painting) run(ctx context.Context, graph []byte) (comfy.Output, error) {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		defer crash.Recover("the end of a picture")
		why := context.Cause(ctx)
		if errors.Is(why, queue.ErrStopped) {
			why = comfy.ErrJobLeft
		}
		cancel(why)
	})()
	spool, err := p.svc.spool(p.C.ID)
	if err != nil {
		return comfy.Output{}, err
	}
	return p.server.Run(run, comfy.Job{Graph: graph, PromptID: p.C.Job, Resume: p.resume,
		Video:   p.C.Kind == string(capture.Video),
		Timeout: p.svc.core.Settings().CaptureTimeout, Spool: spool, Submitted: p.updateJobID}, p.reportServerProgress)
}

// updateJobID stores the ID that the server gave the job, if it differs.
func (p *painting) updateJobID(job string) {
	if job == p.C.Job {
		return
	}
	err := p.svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, p.C.ID)
		if err != nil || c.Job != p.C.Job {
			return err
		}
		return storage.Captures.Put(tx, c.ID, nextState(c, jobEvent{kind: jobAssign, server: c.Server, job: job}))
	})
	if err != nil {
		p.svc.core.Log.Warn("keeping the id of a job failed", "capture", p.C.ID, "err", err)
		return
	}
	p.C.Job = job
}

// reportServerProgress reports the progress on the server.
func (p *painting) reportServerProgress(at comfy.Progress) {
	p.serverReported = true
	if at.Preview != nil {
		p.preview = at.Preview
	}
	p.progress.Step, p.progress.Of, p.progress.Preview, p.progress.Text = at.Step, at.Of, at.Preview, at.NodeTitle
	switch {
	case at.Offline:
		p.progress.Text = fmt.Sprintf("ComfyUI at %s does not respond; waiting for it", p.server.BaseURL())
	case at.Queue > 0:
		p.progress.Text = fmt.Sprintf("%d ahead in ComfyUI's queue", at.Queue)
	}
	if at.Quiet > 0 {
		p.progress.Text = fmt.Sprintf("%s: no progress for %s, gives up in %s", cmp.Or(p.progress.Text, "ComfyUI"),
			at.Quiet.Round(time.Second), at.Left.Round(time.Second))
		p.progress.Step, p.progress.Of = 0, 0 // only the text matters
	}
	p.progress.Left = p.clock.remaining(p.svc.core.Config.Now(), at)
	p.reportProgress()
}

// jobLostError means that the server lost a job while painting. It is not retried automatically,
// because the user may have restarted the server on purpose.
type jobLostError struct{ words string }

// Error implements error with a text for the user.
func (e *jobLostError) Error() string { return e.words }

// promptKept is added to the error of pictures that could not be painted.
const promptKept = "The prompt is kept and can be sent again."

// failureEffect returns what happens to a capture that could not be painted.
func (p *painting) failureEffect(ctx context.Context, err error) (queue.Effect, error) {
	var unfetched *comfy.FetchError
	switch {
	case errors.Is(context.Cause(ctx), queue.ErrStopped):
		return queue.Effect{}, err // it goes on at the next start
	case errors.Is(err, queue.ErrDiscard):
	case ctx.Err() != nil:
		if errors.Is(err, comfy.ErrStillOnServer) {
			p.svc.core.Emit(event.Notice{Level: event.Warning,
				Text: fmt.Sprintf("the picture is cancelled, but ComfyUI at %s is still working on it: the current "+
					"node finishes first, or the server does not respond", p.server.BaseURL())})
		}
	case errors.As(err, &unfetched) && errors.Is(err, comfy.ErrUnreachable):
		// The file is there; retrying the operation fetches it.
		return queue.Effect{}, &failure.KeptError{Err: err,
			Kept: "Retry it in the queue: it is downloaded, not generated again."}
	case errors.As(err, &unfetched):
		err = &failure.KeptError{Err: err, Kept: promptKept}
	case errors.Is(err, comfy.ErrUnreachable) && !p.serverReported:
		return p.waitEffect(err), nil
	case errors.Is(err, comfy.ErrJobGone):
		err = p.lostJob("no longer has this job: it was restarted, or the job was deleted")
	case errors.Is(err, comfy.ErrUnreachable):
		err = p.lostJob("went offline and did not come back")
	default:
		err = &failure.KeptError{Err: err, Kept: promptKept}
	}
	p.clearJob()
	return queue.Effect{}, err
}

func (p *painting) lostJob(what string) error {
	err := &jobLostError{fmt.Sprintf("ComfyUI at %s %s. The prompt is kept: press s to send it again, or: ghostlight "+
		"capture send %s", p.server.BaseURL(), what, p.C.ID)}
	p.svc.core.Emit(event.Notice{Level: event.Warning, Text: err.words})
	return err
}

// waitEffect keeps a capture as a draft until a server is available. The operation is complete;
// sending it again makes another one.
func (p *painting) waitEffect(why error) queue.Effect {
	words := failure.Text(why)
	if p.lacking != "" {
		words += " Of the others, " + p.lacking + "."
	}
	words += " The picture waits as a draft; send it again when the server is back."
	return queue.Effect{Result: map[string]any{"waiting": true, "error": words}, Apply: func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, p.C.ID)
		if err != nil || c.Status != storage.CaptureGenerating {
			return queue.ErrDiscard
		}
		c = nextState(c, jobEvent{kind: jobOffline, words: words})
		c.UpdatedAt = p.svc.core.Config.Now()
		return storage.Captures.Put(tx, c.ID, c)
	}}
}

// clearJob makes the next attempt start over.
func (p *painting) clearJob() {
	if p.C.Job != "" {
		p.svc.clearJob(p.C)
	}
}
