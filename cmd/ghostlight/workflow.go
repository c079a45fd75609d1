package main

import "github.com/spf13/cobra"

func (d *door) workflowCommand() *cobra.Command {
	return group("workflow", "ComfyUI's workflows: what they need, and what goes where")
}
