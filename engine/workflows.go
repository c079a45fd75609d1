package engine

import (
	"context"

	"ghostlight/engine/comfy"
)

// WorkflowMap is where the values go in a workflow, as the user has confirmed it;
// confirmed is false where it is only what was found in the file.
func (e *Engine) WorkflowMap(name string) (m comfy.Map, confirmed bool, err error) {
	return nil, false, fail("workflow", errNotYet)
}

// ConfirmWorkflow remembers where the values go in a workflow, until its file
// changes. A nil map forgets it.
func (e *Engine) ConfirmWorkflow(name string, m comfy.Map) error {
	return fail("workflow", errNotYet)
}

// CheckWorkflow asks each server what it lacks that a workflow needs.
func (e *Engine) CheckWorkflow(ctx context.Context, name string) ([]WorkflowCheck, error) {
	return nil, fail("workflow", errNotYet)
}

// WorkflowCheck is what one server lacks for a workflow; Err is why it could not
// be asked, "" else.
type WorkflowCheck struct {
	Server string
	Lacks  []comfy.Lack
	Err    string
}
