package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

// fileFlags say where an export goes.
type fileFlags struct {
	output string
	force  bool
}

func (f *fileFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.output, "output", "o", "", "write to `FILE`, or to standard output for - (default: the id, in this folder)")
	c.Flags().BoolVar(&f.force, "force", false, "replace the file if it exists")
}

// writeFile writes an export and says where. Names of the program's own stand
// in for a missing one: names from outside are never a path.
func (d *door) writeFile(f fileFlags, name, format string, data []byte) error {
	if f.output == "-" {
		return d.pour(format, data)
	}
	path, err := absolute(first(f.output, name))
	if err != nil {
		return err
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if f.force {
		mode = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	file, err := os.OpenFile(path, mode, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; --force replaces it", path)
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return d.tell(map[string]any{"path": path, "format": format, "bytes": len(data)}, func(p *page) { p.line(path) })
}

// pour writes an export to standard output.
func (d *door) pour(format string, data []byte) error {
	switch {
	case d.json:
		return misuse{"--output - and --json both want standard output"}
	case format == "png" && isTerminal(d.out):
		return misuse{"a picture is nothing for a terminal; name a file with --output"}
	case format != "png":
		data = escapeJSON(data)
	}
	d.said = true
	_, err := d.out.Write(data)
	return err
}
