package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

var update = flag.Bool("update", false, "rewrite testdata/documents.golden")

// undocumented are the commands whose JSON the evening does not show, and why.
var undocumented = map[string]string{
	"serve": "it stays until it is ended; TestBeside_* read its line",
}

// The documents of --json are read by other programs. An evening that uses every
// command (testdata/documents.txtar) is compared with its golden file path by
// path: the kind of every value, and the value itself where it does not depend
// on the clock, the machine or chance.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("a long evening, one command after another")
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "documents.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Abs(filepath.Join("testdata", "documents.golden"))
	if err != nil {
		t.Fatal(err)
	}
	e := newDocumentsRun(t, archive.Files) // which goes to a folder of its own
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		if err := e.run(line); err != nil {
			t.Fatalf("documents.txtar:%d: %s\n%v", i+1, line, err)
		}
	}
	for _, name := range leaves(newRoot(cli.New(nil, io.Discard, io.Discard, ""))) {
		switch _, excused := undocumented[name]; {
		case !e.used[name] && !excused:
			t.Errorf("testdata/documents.txtar does not use %q", name)
		case e.used[name] && excused:
			t.Errorf("%q is excused, but testdata/documents.txtar uses it", name)
		}
	}
	if *update {
		if err := os.WriteFile(golden, e.told.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want, e.told.Bytes()) {
		return
	}
	got, wanted := documentSections(e.told.String()), documentSections(string(want))
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if diff := lineDiff(wanted[name], got[name]); diff != "" {
			t.Errorf("%s prints another document (go test -run TestDocuments -update takes it as right):\n%s", name, diff)
		}
	}
	for name := range wanted {
		if _, ok := got[name]; !ok {
			t.Errorf("the golden file has a document that was not printed: %s", name)
		}
	}
}

// leaves are the commands that do something, without the program's name.
func leaves(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if c.HasSubCommands() {
			names = append(names, leaves(c)...)
			continue
		}
		names = append(names, commandName(c))
	}
	return names
}

func commandName(c *cobra.Command) string {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return name
}

// documentsRun runs commands in this process and writes down what they print.
type documentsRun struct {
	t      *testing.T
	dir    string
	server string // the address of a server with scripted answers
	vars   map[string]string
	ids    map[string]string // the replacements of ids in the golden file
	input  string            // of the next command
	doc    any               // that was printed last
	used   map[string]bool
	told   bytes.Buffer
}

func newDocumentsRun(t *testing.T, files []txtar.File) *documentsRun {
	t.Helper()
	e := &documentsRun{t: t, dir: t.TempDir(), vars: map[string]string{}, ids: map[string]string{}, used: map[string]bool{}}
	for _, f := range files {
		path := filepath.Join(e.dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o700); err != nil { // some are programs
			t.Fatal(err)
		}
	}
	t.Cleanup(xdg.Reload) // once the environment is as it was
	for name, value := range map[string]string{"HOME": e.dir, "XDG_STATE_HOME": filepath.Join(e.dir, "state"), "OLLAMA_HOST": "127.0.0.1:1", "TZ": "UTC",
		"GHOSTLIGHT_DEMO_DELAY": "0s", "PATH": filepath.Join(e.dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")} {
		t.Setenv(name, value)
	}
	xdg.Reload()
	t.Chdir(e.dir)
	servers, err := demo.Start(scripted())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	e.server = servers.OllamaURL
	return e
}

// run runs a line of the script. "set NAME PATH" takes a value out of the last document, "stdin
// FILE" sets the input of the next command, and "remove FILE" removes a file. Any other line is a
// command. A ! before it means that it must fail, and "server" that it uses the test's server.
func (e *documentsRun) run(line string) error {
	if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	words := e.words(line)
	switch words[0] {
	case "set":
		value, err := valueAt(e.doc, words[2])
		e.vars[words[1]] = fmt.Sprint(value)
		return err
	case "stdin":
		text, err := os.ReadFile(words[1])
		e.input = string(text)
		return err
	case "remove":
		return os.Remove(words[1])
	case "!":
		return e.command(line, words[1:], cli.ExitFailed)
	}
	return e.command(line, words, cli.ExitDone)
}

// words splits a line as a shell does that knows single quotes and variables.
func (e *documentsRun) words(line string) (words []string) {
	word := regexp.MustCompile(`(?:'[^']*'|[^\s'])+`)
	variable := regexp.MustCompile(`\$\w+`)
	for _, w := range word.FindAllString(line, -1) {
		var b strings.Builder
		for i, part := range strings.Split(w, "'") {
			if i%2 == 0 {
				part = variable.ReplaceAllStringFunc(part, func(name string) string { return e.vars[name[1:]] })
			}
			b.WriteString(part)
		}
		words = append(words, b.String())
	}
	return words
}

func (e *documentsRun) command(line string, args []string, want int) error {
	var out, errs bytes.Buffer
	servers := []string{"--demo"}
	if args[0] == "server" {
		servers, args = []string{"--ollama", e.server, "--model", demo.Model}, args[1:]
	}
	args = slices.Concat([]string{"--json", "--data", filepath.Join(e.dir, "data")}, servers, args)
	if !slices.Contains(args, "--config") {
		args = append([]string{"--config", filepath.Join(e.dir, "config", "config.toml")}, args...)
	}
	code := run(args, strings.NewReader(e.input), &out, &errs)
	e.input = ""
	if code != want {
		return fmt.Errorf("it ends with %d:\n%s%s", code, errs.String(), out.String())
	}
	dec := json.NewDecoder(&out)
	dec.UseNumber()
	e.doc = nil
	if err := dec.Decode(&e.doc); err != nil {
		return err
	}
	if dec.More() {
		return fmt.Errorf("standard output holds more than one document")
	}
	c, _, err := newRoot(cli.New(nil, io.Discard, io.Discard, "")).Find(args)
	if err != nil {
		return err
	}
	e.used[commandName(c)] = true
	fmt.Fprintf(&e.told, "\n# %s\n", line)
	e.tell("", e.doc)
	return nil
}

// longList is the number of elements of a list that are written one by one.
const longList = 2

// tell writes down a value: a line for each path in it, with the kind and, if it is always the
// same, the value.
func (e *documentsRun) tell(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			fmt.Fprintf(&e.told, "%s {}\n", path)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			e.tell(path+"."+key, v[key])
		}
	case []any:
		fmt.Fprintf(&e.told, "%s [%d]\n", path, len(v))
		for i, element := range v[:min(len(v), longList)] {
			e.tell(fmt.Sprintf("%s[%d]", path, i), element)
		}
		rest := map[string]bool{}
		for _, element := range v[min(len(v), longList):] {
			kinds(path+"[+]", element, rest)
		}
		for _, line := range slices.Sorted(maps.Keys(rest)) {
			fmt.Fprintln(&e.told, line)
		}
	case string:
		fmt.Fprintf(&e.told, "%s %q\n", path, e.steady(v))
	case json.Number:
		if unsteady.MatchString(path) {
			v = "N"
		}
		fmt.Fprintf(&e.told, "%s %s\n", path, v)
	default: // true, false, null
		fmt.Fprintf(&e.told, "%s %v\n", path, v)
	}
}

// kinds collects the paths in a value, with the kinds of their values.
func kinds(path string, v any, in map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			kinds(path+"."+key, value, in)
		}
	case []any:
		in[path+" list"] = true
		for _, element := range v {
			kinds(path+"[+]", element, in)
		}
	case json.Number:
		in[path+" number"] = true
	default:
		in[fmt.Sprintf("%s %T", path, v)] = true
	}
}

// unsteady are the paths of numbers that no two evenings have in common.
var unsteady = regexp.MustCompile(`_ms$|\.generation_time$|^\.bytes$|\.size$|\.items\[\d\]\.seed$`)

var (
	idWord      = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)
	timeWord    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?|\d{8}[T-]\d{6}(\.\d+Z)?`)
	hashWord    = regexp.MustCompile(`\b([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\b`)
	addressWord = regexp.MustCompile(`127\.0\.0\.1:\d+`)
)

// longText is the number of runes of a text that the golden file keeps.
const longText = 60

// steady is a text with names in place of what differs from evening to evening.
func (e *documentsRun) steady(s string) string {
	s = strings.ReplaceAll(s, e.dir, "<dir>")
	s = timeWord.ReplaceAllString(s, "<time>")
	s = strings.ReplaceAll(s, runtime.Version(), "<go>")
	s = hashWord.ReplaceAllString(s, "<hash>")
	s = addressWord.ReplaceAllString(s, "<address>")
	s = idWord.ReplaceAllStringFunc(s, func(id string) string {
		if e.ids[id] == "" {
			e.ids[id] = "<id " + strconv.Itoa(len(e.ids)+1) + ">"
		}
		return e.ids[id]
	})
	if runes := []rune(s); len(runes) > longText {
		s = string(runes[:longText]) + "…"
	}
	return s
}

// valueAt follows a path such as ".messages.0.id"; -1 is the last of a list.
func valueAt(v any, path string) (any, error) {
	for step := range strings.SplitSeq(strings.Trim(path, "."), ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil {
				return nil, err
			}
			if i < 0 {
				i += len(in)
			}
			if i < 0 || i >= len(in) {
				return nil, fmt.Errorf("%s: the list has %d elements", path, len(in))
			}
			v = in[i]
		}
	}
	if v == nil || v == "" {
		return nil, fmt.Errorf("%s: there is nothing", path)
	}
	return v, nil
}

// documentSections are the documents of a golden file by the command that printed
// them; of the same command more than once, all together.
func documentSections(text string) map[string][]string {
	sections, name := map[string][]string{}, ""
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "# ") {
			name = line
			continue
		}
		sections[name] = append(sections[name], line)
	}
	return sections
}

// lineDiff returns the elements that are in only one of two lists, one per line.
func lineDiff(want, got []string) string {
	var b strings.Builder
	for _, line := range want {
		if !slices.Contains(got, line) {
			b.WriteString("-" + line + "\n")
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			b.WriteString("+" + line + "\n")
		}
	}
	if b.Len() == 0 && !slices.Equal(want, got) {
		return "the same lines in another order"
	}
	return b.String()
}
