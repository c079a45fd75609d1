package main

import "github.com/spf13/cobra"

// batchCommands are those about several captures, the camera and the continuity
// sheet.
func (d *door) batchCommands() []*cobra.Command { return nil }
