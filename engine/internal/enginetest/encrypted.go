package enginetest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// harnessKey is the key of harnesses that are encrypted; making one takes a while.
var harnessKey = sync.OnceValues(func() (u storage.CopyEncryption, err error) {
	if u.Key, err = storage.NewKey(); err == nil {
		u.WrappedKey, err = u.Key.Wrap("a lamp on the pier")
	}
	return u, err
})

// Encrypted has a harness's data encrypted from its beginning.
func Encrypted(o *Setup) {
	path := filepath.Join(o.Cfg.DataDir, "ghostlight.db")
	if _, err := os.Stat(path); err == nil {
		return // it is somebody's
	}
	u, err := harnessKey()
	if err != nil {
		panic(err)
	}
	o.Cfg.Unlock = storage.KeyOr(u.Key, nil)
	s, err := storage.Open(path+".plain", storage.Options{})
	if err == nil {
		err = errors.Join(s.CopyEncrypted(path, u), s.Close(), os.Remove(path+".plain"))
	}
	if err != nil {
		panic(err)
	}
}
