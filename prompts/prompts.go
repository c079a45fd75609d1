// Package prompts holds the texts for the models: prompt files, embedded and overridable from a
// folder, and the macro language of cards.
package prompts

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Every prompt file lies one folder below this package.
//
//go:embed */*.md
var builtin embed.FS

// Set is the set of prompt files in use: the built-in ones, each replaced by the user's file with
// its name, if there is one. It never changes after Load and is safe for concurrent use.
type Set struct {
	own map[string]own // the user's files by name
}

type own struct {
	text, path string
}

// Info describes one prompt file.
type Info struct {
	Name    string   `json:"name"`     // "chat/main": the path without its ending
	Source  string   `json:"source"`   // "built-in", or the path of the user's file
	BuiltIn bool     `json:"built_in"` // whether a built-in file with the name exists
	Macros  []string `json:"macros"`   // the macros such a file may use, sorted
}

// BuiltInSource is Info.Source of a file that comes with the program.
const BuiltInSource = "built-in"

var builtinSet = sync.OnceValue(func() *Set { return &Set{} })

// BuiltIn returns the set without any override.
func BuiltIn() *Set { return builtinSet() }

// Text returns the prompt with a name ("chat/main"), without trailing line ends, or "" if there is
// none.
func (s *Set) Text(name string) string {
	if s != nil {
		if o, ok := s.own[name]; ok {
			return o.text
		}
	}
	text, _ := builtinText(name)
	return text
}

// Source returns the source of the text of name: BuiltInSource, a path, or "" if there is no such
// prompt.
func (s *Set) Source(name string) string {
	if s != nil {
		if o, ok := s.own[name]; ok {
			return o.path
		}
	}
	if _, ok := builtinText(name); ok {
		return BuiltInSource
	}
	return ""
}

// Names lists all prompts, sorted by name.
func (s *Set) Names() []Info {
	names := builtinNames()
	if s != nil {
		for name := range s.own {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	infos := make([]Info, 0, len(names))
	for _, name := range names {
		text, has := builtinText(name)
		allowed := allowedIn(name, text)
		if !has {
			allowed = templateMacros(s.Text(name))
		}
		infos = append(infos, Info{Name: name, Source: s.Source(name), BuiltIn: has, Macros: allowed})
	}
	return infos
}

// Fill returns the prompt with a name, with each {{macro}} replaced by its value. Names of macros
// are matched without regard to case. A macro without a value stays unchanged; values are inserted
// unchanged and never searched for macros.
func (s *Set) Fill(name string, values map[string]string) string {
	folded := make(map[string]string, len(values))
	for k, v := range values {
		folded[strings.ToLower(k)] = v
	}
	text := s.Text(name)
	var b strings.Builder
	for at := 0; ; {
		t, ok := nextTag(text, at)
		if !ok {
			b.WriteString(text[at:])
			return b.String()
		}
		value, known := folded[strings.ToLower(t.name)]
		b.WriteString(text[at:t.start])
		if known {
			b.WriteString(value)
		} else {
			b.WriteString(text[t.start:t.end])
		}
		at = t.end
	}
}

func builtinText(name string) (string, bool) {
	data, err := builtin.ReadFile(name + ".md")
	if err != nil || strings.HasPrefix(name, "testdata/") {
		return "", false
	}
	return strings.TrimRight(string(data), "\r\n"), true
}

func builtinNames() []string {
	files, err := fs.Glob(builtin, "*/*.md")
	if err != nil {
		return nil // only a malformed pattern can fail
	}
	names := make([]string, 0, len(files))
	for _, f := range files {
		if !strings.HasPrefix(f, "testdata/") {
			names = append(names, strings.TrimSuffix(f, ".md"))
		}
	}
	return names
}

// allowedIn returns the macros that a prompt file may use: those of the built-in text; for the
// chat's own prompts also the plain macros that the compiler has values for; for pictures also the
// macros of their requests; and for recaps, the lorebook, the director, storyboards and taste also
// char and user, even if the built-in file does not use them.
func allowedIn(name, text string) []string {
	allowed := templateMacros(text)
	switch folder, _, _ := strings.Cut(name, "/"); folder {
	case "chat":
		allowed = append(allowed, plainMacros...)
	case "capture":
		allowed = append(allowed, captureMacros...)
	case "recap", "lore", "director", "storyboard", "taste":
		allowed = append(allowed, "char", "user")
	default:
		return allowed
	}
	slices.Sort(allowed)
	return slices.CompactFunc(allowed, strings.EqualFold)
}

// captureMacros are the macros of requests for pictures, even if the built-in file does not use
// them.
var captureMacros = []string{"appearance", "char", "continuity", "example", "focus_rule", "negative_prompt", "order",
	"people", "persona", "request", "role",
	"scenario", "style", "transcript", "trigger_rule", "user"}

// plainMacros need no argument and do not change by themselves, so a prompt file may use them.
var plainMacros = []string{
	"char", "charIfNotGroup", "charVersion", "description", "group", "maxContext", "maxPrompt", "maxResponse",
	"mesExamples", "model", "notChar", "persona", "personality", "scenario", "user",
}
