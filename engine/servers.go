package engine

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"ghostlight/engine/crash"
	"ghostlight/engine/ollama"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// probeTime bounds how long a server may take to say that it is there.
const probeTime = 4 * time.Second

// Probe asks both servers how they are, tells followers and returns what it
// found.
func (e *Engine) Probe(ctx context.Context) Servers {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var o OllamaState
	var c ComfyState
	var wg sync.WaitGroup
	wg.Add(2)
	crash.Go("asking Ollama", func() { defer wg.Done(); o = e.askOllama(ctx) })
	crash.Go("asking ComfyUI", func() { defer wg.Done(); c = e.askComfy(ctx) })
	wg.Wait()
	s := Servers{o, c}
	e.mu.Lock()
	e.servers = s
	e.mu.Unlock()
	e.emit(ServerChanged{s})
	if !o.Up {
		e.watch()
	}
	return s
}

// Servers is what was found when the servers were last asked.
func (e *Engine) Servers() Servers {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.servers
}

func (e *Engine) askOllama(ctx context.Context) OllamaState {
	s := OllamaState{URL: e.ollama.BaseURL(), Asked: true}
	version, err := e.ollama.Version(ctx)
	if err == nil {
		s.Models, err = e.ollama.Models(ctx)
	}
	if err != nil {
		s.Err = Words(err)
		return s
	}
	s.Up, s.Version = true, version
	s.Model = e.modelOf(storage.Chat{})
	s.Context = e.contextOf(e.knowOr(ctx, s.Model))
	return s
}

func (e *Engine) askComfy(ctx context.Context) ComfyState {
	jobs, faults := askQueues(ctx, e.comfy)
	s := ComfyState{URL: e.comfy[0].BaseURL(), Asked: true}
	for i, c := range e.comfy {
		switch {
		case faults[i] == nil && (!s.Up || jobs[i] < s.Queue):
			s.Up, s.URL, s.Queue = true, c.BaseURL(), jobs[i]
		case faults[i] != nil && s.Err == "":
			s.Err = Words(faults[i])
		}
	}
	return s
}

// noteServer keeps what a request has shown of the server.
func (e *Engine) noteServer(err error) {
	down := errors.Is(err, ollama.ErrUnreachable)
	e.mu.Lock()
	was := e.servers.Ollama
	changed := was.Asked && was.Up == down
	if down {
		e.servers.Ollama.Asked, e.servers.Ollama.Up, e.servers.Ollama.Err = true, false, Words(err)
	}
	s := e.servers
	e.mu.Unlock()
	if down && changed {
		e.emit(ServerChanged{s})
		e.watch()
	}
}

// watch asks an absent server again now and then until it is back. While it is
// there nobody asks.
func (e *Engine) watch() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.polling || !e.started || !e.enter() {
		return
	}
	e.polling = true
	crash.Go("the watch for the server", func() {
		defer e.work.Done()
		t := time.NewTicker(5 * time.Second)
		defer t.Stop()
		for {
			select {
			case <-e.ctx.Done():
				return
			case <-t.C:
			}
			ctx, cancel := context.WithTimeout(e.ctx, probeTime)
			_, err := e.ollama.Version(ctx)
			cancel()
			if err == nil {
				e.mu.Lock()
				e.polling = false
				e.mu.Unlock()
				e.Probe(e.ctx)
				return
			}
		}
	})
}

// OllamaInstalled tells whether there is an ollama program to start.
func (e *Engine) OllamaInstalled() bool {
	_, err := exec.LookPath("ollama")
	return err == nil
}

// StartOllama starts the installed server; it goes on when Ghostlight ends. It
// waits until the server answers.
func (e *Engine) StartOllama(ctx context.Context) error {
	path, err := exec.LookPath("ollama")
	if err != nil {
		return err
	}
	cmd := exec.Command(path, "serve")
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	crash.Go("the started server", func() { _ = cmd.Wait() })
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if _, err := e.ollama.Version(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ollama.ErrUnreachable
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// OpenExternally opens a file of ours in the system's viewer.
func (e *Engine) OpenExternally(path string) error {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	cmd := exec.Command(name, path)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	crash.Go("the viewer", func() { _ = cmd.Wait() })
	return nil
}

// Operations lists the queue: what runs, what waits, what has ended.
func (e *Engine) Operations() ([]storage.Operation, error) { return e.queue.List() }

// QueueBlocked tells which operations wait for somebody, and why.
func (e *Engine) QueueBlocked() (map[storage.OperationID]queue.Block, error) {
	return e.queue.Blocked()
}

// QueueCancel cancels an operation.
func (e *Engine) QueueCancel(id storage.OperationID) error {
	defer e.steered.Run(id)
	return e.queue.Cancel(id)
}

// QueueCancelAll cancels all operations that have not ended.
func (e *Engine) QueueCancelAll() (int, error) {
	defer e.steered.Run("")
	return e.queue.CancelAll()
}

// QueueRetry tries an operation again.
func (e *Engine) QueueRetry(id storage.OperationID) error {
	defer e.steered.Run(id)
	return e.queue.Retry(id)
}

// QueueRetryFailed tries all again that failed.
func (e *Engine) QueueRetryFailed() (int, error) {
	defer e.steered.Run("")
	return e.queue.RetryFailed()
}

// QueuePause makes the queue begin nothing more, or go on.
func (e *Engine) QueuePause(on bool) {
	if on {
		e.queue.Pause()
	} else {
		e.queue.Resume()
	}
}

// QueuePaused tells whether the queue is paused.
func (e *Engine) QueuePaused() bool { return e.queue.Paused() }

// QueueDrain works the queue off and returns when nothing can run any more.
func (e *Engine) QueueDrain(ctx context.Context) (queue.Summary, error) { return e.queue.Drain(ctx) }
