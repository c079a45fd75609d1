package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ghostlight/storage"
)

// backupsKept is how many backups stay; older ones make room.
const backupsKept = 7

// Backup copies the store into the data directory's backups and says where.
func (e *Engine) Backup() (string, error) {
	path, err := e.store.BackupTo(e.backupDir(), backupsKept)
	if err != nil {
		return "", fail("backup", err)
	}
	return path, nil
}

// Doctor looks at everything that the program needs.
func (e *Engine) Doctor(ctx context.Context) []Check {
	checks := []Check{e.checkStore(), e.checkFiles()}
	s := e.Probe(ctx)
	o := Check{Name: "ollama", OK: s.Ollama.Up, Detail: s.Ollama.Err}
	if o.OK {
		o.Detail = fmt.Sprintf("version %s at %s, %d models", s.Ollama.Version, s.Ollama.URL, len(s.Ollama.Models))
	}
	m := Check{Name: "model", OK: false, Detail: "no model is chosen"}
	if s.Ollama.Model != "" {
		m.Detail = s.Ollama.Model + " is not on the server"
		for _, have := range s.Ollama.Models {
			if have.Name == s.Ollama.Model || strings.TrimSuffix(have.Name, ":latest") == s.Ollama.Model {
				m.OK, m.Detail = true, fmt.Sprintf("%s, context of %d tokens", have.Name, s.Ollama.Context)
			}
		}
	}
	c := Check{Name: "comfyui", OK: s.Comfy.Up, Detail: s.Comfy.Err}
	if c.OK {
		c.Detail = fmt.Sprintf("at %s, %s", s.Comfy.URL, count(s.Comfy.Queue, "job"))
		if s.Comfy.Err != "" {
			c.Detail += "; another does not answer: " + s.Comfy.Err
		}
	}
	return append(checks, o, m, c, e.checkFlows(), e.checkPrompts())
}

func (e *Engine) checkStore() Check {
	if err := e.store.Check(); err != nil {
		return Check{"store", false, err.Error()}
	}
	counts := map[string]int{}
	_ = e.store.View(func(tx *storage.Tx) error { counts = tx.Counts(); return nil })
	return Check{"store", true, fmt.Sprintf("%s, schema %d: %d chats, %d messages, %d characters, %d captures", e.store.Path(),
		e.store.SchemaVersion(), counts["chats"], counts["messages"], counts["characters"], counts["captures"])}
}

// CheckFiles looks for captures whose files are gone.
func (e *Engine) CheckFiles() Check {
	caps, err := e.Captures("")
	if err != nil {
		return Check{"pictures", false, Words(err)}
	}
	var gone []string
	for _, c := range caps {
		if c.ImagePath == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(e.cfg.DataDir, c.ImagePath)); err != nil {
			gone = append(gone, c.ImagePath)
		}
	}
	if len(gone) > 0 {
		are := "are"
		if len(gone) == 1 {
			are = "is"
		}
		return Check{"pictures", false, fmt.Sprintf("%s %s gone, such as %s: capture send ID paints it again, capture delete ID forgets it",
			count(len(gone), "file"), are, gone[0])}
	}
	return Check{"pictures", true, fmt.Sprintf("%d captures", len(caps))}
}

// faultWords tells of the first of several faults, and where all are told.
func faultWords(faults []error) string {
	words := Words(faults[0])
	if n := len(faults) - 1; n > 0 {
		words += fmt.Sprintf(" And %d more: ghostlight config check lists them.", n)
	}
	return words
}

// CheckWorkflows looks whether there is a workflow to paint with.
func (e *Engine) CheckWorkflows() Check {
	list, faults := e.Workflows()
	if len(faults) > 0 {
		return Check{"workflows", false, faultWords(faults)}
	}
	return Check{"workflows", true, fmt.Sprintf("%d usable", len(list))}
}

func (e *Engine) checkPrompts() Check {
	infos, faults := e.Prompts()
	if len(faults) > 0 {
		return Check{"prompts", false, faultWords(faults)}
	}
	return Check{"prompts", true, fmt.Sprintf("%d files", len(infos))}
}
