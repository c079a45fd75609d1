package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	// defaultLockWait lets a short command of another process finish, and is
	// short enough that a refusal still comes within a second.
	defaultLockWait = 700 * time.Millisecond
	// initialMap is address space, not memory. While the file is smaller, a
	// writer never has to move the map and so never waits for readers.
	initialMap = 256 << 20
	// growStep is the number of bytes that the file grows by. With bbolt's own 16 MB, a new, empty
	// file would have that size.
	growStep = 1 << 20
)

// Options say how to open a store. The zero value is fine.
type Options struct {
	// ReadOnly opens an existing file without changing it. Several processes may do so at the same
	// time, but not while another one has it open for writing.
	ReadOnly bool
	// BackupDir is the folder for the backup before a migration. "" means a folder "backups" beside
	// the file.
	BackupDir string
	// Program names this process to one that is refused, "ghostlight" for
	// instance.
	Program string
	// LockWait is the time to wait for another process to release the file. 0 means 700 ms.
	LockWait time.Duration
	// Unlock gives the key of a file that is encrypted. nil refuses those with ErrNoPassphrase.
	Unlock Unlock
	// AsIs opens an existing file that is to be replaced: opening writes nothing into it, not even
	// records of damage. A file of an older version gives ErrOlder.
	AsIs bool
}

// Store is an open data file. All methods are safe for concurrent use.
type Store struct {
	db      *bolt.DB
	file    *os.File // db's own
	path    string
	place   string // absolute path, valid if the working directory changes
	sidecar string // "" when this store did not write one
	swept   []string
	key     *Key // nil if the file is not encrypted
	wrapped WrappedKey
	fell    bool // the newer of its two heads was lost when it was opened

	backups sync.Mutex  // held while BackupTo names, writes and rotates
	stuck   atomic.Bool // a damaged page has left bbolt's lock on writing taken
	writing sync.Mutex  // held by the one who writes, and guards the next two
	checked bool        // all pages were looked at
	unsound error       // the fault of the pages that was found, nil for none
	close   sync.Once
	closed  error
}

// Open opens the data file at path; it is made when it does not exist, and so
// is its folder. Errors: *LockedError (ErrLocked) when another process has it,
// ErrNewer, ErrTooOld, ErrCorrupt, ErrDiskFull, with ReadOnly also fs.ErrNotExist and
// ErrOlder. An older file is backed up and brought up to date. Opening reads a
// handful of pages, however large the file is.
func Open(path string, opts Options) (*Store, error) {
	if opts.LockWait <= 0 {
		opts.LockWait = defaultLockWait
	}
	if opts.BackupDir == "" {
		opts.BackupDir = filepath.Join(filepath.Dir(path), "backups")
	}
	if err := prepare(path, opts.ReadOnly, opts.BackupDir); err != nil {
		return nil, err
	}
	db, file, err := openBolt(path, opts)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, file: file, path: path, place: absolute(path), fell: lostHead(file, db.Info().PageSize)}
	if err := s.begin(opts); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare makes the folder and the file when they do not exist.
func prepare(path string, readOnly bool, backups string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("open data file: %s is not a regular file", path)
	case err == nil && info.Size() == 0 && hasBackups(backups, baseName(path)):
		// Without backups it may be one that was being made when the program ended.
		return corrupt(path, errors.New("it is empty, and there are backups of it"))
	case err == nil && info.Size() == 0 && readOnly:
		return fmt.Errorf("open data file: %s is empty: %w", path, fs.ErrNotExist)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist) || readOnly:
		return fmt.Errorf("open data file: %w", err)
	}
	if to, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		if _, err := os.Stat(filepath.Dir(to)); err != nil {
			return fmt.Errorf("open data file: %s is a link to %s, and there is no folder for that: mount its disk, "+
				"or mend the link", path, to)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return ioError("make data folder", err)
	}
	if err := makeFile(path); err != nil {
		if _, there := os.Stat(path); there == nil {
			return nil // another process was faster, and has removed the unfinished file
		}
		return ioError("make data file", err)
	}
	return nil
}

// makeFile puts an empty data file at path, whole from its first moment on: a
// disk that is full, or a crash, must not leave half of one behind that would
// be taken for a damaged file ever after. It is no error when another process
// was quicker.
func makeFile(path string) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), unfinished+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	name := filepath.Join(dir, filepath.Base(path))
	db, err := bolt.Open(name, 0o600, &bolt.Options{Timeout: time.Second})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	// A link, unlike a renaming, never replaces a file. Where the file system
	// has no links, opening makes the file in place.
	if os.Link(name, path) != nil {
		return nil
	}
	return syncDir(filepath.Dir(path))
}

// openBolt opens the file and turns what can go wrong into this package's
// errors. bbolt trusts its pages; a damaged or shortened file makes it panic or
// touch memory behind the end of the file, which both end here as ErrCorrupt.
func openBolt(path string, opts Options) (db *bolt.DB, file *os.File, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if file != nil {
				_, _ = unlock(file), file.Close()
			}
			if !ofPages(r) {
				panic(r)
			}
			db, file, err = nil, nil, corrupt(path, pageError(r))
		}
	}()
	db, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout:  opts.LockWait,
		ReadOnly: opts.ReadOnly,
		// The free list is kept in the file (NoFreelistSync stays off): without
		// it every opening would have to scan the whole file.
		FreelistType: bolt.FreelistMapType,
		// A writer always loads it. A reader does so for Check, which would otherwise load it in a
		// goroutine in which page faults cannot be caught.
		PreLoadFreelist: true,
		// NoGrowSync stays off: on ext4 a lost size after a power cut would
		// lose pages.
		InitialMmapSize: initialMapSize(opts.ReadOnly),
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			file = f
			return f, err
		},
	})
	if err != nil {
		return nil, nil, openError(path, err)
	}
	db.AllocSize = growStep
	if err = checkSize(db, file); err == nil {
		err = checkBranches(file)
	}
	if err != nil {
		return nil, nil, errors.Join(corrupt(path, err), db.Close())
	}
	return db, file, nil
}

// openError sorts bbolt's answers to opening a file.
func openError(path string, err error) error {
	if errors.Is(err, bolterrors.ErrTimeout) {
		return lockedError(path)
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return ioError("open data file", err)
	}
	return corrupt(path, err)
}

// checkSize compares the file's size with the size its header speaks of.
func checkSize(db *bolt.DB, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return db.View(func(tx *bolt.Tx) error {
		if info.Size() < tx.Size() {
			return fmt.Errorf("it ends after %d of %d bytes", info.Size(), tx.Size())
		}
		return nil
	})
}

func corrupt(path string, cause error) error {
	return fmt.Errorf("%w: %s cannot be read as a Ghostlight data file (%v); nothing was changed",
		ErrCorrupt, path, cause)
}

// begin does what remains once the file is ours.
func (s *Store) begin(opts Options) error {
	if err := s.unlock(opts.Unlock, opts.ReadOnly || opts.AsIs); err != nil {
		return err
	}
	if err := s.migrate(opts); err != nil {
		return err
	}
	if opts.ReadOnly || opts.AsIs {
		if !opts.ReadOnly {
			s.nameHolder(opts.Program)
		}
		return nil
	}
	if err := s.sweepStaged(); err != nil {
		return err
	}
	if s.fell {
		if err := s.recordHeadFallback(); err != nil {
			return err
		}
		s.fell = false // it is in the file now
	}
	if info, err := os.Stat(s.path); err == nil && info.Mode().Perm()&0o077 != 0 {
		// A file that was copied around may have become readable for others.
		_ = os.Chmod(s.path, 0o600)
	}
	s.swept = sweepUnfinished(filepath.Dir(realPath(s.path)), opts.BackupDir)
	s.nameHolder(opts.Program)
	return nil
}

// nameHolder writes a file beside the data file that names its holder. It only serves the error
// message of a process that is refused. The lock itself decides, so a failure does not stop the
// start.
func (s *Store) nameHolder(program string) {
	if writeSidecar(s.path, program) == nil {
		s.sidecar = sidecarPath(s.path)
	}
}

// Close waits for running transactions and lets go of the file. Further calls
// return the first one's result.
func (s *Store) Close() error {
	s.close.Do(func() {
		if s.sidecar != "" && s.Gone() == nil {
			// Before the lock is released: afterwards it could be another's.
			_ = os.Remove(s.sidecar)
		}
		err := error(nil)
		if s.stuck.Load() { // bbolt would wait for itself
			err = errors.Join(unlock(s.file), s.file.Close())
		} else {
			err = s.db.Close()
		}
		s.closed = ioError("close data file", err)
	})
	return s.closed
}

// Path returns the file's path, as given to Open.
func (s *Store) Path() string { return s.path }

// SchemaVersion returns the version of the file's layout.
func (s *Store) SchemaVersion() int { return schemaVersion }

// Tx is a transaction. It is good only inside the function it was given to,
// and only in one goroutine. What its methods return is the caller's own.
type Tx struct {
	tx      *bolt.Tx
	key     *Key
	skipped []error
}

// Skipped names the records that iterators left out so far in this transaction
// because they cannot be read.
func (tx *Tx) Skipped() []error { return tx.skipped }

// Version returns a number that grows with the states of the store: a transaction with a greater
// one sees a newer state. In Update it is the number of the state to be committed.
func (tx *Tx) Version() int { return tx.open().ID() }

// open returns bbolt's transaction. It panics with ErrTxClosed if the transaction has ended: then a
// value of the transaction was kept too long, which is a bug, and reading it would give other data.
func (tx *Tx) open() *bolt.Tx {
	if tx.tx == nil {
		panic(ErrTxClosed)
	}
	return tx.tx
}

// run calls f. Then it marks the transaction as ended, for values that f has kept.
func (tx *Tx) run(f func(*Tx) error) error {
	defer func() { tx.tx = nil }()
	return f(tx)
}

// View runs f on a consistent snapshot of the store. Any number of Views run concurrently. Do not
// call Update from inside f.
func (s *Store) View(f func(*Tx) error) error {
	var own error
	err := s.read(func(b *bolt.Tx) error {
		own = (&Tx{tx: b, key: s.key}).run(f)
		return own
	})
	if own != nil {
		return own
	}
	return ioError("read", err)
}

// Update runs f in a transaction that is kept completely or not at all. The transaction is on the
// disk when Update returns nil. An error of f undoes everything and is returned unchanged. Updates
// run one after the other; do not nest them. If the file is Gone, f is not run; if f changes
// nothing, nothing is written.
func (s *Store) Update(f func(*Tx) error) error {
	if err := s.Gone(); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	var own error
	err := s.write(func(b *bolt.Tx) error {
		if own = (&Tx{tx: b, key: s.key}).run(f); own != nil {
			return own
		}
		return unchanged(b)
	})
	if own != nil || err == errUnchanged {
		return own
	}
	return ioError("save", err)
}

var errUnchanged = errors.New("nothing was changed")

// unchanged returns errUnchanged if a transaction has changed nothing. Committing it would cost two
// waits for the disk, and there are six such transactions in an evening in which nothing is said.
// bbolt makes nodes of the pages that it changes, and makes none for reading.
func unchanged(b *bolt.Tx) error {
	if s := b.Stats(); s.GetNodeCount() == 0 {
		return errUnchanged
	}
	return nil
}
