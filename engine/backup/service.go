// Package backup manages the data file as a file: backups, restore, repair, encryption, and the
// check that it still exists.
package backup

import (
	"path/filepath"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// Service manages the data file of an open engine. It is safe for concurrent use. The functions of
// the package that take a data directory require that no engine is open there.
type Service struct {
	core *core.Core

	mu   sync.Mutex
	file File
}

// New makes the service.
func New(c *core.Core) *Service { return &Service{core: c} }

// File is the event that the data file has disappeared from its path, or is back.
type File struct {
	Fault error // a storage.GoneError, nil while all is well
}

// Start watches the data file until the engine closes.
func (svc *Service) Start() {
	if svc.core.BeginWork() {
		crash.Go("the watch for the data file", svc.watchFile)
	}
}

// Dir returns the folder of a data directory's backups.
func Dir(dataDir string) string { return filepath.Join(dataDir, "backups") }

// backupsKept is the number of backups that are kept; older ones are deleted.
const backupsKept = 7

// Make copies the store into the data directory's backups and returns the path of the copy.
func (svc *Service) Make() (string, error) {
	path, err := svc.core.Store.BackupTo(Dir(svc.core.Config.DataDir), backupsKept)
	if err != nil {
		return "", failure.Wrap("backup", err)
	}
	return path, nil
}
