package main

import "github.com/spf13/cobra"

func (d *door) tasteCommand() *cobra.Command {
	return group("taste", "what was learnt of how you direct")
}
