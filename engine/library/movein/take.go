package movein

import (
	"context"
	"errors"
	"path"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Items are committed in groups, because each transaction waits for the disk once.
const (
	maxGroup      = 16
	maxGroupBytes = 2 << 20
)

// result is the result of an item. It counts once the transaction is stored.
type result struct {
	l       *loaded
	got     putResult
	verdict verdict
	reason  string
	err     error // ends the move
	skipErr error // why the item is skipped
}

// verdict is the outcome for an item.
type verdict int

const (
	verdictNew verdict = iota
	verdictExists
	verdictNewer // and was not imported
	verdictSkipped
)

// importAll imports all items, in their order.
func (m *mover) importAll(ctx context.Context, report func(queue.Progress)) error {
	if err := m.buildIndex(); err != nil {
		return err
	}
	var group []*loaded
	var bytes int64
	done := 0
	tell := m.progressReporter(report)
	flush := func() error {
		if len(group) == 0 {
			return nil
		}
		err := m.commitGroup(ctx, group)
		done += len(group)
		tell(done, group[len(group)-1])
		clear(group) // releases what was read
		group, bytes = group[:0], 0
		return err
	}
	var was *importer
	err := m.readAhead(ctx, false, func(l *loaded) error {
		if was != nil && l.importer != was { // the next role may refer to this one
			if err := flush(); err != nil {
				return err
			}
		}
		was = l.importer
		if r, ok := m.resultWithoutStoring(l); ok && len(group) == 0 { // nothing is to be stored
			m.countResult(&r)
			done++
			tell(done, l)
			return nil
		}
		group = append(group, l)
		if bytes += l.Size; len(group) >= maxGroup || bytes >= maxGroupBytes {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// resultWithoutStoring returns the result of an item if nothing has to be stored for it.
func (m *mover) resultWithoutStoring(l *loaded) (result, bool) {
	switch {
	case l.importer.put == nil:
		return result{l: l, verdict: verdictSkipped, reason: l.importer.unsupported}, true
	case l.err != nil:
		return result{l: l, verdict: verdictSkipped, skipErr: l.err}, true
	case l.existing != "" && l.value == nil && l.fromThisMove:
		return result{l: l, verdict: verdictNew, got: putResult{record: l.existing, remarks: l.remarks}}, true
	case l.existing != "" && l.value == nil:
		return result{l: l, verdict: verdictExists, got: putResult{record: l.existing}}, true
	}
	return result{}, false
}

// progressReporter reports the progress a few times a second.
func (m *mover) progressReporter(report func(queue.Progress)) func(done int, l *loaded) {
	began, last, first := time.Now(), time.Time{}, 0
	return func(done int, l *loaded) {
		now := time.Now()
		if now.Sub(last) < 100*time.Millisecond && done < len(m.items) {
			return
		}
		if last = now; first == 0 {
			began, first = now, done
		}
		p := queue.Progress{Text: l.importer.name + ": " + baseName(l.File), Step: done, Of: len(m.items)}
		if passed := now.Sub(began); done > first && passed > 2*time.Second {
			p.Left = passed / time.Duration(done-first) * time.Duration(len(m.items)-done)
		}
		report(p)
	}
}

// commitGroup stores items in one transaction. If one of them cannot be stored, each is committed
// alone and that one is skipped.
func (m *mover) commitGroup(ctx context.Context, group []*loaded) error {
	results, err := m.commit(ctx, group)
	if err != nil && len(group) > 1 {
		results = nil
		for _, l := range group {
			one, err := m.commit(ctx, []*loaded{l})
			if err != nil {
				return err
			}
			results = append(results, one...)
		}
	} else if err != nil {
		return err
	}
	for i := range results {
		m.countResult(&results[i])
	}
	return nil
}

// commit stores items. A single item that cannot be stored is a result with the error. The
// returned error means that the group has to be split, or that the move ends.
func (m *mover) commit(ctx context.Context, group []*loaded) ([]result, error) {
	var results []result
	err := m.svc.core.Store.Update(func(tx *storage.Tx) error {
		results = results[:0]
		for _, l := range group {
			r := m.putItem(tx, l)
			if results = append(results, r); r.err != nil {
				return r.err
			}
		}
		return nil
	})
	if len(group) == 1 && errors.Is(err, errLong) {
		return m.commitLong(ctx, group[0])
	}
	var fault *refusal
	if len(group) == 1 && errors.As(err, &fault) {
		return []result{{l: group[0], verdict: verdictSkipped, skipErr: fault.error}}, nil
	}
	return results, err
}

// refusal is an error of a single item.
type refusal struct{ error }

func (r *refusal) Unwrap() error { return r.error }

// putItem stores an item within a transaction.
func (m *mover) putItem(tx *storage.Tx, l *loaded) (r result) {
	r, idle := m.resultWithoutStoring(l)
	if idle {
		return r
	}
	r = result{l: l, verdict: verdictExists}
	found := l.existing
	if r.err = m.lookUp(tx, l); r.err != nil {
		return r
	}
	if l.existing != "" {
		r.got.record = l.existing
		if l.fromThisMove {
			r.verdict, r.got.remarks = verdictNew, l.remarks
		}
		return r
	}
	if found != "" && l.value != nil && l.importer.exists(tx, found) { // it was added in another way
		r.got = putResult{record: found, name: m.index.nameOf(l)}
		r.err = m.recordMoved(tx, l, r.got)
		return r
	}
	if l.origin != nil && l.importer.exists(tx, l.origin.Record) {
		l.newer, l.previous = true, *l.origin
	}
	l.newer = l.newer && (l.previous.Name == "" || l.previous.Name == m.index.nameOf(l))
	store := l.importer.put
	switch {
	case l.newer && !m.move.Update:
		r.verdict, r.got.record = verdictNewer, l.previous.Record
		r.reason = "newer in the folder than the imported version: import with newer versions to update it"
		return r
	case l.newer && l.importer.renew != nil:
		store = func(m *mover, tx *storage.Tx, l *loaded) (putResult, error) {
			return l.importer.renew(m, tx, l, l.previous)
		}
	}
	r.verdict = verdictNew
	if r.got, r.err = store(m, tx, l); r.err == nil {
		r.err = m.recordMoved(tx, l, r.got)
	}
	if r.got.exists {
		r.verdict = verdictExists
	}
	if r.err != nil && !isStoreError(r.err) && !errors.Is(r.err, errLong) {
		r.err = &refusal{r.err}
	}
	return r
}

// isStoreError reports whether an error is of the store and not of a single item.
func isStoreError(err error) bool {
	return errors.Is(err, storage.ErrDiskFull) || errors.Is(err, storage.ErrCorrupt)
}

// recordMoved stores what an item has become, by its content and by its path.
func (m *mover) recordMoved(tx *storage.Tx, l *loaded, got putResult) error {
	rec := storage.MovedRecord{Key: l.contentKey, Move: m.move.ID, Kind: l.importer.name, Path: l.path(),
		Record: got.record, Stamp: normalizeTime(got.stamp), Remarks: got.remarks}
	if err := storage.MovedIn.Put(tx, rec.Key, rec); err != nil {
		return err
	}
	rec.Key, rec.Content, rec.Name, rec.Remarks = l.placeKey, l.contentKey, got.name, nil
	return storage.MovedIn.Put(tx, rec.Key, rec)
}

// countResult counts a result that is stored.
func (m *mover) countResult(r *result) {
	count := m.count(r.l.importer)
	switch r.verdict {
	case verdictNew:
		count.New++
		m.addRemarks(&r.l.item, r.got.remarks)
	case verdictExists:
		count.Here++
	case verdictNewer:
		count.Newer++
		count.Left-- // it counts as newer
		m.skip(r.l.importer, r.l.path(), r.reason)
	case verdictSkipped:
		if r.skipErr != nil {
			r.reason = m.reasonFor(r.skipErr)
		}
		m.skip(r.l.importer, r.l.path(), r.reason)
	}
	if r.got.record != "" && r.l.importer.register != nil {
		r.l.importer.register(m, r.l.File, r.got.record)
	}
}

func (m *mover) registerBook(f folder.File, id string) {
	m.user(f.UserDir).books[fold(baseName(f))] = storage.LorebookID(id)
}

func (m *mover) registerCharacter(f folder.File, id string) {
	u := m.user(f.UserDir)
	u.charactersByName[baseName(f)], u.charactersByFile[path.Base(f.Place)] = storage.CharacterID(id),
		storage.CharacterID(id)
}

func (m *mover) registerPersona(f folder.File, id string) {
	u, file := m.user(f.UserDir), path.Base(f.Place)
	u.personas[file] = storage.PersonaID(id)
	for _, p := range u.settings.Personas {
		if p.File != file {
			continue
		}
		if _, two := u.personasByName[fold(p.Name)]; two {
			id = ""
		}
		u.personasByName[fold(p.Name)] = storage.PersonaID(id)
	}
}

var errNoOwner = failure.Refusef("the chat does not name its character: put it into a folder with the character's name")
