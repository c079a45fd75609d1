// Package engine holds the use cases of the program: what happens when the user
// sends, swipes, branches, captures. It is the only part that opens
// transactions and calls servers. Front ends call it and follow its events.
package engine

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ghostlight/engine/comfy"
	"ghostlight/engine/crash"
	"ghostlight/engine/ollama"
	"ghostlight/engine/queue"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// The defaults of a chat.
const (
	DefaultContext     = 8192
	DefaultReply       = 1024
	DefaultTemperature = 0.8
)

// Config is what an engine is opened with. Zero fields mean the defaults.
type Config struct {
	DataDir   string // absolute
	ConfigDir string // holds prompts/ and workflows/; "" for none
	Ollama    string // base URL
	Comfy     []string
	Model     string          // overrides every other choice
	Fallback  string          // model where neither chat nor user has chosen one
	Sampling  storage.Profile // of chats; zero fields mean the defaults

	VRAM            VRAMConfig
	Images          ImageConfig
	CaptureTimeout  time.Duration // 0: what ComfyUI's client allows
	Style, Negative string        // of pictures, for characters without their own

	Scenes SceneConfig
	Memory MemoryConfig
	Lore   LoreConfig
	Stage  StageConfig
	Jobs   JobConfig
	Taste  TasteConfig

	Rehearse bool // the servers are stand-ins: their model is never remembered
	Program  string
	Version  string
	LockWait time.Duration
	Log      *slog.Logger
	Now      func() time.Time
}

// Engine runs the play. All methods are safe for concurrent use; those that act
// commit first and tell of what follows by events.
type Engine struct {
	cfg    Config
	store  *storage.Store
	queue  *queue.Queue
	ollama *ollama.Client
	comfy  []*comfy.Client
	broker broker
	log    *slog.Logger

	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
	closing sync.Mutex // between counting in and Close

	promptsOnce sync.Once
	prompts     *prompts.Set
	promptFault []error

	mu      sync.Mutex
	turns   map[storage.ChatID]*liveTurn // that run
	ended   map[storage.ChatID]*liveTurn // that ran last
	models  map[string]*knownModel       // by name, those of other servers by address and name
	clients map[string]*ollama.Client
	servers Servers
	last    lastPrompt

	loreRead loreReader
	stages   loreStages
	warming  warmer
	mean     meanings
	intents  map[string][][]float32 // what the prototypes of intents mean, by embedding model
	easel    easel
	sheet    readSheet
	works    map[string]Work // kinds of it, by name

	// What follows from what; see wire.
	said, replied Within[*storage.Node]
	rewritten     Within[Rewrite]
	stored        After[storage.ChatID]
	sceneEnded    Within[Place]
	recapped      Within[Recapped]
	recapEdited   Within[RecapEdited]
	storyMoved    Within[Moved]
	storyChanged  After[storage.ScopeID]
	queueMoved    After[storage.Operation]
	asked         After[Asked]
	unloaded      After[[]string]
	steered       After[storage.OperationID]
	captureEdited Within[CaptureEdited]
	playChanged   After[storage.ChatID]
	checkFiles    func() Check
	checkFlows    func() Check
	turnsOf       Turns
	painter       Painter
	talk          Talk
	rider         Rider
	speakers      Speakers
	next          Next
	loreAt        func(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]string, error)
	// detected are breaks, and changed are scenes with other messages than
	// before, that nobody has been told of yet.
	detected, changed places
	// Likewise: beats, plays that have ended, questions about pictures, and
	// pictures (their ids in place of a message's).
	beats, ends, asks, pictured places
	pull                        context.CancelFunc
	polling                     bool
	started                     bool
}

// Open opens the store and gets everything ready. It asks no server and starts
// nothing, so it is quick; see Start. A reply that a crash cut off is closed.
func Open(cfg Config) (*Engine, error) {
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
		cfg.Comfy = []string{DefaultComfy}
	}
	e := &Engine{cfg: cfg, log: cfg.Log, turns: map[storage.ChatID]*liveTurn{}, ended: map[storage.ChatID]*liveTurn{},
		models: map[string]*knownModel{}, clients: map[string]*ollama.Client{}}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	if err := e.connect(); err != nil {
		return nil, err
	}
	store, err := storage.Open(filepath.Join(cfg.DataDir, "ghostlight.db"), storage.Options{
		BackupDir: e.backupDir(), Program: cfg.Program, LockWait: cfg.LockWait})
	if err != nil {
		return nil, fail("open", err)
	}
	e.store = store
	e.works = map[string]Work{}
	e.queue = e.newQueue()
	e.wire()
	if err := e.recover(); err != nil {
		return nil, errors.Join(fail("open", err), store.Close())
	}
	return e, nil
}

// wire says what follows from what.
func (e *Engine) wire() {
	e.register(e.sceneWork()...)
	e.register(e.loreWork()...)
	e.register(e.directorWork()...)
	e.register(e.tasteWork()...)
	e.register(e.captureWork()...)
	e.register(e.boardKinds()...)

	e.turnsOf, e.painter, e.talk, e.rider, e.speakers, e.next, e.loreAt = e, e, e, e, e, e, e.sceneLore

	e.said.Then(e.endIdle)
	e.said.Then(e.lookForPicture)
	e.replied.Then(e.touchReply)
	e.replied.Then(e.beat)
	e.replied.Then(e.afterTurn)
	e.rewritten.Then(e.touchRewritten)
	e.stored.Then(func(storage.ChatID) { e.tellDetected(); e.tellStale(); e.tellDirected() })
	e.sceneEnded.Then(e.learnFromEdits)
	e.recapped.Then(e.teachNext)
	e.recapEdited.Then(e.keepRecapEdit)
	e.storyMoved.Then(e.moveTaste)
	e.captureEdited.Then(e.keepEdit)
	e.playChanged.Then(func(chat storage.ChatID) { e.emit(DirectorChanged{chat}) })
	e.checkFiles, e.checkFlows = e.CheckFiles, e.CheckWorkflows
	e.storyChanged.Then(func(to storage.ScopeID) { e.emit(TasteChanged{to}) })
	e.steered.Then(e.settleOne)
	e.queueMoved.Then(func(storage.Operation) { e.warmSoon() })
	e.asked.Then(e.askedElse)
	e.unloaded.Then(e.forgetRead)
}

// DefaultComfy is where ComfyUI listens when nobody says otherwise.
const DefaultComfy = "http://127.0.0.1:8188"

func (e *Engine) connect() (err error) {
	if e.ollama, err = ollama.New(e.cfg.Ollama); err != nil {
		return fail("ollama address", err)
	}
	for _, u := range e.cfg.Comfy {
		c, err := comfy.New(u)
		if err != nil {
			return fail("comfyui address", err)
		}
		if slices.ContainsFunc(e.comfy, func(o *comfy.Client) bool { return o.BaseURL() == c.BaseURL() }) {
			continue // named twice it paints no faster
		}
		e.comfy = append(e.comfy, c)
	}
	e.servers.Ollama.URL, e.servers.Comfy.URL = e.ollama.BaseURL(), e.comfy[0].BaseURL()
	return nil
}

// Start lets the queue run. Work that was cut off goes on.
func (e *Engine) Start() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started || !e.enter() {
		return nil
	}
	e.started = true
	crash.Go("looking after captures", func() {
		defer e.work.Done()
		e.settleAll()
	})
	return e.queue.Start(e.ctx)
}

// enter counts something in that Close waits for, unless the engine is closing.
// The caller sees to it that e.work.Done is called in the end.
func (e *Engine) enter() bool {
	e.closing.Lock()
	defer e.closing.Unlock()
	if e.ctx.Err() != nil {
		return false
	}
	e.work.Add(1)
	return true
}

// Close stops what runs, keeping what was written, and closes the store. Work
// of the queue goes on at the next start.
func (e *Engine) Close() error {
	e.closing.Lock()
	e.cancel()
	e.closing.Unlock()
	e.queue.Stop()
	e.work.Wait()
	for chat := range e.ended {
		e.CatchUp(chat)
	}
	e.ollama.Close()
	for _, c := range e.clients {
		c.Close()
	}
	for _, c := range e.comfy {
		c.Close()
	}
	return e.store.Close()
}

// Follow begins a feed of events. The caller closes it.
func (e *Engine) Follow() *Feed { return e.broker.follow() }

func (e *Engine) emit(ev Event) { e.broker.emit(ev) }

func (e *Engine) backupDir() string { return filepath.Join(e.cfg.DataDir, "backups") }

// set is the prompt files, read when they are first needed.
func (e *Engine) set() *prompts.Set {
	e.promptsOnce.Do(func() {
		dir := ""
		if e.cfg.ConfigDir != "" {
			dir = filepath.Join(e.cfg.ConfigDir, "prompts")
		}
		e.prompts, e.promptFault = prompts.Load(dir)
		for _, err := range e.promptFault {
			e.emit(Notice{Warning, "prompt file left out: " + err.Error()})
		}
	})
	return e.prompts
}

// Prompts lists the prompt files in use, and what is wrong with the user's own.
func (e *Engine) Prompts() ([]prompts.Info, []error) { return e.set().Names(), e.promptFault }

const settingLive = "live"

// recover closes replies that were being written when the process died. Which
// ones is noted with their first word, so that nothing has to be searched.
func (e *Engine) recover() error {
	live := map[storage.NodeID]storage.ChatID{}
	if err := e.store.View(func(tx *storage.Tx) error { _, err := tx.Setting(settingLive, &live); return err }); err != nil {
		return err
	}
	if len(live) == 0 {
		return nil
	}
	return e.store.Update(func(tx *storage.Tx) error {
		for id, chat := range live {
			n, err := tx.Node(chat, id)
			if err != nil {
				continue // its chat was deleted
			}
			if n.State == storage.Draft {
				n.State, n.Fault = storage.Broken, "the program ended while this was being written"
				if err := tx.PutNode(n); err != nil {
					return err
				}
			}
		}
		return tx.PutSetting(settingLive, nil)
	})
}

// Setting reads a small setting of the front end, "" when it was never set.
func (e *Engine) Setting(key string) string {
	var v string
	if err := e.store.View(func(tx *storage.Tx) error { _, err := tx.Setting(key, &v); return err }); err != nil {
		e.log.Warn("reading a setting failed", "key", key, "err", err)
	}
	return v
}

func (e *Engine) putSetting(key string, v any) error {
	return e.store.Update(func(tx *storage.Tx) error { return tx.PutSetting(key, v) })
}

const (
	settingTheme = "theme"
	settingModel = "model"
)

const settingChat = "last_chat"

// RememberTheme keeps the user's choice of a theme; Theme gives it back.
func (e *Engine) RememberTheme(name string) error { return e.putSetting(settingTheme, name) }

// Theme is the theme that the user chose last, "" for none.
func (e *Engine) Theme() string { return e.Setting(settingTheme) }

// Opened keeps which chat is on the screen, to open it at the next start.
func (e *Engine) Opened(chat storage.ChatID) error { return e.putSetting(settingChat, chat) }
