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

// ReadFile reads a file below the data directory, encrypted or not, as it was before that.
func (c *Core) ReadFile(rel string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(c.Config.DataDir, rel))
	if err != nil {
		return nil, err
	}
	return c.Store.Key().Decrypt(data)
}

// OpenFile opens a file below the data directory likewise, to be read piece by piece.
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

// dataFileReader reads what is in a file, and closes that.
type dataFileReader struct {
	io.Reader
	io.Closer
}

// CopyFile writes a file below the data directory to w likewise.
func (c *Core) CopyFile(w io.Writer, rel string) error {
	r, err := c.OpenFile(rel)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // was only read
	_, err = io.Copy(w, r)
	return err
}

// dataFolders returns those of the data directory whose files belong to the data file, and are
// encrypted as it is.
func dataFolders() []string { return []string{CaptureFolder, SmallFolder, ReferenceFolder} }

// The folders of files that belong to the data file.
const (
	CaptureFolder   = "captures"
	SmallFolder     = "thumbs"
	ReferenceFolder = "references"
)

// PartPrefix begins the name of a file that is not whole yet.
const PartPrefix = ".part-"

// SyncDataFolders makes the names in them last.
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

// EachDataFile goes through the files of a data directory that belong to its data file.
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

// SweepParts removes the files that are not whole, which nobody may be writing just now.
func SweepParts(dataDir string) {
	for _, folder := range dataFolders() {
		parts, _ := filepath.Glob(filepath.Join(dataDir, folder, PartPrefix+"*")) // the pattern is sound
		for _, part := range parts {
			_ = os.Remove(part) // what stays takes room, and is tried again
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

// ConvertFile has a file encrypted, or plain, unless it is so already. The new one takes the
// place of the old at once, when it was read again and says the same, and keeps its time. A
// storage.ErrCorrupt where the key does not open it.
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

// writePart writes all that comes to a file, encrypted where there is a key, and sees it
// onto the disk.
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
