package pictures

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The stages of a picture, in their order.
const (
	stageIdle = iota
	stageUnload
	stageVerify
	stagePaint
	stageFree
	stageWarm
)

// stagesAhead are the stages of a picture before it is begun.
func (svc *Service) stagesAhead() []queue.Stage {
	v := svc.core.Settings().VRAM
	list := make([]queue.Stage, 0, stageWarm+1)
	for _, s := range []struct {
		name string
		off  bool
	}{
		{"wait for the reply", v.KeepOllama}, {"unload the language models", v.KeepOllama}, {"check that they are unloaded", v.KeepOllama || v.NoVerify},
		{"paint", false}, {"free ComfyUI's memory", !v.FreeComfy}, {"warm the prompt cache again", v.KeepOllama || v.NoWarm || !svc.core.Settings().Stage.WarmUp},
	} {
		stage := queue.Stage{Name: s.name}
		if s.off {
			stage.State, stage.Note = queue.StageSkipped, "turned off in the settings"
		}
		list = append(list, stage)
	}
	return list
}

// tell reports where the picture stands.
func (p *painting) tell() {
	now := p.now
	now.Stages = append([]queue.Stage(nil), p.stages...)
	p.report(now)
}

// beginStage says that a stage has begun, and in which words.
func (p *painting) beginStage(stage int, words string) {
	p.stages[stage].State = queue.StageNow
	p.now = queue.Progress{Text: words}
	p.tell()
}

// endStage says what a stage has come to. It is told with the next one.
func (p *painting) endStage(stage int, state queue.StageState, note string) {
	p.stages[stage].State, p.stages[stage].Note = state, note
}

// renderState is what the service keeps of the pictures that are being painted. Its zero
// value is ready.
type renderState struct {
	mu           sync.Mutex
	running      int                       // pictures that are being painted
	at           map[*comfy.Client]int     // where
	here         map[storage.CaptureID]int // those that this process paints
	used         map[*comfy.Client]bool    // servers that were not freed since
	releaseLanes func()                    // lets go of the language models' lanes, nil where they are not held
	cold         bool                      // nothing is read ahead before the user's next turn
	cancelUnload func()                    // ends the unloading that is under way, nil for none
	unloadDone   chan struct{}             // closed when that has ended
}

// slot is what a picture holds while it is painted.
type slot struct {
	server *comfy.Client // nil until one was chosen
	free   func()        // lets go of the lanes that it holds, nil for none
}

func (svc *Service) takeSlot(c storage.CaptureID) *slot {
	k := &svc.renders
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running++
	if k.here == nil {
		k.here = map[storage.CaptureID]int{}
	}
	k.here[c]++
	return &slot{}
}

// paintsHere tells whether this process is painting a capture.
func (k *renderState) paintsHere(c storage.CaptureID) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.here[c] > 0
}

// stopUnloading ends the unloading of models and waits until it has ended: the user's
// turn is about to use one. After it there is a prompt worth reading ahead again.
func (k *renderState) stopUnloading() {
	k.mu.Lock()
	done := k.unloadDone
	k.cold = false
	if k.cancelUnload != nil {
		k.cancelUnload()
	} else {
		done = nil
	}
	k.mu.Unlock()
	if done != nil {
		<-done
	}
}

func (k *renderState) leftCold() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.cold
}

// unloading takes the place of what unloads models, unless a reply is being
// written: whoever begins one after that finds cancel there.
func (svc *Service) unloading(cancel func()) (ended func(), ok bool) {
	k := &svc.renders
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cancelUnload != nil || svc.chats.Turns.Any() != nil {
		return nil, false
	}
	done := make(chan struct{})
	k.cancelUnload, k.unloadDone = cancel, done
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.cancelUnload = nil
		close(done)
	}, true
}

// waitIdle waits until no reply is being written, and nothing is being unloaded.
func (svc *Service) waitIdle(ctx context.Context) {
	k := &svc.renders
	for ctx.Err() == nil {
		var wait <-chan struct{}
		if t := svc.chats.Turns.Any(); t != nil {
			wait = t.Done()
		} else {
			k.mu.Lock()
			if k.cancelUnload != nil {
				wait = k.unloadDone
			}
			k.mu.Unlock()
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

// makeRoom has the language models give their memory back, so that ComfyUI can
// have it. Nothing is unloaded while a reply is written, and what does not work
// keeps no picture from being painted. The error is ctx's.
func (p *painting) makeRoom(ctx context.Context, s *slot) error {
	if p.svc.core.Settings().VRAM.KeepOllama {
		return nil
	}
	p.beginStage(stageIdle, "unloading the language model as soon as nobody needs it")
	free, err := p.svc.house.HoldModels(ctx)
	if err != nil {
		return err
	}
	s.free = free // from here on cleanUp lets go of them
	p.svc.NeedsRoom.Run(p.C.ID)
	for cut := true; cut; {
		p.svc.waitIdle(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		cut = p.unload(ctx)
	}
	if p.svc.core.Settings().VRAM.NoHold {
		free()
		s.free = nil
	}
	return ctx.Err()
}

// unload unloads all models and sees to it that they are gone. It is cut short
// when the user takes a turn; then it has to be done again.
func (p *painting) unload(ctx context.Context) (cut bool) {
	ours, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, ok := p.svc.unloading(cancel)
	if !ok {
		return true
	}
	defer ended()
	p.endStage(stageIdle, queue.StageDone, "")
	p.beginStage(stageUnload, "unloading the language models")
	names, faults := p.svc.unloadAll(ours)
	if ours.Err() != nil {
		p.endStage(stageUnload, queue.StageAhead, "")
		return true
	}
	switch {
	case len(faults) > 0:
		p.svc.core.Log.Info("models were not unloaded", "err", errors.Join(faults...))
		p.endStage(stageUnload, queue.StageFailed, failure.Words(faults[0]))
	case len(names) == 0:
		p.endStage(stageUnload, queue.StageSkipped, "none is loaded")
		if p.stages[stageVerify].State == queue.StageAhead {
			p.endStage(stageVerify, queue.StageSkipped, "none is loaded")
		}
		return false
	default:
		p.endStage(stageUnload, queue.StageDone, strings.Join(names, ", "))
	}
	if !p.svc.core.Settings().VRAM.NoVerify {
		p.verify(ours)
	}
	return ours.Err() != nil
}

// unloadAll unloads the models of all servers that are known. Servers that do not
// answer hold none, as far as anybody can tell.
func (svc *Service) unloadAll(ctx context.Context) (names []string, faults []error) {
	for _, c := range svc.house.LanguageServers() {
		list, err := c.UnloadAll(ctx)
		names = append(names, list...)
		if err != nil && !errors.Is(err, ollama.ErrUnreachable) {
			faults = append(faults, err)
		}
	}
	if len(names) == 0 {
		return names, faults
	}
	svc.Unloaded.Run(names)
	if svc.core.Settings().VRAM.NoWarm {
		k := &svc.renders
		k.mu.Lock()
		k.cold = true
		k.mu.Unlock()
	}
	return names, faults
}

// The checking that models are gone: how long in all, and between two looks.
const (
	goneWait  = 6 * time.Second
	gonePause = 150 * time.Millisecond
)

// verify looks whether the models are really gone, and waits a while for it.
func (p *painting) verify(ctx context.Context) {
	p.beginStage(stageVerify, "making sure that the language models are gone")
	wait, cancel := context.WithTimeout(ctx, goneWait)
	defer cancel()
	tick := time.NewTicker(gonePause)
	defer tick.Stop()
	var seen []string
	for {
		left, err := p.svc.stillLoaded(wait)
		if err == nil {
			seen = left
		}
		switch {
		case ctx.Err() != nil:
			p.endStage(stageVerify, queue.StageAhead, "")
			return
		case err != nil && wait.Err() == nil:
			p.endStage(stageVerify, queue.StageFailed, failure.Words(err))
			return
		case err == nil && len(left) == 0:
			p.endStage(stageVerify, queue.StageDone, "")
			return
		}
		select {
		case <-wait.Done():
			if ctx.Err() == nil {
				p.endStage(stageVerify, queue.StageFailed, lingering(seen))
			}
			return
		case <-tick.C:
		}
	}
}

// lingering says of which models it is known that they are still in memory, none
// of them where the server was too slow to say.
func lingering(models []string) string {
	switch len(models) {
	case 0:
		return "the server did not say in time whether they are gone"
	case 1:
		return models[0] + " is still in memory; ComfyUI may have too little"
	}
	return strings.Join(models, ", ") + " are still in memory; ComfyUI may have too little"
}

// stillLoaded names the models in the memory of servers that answer.
func (svc *Service) stillLoaded(ctx context.Context) (names []string, err error) {
	for _, c := range svc.house.LanguageServers() {
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

// cleanUp ends a picture's work. The last one of several in a row has ComfyUI free
// its memory and lets go of the language models; until then they are held, and
// what was unloaded once stays so.
func (p *painting) cleanUp(ctx context.Context, s *slot, well bool) {
	k := &p.svc.renders
	k.mu.Lock()
	if s.server != nil {
		if k.at[s.server]--; k.at[s.server] <= 0 {
			delete(k.at, s.server)
		}
		if k.used == nil {
			k.used = map[*comfy.Client]bool{}
		}
		k.used[s.server] = true
	}
	k.mu.Unlock()
	others, waiting := p.svc.core.Queue.Ahead(OpCaptureSend, p.op.ID)
	last := others+waiting == 0
	if well && ctx.Err() == nil {
		p.afterPainting(ctx, last, waiting)
	}
	k.mu.Lock()
	if k.here[p.C.ID]--; k.here[p.C.ID] <= 0 {
		delete(k.here, p.C.ID)
	}
	free := []func(){s.free}
	if k.running--; !last && k.releaseLanes == nil {
		k.releaseLanes, free[0] = s.free, nil
	} else if last && k.running == 0 {
		free, k.releaseLanes = append(free, k.releaseLanes), nil
	}
	k.mu.Unlock()
	for _, f := range free {
		if f != nil {
			f()
		}
	}
}

// afterPainting is what is done after a picture, or said of it where others follow.
func (p *painting) afterPainting(ctx context.Context, last bool, waiting int) {
	if !last {
		note := "after the last picture"
		if waiting > 0 {
			note = fmt.Sprintf("after the last of %d more", waiting)
		}
		for _, stage := range []int{stageFree, stageWarm} {
			if p.stages[stage].State == queue.StageAhead {
				p.endStage(stage, queue.StageSkipped, note)
			}
		}
	}
	p.endStage(stagePaint, queue.StageDone, "")
	if p.stages[stageFree].State == queue.StageAhead {
		p.beginStage(stageFree, "freeing ComfyUI's memory")
		p.endStage(stageFree, queue.StageDone, "")
		if err := p.svc.freeComfy(ctx); err != nil {
			p.endStage(stageFree, queue.StageFailed, failure.Words(err))
		}
	}
	if p.stages[stageWarm].State == queue.StageAhead {
		p.endStage(stageWarm, queue.StageNow, "follows immediately")
	}
	p.tell()
}

// freePatience bounds how long a server may take to give its memory back.
const freePatience = 10 * time.Second

// freeComfy has all servers give back their memory that have painted since they
// did so last.
func (svc *Service) freeComfy(ctx context.Context) error {
	k := &svc.renders
	k.mu.Lock()
	used := k.used
	k.used = nil
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, freePatience)
	defer cancel()
	var faults []error
	for c := range used {
		if err := c.Free(ctx); err != nil {
			svc.core.Log.Warn("ComfyUI did not free its memory", "server", c.BaseURL(), "err", err)
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// releaseUnused looks after what the last picture could not do itself: it was
// cancelled, or others that were to follow it were.
func (svc *Service) releaseUnused(op storage.Operation) {
	if op.Type != OpCaptureSend || op.Status == storage.Pending || op.Status == storage.InProgress {
		return
	}
	k := &svc.renders
	k.mu.Lock()
	left := k.running == 0 && (k.releaseLanes != nil || len(k.used) > 0 && svc.core.Settings().VRAM.FreeComfy)
	k.mu.Unlock()
	if !left {
		return
	}
	if running, ready := svc.core.Queue.Ahead(OpCaptureSend, op.ID); running+ready > 0 {
		return
	}
	k.mu.Lock()
	free := k.releaseLanes
	taken := k.running > 0 // by another picture, which looks after it all
	if !taken {
		k.releaseLanes = nil
	}
	k.mu.Unlock()
	if taken {
		return
	}
	if free != nil {
		free()
	}
	if !svc.core.Settings().VRAM.FreeComfy {
		return
	}
	if svc.core.Enter() {
		crash.Go("freeing ComfyUI", func() {
			defer svc.core.Work.Done()
			_ = svc.freeComfy(svc.core.Ctx) // told in the log
		})
	}
}

// StopUnloading ends the unloading of models and waits until it has ended: the user's turn
// is about to use one.
func (svc *Service) StopUnloading() { svc.renders.stopUnloading() }

// LeftCold tells whether the models were unloaded and nothing is to be read ahead
// before the user's next turn.
func (svc *Service) LeftCold() bool { return svc.renders.leftCold() }
