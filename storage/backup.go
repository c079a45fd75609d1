package storage

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A backup's name is NAME-STAMP-NUMBER.db, or NAME-STAMP-NUMBER-WHY.db for one that is never
// removed automatically. A larger number means a newer backup: the clock may have been wrong.
// Backups of earlier programs have no number.
const backupStamp = "20060102T150405.000Z"

// BackupName holds the parts of a backup's name.
type BackupName struct {
	At     time.Time // by the clock at that moment
	Number int       // the larger, the newer; 0 for one of an earlier program
	Why    string    // why it is kept permanently, "" for one that may be removed automatically
}

// Compare orders names from the oldest to the newest.
func (n BackupName) Compare(o BackupName) int {
	return cmp.Or(cmp.Compare(n.Number, o.Number), n.At.Compare(o.At), strings.Compare(n.Why, o.Why))
}

// maxBackups is far more than were ever made: a larger number was not given by us.
const maxBackups = 1_000_000_000

// ReadBackupName parses the name of a backup of the data file called base. ok reports whether name
// is one.
func ReadBackupName(base, name string) (n BackupName, ok bool) {
	rest, ours := strings.CutPrefix(name, base+"-")
	rest, whole := strings.CutSuffix(rest, ".db")
	if !ours || !whole {
		return n, false
	}
	stamp, rest, _ := strings.Cut(rest, "-")
	var err error
	if n.At, err = time.Parse(backupStamp, stamp); err != nil {
		return n, false
	}
	number, why, _ := strings.Cut(rest, "-")
	if n.Number, err = strconv.Atoi(number); err != nil || n.Number <= 0 || n.Number > maxBackups {
		n.Number, why = 0, rest
	}
	n.Why = why
	return n, true
}

// NewBackupPath returns a path in dir for a backup that is newer than all those there of the
// data file that is called base. why is as in a BackupName.
func NewBackupPath(dir, base, why string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", ioError("backup", err)
	}
	newest := 0
	for _, e := range entries {
		if n, ok := ReadBackupName(base, e.Name()); ok {
			newest = max(newest, n.Number)
		}
	}
	name := fmt.Sprintf("%s-%s-%06d", base, time.Now().UTC().Format(backupStamp), newest+1)
	if why != "" {
		name += "-" + why
	}
	return filepath.Join(dir, name+".db"), nil
}

// unfinished begins the names of files that are still being written.
const unfinished = ".unfinished-"

// Backup writes a whole, consistent copy of the store to w and returns its
// size in bytes. The copy is a data file itself. Work goes on meanwhile.
func (s *Store) Backup(w io.Writer) (n int64, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		var err error
		n, err = tx.WriteTo(w)
		return err
	})
	if errors.Is(err, io.EOF) {
		err = corrupt(s.path, errors.New("it ends before its last page"))
	}
	return n, ioError("backup", err)
}

// BackupTo writes a backup into dir, which is made if necessary. Then it removes the store's oldest
// backups there until keep are left, not counting those that are kept permanently; keep <= 0 keeps
// all. The new file appears under its name only after it is on the disk and was read again, with
// all its records. If the store is damaged, BackupTo returns an ErrCorrupt and removes nothing, so
// that damage does not push out the backups from before it. The new backup is kept whatever the
// clock says. If only the removal failed, both path and error are returned.
func (s *Store) BackupTo(dir string, keep int) (path string, err error) {
	s.backups.Lock()
	defer s.backups.Unlock()
	if path, err = s.backupAs(dir, "", s.checkCopy); err != nil || keep <= 0 {
		return path, err
	}
	return path, s.rotate(dir, keep, path)
}

// checkCopy opens a copy of the store and checks all of it.
func (s *Store) checkCopy(path string) error {
	b, err := Open(path, Options{ReadOnly: true, Unlock: KeyOr(s.key, nil)})
	if err != nil {
		return err
	}
	err = b.Check()
	if err == nil && s.fell { // a copy has two heads again
		err = fmt.Errorf("%w: %s", ErrCorrupt, headFallbackText)
	}
	return errors.Join(err, b.Close())
}

// checkCopyPages checks the pages of a file, which may be of an older version.
func checkCopyPages(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // was only read
	found := &CheckError{}
	if checkPages(f, found); len(found.Faults) > 0 {
		return found
	}
	return nil
}

// backupAs writes a backup, which is kept permanently if why is set. A backup that check rejects is
// not kept.
func (s *Store) backupAs(dir, why string, check func(path string) error) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", ioError("backup", err)
	}
	path, err := NewBackupPath(dir, s.baseName(), why)
	if err != nil {
		return "", err
	}
	err = writeWhole(path, func(f *os.File) error {
		if _, err := s.Backup(f); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		return check(f.Name())
	})
	if err != nil {
		return "", ioError("backup", err)
	}
	return path, nil
}

func (s *Store) baseName() string { return baseName(s.path) }

// baseName returns what the backups of a data file are named after.
func baseName(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// hasBackups reports whether there are backups in dir of the data file that is called base.
func hasBackups(dir, base string) bool {
	entries, _ := os.ReadDir(dir) // there may be no such folder
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		_, is := ReadBackupName(base, e.Name())
		return is
	})
}

// rotate removes all but the newest keep backups of this store from dir, and never the
// one that was made just now.
func (s *Store) rotate(dir string, keep int, made string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("remove old backups: %w", err)
	}
	type backup struct {
		BackupName
		path string
	}
	var list []backup
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if n, ok := ReadBackupName(s.baseName(), e.Name()); ok && n.Why == "" && path != made && e.Type().IsRegular() {
			list = append(list, backup{n, path})
		}
	}
	slices.SortFunc(list, func(a, b backup) int { return a.Compare(b.BackupName) })
	var faults []error
	for _, b := range list[:max(0, len(list)-(keep-1))] {
		if err := os.Remove(b.path); err != nil {
			faults = append(faults, fmt.Errorf("remove old backup: %w", err))
		}
	}
	return errors.Join(faults...)
}

// realPath returns a path with its links resolved, or the path itself if that fails.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// sweepUnfinished removes the unfinished copies of the data file that killed processes left behind.
// The caller holds the data file's lock, so no other process is writing one.
func sweepUnfinished(dirs ...string) (swept []string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // there may be no such folder yet
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if strings.HasPrefix(e.Name(), unfinished) && os.RemoveAll(path) == nil {
				swept = append(swept, path)
			}
		}
	}
	return swept
}

// Swept returns the unfinished copies of the data file that were found when it was opened, and
// removed: a process was killed while it wrote them.
func (s *Store) Swept() []string { return slices.Clone(s.swept) }

// Compact writes a copy of the store without its unused pages to dst, which
// must not exist.
func (s *Store) Compact(dst string) error {
	if _, err := os.Lstat(dst); err == nil {
		return fmt.Errorf("compact: %s: %w", dst, fs.ErrExist)
	}
	err := writeWhole(dst, func(f *os.File) error {
		// Nothing needs to be safe before the end: writeWhole syncs it all.
		to, err := bolt.Open(f.Name(), 0o600, &bolt.Options{NoSync: true, NoGrowSync: true, NoStatistics: true,
			FreelistType: bolt.FreelistMapType, Timeout: time.Second})
		if err != nil {
			return err
		}
		to.AllocSize = growStep
		err = s.catchPageFaults(func() error { return bolt.Compact(to, s.db, 4<<20) })
		return errors.Join(err, to.Close())
	})
	return ioError("compact", err)
}

// writeWhole writes the file path atomically: it appears complete, or not at all.
func writeWhole(path string, write func(*os.File) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, unfinished+"*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a new name in dir last.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}
