package comfy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// ErrExists means that a workflow with the name already exists.
var ErrExists = errors.New("a workflow with this name already exists")

// ImportWorkflow copies a workflow file to the folder dir, which is created if needed. From a PNG
// or WebP made by ComfyUI it takes the graph. name is the new name, "" for the file's own; it is
// cleaned, so that it is never a path. A file in the editor's format is an *EditorFormatError, an
// invalid one a *WorkflowError; a file is accepted if only the place of the prompt is unclear,
// because a map can set it. If the workflow exists, the error is ErrExists unless overwrite is set.
func ImportWorkflow(dir, file, name string, overwrite bool) (Workflow, error) {
	fail := func(err error) (Workflow, error) { return Workflow{}, fmt.Errorf("comfy import: %w", err) }
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	clean := CleanName(strings.TrimSuffix(name, ".json"))
	if clean == "" {
		return fail(&WorkflowError{Name: clip(name, 80),
			Reason: "not a valid name for a workflow; it needs a letter or a digit"})
	}
	data, err := readBounded(file)
	if err != nil {
		return fail(err)
	}
	graph, picture, err := embeddedGraph(clean, data)
	if err != nil {
		return fail(err)
	}
	if picture {
		data = graph
	}
	w, err := ReadWorkflow(clean, data)
	if err != nil {
		return fail(err)
	}
	if _, err := fs.Stat(builtin, "workflows/"+clean+".json"); err == nil && !overwrite {
		return fail(fmt.Errorf("%w: %s is built in and would be replaced", ErrExists, clean))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = root.Close() }()
	if err := putFile(root, clean+".json", data, overwrite); err != nil {
		return fail(err)
	}
	return w, nil
}

// readBounded reads a regular file of limited size.
func readBounded(file string) ([]byte, error) {
	name := filepath.Base(file)
	info, err := os.Stat(file) // opening a pipe would block
	if err != nil {
		return nil, &WorkflowError{Name: name, Reason: fileFault(name, err)}
	}
	if !info.Mode().IsRegular() {
		return nil, &WorkflowError{Name: name, Reason: "it is not a regular file"}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, &WorkflowError{Name: name, Reason: fileFault(name, err)}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxWorkflowPicture+1))
	if err != nil {
		return nil, &WorkflowError{Name: name, Reason: fileFault(name, err)}
	}
	return data, nil
}

// putFile writes a file completely or not at all.
func putFile(root *os.Root, name string, data []byte, overwrite bool) error {
	if _, err := root.Lstat(name); err == nil && !overwrite {
		return fmt.Errorf("%w: %s", ErrExists, name)
	}
	part := ".part-" + name
	f, err := root.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && overwrite {
		err = root.Rename(part, name)
	} else if err == nil {
		if err = root.Link(part, name); errors.Is(err, fs.ErrExist) { // another process was faster
			err = fmt.Errorf("%w: %s", ErrExists, name)
		} else if err != nil { // a file system without links
			err = root.Rename(part, name)
		}
	}
	_ = root.Remove(part)
	return err
}

// CleanName makes a workflow name of any text: letters, digits and a few marks, at most eighty
// characters, and never a path. It is "" if nothing is left.
func CleanName(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name[:min(len(name), 4000)] {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && b.Len() > 0 && !gap ||
			(r == '_' || r == '.' || r == '+') && b.Len() > 0 {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
			continue
		}
		gap = true
	}
	r := []rune(b.String())
	r = r[:min(len(r), 80)]
	for len(string(r)) > 200 { // the limit of file systems, with a margin
		r = r[:len(r)-1]
	}
	out := strings.TrimRight(string(r), ".-+_")
	switch strings.ToLower(out) { // device names on some systems
	case "con", "prn", "aux", "nul":
		out += "-1"
	}
	return out
}
