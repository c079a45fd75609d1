package backup

import (
	"os"
	"path/filepath"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// filePoll is the interval of the check that the data file still exists. It keeps the report within
// a second, even on a busy machine.
const filePoll = 400 * time.Millisecond

// watchFile emits an event when the data file disappears and when it is back.
func (svc *Service) watchFile() {
	defer svc.core.Work.Done()
	t := time.NewTicker(filePoll)
	defer t.Stop()
	for {
		select {
		case <-svc.core.Ctx.Done():
			return
		case <-t.C:
			svc.checkFile()
		}
	}
}

func (svc *Service) checkFile() {
	now := File{svc.core.Store.Gone()}
	svc.mu.Lock()
	changed := (now.Fault == nil) != (svc.file.Fault == nil)
	svc.file = now
	svc.mu.Unlock()
	if !changed {
		return
	}
	if now.Fault != nil {
		svc.core.Log.Error("the data file is gone", "err", now.Fault)
	} else {
		svc.core.Log.Warn("the data file is back", "path", svc.core.Store.Path())
	}
	svc.core.Emit(now)
}

// File returns the last known state of the data file.
func (svc *Service) File() File {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	return svc.file
}

// CopyTo writes a copy of the data file to a new file, or into a folder, and returns the path of
// that file. add adds to the copy data that is not in the data file. The copy is encrypted as the
// data file is.
func (svc *Service) CopyTo(path string, add func(*storage.Tx) error) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, dataName+".db")
	}
	if _, err := os.Lstat(path); err == nil {
		return "", failure.Wrap("copy", failure.Refusef("%s already exists: choose another file name", path))
	}
	if err := svc.core.Store.CopyTo(path, add); err != nil {
		return "", failure.Wrap("copy", err)
	}
	return path, nil
}
