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

// CheckPassphrase returns storage.ErrPassphrase if a passphrase does not open the data. It takes
// about a second, so that nobody can try many.
func (svc *Service) CheckPassphrase(passphrase string) error {
	if !svc.Encrypted() {
		return notEncrypted()
	}
	u, err := svc.core.Store.CopyEncryption()
	if err == nil {
		_, err = u.WrappedKey.Unwrap(passphrase)
	}
	return failFor("unlock", err)
}

// Encryption is the state of a data directory's encryption, as far as it is known without the
// passphrase.
type Encryption struct {
	Encrypted bool `json:"encrypted"`
	// Damaged means that the key record in the data file cannot be read; the copy beside it is
	// used.
	Damaged bool `json:"damaged"`
	// Left describes changes that were begun and not finished, for the files that belong to the
	// data file.
	Left storage.FilesLeft `json:"left"`
	// Files and Backups count the encrypted and the unencrypted ones.
	Files   EncryptedCount `json:"files"`
	Backups EncryptedCount `json:"backups"`
	// PlainBackups are the backups that everybody can read because they are not encrypted.
	PlainBackups []string `json:"plain_backups"`
}

// EncryptedCount counts encrypted and unencrypted files.
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

// EncryptionOf returns the state of a data directory's encryption. It needs no passphrase.
func EncryptionOf(dataDir string) (e Encryption, err error) {
	const op = "encryption"
	e.PlainBackups = []string{}
	path := filepath.Join(dataDir, dataName+".db")
	g, encrypted, err := storage.WrappedKeyOf(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, failure.Wrap(op, err)
	}
	e.Encrypted, e.Damaged = encrypted, encrypted && g.ID == ""
	if e.Left, err = storage.FilesLeftOf(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, failure.Wrap(op, err)
	}
	err = core.EachDataFile(dataDir, func(f string, _ fs.FileInfo) error {
		encrypted, err := core.IsEncryptedFile(f)
		e.Files.add(encrypted)
		return err
	})
	if err != nil {
		return e, failure.Wrap(op, err)
	}
	list, err := backupFiles(dataDir, true)
	for _, b := range list {
		if e.Backups.add(b.Encrypted); !b.Encrypted {
			e.PlainBackups = append(e.PlainBackups, b.Path)
		}
	}
	return e, err
}

// StateText describes the state for the user.
func (e Encryption) StateText() string {
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
	// Backup is the path of the backup made before the change, "" if an earlier change was only
	// resumed.
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
		return done, failure.Wrap(op, err)
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
		return done, failure.Refusef("decryption is not finished: ghostlight lock remove continues")
	}
	return done, failure.Refusef("the data file is already encrypted; ghostlight lock change changes the passphrase")
}

// newUnder returns a new key that a passphrase protects. If the record of an earlier key with the
// same passphrase is beside the data file, it returns that key: there may still be files that need
// it.
func newUnder(path string, fresh func() (string, error)) (u storage.CopyEncryption, err error) {
	passphrase, err := fresh()
	if err != nil {
		return u, err
	}
	u.Files = storage.FilesToClose
	if g, there := storage.WrappedKeyBeside(path); there {
		if u.Key, err = g.Unwrap(passphrase); err == nil {
			u.WrappedKey = g
			return u, nil
		}
	}
	if u.Key, err = storage.NewKey(); err != nil {
		return u, err
	}
	u.WrappedKey, err = u.Key.Wrap(passphrase)
	return u, err
}

// ChangePassphrase replaces the passphrase of an encrypted data directory. Backups that were made
// before still need the passphrase of their time.
func ChangePassphrase(dataDir string, unlock storage.Unlock, fresh func() (string, error)) (backup string, err error) {
	const op = "change the passphrase"
	path := filepath.Join(dataDir, dataName+".db")
	o := storage.Options{Program: "ghostlight lock change", Unlock: unlock}
	held, err := storage.Open(path, o)
	if err != nil {
		return "", failure.Wrap(op, err)
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
		u.WrappedKey, err = u.Key.Wrap(passphrase)
	}
	if err == nil {
		backup, err = copyUnder(path, held, u)
	}
	if err = errors.Join(err, held.Close()); err != nil {
		return backup, failFor(op, err)
	}
	o.Unlock = storage.KeyOr(u.Key, nil)
	if held, err = storage.Open(path, o); err == nil { // this updates the copy of the key record
		err = held.Close()
	}
	return backup, failFor(op, err)
}

func notEncrypted() error {
	return failure.Refusef("the data file is not encrypted: ghostlight lock set encrypts it")
}

// Decrypt removes the encryption of a data directory: first of its files one by one, then of the
// data file, after a backup. If an earlier call was interrupted, it resumes.
func Decrypt(dataDir string, unlock storage.Unlock) (done EncryptionChange, err error) {
	const op = "decrypt"
	path := filepath.Join(dataDir, dataName+".db")
	held, err := storage.Open(path, storage.Options{Program: "ghostlight lock remove", Unlock: unlock})
	if err != nil {
		return done, failure.Wrap(op, err)
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
		return done, err // files that cannot be read may become readable later, with the copy of the key record
	}
	return done, storage.DropWrappedKeyCopy(path)
}

// copyUnder replaces a data file by a copy with another encryption, after a backup.
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
	return failure.Wrap(op, err)
}

// convertFiles encrypts or decrypts all files that belong to a data file, and records that they are
// encrypted. A file that cannot be read is left unchanged.
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
