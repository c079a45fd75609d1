// Package health checks everything that the program needs.
package health

import (
	"context"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Check is one result of Doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Others are the checks of other services.
type Others struct {
	SearchIndex func(context.Context) Check // the search index of the messages
	Files       func() Check                // the files of pictures
	Workflows   func() Check
}

// Doctor checks the data file, the servers, the model, the prompt files, and the other services.
func Doctor(ctx context.Context, c *core.Core, servers *models.Service, others Others) []Check {
	checks := []Check{checkStore(c.Store)}
	if checks[0].OK { // otherwise the messages cannot be read
		checks = append(checks, others.SearchIndex(ctx))
	}
	checks = append(checks, others.Files())
	s := servers.Probe(ctx)
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
	p := Check{Name: "comfyui", OK: s.Comfy.Up, Detail: s.Comfy.Err}
	if p.OK {
		p.Detail = fmt.Sprintf("at %s, %s", s.Comfy.URL, failure.Count(s.Comfy.Queue, "job"))
		if s.Comfy.Err != "" {
			p.Detail += "; another is offline: " + s.Comfy.Err
		}
	}
	return append(checks, o, m, p, others.Workflows(), checkPrompts(c), checkEncryption(c.Config.DataDir))
}

func checkStore(store *storage.Store) Check {
	if err := store.Check(); err != nil {
		return Check{"store", false, failure.Text(err)}
	}
	counts := map[string]int{}
	_ = store.View(func(tx *storage.Tx) error { counts = tx.Counts(); return nil })
	detail := fmt.Sprintf("%s, schema %d: %d chats, %d messages, %d characters, %d captures", store.Path(),
		store.SchemaVersion(), counts["chats"], counts["messages"], counts["characters"], counts["captures"])
	if swept := store.Swept(); len(swept) > 0 {
		detail += "; removed " + failure.Count(len(swept), "unfinished file") + " that a killed program left: " +
			strings.Join(swept, ", ")
	}
	return Check{"store", true, detail}
}

// FaultWords returns the text of the first fault, and the number of the others with the command
// that lists all.
func FaultWords(faults []error) string {
	words := failure.Text(faults[0])
	if n := len(faults) - 1; n > 0 {
		words += fmt.Sprintf(" And %d more: ghostlight config check lists them.", n)
	}
	return words
}

func checkPrompts(c *core.Core) Check {
	infos, faults := c.Prompts().Names(), c.PromptFault
	if len(faults) > 0 {
		return Check{"prompts", false, FaultWords(faults)}
	}
	return Check{"prompts", true, fmt.Sprintf("%d files", len(infos))}
}

// checkEncryption checks which parts of the data folder are encrypted, and that no change of
// encryption is unfinished.
func checkEncryption(dataDir string) Check {
	e, err := backup.EncryptionOf(dataDir)
	if err != nil {
		return Check{"encryption", false, failure.Text(err)}
	}
	words := e.StateText()
	if n := len(e.PlainBackups); e.Encrypted && n > 0 {
		words += "; " + failure.Count(n, "backup") + " not encrypted: ghostlight lock status lists them"
	}
	whole := e.Left == storage.FilesDone && !e.Damaged && (e.Encrypted || e.Files.Encrypted == 0)
	return Check{"encryption", whole, words}
}
