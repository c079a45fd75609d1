package main

import "github.com/spf13/cobra"

func (d *door) storyboardCommand() *cobra.Command {
	return group("storyboard", "plan a scene in shots, and sketch them")
}
