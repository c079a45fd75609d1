package movein

import (
	"context"
	"errors"
	"path"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What is committed together: each record is whole in its transaction, and a transaction
// waits for the disk once.
const (
	mostTogether  = 16
	bytesTogether = 2 << 20
)

// result is what became of an item in a transaction, which counts once that is stored.
type result struct {
	l    *loaded
	got  stored
	did  verdict
	why  string
	err  error // that ends the move
	left error // for which the item is left out
}

// verdict is what was done with an item.
type verdict int

const (
	isNew verdict = iota
	isHere
	isNewer // and was not taken
	isLeft
)

// takeAll takes all items, in their order.
func (m *mover) takeAll(ctx context.Context, report func(queue.Progress)) error {
	if err := m.know(); err != nil {
		return err
	}
	var group []*loaded
	var bytes int64
	done := 0
	tell := m.teller(report)
	flush := func() error {
		if len(group) == 0 {
			return nil
		}
		err := m.together(ctx, group)
		done += len(group)
		tell(done, group[len(group)-1])
		clear(group) // what was read is let go of
		group, bytes = group[:0], 0
		return err
	}
	var was *row
	err := m.ahead(ctx, false, func(l *loaded) error {
		if was != nil && l.row != was { // what comes now may ask for what came before
			if err := flush(); err != nil {
				return err
			}
		}
		was = l.row
		if r, ok := m.idle(l); ok && len(group) == 0 { // nothing is to be stored
			m.tally(&r)
			done++
			tell(done, l)
			return nil
		}
		group = append(group, l)
		if bytes += l.Size; len(group) >= mostTogether || bytes >= bytesTogether {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// idle is what became of an item for which nothing is stored.
func (m *mover) idle(l *loaded) (result, bool) {
	switch {
	case l.row.put == nil:
		return result{l: l, did: isLeft, why: l.row.why}, true
	case l.err != nil:
		return result{l: l, did: isLeft, left: l.err}, true
	case l.here != "" && l.value == nil && l.again:
		return result{l: l, did: isNew, got: stored{record: l.here, remarks: l.remarks}}, true
	case l.here != "" && l.value == nil:
		return result{l: l, did: isHere, got: stored{record: l.here}}, true
	}
	return result{}, false
}

// teller tells of the progress, a few times a second.
func (m *mover) teller(report func(queue.Progress)) func(done int, l *loaded) {
	began, last, first := time.Now(), time.Time{}, 0
	return func(done int, l *loaded) {
		now := time.Now()
		if now.Sub(last) < 100*time.Millisecond && done < len(m.items) {
			return
		}
		if last = now; first == 0 {
			began, first = now, done
		}
		p := queue.Progress{Text: l.row.name + ": " + baseOf(l.File), Step: done, Of: len(m.items)}
		if passed := now.Sub(began); done > first && passed > 2*time.Second {
			p.Left = passed / time.Duration(done-first) * time.Duration(len(m.items)-done)
		}
		report(p)
	}
}

// together stores items in one transaction; where one of them cannot be stored, each goes
// alone, and that one is left out.
func (m *mover) together(ctx context.Context, group []*loaded) error {
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
		m.tally(&results[i])
	}
	return nil
}

// commit stores items. Of a single one that cannot be stored nothing is, and that is its
// result; the error is one for which a group has to be taken apart, or the move to end.
func (m *mover) commit(ctx context.Context, group []*loaded) ([]result, error) {
	var results []result
	err := m.svc.core.Store.Update(func(tx *storage.Tx) error {
		results = results[:0]
		for _, l := range group {
			r := m.one(tx, l)
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
		return []result{{l: group[0], did: isLeft, left: fault.error}}, nil
	}
	return results, err
}

// refusal is a fault of an item alone.
type refusal struct{ error }

func (r *refusal) Unwrap() error { return r.error }

// one stores an item, in a transaction.
func (m *mover) one(tx *storage.Tx, l *loaded) (r result) {
	r, idle := m.idle(l)
	if idle {
		return r
	}
	r = result{l: l, did: isHere}
	found := l.here
	if r.err = m.lookUp(tx, l); r.err != nil {
		return r
	}
	if l.here != "" {
		r.got.record = l.here
		if l.again {
			r.did, r.got.remarks = isNew, l.remarks
		}
		return r
	}
	if found != "" && l.value != nil && l.row.there(tx, found) { // it came in otherwise
		r.got = stored{record: found, name: m.known.nameOf(l)}
		r.err = m.note(tx, l, r.got)
		return r
	}
	if l.of != nil && l.row.there(tx, l.of.Record) {
		l.newer, l.was = true, *l.of
	}
	l.newer = l.newer && (l.was.Name == "" || l.was.Name == m.known.nameOf(l))
	store := l.row.put
	switch {
	case l.newer && !m.move.Update:
		r.did, r.got.record = isNewer, l.was.Record
		r.why = "newer in the folder than the imported version: import with newer versions to update it"
		return r
	case l.newer && l.row.renew != nil:
		store = func(m *mover, tx *storage.Tx, l *loaded) (stored, error) { return l.row.renew(m, tx, l, l.was) }
	}
	r.did = isNew
	if r.got, r.err = store(m, tx, l); r.err == nil {
		r.err = m.note(tx, l, r.got)
	}
	if r.got.here {
		r.did = isHere
	}
	if r.err != nil && !endsAll(r.err) && !errors.Is(r.err, errLong) {
		r.err = &refusal{r.err}
	}
	return r
}

// endsAll reports whether an error is of the store, and not of an item alone.
func endsAll(err error) bool {
	return errors.Is(err, storage.ErrDiskFull) || errors.Is(err, storage.ErrCorrupt)
}

// note keeps what an item has become, by its content and by its place.
func (m *mover) note(tx *storage.Tx, l *loaded, got stored) error {
	rec := storage.MovedRecord{Key: l.content, Move: m.move.ID, Kind: l.row.name, Path: l.path(), Record: got.record, Stamp: moment(got.stamp), Remarks: got.remarks}
	if err := storage.MovedIn.Put(tx, rec.Key, rec); err != nil {
		return err
	}
	rec.Key, rec.Content, rec.Name, rec.Remarks = l.place, l.content, got.name, nil
	return storage.MovedIn.Put(tx, rec.Key, rec)
}

// tally counts a result that is stored.
func (m *mover) tally(r *result) {
	count := m.count(r.l.row)
	switch r.did {
	case isNew:
		count.New++
		m.remark(&r.l.item, r.got.remarks)
	case isHere:
		count.Here++
	case isNewer:
		count.Newer++
		count.Left-- // it counts as newer
		m.leave(r.l.row, r.l.path(), r.why)
	case isLeft:
		if r.left != nil {
			r.why = m.words(r.left)
		}
		m.leave(r.l.row, r.l.path(), r.why)
	}
	if r.got.record != "" && r.l.row.met != nil {
		r.l.row.met(m, r.l.File, r.got.record)
	}
}

func (m *mover) metBook(f folder.File, id string) {
	m.user(f.House).books[fold(baseOf(f))] = storage.LorebookID(id)
}

func (m *mover) metCharacter(f folder.File, id string) {
	u := m.user(f.House)
	u.cast[baseOf(f)], u.faces[path.Base(f.Place)] = storage.CharacterID(id), storage.CharacterID(id)
}

func (m *mover) metPersona(f folder.File, id string) {
	u, file := m.user(f.House), path.Base(f.Place)
	u.personas[file] = storage.PersonaID(id)
	for _, p := range u.settings.Personas {
		if p.File != file {
			continue
		}
		if _, two := u.named[fold(p.Name)]; two {
			id = ""
		}
		u.named[fold(p.Name)] = storage.PersonaID(id)
	}
}

var errNoOwner = failure.Refuse("the chat does not name its character: put it into a folder with the character's name")
