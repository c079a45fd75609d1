// Package movein imports the whole folder of another program, or its backup. The folder is listed
// and shown as a plan; then an operation of the queue imports it, one record at a time. Each
// record is stored with a note of its source, so that nothing is imported twice however often the
// operation is interrupted. The folder itself is only read.
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

// laneFiles is the lane of the operation: it asks no server.
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
	return []queue.Kind{{Type: OpMove, Lane: func(*storage.Tx) string { return laneFiles },
		Priority: 10, NoTimeout: true,
		Run: svc.run, Changed: svc.changed}}
}

// changed emits Finished once the report of a move is stored.
func (svc *Service) changed(op storage.Operation) {
	var p params
	if op.Status != storage.Completed || json.Unmarshal(op.Params, &p) != nil {
		return
	}
	var m storage.MoveIn
	if svc.core.Store.View(func(tx *storage.Tx) (err error) {
		m, err = storage.MoveIns.Get(tx, p.Move)
		return err
	}) == nil {
		svc.core.Emit(Finished{m})
	}
}

// Finished is the event of a move that is over, with its report.
type Finished struct{ Move storage.MoveIn }

// Plan is a preview of a move. Its counts and lines are those of the report.
type Plan struct {
	Path     string               `json:"path"`
	UserDirs []string             `json:"houses"` // the user folders in it
	Bytes    int64                `json:"bytes"`
	Kinds    []storage.MoveCount  `json:"kinds"`
	Left     []storage.MoveRemark `json:"left"`
	More     int                  `json:"more"`
}

// New returns how many records would be added.
func (p Plan) New() (n int) {
	for _, k := range p.Kinds {
		n += k.New
	}
	return n
}

// Newer returns how many files are newer than what was imported before.
func (p Plan) Newer() (n int) {
	for _, k := range p.Kinds {
		n += k.Newer
	}
	return n
}

// params are the parameters of the operation.
type params struct {
	Path   string         `json:"path"`
	Update bool           `json:"update,omitempty"`
	Move   storage.MoveID `json:"move"`
}

// Preview reads a folder or a backup and returns what moving it in would do. Nothing is changed.
// seen is called with the progress.
func (svc *Service) Preview(ctx context.Context, path string, seen func(done, of int)) (Plan, error) {
	path, err := absolute(path)
	if err != nil {
		return Plan{}, failure.Wrap("move in", err)
	}
	m, err := svc.open(path)
	if err != nil {
		return Plan{}, failure.Wrap("move in", err)
	}
	defer m.close()
	if err := m.plan(ctx, seen); err != nil {
		return Plan{}, failure.Wrap("move in", err)
	}
	p := Plan{Path: path, UserDirs: m.found.UserDirs, Kinds: m.move.Kinds, Left: m.move.Left, More: m.move.More}
	for _, e := range m.src.Entries {
		p.Bytes += e.Size
	}
	return p, nil
}

// Begin queues a move and returns its operation. An unfinished move of the same folder is returned
// instead. With update, newer versions of imported records replace them.
func (svc *Service) Begin(path string, update bool) (id storage.OperationID, err error) {
	if path, err = absolute(path); err != nil {
		return "", failure.Wrap("move in", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		for have, op := range storage.Operations.Backward(tx) {
			var p params
			open := op.Status == storage.Pending || op.Status == storage.InProgress
			if open && op.Type == OpMove && json.Unmarshal(op.Params, &p) == nil && p.Path == path &&
				p.Update == update {
				id = have
				return nil
			}
		}
		m := storage.MoveIn{ID: storage.MoveID(storage.NewID()), Path: path, Update: update,
			Began: svc.core.Config.Now()}
		if err := storage.MoveIns.Put(tx, m.ID, m); err != nil {
			return err
		}
		id, err = svc.core.Queue.AddOperation(tx, OpMove, params{Path: path, Update: update, Move: m.ID}, nil)
		return err
	})
	if err != nil {
		return "", failure.Wrap("move in", err)
	}
	svc.core.Queue.Wake()
	return id, nil
}

// Moves returns the reports of all moves, the newest first.
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

// run runs the operation.
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
	err = m.importAll(ctx, report)
	svc.core.Emit(chats.CharactersChanged{})
	svc.core.Emit(chats.ChatsChanged{})
	svc.core.Emit(lore.Changed{})
	svc.chats.Regex.Changed()
	if err != nil {
		// The report of what was done is stored; the queue decides whether the move continues.
		_ = svc.core.Store.Update(func(tx *storage.Tx) error { return storage.MoveIns.Put(tx, m.move.ID, m.move) })
		return queue.Effect{}, err
	}
	m.move.Ended = svc.core.Config.Now()
	return queue.Effect{Result: m.move.Kinds, Apply: func(tx *storage.Tx) error {
		return storage.MoveIns.Put(tx, m.move.ID, m.move)
	}}, nil
}

// normalizeTime returns a time as a record keeps it.
func normalizeTime(t time.Time) time.Time { return t.UTC().Round(0) }
