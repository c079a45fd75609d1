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
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// loaded is an item that was read.
type loaded struct {
	item
	contentKey, placeKey string // keys of storage.MovedIn
	value                any    // nil if it already exists, or was not read
	existing             string // the record that it already has here
	fromThisMove         bool   // existing was made by this move, before it was interrupted
	remarks              []string
	newer                bool // another version of the file was imported before
	previous             storage.MovedRecord
	origin               *storage.MovedRecord // the record that it was moved out from, if it differs; see matchMovedOut
	title                string               // of a chat, once it has one
	group                *formats.Group       // of a group chat
	long                 *library.ChatImport  // of a chat that is too long for one transaction, see addChat
	noGroupFile          bool                 // it is a group chat without a group file
	err                  error
}

const (
	// inMemory is the size up to which a file is read once. A larger one is read once for its hash
	// and again for its content.
	inMemory = formats.MaxChatInMemory
	// inFlight limits the bytes of files that are read ahead, maxReadAhead their number, and
	// readers the number of goroutines that read.
	inFlight     = 16 << 20
	maxReadAhead = 64
	readers      = 2
)

// readAhead reads the items while take handles them, in order. It returns the first error of take,
// or of ctx.
func (m *mover) readAhead(ctx context.Context, plan bool, take func(l *loaded) error) error {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	budget := newByteBudget(inFlight)
	slots := make(chan struct{}, readers)
	line := make(chan chan *loaded, maxReadAhead)
	all.Add(1)
	crash.Go("reading a folder", func() {
		defer all.Done()
		defer close(line)
		for i := range m.items {
			it := m.items[i]
			if !budget.acquire(ctx, it.Size) {
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
			budget.release(l.Size)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// load reads an item and looks up whether it already exists. It does not change the mover.
func (m *mover) load(it item, plan bool) *loaded {
	l := &loaded{item: it}
	switch {
	case it.importer.put == nil:
		return l
	case it.Size > it.importer.limit:
		l.err = fmt.Errorf("it is %d MB, the limit is %d MB", it.Size>>20, it.importer.limit>>20)
		return l
	}
	data, sum, err := m.hash(&it)
	if err != nil {
		l.err = err
		return l
	}
	l.contentKey, l.placeKey = m.keys(&it, sum)
	if l.err = m.svc.core.Store.View(func(tx *storage.Tx) error {
		return m.lookUp(tx,
			l)
	}); l.err != nil || l.existing != "" {
		return l
	}
	if plan && it.importer.detectOnly {
		head := data[:min(len(data), headBytes)]
		if data == nil {
			head, l.err = m.head(it.Entry)
		}
		if l.err != nil || formats.Detect(it.Path, head) == formats.KindChat &&
			!bytes.Contains(head, []byte(formats.ChatKey)) {
			return l
		}
	}
	if l.value, l.err = m.read(&it, data); l.err == nil {
		l.err = m.withGroup(l)
	}
	if l.err == nil {
		if l.err = m.matchMovedOut(l, sum); l.err == nil && l.existing == "" && l.origin == nil {
			m.index.setExisting(l)
		}
	}
	return l
}

// read returns the value of an item. data is nil for a large file.
func (m *mover) read(it *item, data []byte) (any, error) {
	open := func() (io.ReadCloser, error) { return m.src.Read(it.Entry) }
	switch {
	case data != nil:
		return it.importer.read(it.Path, bytes.NewReader(data))
	case it.importer.readLong != nil:
		return it.importer.readLong(it.Path, open)
	}
	in, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // was only read
	return it.importer.read(it.Path, in)
}

// hash returns the hash of an item's content, and the content itself if it is not large.
func (m *mover) hash(it *item) (data, sum []byte, err error) {
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
	n, err := io.Copy(h, io.LimitReader(f, it.importer.limit+1))
	if err == nil && n > it.importer.limit {
		err = errors.New("it changed while it was read: try again")
	}
	return nil, h.Sum(nil), err
}

// lookUp sets whether an item already exists, or whether another version of it was imported.
func (m *mover) lookUp(tx *storage.Tx, l *loaded) error {
	l.existing, l.newer = "", false
	have, err := storage.MovedIn.Get(tx, l.contentKey)
	if failure.IgnoreMissing(err) != nil {
		return err
	}
	known := err == nil && l.importer.exists(tx, have.Record)
	was, err := storage.MovedIn.Get(tx, l.placeKey)
	if failure.IgnoreMissing(err) != nil {
		return err
	}
	placed := err == nil && l.importer.exists(tx, was.Record)
	ofThis := func(moved storage.MovedRecord) bool { return moved.Move != "" && moved.Move == m.move.ID }
	switch {
	case known && placed && was.Content == l.contentKey:
		l.existing, l.fromThisMove, l.remarks = was.Record, ofThis(was), have.Remarks
	case known && l.importer.allowDuplicates && ofThis(have) && path.Dir(have.Path) == path.Dir(l.path()):
		// The other one is a file of the same content beside it.
	case known:
		l.existing, l.fromThisMove, l.remarks = have.Record, ofThis(have), have.Remarks
	case placed:
		l.previous, l.newer = was, l.Role != folder.Group // a group has no record that could be older
	}
	return nil
}

// byteBudget limits how many bytes are read ahead. An item larger than the budget uses all of it.
type byteBudget struct {
	total    int64
	free     chan int64 // holds the number of free bytes
	released chan struct{}
}

func newByteBudget(n int64) *byteBudget {
	r := &byteBudget{total: n, free: make(chan int64, 1), released: make(chan struct{}, 1)}
	r.free <- n
	return r
}

func (r *byteBudget) acquire(ctx context.Context, n int64) bool {
	n = min(n, r.total)
	for {
		free := <-r.free
		if free >= n {
			r.free <- free - n
			return true
		}
		r.free <- free
		select {
		case <-r.released:
		case <-ctx.Done():
			return false
		}
	}
}

func (r *byteBudget) release(n int64) {
	r.free <- min(n, r.total) + <-r.free
	select {
	case r.released <- struct{}{}:
	default:
	}
}

// baseName returns the name that other files use to refer to a file.
func baseName(f folder.File) string { return folder.Base(f.Place) }
