package pictures

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// viewTTL is the time that a copy for another program is kept, unless the next one is made earlier.
const viewTTL = time.Hour

// ViewablePath returns a file with a capture's picture for another program: its own, or an
// unencrypted copy if that is encrypted, which plain reports. The copy is in the system's runtime
// folder, if there is one.
func (gallery *Gallery) ViewablePath(c storage.Capture) (path string, plain bool, err error) {
	path = gallery.Path(c)
	if path == "" {
		return "", false, failure.Wrap("show picture", failure.ErrRefused)
	}
	encrypted, err := core.IsEncryptedFile(path)
	if err != nil || !encrypted {
		return path, false, failIf(err)
	}
	dir := filepath.Join(cmp.Or(os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()), "ghostlight-shown")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", false, failIf(err)
	}
	old, _ := os.ReadDir(dir)
	for _, f := range old {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > viewTTL {
			_ = os.Remove(filepath.Join(dir, f.Name())) // perhaps of another user
		}
	}
	f, err := os.CreateTemp(dir, "*"+filepath.Ext(path)) // mode 0600
	if err != nil {
		return "", false, failIf(err)
	}
	err = gallery.core.CopyFile(io.Writer(f), c.ImagePath)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return f.Name(), true, failIf(err)
}

func failIf(err error) error {
	if err == nil {
		return nil
	}
	return failure.Wrap("show picture", err)
}
