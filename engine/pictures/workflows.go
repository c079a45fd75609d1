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

// checkPatience is how long one server may take to say what it lacks.
const checkPatience = 45 * time.Second

// keptMap is where the values go in a workflow, as the user said of the file that
// Hash names.
type keptMap struct {
	Hash string    `json:"hash"`
	Map  comfy.Map `json:"map"`
}

// settingMaps holds the keptMaps by the name of their workflow.
const settingMaps = "workflow-maps"

// mostMaps bounds how many are kept; the names first in order stay.
const mostMaps = 500

// errNoWorkflow says that a capture names a workflow that is not there.
var errNoWorkflow = errors.New("no such workflow")

// Workflows are those that pictures can be painted with, and what the user said of
// what goes where in them.
type Workflows struct {
	core   *core.Core
	models *models.Service
	texts  texts
	lacks  offers
}

func readMaps(tx *storage.Tx) (map[string]keptMap, error) {
	all := map[string]keptMap{}
	_, err := tx.Setting(settingMaps, &all)
	return all, err
}

// List reads the workflows below the folder of settings, the embedded
// ones first. The user's own whose values go where nobody knows come last, and are
// named by one of the errors as well: they can be shown, and be told by
// Confirm.
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

// Choices are the workflows of a kind that a character can have, the automatic choice first.
func (flows *Workflows) Choices(kind string) []field.Choice {
	choices := []field.Choice{{Words: "automatic"}}
	list, _ := flows.List() // the faulty ones are none to choose
	for _, w := range list {
		if string(w.Inspect().Kind) == kind {
			choices = append(choices, field.Choice{Value: w.Name})
		}
	}
	return choices
}

// mapper gives workflows the maps that the user confirmed of them.
func (flows *Workflows) mapper() func(comfy.Workflow) comfy.Workflow {
	var all map[string]keptMap
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

// find finds a workflow by its name; "" is the first one of a kind.
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
	return comfy.Workflow{}, fmt.Errorf("%w %q; ghostlight workflow list prints them", errNoWorkflow, failure.ShortRef(name))
}

// file finds a workflow by its name, one included whose values go where
// nobody knows.
func (flows *Workflows) file(name string) (comfy.Workflow, error) {
	list, _ := flows.List()
	if i := slices.IndexFunc(list, func(w comfy.Workflow) bool { return w.Name == name }); i >= 0 {
		return list[i], nil
	}
	_, err := flows.find(name, "") // says what is wrong with its file
	return comfy.Workflow{}, err
}

// Map is where the values go in a workflow, as the user has confirmed it;
// confirmed is false where it is only what was found in the file.
func (flows *Workflows) Map(name string) (m comfy.Map, confirmed bool, err error) {
	w, err := flows.file(name)
	if err != nil {
		return nil, false, failure.Fail("workflow", err)
	}
	return w.Map(), w.Inspect().How == "map", nil
}

// Confirm remembers where the values go in a workflow, until its file
// changes. A nil map forgets it. A map that does not fit the file is refused with
// a *comfy.WorkflowError.
func (flows *Workflows) Confirm(name string, m comfy.Map) error {
	kept := keptMap{}
	if m != nil {
		w, err := flows.file(name)
		if err == nil {
			w, err = w.WithMap(m)
		}
		if err != nil {
			return failure.Fail("workflow", err)
		}
		kept = keptMap{Hash: w.Hash(), Map: w.Map()}
	}
	err := flows.core.Store.Update(func(tx *storage.Tx) error {
		all, err := readMaps(tx)
		if err != nil {
			all = map[string]keptMap{} // what cannot be read cannot be kept either
		}
		_, known := all[name]
		switch {
		case m == nil && !known:
			return nil
		case m == nil:
			delete(all, name)
		case !known && len(all) >= mostMaps:
			return failure.Refuse("%d workflows already have an input mapping: delete some", mostMaps)
		default:
			all[name] = kept
		}
		return tx.PutSetting(settingMaps, all)
	})
	if err != nil {
		return failure.Fail("workflow", err)
	}
	return nil
}

// Check asks each server what it lacks that a workflow needs, all at once.
// The checks are in the order of the servers.
func (flows *Workflows) Check(ctx context.Context, name string) ([]WorkflowCheck, error) {
	w, err := flows.file(name)
	if err != nil {
		return nil, failure.Fail("workflow", err)
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	checks := make([]WorkflowCheck, len(flows.models.Comfy))
	var wait sync.WaitGroup
	for i, server := range flows.models.Comfy {
		checks[i] = WorkflowCheck{Server: server.BaseURL()}
		wait.Add(1)
		crash.Go("check workflow", func() {
			defer wait.Done()
			lacks, err := server.Lacks(ctx, w)
			if checks[i].Lacks = lacks; err != nil {
				checks[i].Err = failure.Words(err)
			}
		})
	}
	wait.Wait()
	return checks, nil
}

// WorkflowCheck is what one server lacks for a workflow; Err is why it could not
// be asked, "" else.
type WorkflowCheck struct {
	Server string       `json:"server"`
	Lacks  []comfy.Lack `json:"lacks"`
	Err    string       `json:"error"`
}

// Words says in one sentence what the server lacks, or why it could not be asked;
// "" where it has all that the workflow needs.
func (c WorkflowCheck) Words() string {
	if c.Err != "" {
		return c.Err
	}
	return comfy.LackWords(c.Lacks)
}
