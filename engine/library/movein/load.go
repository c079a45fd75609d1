package movein

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// loaded is an item that was read.
type loaded struct {
	item
	content, place string // the keys
	value          any    // nil where it is here already, or was not looked into
	here           string // the record that it has become before
	again          bool   // by this very move, before it was stopped
	remarks        []string
	newer          bool // something else stood at its place, which is here
	was            storage.MovedRecord
	of             *storage.MovedRecord // what it was moved out from and differs from, see own
	title          string               // of a chat, once it has one
	group          *ecosystem.Group     // of a group chat
	long           *library.ChatImport  // of a chat that is too long for one transaction, see addChat
	alone          bool                 // and there is no file of that
	err            error
}

const (
	// inMemory is up to which size a file is read once; a larger one is read for what it is
	// known by, and again for what is in it.
	inMemory = ecosystem.HeldChat
	// inFlight bounds the bytes of files that are read ahead, mostAhead their number and
	// readers how many are read at once.
	inFlight  = 16 << 20
	mostAhead = 64
	readers   = 2
)

// ahead reads the items beside what take does with them, in their order. It returns with
// the first error of take, or of ctx.
func (m *mover) ahead(ctx context.Context, plan bool, take func(l *loaded) error) error {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	room := newRoom(inFlight)
	slots := make(chan struct{}, readers)
	line := make(chan chan *loaded, mostAhead)
	all.Add(1)
	crash.Go("reading a folder", func() {
		defer all.Done()
		defer close(line)
		for i := range m.items {
			it := m.items[i]
			if !room.take(ctx, it.Size) {
				return
			}
			ready := make(chan *loaded, 1)
			select {
			case line <- ready:
			case <-ctx.Done():
				return
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			all.Add(1)
			crash.Go("reading a file", func() {
				defer all.Done()
				ready <- m.load(it, plan)
				<-slots
			})
		}
	})
	for {
		var ready chan *loaded
		select {
		case ready = <-line:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if ready == nil {
			return ctx.Err()
		}
		select {
		case l := <-ready:
			if err := take(l); err != nil {
				return err
			}
			room.give(l.Size)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// load reads an item and reports whether it is here. It changes nothing of the mover.
func (m *mover) load(it item, plan bool) *loaded {
	l := &loaded{item: it}
	switch {
	case it.row.put == nil:
		return l
	case it.Size > it.row.limit:
		l.err = fmt.Errorf("it is %d MB, the limit is %d MB", it.Size>>20, it.row.limit>>20)
		return l
	}
	data, sum, err := m.sum(&it)
	if err != nil {
		l.err = err
		return l
	}
	l.content, l.place = m.keys(&it, sum)
	if l.err = m.svc.core.Store.View(func(tx *storage.Tx) error { return m.lookUp(tx, l) }); l.err != nil || l.here != "" {
		return l
	}
	if plan && it.row.lazy {
		head := data[:min(len(data), headBytes)]
		if data == nil {
			head, l.err = m.head(it.Entry)
		}
		if l.err != nil || ecosystem.Detect(it.Path, head) == ecosystem.KindChat && !bytes.Contains(head, []byte(ecosystem.ChatKey)) {
			return l
		}
	}
	if l.value, l.err = m.read(&it, data); l.err == nil {
		l.err = m.withGroup(l)
	}
	if l.err == nil {
		if l.err = m.own(l, sum); l.err == nil && l.here == "" && l.of == nil {
			m.known.look(l)
		}
	}
	return l
}

// read makes a value of an item, whose content is nil where it is large.
func (m *mover) read(it *item, data []byte) (any, error) {
	open := func() (io.ReadCloser, error) { return m.src.Read(it.Entry) }
	switch {
	case data != nil:
		return it.row.read(it.Path, bytes.NewReader(data))
	case it.row.again != nil:
		return it.row.again(it.Path, open)
	}
	in, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // was only read
	return it.row.read(it.Path, in)
}

// sum is the hash of an item's content, and the content itself where it is not large.
func (m *mover) sum(it *item) (data, sum []byte, err error) {
	h := sha256.New()
	if it.data != nil {
		h.Write(it.data)
		return it.data, h.Sum(nil), nil
	}
	f, err := m.src.Read(it.Entry)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	if it.Size <= inMemory {
		if data, err = io.ReadAll(io.LimitReader(f, inMemory+1)); err == nil && int64(len(data)) > inMemory {
			err = errors.New("it changed while it was read: try again")
		}
		h.Write(data)
		if data == nil {
			data = []byte{}
		}
		return data, h.Sum(nil), err
	}
	n, err := io.Copy(h, io.LimitReader(f, it.row.limit+1))
	if err == nil && n > it.row.limit {
		err = errors.New("it changed while it was read: try again")
	}
	return nil, h.Sum(nil), err
}

// lookUp reports whether an item is here, or something else that stood at its place.
func (m *mover) lookUp(tx *storage.Tx, l *loaded) error {
	l.here, l.newer = "", false
	have, err := storage.MovedIn.Get(tx, l.content)
	if failure.IgnoreMissing(err) != nil {
		return err
	}
	known := err == nil && l.row.there(tx, have.Record)
	was, err := storage.MovedIn.Get(tx, l.place)
	if failure.IgnoreMissing(err) != nil {
		return err
	}
	placed := err == nil && l.row.there(tx, was.Record)
	ofThis := func(moved storage.MovedRecord) bool { return moved.Move != "" && moved.Move == m.move.ID }
	switch {
	case known && placed && was.Content == l.content:
		l.here, l.again, l.remarks = was.Record, ofThis(was), have.Remarks
	case known && l.row.twins && ofThis(have) && path.Dir(have.Path) == path.Dir(l.path()):
		// The other one is a file beside it, which is something else although it says the same.
	case known:
		l.here, l.again, l.remarks = have.Record, ofThis(have), have.Remarks
	case placed:
		l.was, l.newer = was, l.Role != folder.Group // which has no record that could be older
	}
	return nil
}

// room is how many bytes may be read ahead. What is larger than all of it goes alone.
type room struct {
	all  int64
	free chan int64 // holds what is free
	gave chan struct{}
}

func newRoom(n int64) *room {
	r := &room{all: n, free: make(chan int64, 1), gave: make(chan struct{}, 1)}
	r.free <- n
	return r
}

func (r *room) take(ctx context.Context, n int64) bool {
	n = min(n, r.all)
	for {
		free := <-r.free
		if free >= n {
			r.free <- free - n
			return true
		}
		r.free <- free
		select {
		case <-r.gave:
		case <-ctx.Done():
			return false
		}
	}
}

func (r *room) give(n int64) {
	r.free <- min(n, r.all) + <-r.free
	select {
	case r.gave <- struct{}{}:
	default:
	}
}

// baseOf is what a file is called where others name it.
func baseOf(f folder.File) string { return folder.Base(f.Place) }
