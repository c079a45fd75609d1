package backup

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// lockGrace is the time that the lock of the old data file is still held after another file has
// replaced it. It is longer than anybody waits for the lock (storage.Options.LockWait), so that
// whoever has opened the old file and waits is refused: anything written to it would be lost.
const lockGrace = time.Second

// Info is a backup in the data directory's folder of backups.
type Info struct {
	Path      string    `json:"path"`
	Size      int64     `json:"size"` // bytes
	CreatedAt time.Time `json:"created_at"`
	Encrypted bool      `json:"encrypted"`
}

// List lists the backups of a data directory, the most recently made one first, even if the clock
// was wrong at the time. Data files that were kept because they were damaged are not included.
func List(dataDir string) ([]Info, error) { return backupFiles(dataDir, false) }

// backupFiles lists the backups, or with all every file of the folder.
func backupFiles(dataDir string, all bool) ([]Info, error) {
	dir := filepath.Join(dataDir, "backups")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failure.Wrap("list backups", err)
	}
	type named struct {
		storage.BackupName
		Info
	}
	var found []named
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".db") || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it is gone by now
		}
		name, ok := storage.ReadBackupName(dataName, e.Name())
		if name.Why == keptDamaged && !all {
			continue
		}
		if !ok {
			name.At = info.ModTime().UTC()
		}
		path := filepath.Join(dir, e.Name())
		_, encrypted, _ := storage.WrappedKeyOf(path) // one that cannot be read is not encrypted either
		found = append(found, named{name, Info{path, info.Size(), name.At, encrypted}})
	}
	slices.SortFunc(found, func(a, b named) int {
		return cmp.Or(b.Compare(a.BackupName), strings.Compare(b.Path, a.Path))
	})
	list := []Info{}
	for _, f := range found {
		list = append(list, f.Info)
	}
	return list, nil
}

// dataName is the name of the data file without its extension.
const dataName = "ghostlight"

// Restored is the result of RestoreLatest.
type Restored struct {
	Restored string   `json:"restored"`
	Kept     string   `json:"kept"`              // see Restore
	Damaged  []string `json:"damaged,omitempty"` // newer backups, which are damaged or of a newer program
}

// RestoreLatest restores the newest undamaged backup, as Restore does.
func RestoreLatest(dataDir string, unlock storage.Unlock) (done Restored, err error) {
	list, err := List(dataDir)
	if err != nil {
		return done, err
	}
	if len(list) == 0 {
		return done, failure.Refusef("there is no backup in %s", filepath.Join(dataDir, "backups"))
	}
	for _, b := range list {
		done.Restored = b.Path
		done.Kept, err = Restore(dataDir, b.Path, unlock)
		var damaged *failure.DamagedBackup
		if !errors.As(err, &damaged) && !errors.Is(err, storage.ErrNewer) {
			return done, err
		}
		done.Damaged = append(done.Damaged, b.Path)
	}
	return done, err
}

// Restore replaces the data file by a copy of a backup, after checking the backup. It keeps the
// present data file and returns its path as kept, "" if there was none: as another backup, or byte
// by byte if it is damaged. The restored file is encrypted as the present data file is, whether or
// not the backup is encrypted, so that pictures still open. The engine of that directory must not
// be open: if the data file is locked, the error is storage.ErrLocked. A backup that fails its
// check is a *failure.DamagedBackup. An error means that nothing was changed.
func Restore(dataDir, backup string, unlock storage.Unlock) (kept string, err error) {
	path := filepath.Join(dataDir, "ghostlight.db")
	present, err := os.Stat(path)
	there := err == nil
	if given, err := os.Stat(backup); err != nil {
		return "", failure.Wrap("restore", err)
	} else if there && os.SameFile(given, present) {
		return "", failure.Wrap("restore", failure.Refusef("%s is the data file itself", backup))
	}
	held, u, fault, err := openPresent(path, there, unlock)
	if err != nil {
		return "", failure.Wrap("restore", err)
	}
	if held != nil {
		defer func() { err = errors.Join(err, held.Close()) }()
	}
	if u != nil {
		unlock = storage.KeyOr(u.Key, unlock)
	}
	if err := readable(backup, unlock); err != nil {
		return "", failure.Wrap("restore", backupDamage(backup, err))
	}
	err = swap(path, held != nil, func(fresh string) error {
		if err := copyFile(fresh, backup); err != nil {
			return err
		}
		if err := checkAll(fresh, unlock); err != nil {
			return backupDamage(backup, err)
		}
		if u != nil {
			if err := reencryptCopy(fresh, unlock, *u); err != nil {
				return err
			}
		}
		if there {
			kept, err = backUpPresent(held, fault, path)
		}
		return err
	})
	if err != nil {
		return "", failure.Wrap("restore", err)
	}
	return kept, nil
}

// backupDamage returns an error that says that the backup is damaged, not the data file.
func backupDamage(path string, err error) error {
	if errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrKeyRecord) {
		return &failure.DamagedBackup{Path: path, Err: err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// openPresent opens the present data file, as far as that is possible. It returns its encryption,
// nil if that is unknown, and in fault the reason why the file could not be opened.
func openPresent(path string, there bool, unlock storage.Unlock) (
	held *storage.Store, u *storage.CopyEncryption, fault, err error,
) {
	o := storage.Options{Program: "ghostlight restore", Unlock: unlock, AsIs: there}
	held, fault = storage.Open(path, o)
	if errors.Is(fault, storage.ErrOlder) {
		o.AsIs = false
		held, fault = storage.Open(path, o)
	}
	if fault == nil {
		if !there { // it was made just now
			return held, nil, nil, nil
		}
		now, err := held.CopyEncryption()
		if err == nil {
			return held, &now, nil, nil
		}
		fault = errors.Join(err, held.Close())
	}
	if !errors.Is(fault, storage.ErrCorrupt) && !errors.Is(fault, storage.ErrNewer) &&
		!errors.Is(fault, storage.ErrKeyRecord) {
		return nil, nil, nil, fault
	}
	g, beside := storage.WrappedKeyBeside(path)
	if !beside {
		if g, _, _ = storage.WrappedKeyOf(path); g.ID == "" {
			return nil, nil, fault, nil // as the backup is, then
		}
	}
	if unlock == nil {
		return nil, nil, nil, storage.ErrNoPassphrase
	}
	key, err := unlock(g)
	if err != nil {
		return nil, nil, nil, err
	}
	return nil, &storage.CopyEncryption{Key: key, WrappedKey: g, Files: storage.FilesToClose}, fault, nil
}

// reencryptCopy changes the encryption of a backup's copy.
func reencryptCopy(fresh string, unlock storage.Unlock, u storage.CopyEncryption) error {
	s, err := storage.Open(fresh, storage.Options{Unlock: unlock})
	if err != nil {
		return err
	}
	was, err := s.CopyEncryption()
	if err == nil && was.WrappedKey.ID == u.WrappedKey.ID &&
		bytes.Equal(was.WrappedKey.Wrapped, u.WrappedKey.Wrapped) &&
		was.Files == u.Files {
		return s.Close() // it already has this encryption
	}
	to := fresh + ".again"
	if err == nil {
		err = s.CopyEncrypted(to, u)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if err := os.Rename(to, fresh); err != nil {
		return err
	}
	return checkAll(fresh, storage.KeyOr(u.Key, nil))
}

// Compact makes the data file as small as possible and returns its size before and after, in bytes.
// The engine of that directory must not be open.
func Compact(dataDir string, unlock storage.Unlock) (before, after int64, err error) {
	path := filepath.Join(dataDir, "ghostlight.db")
	held, err := storage.Open(path, storage.Options{Program: "ghostlight doctor --compact", Unlock: unlock})
	if err != nil {
		return 0, 0, failure.Wrap("compact", err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	before, err = sizeOf(path)
	if err != nil {
		return 0, 0, failure.Wrap("compact", err)
	}
	err = swap(path, true, func(fresh string) error {
		if err := held.Compact(fresh); err != nil {
			return err
		}
		if err := checkAll(fresh, storage.KeyOr(held.Key(), nil)); err != nil {
			return err
		}
		after, err = sizeOf(fresh)
		return err
	})
	if err != nil {
		return 0, 0, failure.Wrap("compact", err)
	}
	return before, after, nil
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// swap writes a file in a folder beside path and moves it to path.
func swap(path string, held bool, write func(fresh string) error) error {
	path = realPath(path) // a link stays; its target is replaced
	dir, err := os.MkdirTemp(filepath.Dir(path), ".unfinished-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fresh := filepath.Join(dir, filepath.Base(path))
	if err := write(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return err
	}
	err = syncFolder(filepath.Dir(path))
	if held {
		<-time.After(lockGrace)
	}
	return err
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// readable returns an error if a file cannot be a backup; an older layout is accepted.
func readable(path string, unlock storage.Unlock) error {
	s, err := storage.Open(path, storage.Options{ReadOnly: true, Unlock: unlock})
	if errors.Is(err, storage.ErrOlder) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Close()
}

// checkAll upgrades a copy to the present layout and checks every record in it.
func checkAll(path string, unlock storage.Unlock) error {
	s, err := storage.Open(path, storage.Options{Program: "ghostlight", Unlock: unlock})
	if err != nil {
		return err
	}
	return errors.Join(s.Check(), s.Close())
}

// The reasons for keeping a data file that is not a backup: it is never deleted or listed.
const (
	keptDamaged = "damaged"
	keptUnread  = "replaced" // of a newer program
)

// backUpPresent copies the present data file into the folder of backups. If it is undamaged the
// copy is a backup. fault is the reason why it could not be opened.
func backUpPresent(held *storage.Store, fault error, path string) (string, error) {
	if held != nil {
		dir, err := backupFolder(path)
		if err != nil {
			return "", err
		}
		kept, err := held.BackupTo(dir, 0)
		if err == nil || !errors.Is(err, storage.ErrCorrupt) {
			return kept, err
		}
		fault = err
	}
	if errors.Is(fault, storage.ErrNewer) {
		return copyRaw(path, keptUnread)
	}
	return copyRaw(path, keptDamaged)
}

// copyRaw copies a data file, byte by byte, into the folder of backups. If that fails, because the
// disk cannot be read or is full, the file itself gets a second name there.
func copyRaw(path, why string) (string, error) {
	dir, err := backupFolder(path)
	if err != nil {
		return "", err
	}
	to, err := storage.NewBackupPath(dir, dataName, why)
	if err != nil {
		return "", err
	}
	if err = copyFile(to, path); err != nil && os.Link(realPath(path), to) == nil {
		return to, nil
	}
	return to, err
}

// realPath returns path with its symbolic links resolved, or path itself if that fails.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// backupFolder returns the folder of a data file's backups, and creates it if needed.
func backupFolder(path string) (string, error) {
	dir := filepath.Join(filepath.Dir(path), "backups")
	return dir, os.MkdirAll(dir, 0o700)
}

// copyFile copies a regular file to a new one and syncs it to the disk.
func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // was only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}
