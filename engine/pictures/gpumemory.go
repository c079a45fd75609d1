package pictures

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// gpuMemory coordinates the graphics memory between pictures and language models. The first
// picture unloads the language models and holds background work until the last one has ended. The
// zero value is ready.
type gpuMemory struct {
	mu           sync.Mutex
	painting     map[storage.CaptureID]int // captures that this process paints
	perServer    map[*comfy.Client]int     // pictures of this program at each server
	used         map[*comfy.Client]bool    // servers that have painted since they freed their memory
	releases     []func()                  // release background work
	cancelUnload func()                    // cancels the current unloading, nil for none
	unloadDone   chan struct{}             // closed when that has ended
}

// add adds a capture that this process paints.
func (r *gpuMemory) add(c storage.CaptureID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.painting == nil {
		r.painting, r.perServer, r.used = map[storage.CaptureID]int{}, map[*comfy.Client]int{}, map[*comfy.Client]bool{}
	}
	r.painting[c]++
}

// assign assigns a picture to the server with the shortest queue and returns its index, -1 if none
// answers. jobs are the lengths of the queues.
func (r *gpuMemory) assign(list []*comfy.Client, jobs []int, faults []error) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	best := -1
	for i, c := range list {
		if faults[i] != nil {
			continue
		}
		jobs[i] = max(jobs[i], r.perServer[c]) // ours may not be in its queue yet
		if best < 0 || jobs[i] < jobs[best] || jobs[i] == jobs[best] && r.perServer[c] < r.perServer[list[best]] {
			best = i
		}
	}
	if best >= 0 {
		r.perServer[list[best]]++
		r.used[list[best]] = true
	}
	return best
}

// remove undoes add and assign. server is nil if none was assigned.
func (r *gpuMemory) remove(c storage.CaptureID, server *comfy.Client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.painting[c]--; r.painting[c] <= 0 {
		delete(r.painting, c)
	}
	if server == nil {
		return
	}
	if r.perServer[server]--; r.perServer[server] <= 0 {
		delete(r.perServer, server)
	}
}

// isPainting reports whether this process paints a capture.
func (r *gpuMemory) isPainting(c storage.CaptureID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.painting[c] > 0
}

// StopUnloading cancels the unloading of models and waits for its end, before a turn uses a model.
func (svc *Service) StopUnloading() {
	r := &svc.gpu
	r.mu.Lock()
	cancel, done := r.cancelUnload, r.unloadDone
	r.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
}

// startUnload registers the cancel function of an unloading, unless a reply is being written.
func (svc *Service) startUnload(cancel func()) (ended func(), ok bool) {
	r := &svc.gpu
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancelUnload != nil || svc.chats.Turns.Any() != nil {
		return nil, false
	}
	done := make(chan struct{})
	r.cancelUnload, r.unloadDone = cancel, done
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.cancelUnload = nil
		close(done)
	}, true
}

// waitIdle waits until no reply is being written and no model is being unloaded.
func (svc *Service) waitIdle(ctx context.Context) {
	r := &svc.gpu
	for ctx.Err() == nil {
		var wait <-chan struct{}
		if t := svc.chats.Turns.Any(); t != nil {
			wait = t.Done()
		} else {
			r.mu.Lock()
			if r.cancelUnload != nil {
				wait = r.unloadDone
			}
			r.mu.Unlock()
		}
		if wait == nil {
			return
		}
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
}

// releaseModelMemory unloads the language models for ComfyUI. Nothing is unloaded while a reply is
// written; failures do not stop the painting. It only returns the error of ctx.
func (p *painting) releaseModelMemory(ctx context.Context) error {
	if p.svc.core.Settings().VRAM.KeepOllama {
		return nil
	}
	p.beginPhase(phaseUnload, "unloading the language model once it is idle")
	if err := p.svc.holdBackgroundWork(ctx); err != nil {
		return err
	}
	p.svc.NeedsMemory.Run(p.C.ID)
	for cut := true; cut; {
		p.svc.waitIdle(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		cut = p.unload(ctx)
	}
	return ctx.Err()
}

// holdBackgroundWork keeps background work from using the language models until finishPainting.
func (svc *Service) holdBackgroundWork(ctx context.Context) error {
	r := &svc.gpu
	r.mu.Lock()
	held := len(r.releases) > 0
	r.mu.Unlock()
	if held { // they stay held while a picture is painted
		return nil
	}
	free, err := svc.models.HoldModels(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.releases = append(r.releases, free)
	return nil
}

// unload unloads all models and checks that they are gone. cut means that a turn interrupted it
// and it has to be repeated.
func (p *painting) unload(ctx context.Context) (cut bool) {
	ours, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, ok := p.svc.startUnload(cancel)
	if !ok {
		return true
	}
	defer ended()
	p.beginPhase(phaseUnload, "unloading the language models")
	names, err := p.svc.unloadAll(ours)
	if err == nil && len(names) > 0 {
		err = p.svc.waitUnloaded(ours)
	}
	switch {
	case ours.Err() != nil:
		return true
	case err != nil:
		p.svc.core.Log.Info("models were not unloaded", "err", err)
		p.endPhase(phaseUnload, queue.PhaseFailed, failure.Text(err))
	case len(names) == 0:
		p.endPhase(phaseUnload, queue.PhaseSkipped, "none is loaded")
	default:
		p.endPhase(phaseUnload, queue.PhaseDone, strings.Join(names, ", "))
	}
	return false
}

// unloadAll unloads the models of all known servers. A server that does not answer is assumed to
// have none.
func (svc *Service) unloadAll(ctx context.Context) (names []string, err error) {
	for _, c := range svc.models.LanguageServers() {
		list, fault := c.UnloadAll(ctx)
		names = append(names, list...)
		if fault != nil && !errors.Is(fault, ollama.ErrUnreachable) {
			err = errors.Join(err, fault)
		}
	}
	if len(names) > 0 {
		svc.Unloaded.Run(names)
	}
	return names, err
}

// How long to wait until models are unloaded, and the polling interval.
const (
	unloadTimeout = 6 * time.Second
	unloadPoll    = 150 * time.Millisecond
)

// waitUnloaded waits until no language model is in memory. The error names those that still are.
func (svc *Service) waitUnloaded(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, unloadTimeout)
	defer cancel()
	tick := time.NewTicker(unloadPoll)
	defer tick.Stop()
	var seen []string
	for {
		left, err := svc.loadedModels(wait)
		switch {
		case err == nil && len(left) == 0:
			return nil
		case err == nil:
			seen = left
		case wait.Err() == nil:
			return err
		}
		select {
		case <-wait.Done():
			if len(seen) == 0 {
				return failure.Refusef("the server did not confirm in time that they were unloaded")
			}
			return failure.Refusef("still in memory: %s; ComfyUI may have too little", strings.Join(seen, ", "))
		case <-tick.C:
		}
	}
}

// loadedModels returns the models in the memory of servers that answer.
func (svc *Service) loadedModels(ctx context.Context) (names []string, err error) {
	for _, c := range svc.models.LanguageServers() {
		list, err := c.Running(ctx)
		if err != nil && !errors.Is(err, ollama.ErrUnreachable) {
			return names, err
		}
		for _, m := range list {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

// finish ends the work on a picture. The last one releases the memory. When the program ends, the
// server continues to paint.
func (p *painting) finish(ctx context.Context, well bool) {
	p.svc.gpu.remove(p.C.ID, p.server)
	if errors.Is(context.Cause(ctx), queue.ErrStopped) {
		return
	}
	if well && ctx.Err() == nil {
		p.endPhase(phasePaint, queue.PhaseDone, "")
		switch follows := p.svc.hasNextPicture(p.op.ID); {
		case p.phases[phaseFree].State != queue.PhasePending:
		case follows:
			p.endPhase(phaseFree, queue.PhaseSkipped, "after the last picture")
		default:
			p.beginPhase(phaseFree, "freeing ComfyUI's memory")
		}
	}
	p.svc.finishPainting(p.op.ID)
}

// hasNextPicture reports whether another picture is painted or queued.
func (svc *Service) hasNextPicture(op storage.OperationID) bool {
	running, ready := svc.core.Queue.CountAhead(OpCaptureSend, op)
	return running+ready > 0
}

// finishPainting frees the memory of ComfyUI, if the settings say so, and releases background
// work, unless another picture is painted or queued.
func (svc *Service) finishPainting(op storage.OperationID) {
	r := &svc.gpu
	r.mu.Lock()
	open := len(r.releases)+len(r.used) > 0
	r.mu.Unlock()
	if !open || svc.hasNextPicture(op) {
		return
	}
	r.mu.Lock()
	if len(r.painting) > 0 { // that picture does it
		r.mu.Unlock()
		return
	}
	held, used := r.releases, r.used
	r.releases, r.used = nil, map[*comfy.Client]bool{}
	r.mu.Unlock()
	if svc.core.Settings().VRAM.FreeComfy {
		svc.freeComfy(used)
	}
	for _, free := range held {
		free()
	}
}

// freeTimeout limits how long servers may take to free their memory.
const freeTimeout = 10 * time.Second

// freeComfy makes servers free their memory.
func (svc *Service) freeComfy(servers map[*comfy.Client]bool) {
	ctx, cancel := context.WithTimeout(svc.core.Ctx, freeTimeout)
	defer cancel()
	for c := range servers {
		if err := c.Free(ctx); err != nil {
			svc.core.Log.Warn("ComfyUI did not free its memory", "server", c.BaseURL(), "err", err)
		}
	}
}
