package house

import (
	"context"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// backupsKept is how many backups stay; older ones make room.
const backupsKept = 7

// Backup copies the store into the data directory's backups and says where.
func (svc *Service) Backup() (string, error) {
	path, err := svc.core.Store.BackupTo(svc.BackupDir(), backupsKept)
	if err != nil {
		return "", failure.Fail("backup", err)
	}
	return path, nil
}

// Checks are what other services check for Doctor.
type Checks struct {
	Words     func(context.Context) Check // the index that messages are found by
	Files     func() Check                // the files of pictures
	Workflows func() Check
}

// Doctor looks at everything that the program needs.
func (svc *Service) Doctor(ctx context.Context, others Checks) []Check {
	checks := []Check{svc.checkStore()}
	if checks[0].OK { // else there is no knowing what the messages say
		checks = append(checks, others.Words(ctx))
	}
	checks = append(checks, others.Files())
	s := svc.Probe(ctx)
	o := Check{Name: "ollama", OK: s.Ollama.Up, Detail: s.Ollama.Err}
	if o.OK {
		o.Detail = fmt.Sprintf("version %s at %s, %d models", s.Ollama.Version, s.Ollama.URL, len(s.Ollama.Models))
	}
	m := Check{Name: "model", OK: false, Detail: "no model is chosen"}
	if s.Ollama.Model != "" {
		m.Detail = s.Ollama.Model + " is not on the server"
		for _, have := range s.Ollama.Models {
			if ollama.SameModel(have.Name, s.Ollama.Model) {
				m.OK, m.Detail = true, fmt.Sprintf("%s, context of %d tokens", have.Name, s.Ollama.Context)
			}
		}
	}
	c := Check{Name: "comfyui", OK: s.Comfy.Up, Detail: s.Comfy.Err}
	if c.OK {
		c.Detail = fmt.Sprintf("at %s, %s", s.Comfy.URL, failure.Count(s.Comfy.Queue, "job"))
		if s.Comfy.Err != "" {
			c.Detail += "; another is offline: " + s.Comfy.Err
		}
	}
	return append(checks, o, m, c, others.Workflows(), svc.checkPrompts(), svc.checkEncryption())
}

func (svc *Service) checkStore() Check {
	if err := svc.core.Store.Check(); err != nil {
		return Check{"store", false, failure.Words(err)}
	}
	counts := map[string]int{}
	_ = svc.core.Store.View(func(tx *storage.Tx) error { counts = tx.Counts(); return nil })
	detail := fmt.Sprintf("%s, schema %d: %d chats, %d messages, %d characters, %d captures", svc.core.Store.Path(),
		svc.core.Store.SchemaVersion(), counts["chats"], counts["messages"], counts["characters"], counts["captures"])
	if swept := svc.core.Store.Swept(); len(swept) > 0 {
		detail += "; removed " + failure.Count(len(swept), "unfinished file") + " that a killed program left: " + strings.Join(swept, ", ")
	}
	return Check{"store", true, detail}
}

// FaultWords tells of the first of several faults, and where all are told.
func FaultWords(faults []error) string {
	words := failure.Words(faults[0])
	if n := len(faults) - 1; n > 0 {
		words += fmt.Sprintf(" And %d more: ghostlight config check lists them.", n)
	}
	return words
}

func (svc *Service) checkPrompts() Check {
	infos, faults := svc.promptFiles()
	if len(faults) > 0 {
		return Check{"prompts", false, FaultWords(faults)}
	}
	return Check{"prompts", true, fmt.Sprintf("%d files", len(infos))}
}
