package pictures

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
)

// CheckFiles checks for captures whose files are missing.
func (svc *Service) CheckFiles() health.Check {
	caps, err := svc.Captures("")
	if err != nil {
		return health.Check{Name: "pictures", OK: false, Detail: failure.Text(err)}
	}
	var gone []string
	for _, c := range caps {
		if c.ImagePath == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(svc.core.Config.DataDir, c.ImagePath)); err != nil {
			gone = append(gone, c.ImagePath)
		}
	}
	if len(gone) > 0 {
		are := "are"
		if len(gone) == 1 {
			are = "is"
		}
		return health.Check{Name: "pictures", OK: false,
			Detail: fmt.Sprintf("%s %s missing, such as %s: ghostlight capture send ID generates the picture again, "+
				"ghostlight capture delete ID deletes the capture",
				failure.Count(len(gone), "file"), are, gone[0])}
	}
	return health.Check{Name: "pictures", OK: true, Detail: fmt.Sprintf("%d captures", len(caps))}
}

// Health checks that there is a usable workflow.
func (flows *Workflows) Health() health.Check {
	list, faults := flows.List()
	if len(faults) > 0 {
		return health.Check{Name: "workflows", OK: false, Detail: health.FaultWords(faults)}
	}
	return health.Check{Name: "workflows", OK: true, Detail: fmt.Sprintf("%d usable", len(list))}
}
