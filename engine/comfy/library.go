package comfy

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed workflows/*.json
var builtin embed.FS

// maxFiles limits how many files of the user's folder are read.
const maxFiles = 500

// LoadWorkflows reads the embedded workflows and then those of dir, in order of their names; a
// user's file replaces an embedded one of the same name. dir may be empty or missing. An unusable
// file is left out and reported by an error. Links are followed unless they lead out of dir. The
// functions of with are applied to each readable workflow, for example to set a map, before its
// usability is checked.
func LoadWorkflows(dir string, with ...func(Workflow) Workflow) ([]Workflow, []error) {
	var errs []error
	own := map[string]Workflow{}
	entries, err := fs.ReadDir(builtin, "workflows")
	if err != nil {
		errs = append(errs, fmt.Errorf("comfy workflows: %w", err))
	}
	for _, e := range entries {
		data, err := fs.ReadFile(builtin, "workflows/"+e.Name())
		if err == nil {
			var w Workflow
			if w, err = ReadWorkflow(strings.TrimSuffix(e.Name(), ".json"), data); err == nil {
				w.Builtin = true
				for _, f := range with {
					w = f(w)
				}
				own[w.Name] = w
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("comfy workflows: %w", err))
		}
	}
	users, more := readFolder(dir, with)
	errs = append(errs, more...)
	for _, w := range users {
		own[w.Name] = w
	}
	list := make([]Workflow, 0, len(own))
	for _, w := range own {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b Workflow) int {
		if a.Builtin != b.Builtin {
			if a.Builtin {
				return -1
			}
			return 1
		}
		if a.Builtin { // the one to start with first
			if c := cmp.Compare(rank(a.Name), rank(b.Name)); c != 0 {
				return c
			}
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list, errs
}

func rank(name string) int {
	if i := slices.Index([]string{"text-to-image", "quick-sketch", "flux", "same-face"}, name); i >= 0 {
		return i
	}
	return 100
}

func readFolder(dir string, with []func(Workflow) Workflow) (list []Workflow, errs []error) {
	if dir == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{fmt.Errorf("comfy workflows: %w", err)}
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, []error{fmt.Errorf("comfy workflows: %w", err)}
	}
	seen := 0
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") || !strings.EqualFold(name[max(0, len(name)-5):], ".json") {
			continue
		}
		if seen++; seen > maxFiles {
			errs = append(errs, fmt.Errorf("comfy workflows: only the first %d files in %s are read", maxFiles, dir))
			break
		}
		w, err := readFile(root, dir, name)
		if err == nil {
			for _, f := range with {
				w = f(w)
			}
			err = w.Check()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("comfy workflows: %w", err))
			continue
		}
		list = append(list, w)
	}
	return list, errs
}

// readFile reads one file of root, which was opened at dir. Links are followed as long as they
// stay inside.
func readFile(root *os.Root, dir, file string) (Workflow, error) {
	name := file[:len(file)-5]
	fail := func(reason string) (Workflow, error) {
		return Workflow{}, &WorkflowError{Name: name, Reason: reason}
	}
	at, reason := resolveInside(root, dir, file)
	if reason != "" {
		return fail(reason)
	}
	info, err := root.Stat(at)
	if err != nil {
		return fail(fileFault(file, err))
	}
	if !info.Mode().IsRegular() {
		return fail(fmt.Sprintf("%s is not a regular file", file))
	}
	f, err := root.Open(at)
	if err != nil {
		return fail(fileFault(file, err))
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxGraph+1))
	if err != nil {
		return fail(fileFault(file, err))
	}
	return ReadWorkflow(name, data)
}

// resolveInside returns the path below dir of a file's link target. reason says why a link cannot
// be followed.
func resolveInside(root *os.Root, dir, file string) (at, reason string) {
	info, err := root.Lstat(file)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return file, "" // what is wrong shows when it is opened
	}
	home, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fileFault(file, err)
	}
	if home, err = filepath.Abs(home); err != nil {
		return "", fileFault(file, err)
	}
	target, err := filepath.EvalSymlinks(filepath.Join(home, file))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Sprintf("%s is a link to a file that does not exist", file)
	}
	if err != nil {
		return "", fmt.Sprintf("%s is a link that cannot be followed", file)
	}
	at, err = filepath.Rel(home, target)
	if err != nil || !filepath.IsLocal(at) {
		return "", fmt.Sprintf("%s is a link to a file outside the workflow folder: copy the file itself there", file)
	}
	return at, ""
}

// fileFault returns why a file cannot be read, without the name of the call.
func fileFault(file string, err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Sprintf("%s cannot be read: %s", file, clip(err.Error(), 300))
}

// PickCheckpoint chooses a checkpoint that can make a picture from a text: the first whose name
// does not mention a refiner, inpainting, video or the like; if all do, the first one. With a
// hint, the first whose name contains it. It is "" if there is none.
func PickCheckpoint(names []string, hint string) string {
	if hint != "" {
		return pickFirst(names, hint)
	}
	for _, n := range names {
		if !isSpecialCheckpoint(n) {
			return n
		}
	}
	if len(names) > 0 {
		return names[0]
	}
	return ""
}

func pickFirst(names []string, words ...string) string {
	for _, word := range words {
		for _, n := range names {
			if strings.Contains(strings.ToLower(n), strings.ToLower(word)) {
				return n
			}
		}
	}
	return ""
}

// isSpecialCheckpoint reports whether a checkpoint's name shows that it is not made for ordinary
// pictures.
func isSpecialCheckpoint(name string) bool {
	name = strings.ToLower(name)
	for _, sign := range []string{
		"refiner", "inpaint", "svd", "video", "ltx", "mochi", "cosmos", "wan2", "hunyuan", "i2v", "t2v",
		"audio", "ace_step", "upscale", "zero123", "stage_b", "stage_c", "put_", "depth", "canny", "instruct", "3d",
	} {
		if strings.Contains(name, sign) {
			return true
		}
	}
	return false
}
