package storage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// backupStamp sorts by time; a backup's name is NAME-STAMP.db.
const backupStamp = "20060102T150405.000Z"

// unfinished begins the names of files that are still being written.
const unfinished = ".unfinished-"

// Backup writes a whole, consistent copy of the store to w and returns its
// size in bytes. The copy is a data file itself. Work goes on meanwhile.
func (s *Store) Backup(w io.Writer) (n int64, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		n, err = tx.WriteTo(w)
		return err
	})
	return n, ioError("backup", err)
}

// BackupTo writes a backup into dir, which is made if need be, and then removes
// the oldest of its own backups there until keep are left (keep <= 0: all
// stay). The new file appears under its name only when it is whole and on the
// disk. When only the removing failed, both path and error are returned.
func (s *Store) BackupTo(dir string, keep int) (path string, err error) {
	s.backups.Lock()
	defer s.backups.Unlock()
	path, err = s.backupAs(dir, "")
	if err != nil || keep <= 0 {
		return path, err
	}
	return path, s.rotate(dir, keep)
}

// backupAs writes a backup whose name ends in suffix. Those with a suffix are
// never rotated away.
func (s *Store) backupAs(dir, suffix string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", ioError("backup", err)
	}
	var path string
	for at := time.Now().UTC(); ; at = at.Add(time.Millisecond) {
		path = filepath.Join(dir, s.baseName()+"-"+at.Format(backupStamp)+suffix+".db")
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", ioError("backup", err)
		}
	}
	err := writeWhole(path, func(f *os.File) error {
		_, err := s.Backup(f)
		return err
	})
	if err != nil {
		return "", ioError("backup", err)
	}
	return path, nil
}

func (s *Store) baseName() string {
	return strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
}

// rotate removes all but the newest keep backups of this store from dir.
func (s *Store) rotate(dir string, keep int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("remove old backups: %w", err)
	}
	var names []string
	for _, e := range entries {
		s.sweep(dir, e)
		stamp, ok := strings.CutPrefix(e.Name(), s.baseName()+"-")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if stamp, ok = strings.CutSuffix(stamp, ".db"); !ok {
			continue
		}
		if _, err := time.Parse(backupStamp, stamp); err == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	var faults []error
	for _, name := range names[:max(0, len(names)-keep)] {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			faults = append(faults, fmt.Errorf("remove old backup: %w", err))
		}
	}
	return errors.Join(faults...)
}

// sweep removes what a process that was killed amid a backup left behind.
func (s *Store) sweep(dir string, e os.DirEntry) {
	if !strings.HasPrefix(e.Name(), unfinished) || !e.Type().IsRegular() {
		return
	}
	if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
		_ = os.Remove(filepath.Join(dir, e.Name()))
	}
}

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
		err = bolt.Compact(to, s.db, 4<<20)
		return errors.Join(err, to.Close())
	})
	return ioError("compact", err)
}

// writeWhole makes the file path appear at once and whole, or not at all.
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
