package pictures

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// checkTimeout limits how long a server may take to report what it lacks.
const checkTimeout = 45 * time.Second

// storedMap is the user's mapping of values for a workflow file with a hash.
type storedMap struct {
	Hash string    `json:"hash"`
	Map  comfy.Map `json:"map"`
}

// settingMaps is the key of the setting that holds a storedMap for each workflow, by name.
const settingMaps = "workflow-maps"

// maxMaps limits how many are kept; the first names in order stay.
const maxMaps = 500

// errNoWorkflow means that a capture's workflow does not exist.
var errNoWorkflow = errors.New("no such workflow")

// Workflows are the available workflows, and the user's mappings for them.
type Workflows struct {
	core   *core.Core
	models *models.Service
	texts  textCache
	offers offerCache
}

func readMaps(tx *storage.Tx) (map[string]storedMap, error) {
	all := map[string]storedMap{}
	_, err := tx.Setting(settingMaps, &all)
	return all, err
}

// List returns the workflows of the settings folder, the embedded ones first. The user's files
// whose inputs are unknown come last and are also reported by an error: they can be shown and
// mapped with Confirm.
func (flows *Workflows) List() ([]comfy.Workflow, []error) {
	dir := ""
	if flows.core.Config.ConfigDir != "" {
		dir = filepath.Join(flows.core.Config.ConfigDir, "workflows")
	}
	var unclear []comfy.Workflow
	mapped := flows.mapper()
	list, faults := comfy.LoadWorkflows(dir, func(w comfy.Workflow) comfy.Workflow {
		w = mapped(w)
		if !w.Builtin && w.Check() != nil {
			unclear = append(unclear, w)
		}
		return w
	})
	for _, w := range unclear {
		if !slices.ContainsFunc(list, func(o comfy.Workflow) bool { return o.Name == w.Name }) {
			list = append(list, w)
		}
	}
	return list, faults
}

// Choices returns the workflows of a kind for a character, the automatic choice first.
func (flows *Workflows) Choices(kind string) []field.Choice {
	choices := []field.Choice{{Label: "automatic"}}
	list, _ := flows.List() // faulty ones cannot be chosen
	for _, w := range list {
		if string(w.Inspect().Kind) == kind {
			choices = append(choices, field.Choice{Value: w.Name})
		}
	}
	return choices
}

// mapper returns a function that sets the user's mapping of a workflow.
func (flows *Workflows) mapper() func(comfy.Workflow) comfy.Workflow {
	var all map[string]storedMap
	err := flows.core.Store.View(func(tx *storage.Tx) (err error) { all, err = readMaps(tx); return err })
	if err != nil {
		flows.core.Log.Warn("the input mappings of workflows could not be read", "err", err)
	}
	return func(w comfy.Workflow) comfy.Workflow {
		kept, ok := all[w.Name]
		if !ok || kept.Hash != w.Hash() {
			return w
		}
		told, err := w.WithMap(kept.Map)
		if err != nil {
			flows.core.Log.Warn("the input mapping of a workflow no longer fits", "workflow", w.Name, "err", err)
			return w
		}
		return told
	}
}

// find finds a workflow by name; "" is the first one of a kind.
func (flows *Workflows) find(name, kind string) (comfy.Workflow, error) {
	list, faults := flows.List()
	for _, w := range list {
		if w.Name == name || name == "" && string(w.Inspect().Kind) == kind {
			return w, w.Check()
		}
	}
	var wrong *comfy.EditorFormatError
	for _, f := range faults {
		if errors.As(f, &wrong) && wrong.Name == name {
			return comfy.Workflow{}, f
		}
		var bad *comfy.WorkflowError
		if errors.As(f, &bad) && bad.Name == name {
			return comfy.Workflow{}, f
		}
	}
	return comfy.Workflow{}, fmt.Errorf("%w %q; ghostlight workflow list prints them", errNoWorkflow,
		failure.ShortRef(name))
}

// file finds a workflow by name, including one whose inputs are unknown.
func (flows *Workflows) file(name string) (comfy.Workflow, error) {
	list, _ := flows.List()
	if i := slices.IndexFunc(list, func(w comfy.Workflow) bool { return w.Name == name }); i >= 0 {
		return list[i], nil
	}
	_, err := flows.find(name, "") // reports what is wrong with its file
	return comfy.Workflow{}, err
}

// Map returns the mapping of values of a workflow; confirmed is false if it was only detected in
// the file.
func (flows *Workflows) Map(name string) (m comfy.Map, confirmed bool, err error) {
	w, err := flows.file(name)
	if err != nil {
		return nil, false, failure.Wrap("workflow", err)
	}
	return w.Map(), w.Inspect().Summary == "map", nil
}

// Confirm stores the mapping of a workflow until its file changes. A nil map removes it. A map
// that does not fit the file is a *comfy.WorkflowError.
func (flows *Workflows) Confirm(name string, m comfy.Map) error {
	kept := storedMap{}
	if m != nil {
		w, err := flows.file(name)
		if err == nil {
			w, err = w.WithMap(m)
		}
		if err != nil {
			return failure.Wrap("workflow", err)
		}
		kept = storedMap{Hash: w.Hash(), Map: w.Map()}
	}
	err := flows.core.Store.Update(func(tx *storage.Tx) error {
		all, err := readMaps(tx)
		if err != nil {
			all = map[string]storedMap{} // an unreadable value is replaced
		}
		_, known := all[name]
		switch {
		case m == nil && !known:
			return nil
		case m == nil:
			delete(all, name)
		case !known && len(all) >= maxMaps:
			return failure.Refusef("%d workflows already have an input mapping: delete some", maxMaps)
		default:
			all[name] = kept
		}
		return tx.PutSetting(settingMaps, all)
	})
	if err != nil {
		return failure.Wrap("workflow", err)
	}
	return nil
}

// Check asks all servers concurrently what they lack for a workflow. The results are in the order
// of the servers.
func (flows *Workflows) Check(ctx context.Context, name string) ([]WorkflowCheck, error) {
	w, err := flows.file(name)
	if err != nil {
		return nil, failure.Wrap("workflow", err)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	checks := make([]WorkflowCheck, len(flows.models.Comfy))
	var wait sync.WaitGroup
	for i, server := range flows.models.Comfy {
		checks[i] = WorkflowCheck{Server: server.BaseURL()}
		wait.Add(1)
		crash.Go("check workflow", func() {
			defer wait.Done()
			lacks, err := server.Missing(ctx, w)
			if checks[i].Missing = lacks; err != nil {
				checks[i].Err = failure.Text(err)
			}
		})
	}
	wait.Wait()
	return checks, nil
}

// WorkflowCheck lists the missing parts of one server for a workflow; Err is the reason why it
// could not be asked.
type WorkflowCheck struct {
	Server  string          `json:"server"`
	Missing []comfy.Missing `json:"lacks"`
	Err     string          `json:"error"`
}

// Message returns what the server lacks, or why it could not be asked; "" if it has
// everything.
func (c WorkflowCheck) Message() string {
	if c.Err != "" {
		return c.Err
	}
	return comfy.MissingText(c.Missing)
}
