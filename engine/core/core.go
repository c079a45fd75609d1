// Package core is the base of every service of the engine: the store, the queue, the events, the
// prompt files, a log and a clock. It also finds objects that the user names, and counts the work
// that has to end before the store is closed.
package core

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Core is shared by all services of an engine. Its fields are set before any of them runs, and do
// not change. It is safe for concurrent use.
type Core struct {
	// Config is the configuration that the engine was opened with: its folders, its servers, its
	// clock. Settings that the user may change meanwhile are in Settings.
	Config config.Config
	Store  *storage.Store
	Queue  *queue.Queue
	Events event.Broker
	Log    *slog.Logger

	// Ctx ends when the engine closes. Work counts the work that depends on it; see BeginWork.
	Ctx  context.Context
	Work sync.WaitGroup

	// PromptFault holds the faults of the user's prompt files, once Prompts was called.
	PromptFault []error

	cancel  context.CancelFunc
	closing sync.Mutex // between BeginWork, StartQueue and Stop

	settings    atomic.Pointer[config.Config]
	promptsOnce sync.Once
	prompts     *prompts.Set
}

// New makes the core of an engine, without its store and queue.
func New(cfg config.Config) *Core {
	c := &Core{Config: cfg, Log: cfg.Log}
	c.settings.Store(&cfg)
	c.Ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Settings returns the settings in force. They must not be changed. A caller that needs several
// consistent settings keeps the returned pointer.
func (c *Core) Settings() *config.Config { return c.settings.Load() }

// Reconfigure replaces the settings in force.
func (c *Core) Reconfigure(change func(*config.Config)) {
	for {
		was := c.settings.Load()
		now := *was
		if change(&now); c.settings.CompareAndSwap(was, &now) {
			return
		}
	}
}

// StartQueue starts the queue, unless the engine is closing: Stop cannot stop a queue that starts
// later. It reports whether the queue runs.
func (c *Core) StartQueue() (bool, error) {
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.Ctx.Err() != nil {
		return false, nil
	}
	return true, c.Queue.Start(c.Ctx)
}

// Stop ends Ctx, and waits until the queue has stopped and all counted work has ended.
func (c *Core) Stop() {
	c.closing.Lock()
	c.cancel()
	c.closing.Unlock()
	c.Queue.Stop()
	c.Work.Wait()
}

// BeginWork adds work that Close waits for and returns true, unless the engine is closing. The caller
// must call Work.Done at the end.
func (c *Core) BeginWork() bool {
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.Ctx.Err() != nil {
		return false
	}
	c.Work.Add(1)
	return true
}

// Emit sends an event to all followers.
func (c *Core) Emit(ev event.Event) { c.Events.Emit(ev) }

// Prompts returns the prompt files. The first call reads them.
func (c *Core) Prompts() *prompts.Set {
	c.promptsOnce.Do(func() {
		dir := ""
		if c.Config.ConfigDir != "" {
			dir = filepath.Join(c.Config.ConfigDir, "prompts")
		}
		c.prompts, c.PromptFault = prompts.Load(dir)
		for _, err := range c.PromptFault {
			c.Emit(event.Notice{Level: event.Warning, Text: "prompt file ignored: " + err.Error()})
		}
	})
	return c.prompts
}
