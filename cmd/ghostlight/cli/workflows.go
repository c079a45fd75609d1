package cli

import (
	"path/filepath"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
)

// UsableWorkflows returns the workflows that can be used, and the errors of the others. The user's
// mappings of workflows are in the store; if there is no store, or it cannot be opened because
// another program uses it, workflows that only work with such a mapping are among the errors.
func (app *App) UsableWorkflows(program string) ([]comfy.Workflow, []error) {
	list, faults := comfy.LoadWorkflows(app.ConfigDir("workflows"))
	own := len(faults) > 0 || slices.ContainsFunc(list, func(w comfy.Workflow) bool { return !w.Builtin })
	if stores, err := filepath.Glob(filepath.Join(app.Dirs.Data, "*.db")); !own || err != nil || len(stores) == 0 {
		return list, faults
	}
	e, err := app.Open(program)
	if err == nil {
		list, faults = e.Pictures.Workflows.List()
		err = app.Close(e, nil)
	}
	if err != nil {
		app.Log.Info("the workflow maps were not read", "err", err)
	}
	return slices.DeleteFunc(list, func(w comfy.Workflow) bool { return w.Check() != nil }), faults
}
