package main

import "github.com/spf13/cobra"

// galleryCommands are those about pictures that are there.
func (d *door) galleryCommands() []*cobra.Command { return nil }
