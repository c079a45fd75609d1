// Package engine is the program without its front ends. It only wires: it opens the store, makes
// the services, registers their hooks, and closes everything in order. A front end calls the
// services and follows the events.
package engine

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/movein"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Engine holds the services in the order of their dependencies: each knows only those above it in
// this list. All of them are safe for concurrent use. A method that changes something commits first
// and then emits events.
type Engine struct {
	core     *core.Core
	readOnly bool

	starting sync.Mutex
	started  bool

	Queue    *queue.Queue
	Models   *models.Service
	Settings *settings.Service
	Backup   *backup.Service
	Chats    *chats.Service
	Scenes   *scenes.Service
	Lore     *lore.Service
	Memory   *memory.Service
	Taste    *taste.Service
	Pictures *pictures.Service
	Director *director.Service
	Boards   *boards.Service
	Library  *library.Service
	MoveIn   *movein.Service
	Play     *play.Service
}

// Open opens the store and prepares everything. It sends no request and starts no work, so it is
// quick; see Start. A reply that a crash cut off is closed.
func Open(cfg config.Config) (*Engine, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if cfg.Ollama == "" {
		cfg.Ollama = ollama.DefaultURL
	}
	if len(cfg.Comfy) == 0 {
		cfg.Comfy = []string{config.DefaultComfy}
	}
	c := core.New(cfg)
	e := &Engine{core: c}
	var err error
	if e.Models, err = models.New(c); err != nil {
		return nil, err
	}
	if err = e.openStore(cfg); err != nil {
		return nil, failure.Wrap("open", err)
	}
	if err := e.Models.LoadSampling(); err != nil {
		return nil, errors.Join(failure.Wrap("open", err), c.Store.Close())
	}
	e.Queue = newQueue(e)
	c.Queue = e.Queue
	e.Settings, e.Backup = settings.New(c, e.Models), backup.New(c)
	e.Chats = chats.New(c, e.Models)
	e.Scenes = scenes.New(c, e.Models, e.Chats)
	e.Lore = lore.New(c, e.Models, e.Chats, e.Scenes)
	e.Memory = memory.New(c, e.Models, e.Chats, e.Scenes, e.Lore, director.NewSpeakers(e.Chats))
	e.Taste = taste.New(c, e.Models, e.Chats, e.Lore, e.Memory)
	e.Pictures = pictures.New(c, e.Models, e.Chats, e.Lore, e.Memory, e.Taste.PictureBlock)
	e.Director = director.New(c, e.Models, e.Backup, e.Chats, e.Scenes, e.Lore, e.Memory, e.Pictures)
	e.Boards = boards.New(c, e.Models, e.Chats, e.Scenes, e.Pictures, e.Taste)
	e.Library = library.New(c, e.Models, e.Chats, e.Scenes, e.Lore, e.Pictures, e.Boards)
	e.MoveIn = movein.New(c, e.Models, e.Chats, e.Lore, e.Library)
	e.Play = play.New(c, e.Models, e.Backup, e.Chats, e.Scenes, e.Lore, e.Memory, e.Director, e.Pictures,
		e.Taste.BlockFor(taste.ForProse))
	e.wire()
	if e.readOnly {
		return e, nil
	}
	if err := e.Play.Recover(); err != nil {
		return nil, errors.Join(failure.Wrap("open", err), c.Store.Close())
	}
	return e, nil
}

// openStore opens the data file. It opens a file that cannot be written read-only, if the config
// allows that.
func (e *Engine) openStore(cfg config.Config) (err error) {
	path := filepath.Join(cfg.DataDir, "ghostlight.db")
	o := storage.Options{BackupDir: backup.Dir(cfg.DataDir), Program: cfg.Program, LockWait: cfg.LockWait,
		Unlock: cfg.Unlock}
	e.core.Store, err = storage.Open(path, o)
	if !cfg.OrRead || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	o.ReadOnly = true
	s, fault := storage.Open(path, o)
	switch {
	case fault == nil:
		e.core.Store, e.readOnly = s, true
		return nil
	case errors.Is(fault, storage.ErrOlder), errors.Is(fault, storage.ErrTooOld), errors.Is(fault, storage.ErrLocked),
		errors.Is(fault, storage.ErrNewer), errors.Is(fault, storage.ErrCorrupt):
		return fault // it says more than that the file cannot be written
	}
	return err
}

// ReadOnly reports whether the data file could only be opened read-only.
func (e *Engine) ReadOnly() bool { return e.readOnly }

// wire registers all hooks. Hooks of one event run in this order.
func (e *Engine) wire() {
	recaps := scenes.NewJobs(e.Scenes, e.Play, scenes.Sources{
		Memories: memory.KnownToAll, Lore: e.Lore.SceneLore, Taste: e.Taste.BlockFor(taste.ForRecaps)})
	passes := director.NewJobs(e.Director, e.Play)
	for _, kinds := range [][]queue.Kind{recaps.Kinds(), e.Lore.Kinds(), e.Memory.Kinds(), passes.Kinds(),
		e.Taste.Kinds(), e.Pictures.Kinds(), e.Boards.Kinds(), e.MoveIn.Kinds()} {
		e.Queue.Register(kinds...)
	}

	// Inside the transaction that stores the change.
	e.Chats.UserMessageStored.Add(e.Director.EndIdle)
	e.Chats.Replied.Add(e.Scenes.MarkStaleByReply, e.Scenes.QueueMissingAfterReply, e.Director.RecordTurn,
		e.Director.QueuePass,
		e.Memory.QueueEmbeddings, e.Scenes.QueueInterimRecap)
	e.Chats.Rewritten.Add(e.Scenes.MarkStaleByEdit, e.Memory.InvalidateMessages, e.Memory.EndEditedFacts)
	e.Chats.HeadMoved.Add(e.Scenes.FollowHead)
	e.Chats.CorrectionUndone.Add(e.Memory.RevertCorrection)
	e.Scenes.Ended.Add(e.Taste.QueueEditedScene)
	e.Scenes.Recapped.Add(e.Lore.FillAfterRecap)
	e.Scenes.RecapEdited.Add(e.Taste.StoreRecapEdit)
	e.Director.StoryMoved.Add(e.Taste.MoveTaste)
	e.Pictures.Edited.Add(e.Taste.StoreEdit)
	e.Pictures.Failed.Add(e.Director.PictureFailed)

	// After the commit.
	e.Chats.Stored.Add(e.emitAdded, e.Chats.IndexIfMany)
	e.Chats.Edited.Add(e.Chats.IndexIfMany, func(storage.ChatID) { e.Scenes.EmitStale() })
	e.Chats.Visited.Add(e.Chats.IndexSoon, e.Scenes.QueueMissing)
	e.Chats.PlayChanged.Add(func(chat storage.ChatID) { e.core.Emit(director.Changed{Chat: chat}) })
	e.Director.StoryChanged.Add(func(to storage.ScopeID) { e.core.Emit(taste.Changed{Scope: to}) })
	e.Models.PromptSent.Add(e.Play.NoteOtherPrompt)
	e.Models.Unloaded.Add(e.Play.ForgetCachedPrompt)
	e.Pictures.Unloaded.Add(e.Play.ForgetCachedPrompt)
	e.Pictures.NeedsMemory.Add(e.Play.WaitWarmUp)
}

// emitAdded emits the events of the reactions to a stored reply.
func (e *Engine) emitAdded(storage.ChatID) {
	e.Scenes.EmitDetected()
	e.Scenes.EmitStale()
	e.Director.EmitDirected()
}

// Start starts the queue, once. Interrupted work continues.
func (e *Engine) Start() error {
	e.starting.Lock()
	defer e.starting.Unlock()
	if e.started {
		return nil
	}
	var err error
	if e.started, err = e.core.StartQueue(); err != nil || !e.started {
		return err
	}
	e.Models.Start()
	e.Backup.Start()
	e.Chats.IndexSoon("")
	if e.core.BeginWork() {
		crash.Go("looking after captures", func() {
			defer e.core.Work.Done()
			e.Pictures.ReconcileAll()
		})
	}
	return nil
}

// Reconfigure applies other settings from now on. Running work uses those that it began with, or
// the new ones. Folders, servers and clock do not change.
func (e *Engine) Reconfigure(cfg config.Config) {
	e.core.Reconfigure(func(now *config.Config) {
		cfg.Ollama, cfg.Comfy, cfg.Now, cfg.Log, cfg.DataDir, cfg.ConfigDir = now.Ollama, now.Comfy, now.Now, now.Log,
			now.DataDir, now.ConfigDir
		cfg.OllamaHeaders, cfg.ComfyHeaders, cfg.ComfyKey = now.OllamaHeaders, now.ComfyHeaders, now.ComfyKey
		cfg.Demo, cfg.Program, cfg.Version, cfg.LockWait, cfg.Unlock = now.Demo, now.Program, now.Version,
			now.LockWait, now.Unlock
		*now = cfg
	})
}

// Close stops running work, keeping its text so far, and closes the store. The queue continues its
// work at the next start.
func (e *Engine) Close() error {
	e.core.Stop()
	e.Play.Close()
	e.Models.Close()
	return e.core.Store.Close()
}

// Doctor checks everything that the program needs.
func (e *Engine) Doctor(ctx context.Context) []health.Check {
	return health.Doctor(ctx, e.core, e.Models,
		health.Others{SearchIndex: e.Chats.CheckWords, Files: e.Pictures.CheckFiles,
			Workflows: e.Pictures.Workflows.Health})
}

// Follow begins a feed of events. The caller closes it.
func (e *Engine) Follow() *event.Feed { return e.core.Events.Follow() }

// Core returns the base of the services. It is for tests; front ends use the services.
func (e *Engine) Core() *core.Core { return e.core }
