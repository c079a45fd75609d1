package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	bolt "go.etcd.io/bbolt"
)

// Keys in meta: the wrapped key of an encrypted file, and the remaining work on the files that belong to
// it.
const (
	keyWrapped = "guard"
	keyFiles   = "files"
)

// FilesLeft is the remaining work on the files that belong to a data file, after encrypting or
// decrypting has begun.
type FilesLeft string

// The kinds of FilesLeft.
const (
	FilesDone    FilesLeft = ""        // all are encrypted; new files are encrypted too
	FilesToClose FilesLeft = "encrypt" // some older files may not be encrypted yet
	FilesToOpen  FilesLeft = "decrypt" // encryption is being removed: new files are plain
)

// unlock gets the key of an encrypted file from ask. Unless asIs is set, it also repairs the file's
// wrapped key and the copy beside it. For a file that is not encrypted it does nothing.
func (s *Store) unlock(ask Unlock, asIs bool) (err error) {
	encrypted, stored := false, []byte(nil)
	err = s.read(func(tx *bolt.Tx) error {
		if meta := tx.Bucket([]byte(bucketMeta)); meta != nil {
			_, encrypted, _ = readVersion(meta.Get([]byte(keySchema)))
			stored = append(stored, meta.Get([]byte(keyWrapped))...)
		}
		return nil
	})
	if err != nil || !encrypted {
		return ioError("open", err)
	}
	g, err := readWrappedKey(stored)
	if err != nil {
		if g, stored, err = readWrappedKeyCopy(s.path); err != nil {
			return fmt.Errorf("%w: %s cannot be opened by any passphrase; nothing was changed, and each backup has a "+
				"record of its own",
				ErrKeyRecord, s.path)
		}
	}
	if ask == nil {
		return fmt.Errorf("%w: %s needs its passphrase", ErrNoPassphrase, s.path)
	}
	if s.key, err = ask(g); err != nil {
		return err
	}
	s.wrapped = g
	if asIs {
		return nil
	}
	if err := s.repairWrappedKey(stored); err != nil {
		return err
	}
	return writeWrappedKeyCopy(s.path, stored)
}

// repairWrappedKey stores a wrapped key that was taken from its copy.
func (s *Store) repairWrappedKey(stored []byte) error {
	err := s.write(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		if string(meta.Get([]byte(keyWrapped))) == string(stored) {
			return errUnchanged
		}
		return meta.Put([]byte(keyWrapped), stored)
	})
	if err == errUnchanged {
		return nil
	}
	return ioError("mend the key record", err)
}

// Encrypted reports whether the file is encrypted.
func (s *Store) Encrypted() bool { return s.key != nil }

// Key returns the key of a file that is encrypted, nil for another.
func (s *Store) Key() *Key { return s.key }

// FileKey returns the key for new files, nil if they are to be plain.
func (s *Store) FileKey() *Key {
	if left, err := s.FilesLeft(); err == nil && left == FilesToOpen {
		return nil
	}
	return s.key
}

// FilesLeft returns the remaining work on the files that belong to the store.
func (s *Store) FilesLeft() (left FilesLeft, err error) {
	if s.key == nil {
		return "", nil
	}
	err = s.read(func(tx *bolt.Tx) error {
		left = FilesLeft(tx.Bucket([]byte(bucketMeta)).Get([]byte(keyFiles)))
		return nil
	})
	return left, ioError("read", err)
}

// PutFilesLeft records the remaining work on these files.
func (s *Store) PutFilesLeft(left FilesLeft) error {
	err := s.write(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		if left == FilesDone {
			return meta.Delete([]byte(keyFiles))
		}
		return meta.Put([]byte(keyFiles), []byte(left))
	})
	return ioError("save", err)
}

// DropWrappedKeyCopy removes the copy of the wrapped key beside a data file that is no longer encrypted, once
// nothing needs it.
func DropWrappedKeyCopy(path string) error {
	if err := os.Remove(wrappedKeyCopy(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the copy of the key record: %w", err)
	}
	return nil
}

// WrappedKeyBeside returns the wrapped key from the copy beside a data file. The copy may belong to an earlier
// data file of that name.
func WrappedKeyBeside(path string) (WrappedKey, bool) {
	g, _, err := readWrappedKeyCopy(path)
	return g, err == nil
}

// CopyEncryption is the encryption of a copy of a store. The zero value means none.
type CopyEncryption struct {
	Key        *Key
	WrappedKey WrappedKey // of the key
	Files      FilesLeft
}

// encryptEmpty has a file that holds nothing encrypted.
func (s *Store) encryptEmpty(u CopyEncryption) error {
	stored, err := json.Marshal(u.WrappedKey)
	if err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	err = s.write(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		return errors.Join(meta.Put([]byte(keySchema), writeVersion(schemaVersion, true)),
			meta.Put([]byte(keyWrapped), stored), meta.Put([]byte(keyFiles), []byte(u.Files)))
	})
	if err != nil {
		return ioError("encrypt", err)
	}
	s.key, s.wrapped = u.Key, u.WrappedKey
	return nil
}

// CopyEncryption returns how the store is encrypted itself.
func (s *Store) CopyEncryption() (u CopyEncryption, err error) {
	u.Key, u.WrappedKey = s.key, s.wrapped
	u.Files, err = s.FilesLeft()
	return u, err
}
