// Package backup looks after the data file as a file: backups, restore, repair, encryption,
// and whether it is still there.
package backup

import (
	"path/filepath"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// Service looks after the data file of an open engine. It is safe for concurrent use.
// Functions of the package that take a data directory want no engine open there.
type Service struct {
	core *core.Core

	mu   sync.Mutex
	file File
}

// New makes the service.
func New(c *core.Core) *Service { return &Service{core: c} }

// File is the event of the data file going away from where it was opened, or coming back.
type File struct {
	Fault error // a storage.GoneError, nil while all is well
}

// Start begins to watch the data file until the engine closes.
func (svc *Service) Start() {
	if svc.core.Enter() {
		crash.Go("the watch for the data file", svc.watchFile)
	}
}

// Dir returns the folder of a data directory's backups.
func Dir(dataDir string) string { return filepath.Join(dataDir, "backups") }

// backupsKept is the number of backups that are kept; older ones are deleted.
const backupsKept = 7

// Make copies the store into the data directory's backups and says where.
func (svc *Service) Make() (string, error) {
	path, err := svc.core.Store.BackupTo(Dir(svc.core.Config.DataDir), backupsKept)
	if err != nil {
		return "", failure.Fail("backup", err)
	}
	return path, nil
}
