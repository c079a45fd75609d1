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

// viewTTL is how long a copy for another program is kept: until the next one is made after
// that.
const viewTTL = time.Hour

// ViewablePath is a file with a capture's picture that another program can show: its own, or
// where that is encrypted a copy that is not, which plain tells. The copy lies where the
// system keeps what goes away with the session, if it has such a place.
func (gallery *Gallery) ViewablePath(c storage.Capture) (path string, plain bool, err error) {
	path = gallery.Path(c)
	if path == "" {
		return "", false, failure.Fail("show picture", failure.ErrNothing)
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
			_ = os.Remove(filepath.Join(dir, f.Name())) // somebody else's, perhaps
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
	return failure.Fail("show picture", err)
}
