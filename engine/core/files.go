package core

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ReadFile returns the content of a file below the data directory, decrypted if needed.
func (c *Core) ReadFile(rel string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(c.Config.DataDir, rel))
	if err != nil {
		return nil, err
	}
	return c.Store.Key().Decrypt(data)
}

// OpenFile opens a file below the data directory for reading, decrypted if needed.
func (c *Core) OpenFile(rel string) (io.ReadCloser, error) {
	f, err := os.Open(filepath.Join(c.Config.DataDir, rel))
	if err != nil {
		return nil, err
	}
	r, err := c.Store.Key().DecryptFrom(f)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return dataFileReader{r, f}, nil
}

// dataFileReader reads the content of a file, and closes the file.
type dataFileReader struct {
	io.Reader
	io.Closer
}

// CopyFile writes the content of a file below the data directory to w, decrypted if needed.
func (c *Core) CopyFile(w io.Writer, rel string) error {
	r, err := c.OpenFile(rel)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // was only read
	_, err = io.Copy(w, r)
	return err
}

// dataFolders returns the folders of the data directory whose files belong to the data file and are
// encrypted as it is.
func dataFolders() []string { return []string{CaptureFolder, SmallFolder, ReferenceFolder} }

// The folders of files that belong to the data file.
const (
	CaptureFolder   = "captures"
	SmallFolder     = "thumbs"
	ReferenceFolder = "references"
)

// PartPrefix begins the name of an incomplete file.
const PartPrefix = ".part-"

// SyncDataFolders syncs the entries of these folders to the disk.
func SyncDataFolders(dataDir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	for _, folder := range dataFolders() {
		d, err := os.Open(filepath.Join(dataDir, folder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(d.Sync(), d.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EachDataFile calls yield with each file of a data directory that belongs to its data file.
func EachDataFile(dataDir string, yield func(path string, info fs.FileInfo) error) error {
	for _, folder := range dataFolders() {
		dir := filepath.Join(dataDir, folder)
		list, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, entry := range list {
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(entry.Name(), PartPrefix) {
				continue // gone by now, or nothing of ours
			}
			if err := yield(filepath.Join(dir, entry.Name()), info); err != nil {
				return err
			}
		}
	}
	return nil
}

// SweepParts removes incomplete files. Nobody may be writing one.
func SweepParts(dataDir string) {
	for _, folder := range dataFolders() {
		parts, _ := filepath.Glob(filepath.Join(dataDir, folder, PartPrefix+"*")) // the pattern is sound
		for _, part := range parts {
			_ = os.Remove(part) // a remaining file takes space, and is tried again
		}
	}
}

// IsEncryptedFile reports whether a file is encrypted, judged by its first bytes.
func IsEncryptedFile(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // was only read
	head := make([]byte, 32)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return storage.IsEncrypted(head[:n]), nil
}

// ConvertFile encrypts or decrypts a file, unless it is in that form already. The new file replaces
// the old one atomically, after it was read back and compared, and keeps the old one's time. The
// error is a storage.ErrCorrupt if the key does not open the file.
func ConvertFile(key *storage.Key, path string, info fs.FileInfo, encrypt bool) (changed bool, err error) {
	in, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }() // was only read
	is, err := IsEncryptedFile(path)
	if err != nil {
		return false, err
	}
	from, err := key.DecryptFrom(in)
	if err != nil || is == encrypt {
		return false, err
	}
	part := filepath.Join(filepath.Dir(path), PartPrefix+filepath.Base(path))
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	sum := sha256.New()
	to := key
	if !encrypt {
		to = nil
	}
	if err := writePart(part, to, io.TeeReader(from, sum)); err != nil {
		return false, err
	}
	again, err := sumOf(part, key)
	if err != nil {
		return false, err
	}
	if !bytes.Equal(again, sum.Sum(nil)) {
		return false, fmt.Errorf("write %s: the written file has different content", part)
	}
	if err := os.Chtimes(part, info.ModTime(), info.ModTime()); err != nil {
		return false, err
	}
	return true, os.Rename(part, path)
}

// writePart writes everything from a reader to a file, encrypted if there is a key, and syncs it to
// the disk.
func writePart(path string, key *storage.Key, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w, err := key.EncryptTo(f)
	if err == nil {
		_, err = io.Copy(w, from)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func sumOf(path string, key *storage.Key) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	r, err := key.DecryptFrom(f)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, r)
	return sum.Sum(nil), err
}
