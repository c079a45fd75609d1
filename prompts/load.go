package prompts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a folder of overrides.
const (
	maxFile   = 64 << 10 // bytes of one file
	maxFiles  = 512
	maxFolder = 4 // levels below the folder itself
)

// replaced are prompts of earlier versions, with their replacements.
var replaced = map[string]string{
	"director/evaluate": "director/pass-director", "director/evaluate-next": "director/pass-next",
	"director/memories": "director/pass-memories",
	"director/hooks":    "director/pass-hooks", "director/ended": "director/pass-outdated",
	"director/pass-ended": "director/pass-outdated",
	"director/pass-aside": "director/pass-outdated", "capture/intent": "director/pass-picture",
	"capture/intent-alone": "director/pass-picture",
}

// Problem is a fault of one of the user's prompt files. Line and Column count from 1, the column in
// characters; both are 0 if the fault has no position.
type Problem struct {
	File         string
	Line, Column int
	Fault        string
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Fault)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Fault)
}

// Load reads the user's prompt files below dir and puts them over the built-in ones. The set is
// always usable: a broken file is left out, so that the built-in text stays in force, and is named
// by a *Problem in the errors. If dir is "" or does not exist, the set has only the built-in files.
// Files without a built-in one of their name are kept too.
func Load(dir string) (*Set, []error) {
	if dir == "" {
		return BuiltIn(), nil
	}
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return BuiltIn(), nil
		}
		return BuiltIn(), []error{fmt.Errorf("prompts: %w", err)}
	}
	s := &Set{own: map[string]own{}}
	var faults []error
	files, err := overrides(dir)
	if err != nil {
		faults = append(faults, fmt.Errorf("prompts: %w", err))
	}
	for _, rel := range files {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		name := strings.TrimSuffix(rel, ".md")
		text, err := readOverride(path, name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if by, gone := replaced[name]; gone {
			faults = append(faults,
				&Problem{File: path, Fault: "this prompt is no longer used: " + by + " has taken its place"})
			continue
		}
		s.own[name] = own{text: text, path: path}
	}
	return s, faults
}

// overrides lists the .md files below dir by their path with forward slashes.
func overrides(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() && path != dir {
				return fs.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		hidden := rel != "." && strings.HasPrefix(d.Name(), ".")
		if d.IsDir() {
			if hidden || strings.Count(rel, "/") >= maxFolder {
				return fs.SkipDir
			}
			return nil
		}
		if hidden || !strings.HasSuffix(rel, ".md") {
			return nil
		}
		if len(files) == maxFiles {
			return fmt.Errorf("more than %d prompt files in %s; the rest is not read", maxFiles, dir)
		}
		files = append(files, rel)
		return nil
	})
	slices.Sort(files)
	return files, err
}

func readOverride(path, name string) (string, error) {
	data, err := readBounded(path)
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	base, has := builtinText(name)
	if p := check(text, allowedIn(name, base), has); p != nil {
		p.File = path
		if has {
			p.Fault += "; the built-in text is used instead"
		}
		return "", p
	}
	return text, nil
}

func readBounded(path string) (data []byte, err error) {
	info, err := os.Stat(path) // a pipe or device would block when opened
	if err != nil {
		return nil, &Problem{File: path, Fault: err.Error()}
	}
	if !info.Mode().IsRegular() {
		return nil, &Problem{File: path, Fault: "not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Problem{File: path, Fault: err.Error()}
	}
	defer func() { _ = f.Close() }()
	data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, &Problem{File: path, Fault: err.Error()}
	}
	if len(data) > maxFile {
		line, column := place(string(data), maxFile)
		return nil, &Problem{File: path, Line: line, Column: column,
			Fault: fmt.Sprintf("larger than %d KB", maxFile>>10)}
	}
	return data, nil
}

// check returns the first fault of a prompt file. If strict is set, only the macros in allowed are
// accepted.
func check(text string, allowed []string, strict bool) *Problem {
	problem := func(at int, format string, args ...any) *Problem {
		line, column := place(text, at)
		return &Problem{Line: line, Column: column, Fault: fmt.Sprintf(format, args...)}
	}
	for at, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[at:]); size == 1 {
				return problem(at, "not valid UTF-8")
			}
		}
	}
	if strings.TrimSpace(text) == "" {
		return &Problem{Line: 1, Column: 1, Fault: "empty"}
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return nil
		}
		start := at + i
		end := strings.Index(text[start:], "}}")
		if end < 0 || strings.ContainsAny(text[start+2:start+end], "{\n") {
			return problem(start, "\"{{\" is never closed")
		}
		name := strings.TrimSpace(text[start+2 : start+end])
		if !isName(name) {
			return problem(start, "%q is no macro name; only {{name}} is understood", clip(name))
		}
		known := slices.ContainsFunc(allowed, func(a string) bool { return strings.EqualFold(a, name) })
		if strict && !known {
			return problem(start, "unknown macro {{%s}}; known here: %s", clip(name), listed(allowed))
		}
		at = start + end + 2
	}
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// place converts a byte offset to a line and a column, both from 1.
func place(text string, at int) (line, column int) {
	before := text[:at]
	line = strings.Count(before, "\n") + 1
	column = utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
	return line, column
}

// tag is one {{name}} of a prompt file and its span.
type tag struct {
	name       string
	start, end int
}

// nextTag returns the first well-formed {{name}} at or after at.
func nextTag(text string, at int) (tag, bool) {
	for {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return tag{}, false
		}
		start := at + i
		stop := strings.IndexAny(text[start+2:], "{}\n")
		if stop >= 0 && strings.HasPrefix(text[start+2+stop:], "}}") {
			if name := strings.TrimSpace(text[start+2 : start+2+stop]); isName(name) {
				return tag{name, start, start + 2 + stop + 2}, true
			}
		}
		at = start + 1
	}
}

// templateMacros lists the macros of a prompt file, sorted, each once.
func templateMacros(text string) []string {
	var names []string
	for at := 0; ; {
		t, ok := nextTag(text, at)
		if !ok {
			break
		}
		names = append(names, t.name)
		at = t.end
	}
	slices.Sort(names)
	return slices.CompactFunc(names, strings.EqualFold)
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != ""
}

// Check returns the first fault of a text as a prompt file whose name is not built in, nil for
// none.
func Check(text string) *Problem {
	if len(text) > maxFile {
		return &Problem{Line: 1, Column: 1, Fault: fmt.Sprintf("larger than %d KB", maxFile>>10)}
	}
	return check(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), nil, false)
}
