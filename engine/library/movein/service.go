// Package movein brings in the whole folder of another program, or its backup: what is in
// it is found, planned and shown, and then taken by an operation of the queue, a character,
// a chat or a book at a time, each with a note of what it was, so that nothing comes twice
// however often the operation is stopped. The folder itself is only read.
package movein

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// OpMove is the operation that moves a folder in.
const OpMove = "move_in"

// laneFiles is where it runs: it asks no server.
const laneFiles = "files"

// Service moves folders in. It is safe for concurrent use.
type Service struct {
	core    *core.Core
	models  *models.Service
	lore    *lore.Service
	library *library.Service
	chats   *chats.Service
}

// New makes the service.
func New(c *core.Core, models *models.Service, ch *chats.Service, l *lore.Service, lib *library.Service) *Service {
	return &Service{core: c, models: models, chats: ch, lore: l, library: lib}
}

// Kinds returns the kind of operation that moves a folder in.
func (svc *Service) Kinds() []queue.Kind {
	return []queue.Kind{{Name: OpMove, Lane: func(*storage.Tx) string { return laneFiles }, Priority: 10, Endless: true, Run: svc.run, Changed: svc.changed}}
}

// changed tells of a move that is over, once its report is stored.
func (svc *Service) changed(op storage.Operation) {
	var p params
	if op.Status != storage.Completed || json.Unmarshal(op.Params, &p) != nil {
		return
	}
	var m storage.MoveIn
	if svc.core.Store.View(func(tx *storage.Tx) (err error) { m, err = storage.MoveIns.Get(tx, p.Move); return err }) == nil {
		svc.core.Emit(Ended{m})
	}
}

// Ended says that a move is over, and what it came to.
type Ended struct{ Move storage.MoveIn }

// Plan is what a move would do. Its counts and lines are as in the report of one.
type Plan struct {
	Path   string               `json:"path"`
	Houses []string             `json:"houses"` // the users' folders in it
	Bytes  int64                `json:"bytes"`
	Kinds  []storage.MoveCount  `json:"kinds"`
	Left   []storage.MoveRemark `json:"left"`
	More   int                  `json:"more"`
}

// New counts what would come in.
func (p Plan) New() (n int) {
	for _, k := range p.Kinds {
		n += k.New
	}
	return n
}

// Newer counts what is newer there than here.
func (p Plan) Newer() (n int) {
	for _, k := range p.Kinds {
		n += k.Newer
	}
	return n
}

// params are those of the operation.
type params struct {
	Path   string         `json:"path"`
	Update bool           `json:"update,omitempty"`
	Move   storage.MoveID `json:"move"`
}

// Look reads through a folder or a backup and says what moving it in would do. Nothing is
// changed, there or here. seen hears how far it has come.
func (svc *Service) Look(ctx context.Context, path string, seen func(done, of int)) (Plan, error) {
	path, err := absolute(path)
	if err != nil {
		return Plan{}, failure.Fail("move in", err)
	}
	m, err := svc.open(path)
	if err != nil {
		return Plan{}, failure.Fail("move in", err)
	}
	defer m.close()
	if err := m.plan(ctx, seen); err != nil {
		return Plan{}, failure.Fail("move in", err)
	}
	p := Plan{Path: path, Houses: m.found.Houses, Kinds: m.move.Kinds, Left: m.move.Left, More: m.move.More}
	for _, e := range m.src.Entries {
		p.Bytes += e.Size
	}
	return p, nil
}

// Begin queues a move. One of the same folder that is not over yet goes on instead. Newer
// versions of what came in before are taken where update says so.
func (svc *Service) Begin(path string, update bool) (id storage.OperationID, err error) {
	if path, err = absolute(path); err != nil {
		return "", failure.Fail("move in", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		for have, op := range storage.Operations.Backward(tx) {
			var p params
			open := op.Status == storage.Pending || op.Status == storage.InProgress
			if open && op.Type == OpMove && json.Unmarshal(op.Params, &p) == nil && p.Path == path && p.Update == update {
				id = have
				return nil
			}
		}
		m := storage.MoveIn{ID: storage.MoveID(storage.NewID()), Path: path, Update: update, Began: svc.core.Config.Now()}
		if err := storage.MoveIns.Put(tx, m.ID, m); err != nil {
			return err
		}
		id, err = svc.core.Queue.AddKind(tx, OpMove, params{Path: path, Update: update, Move: m.ID}, nil)
		return err
	})
	if err != nil {
		return "", failure.Fail("move in", err)
	}
	svc.core.Queue.Wake()
	return id, nil
}

// Moves are the reports of all moves, the newest first.
func (svc *Service) Moves() (list []storage.MoveIn, err error) {
	list, err = core.All(svc.core, "moves", storage.MoveIns)
	slices.Reverse(list)
	return list, err
}

func absolute(path string) (string, error) {
	path, err := filepath.Abs(core.ExpandHome(path))
	if err != nil {
		return "", err
	}
	return path, nil
}

// run is the operation.
func (svc *Service) run(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	var p params
	if err := json.Unmarshal(op.Params, &p); err != nil {
		return queue.Effect{}, err
	}
	m, err := svc.open(p.Path)
	if err != nil {
		return queue.Effect{}, err
	}
	defer m.close()
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		m.move, err = storage.MoveIns.Get(tx, p.Move)
		return failure.IgnoreMissing(err)
	}); err != nil {
		return queue.Effect{}, err
	}
	m.begin(storage.MoveIn{ID: p.Move, Path: p.Path, Update: p.Update, Began: m.move.Began})
	err = m.takeAll(ctx, report)
	svc.core.Emit(chats.CharactersChanged{})
	svc.core.Emit(chats.ChatsChanged{})
	svc.core.Emit(lore.Changed{})
	svc.chats.Regex.Changed()
	if err != nil {
		// What it came to until now is told too; that it goes on is the queue's.
		_ = svc.core.Store.Update(func(tx *storage.Tx) error { return storage.MoveIns.Put(tx, m.move.ID, m.move) })
		return queue.Effect{}, err
	}
	m.move.Ended = svc.core.Config.Now()
	return queue.Effect{Result: m.move.Kinds, Apply: func(tx *storage.Tx) error {
		return storage.MoveIns.Put(tx, m.move.ID, m.move)
	}}, nil
}

// moment is when something was changed last, as a record keeps it.
func moment(t time.Time) time.Time { return t.UTC().Round(0) }
