package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Encrypted reports whether the data is encrypted.
func (svc *Service) Encrypted() bool { return svc.core.Store.Encrypted() }

// CheckPassphrase reports whether a passphrase opens the data: storage.ErrPassphrase where it
// does not. It takes about a second, so that many cannot be tried.
func (svc *Service) CheckPassphrase(passphrase string) error {
	if !svc.Encrypted() {
		return notEncrypted()
	}
	u, err := svc.core.Store.CopyEncryption()
	if err == nil {
		_, err = u.Guard.Open(passphrase)
	}
	return failFor("unlock", err)
}

// Encryption is the state of a data directory's encryption, as far as it is known without the
// passphrase.
type Encryption struct {
	Encrypted bool `json:"encrypted"`
	// Damaged: the key record in the data file cannot be read; the copy beside it counts.
	Damaged bool `json:"damaged"`
	// Left describes changes that were begun and not finished, for the files that belong to the
	// data file.
	Left storage.FilesLeft `json:"left"`
	// Files and Backups are counted by whether they are encrypted.
	Files   EncryptedCount `json:"files"`
	Backups EncryptedCount `json:"backups"`
	// PlainBackups are the backups that everybody can read.
	PlainBackups []string `json:"plain_backups"`
}

// EncryptedCount counts things that are encrypted, and those that are not.
type EncryptedCount struct {
	Encrypted int `json:"encrypted"`
	Plain     int `json:"plain"`
}

func (c *EncryptedCount) add(encrypted bool) {
	if encrypted {
		c.Encrypted++
	} else {
		c.Plain++
	}
}

// EncryptionOf returns how a data directory is encrypted. Nothing is opened for it.
func EncryptionOf(dataDir string) (e Encryption, err error) {
	const op = "encryption"
	e.PlainBackups = []string{}
	path := filepath.Join(dataDir, dataName+".db")
	g, encrypted, err := storage.GuardOf(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, failure.Fail(op, err)
	}
	e.Encrypted, e.Damaged = encrypted, encrypted && g.ID == ""
	if e.Left, err = storage.FilesLeftOf(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, failure.Fail(op, err)
	}
	err = core.EachDataFile(dataDir, func(f string, _ fs.FileInfo) error {
		encrypted, err := core.IsEncryptedFile(f)
		e.Files.add(encrypted)
		return err
	})
	if err != nil {
		return e, failure.Fail(op, err)
	}
	list, err := backupFiles(dataDir, true)
	for _, b := range list {
		if e.Backups.add(b.Encrypted); !b.Encrypted {
			e.PlainBackups = append(e.PlainBackups, b.Path)
		}
	}
	return e, err
}

// Words describes the state for the user.
func (e Encryption) Words() string {
	pictures := fmt.Sprintf("%s encrypted, %d not", failure.Count(e.Files.Encrypted, "picture"), e.Files.Plain)
	switch {
	case !e.Encrypted && e.Files.Encrypted > 0:
		return "the data file is not encrypted; " + pictures +
			". If you know the passphrase that they were encrypted with, ghostlight lock set with this passphrase " +
			"makes them readable again."
	case !e.Encrypted:
		return "nothing is encrypted"
	case e.Damaged:
		return "the data file is encrypted, and its key record is damaged: the next start repairs it from the copy " +
			"beside it; " + pictures
	case e.Left == storage.FilesToClose:
		return "the data file is encrypted; " + pictures + ": ghostlight lock set continues"
	case e.Left == storage.FilesToOpen:
		return "decryption is not finished; " + pictures + ": ghostlight lock remove continues"
	}
	return "the data file is encrypted; " + pictures
}

// EncryptionChange is the result of a change of encryption.
type EncryptionChange struct {
	// the backup made before the change, "" if an earlier change was only resumed
	Backup string `json:"backup"`
	// Files is the number of changed files. Unread lists the files that could not be read and were
	// left unchanged.
	Files  int      `json:"files"`
	Unread []string `json:"unread"`
}

// Encrypt encrypts a data directory with a passphrase. It first makes a backup, which is as
// readable as the data file was. Then it replaces the data file atomically by an encrypted copy and
// encrypts the other files one by one. If an earlier call was interrupted, it resumes without
// calling fresh for a passphrase. The engine of that directory must not be open.
func Encrypt(dataDir string, unlock storage.Unlock, fresh func() (string, error)) (done EncryptionChange, err error) {
	const op = "encrypt"
	path := filepath.Join(dataDir, dataName+".db")
	held, err := storage.Open(path, storage.Options{Program: "ghostlight lock set", Unlock: unlock})
	if err != nil {
		return done, failure.Fail(op, err)
	}
	if held.Encrypted() {
		done, err = resumeEncrypting(dataDir, held)
		return done, failFor(op, errors.Join(err, held.Close()))
	}
	u, err := newUnder(path, fresh)
	if err == nil {
		done.Backup, err = copyUnder(path, held, u)
	}
	if err = errors.Join(err, held.Close()); err != nil {
		return done, failFor(op, err)
	}
	backup := done.Backup
	held, err = storage.Open(path, storage.Options{Program: "ghostlight lock set", Unlock: storage.KeyOr(u.Key, nil)})
	if err == nil {
		done, err = convertFiles(dataDir, held, true)
		err = errors.Join(err, held.Close())
	}
	if done.Backup = backup; err != nil {
		err = fmt.Errorf("the data file is encrypted, but not all pictures; run the same command again to continue: %w",
			err)
	}
	return done, failFor(op, err)
}

func resumeEncrypting(dataDir string, held *storage.Store) (done EncryptionChange, err error) {
	switch left, err := held.FilesLeft(); {
	case err != nil:
		return done, err
	case left == storage.FilesToClose:
		return convertFiles(dataDir, held, true)
	case left == storage.FilesToOpen:
		return done, failure.Refuse("decryption is not finished: ghostlight lock remove continues")
	}
	return done, failure.Refuse("the data file is already encrypted; ghostlight lock change changes the passphrase")
}

// newUnder returns a new key behind a passphrase. Where the record of an earlier key lies beside
// the data file, behind the same one, it is that: there may be files yet that it opens.
func newUnder(path string, fresh func() (string, error)) (u storage.CopyEncryption, err error) {
	passphrase, err := fresh()
	if err != nil {
		return u, err
	}
	u.Files = storage.FilesToClose
	if g, there := storage.GuardBeside(path); there {
		if u.Key, err = g.Open(passphrase); err == nil {
			u.Guard = g
			return u, nil
		}
	}
	if u.Key, err = storage.NewKey(); err != nil {
		return u, err
	}
	u.Guard, err = u.Key.Guard(passphrase)
	return u, err
}

// ChangePassphrase has the key of an encrypted data directory open with another passphrase.
// Backups that were made before open with the one of their time.
func ChangePassphrase(dataDir string, unlock storage.Unlock, fresh func() (string, error)) (backup string, err error) {
	const op = "change the passphrase"
	path := filepath.Join(dataDir, dataName+".db")
	o := storage.Options{Program: "ghostlight lock change", Unlock: unlock}
	held, err := storage.Open(path, o)
	if err != nil {
		return "", failure.Fail(op, err)
	}
	u, err := held.CopyEncryption()
	if err == nil && u.Key == nil {
		err = notEncrypted()
	}
	var passphrase string
	if err == nil {
		passphrase, err = fresh()
	}
	if err == nil {
		u.Guard, err = u.Key.Guard(passphrase)
	}
	if err == nil {
		backup, err = copyUnder(path, held, u)
	}
	if err = errors.Join(err, held.Close()); err != nil {
		return backup, failFor(op, err)
	}
	o.Unlock = storage.KeyOr(u.Key, nil)
	if held, err = storage.Open(path, o); err == nil { // which brings the copy of the key record up to date
		err = held.Close()
	}
	return backup, failFor(op, err)
}

func notEncrypted() error {
	return failure.Refuse("the data file is not encrypted: ghostlight lock set encrypts it")
}

// Decrypt takes the encryption of a data directory away: its files one by one, and the data
// file at the end, after a backup. Where that was interrupted it goes on.
func Decrypt(dataDir string, unlock storage.Unlock) (done EncryptionChange, err error) {
	const op = "decrypt"
	path := filepath.Join(dataDir, dataName+".db")
	held, err := storage.Open(path, storage.Options{Program: "ghostlight lock remove", Unlock: unlock})
	if err != nil {
		return done, failure.Fail(op, err)
	}
	defer func() { err = failFor(op, errors.Join(err, held.Close())) }()
	if !held.Encrypted() {
		return done, notEncrypted()
	}
	if err := undamaged(held); err != nil {
		return done, err // before anything is changed
	}
	if err := held.PutFilesLeft(storage.FilesToOpen); err != nil {
		return done, err
	}
	if done, err = convertFiles(dataDir, held, false); err != nil {
		return done, err
	}
	if done.Backup, err = copyUnder(path, held, storage.CopyEncryption{}); err != nil || len(done.Unread) > 0 {
		return done, err // what is not read may be so one day, by the copy of the key record
	}
	return done, storage.DropGuardCopy(path)
}

// copyUnder has a copy of a data file, encrypted in another way, take its place, after a
// backup.
func copyUnder(path string, held *storage.Store, u storage.CopyEncryption) (backup string, err error) {
	if err := undamaged(held); err != nil {
		return "", err
	}
	dir, err := backupFolder(path)
	if err != nil {
		return "", err
	}
	if backup, err = held.BackupTo(dir, 0); err != nil {
		return "", err
	}
	return backup, swap(path, true, func(fresh string) error {
		if err := held.CopyEncrypted(fresh, u); err != nil {
			return err
		}
		return checkAll(fresh, storage.KeyOr(u.Key, nil))
	})
}

func undamaged(s *storage.Store) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("%w; nothing was changed", err)
	}
	return nil
}

func failFor(op string, err error) error {
	if err == nil {
		return nil
	}
	return failure.Fail(op, err)
}

// convertFiles has all files that belong to a data file encrypted, or plain, and notes when
// they are encrypted. One that cannot be read is left as it is.
func convertFiles(dataDir string, s *storage.Store, encrypt bool) (done EncryptionChange, err error) {
	done.Unread = []string{}
	core.SweepParts(dataDir)
	err = core.EachDataFile(dataDir, func(path string, info fs.FileInfo) error {
		changed, err := core.ConvertFile(s.Key(), path, info, encrypt)
		switch {
		case errors.Is(err, storage.ErrCorrupt):
			done.Unread = append(done.Unread, path)
		case err != nil:
			return err
		case changed:
			done.Files++
		}
		return nil
	})
	if err == nil {
		err = core.SyncDataFolders(dataDir)
	}
	if err != nil || !encrypt {
		return done, err
	}
	return done, s.PutFilesLeft(storage.FilesDone)
}
