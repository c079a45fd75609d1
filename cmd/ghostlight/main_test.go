package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	bolt "go.etcd.io/bbolt"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ghostlight": main, "ghostlight-faulty": panicking})
}

// TestScripts runs the program as its users' scripts do: those of each package below
// this one. Every script has folders of its own.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("one command after another; what runs beside something else is in the tests of the engine")
	}
	dirs, err := filepath.Glob(filepath.Join("*", "testdata", "script"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no scripts found: %v", err)
	}
	for _, dir := range dirs {
		t.Run(strings.Split(dir, string(filepath.Separator))[0], func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{Dir: dir, Setup: setupScript, Cmds: scriptCommands})
		})
	}
}

func setupScript(env *testscript.Env) error {
	env.Vars = append(env.Vars, "HOME="+env.WorkDir, "XDG_DATA_HOME="+filepath.Join(env.WorkDir, "data"),
		"XDG_CONFIG_HOME="+filepath.Join(env.WorkDir, "config"), "XDG_STATE_HOME="+filepath.Join(env.WorkDir, "state"),
		"GHOSTLIGHT_DEMO_DELAY=0s", "OLLAMA_HOST=127.0.0.1:1", "TZ=UTC", quickRace)
	servers, err := demo.Start(scripted())
	if err != nil {
		return err
	}
	env.Defer(func() { _ = servers.Close() })
	env.Vars = append(env.Vars, "SERVER="+servers.OllamaURL)
	return nil
}

// scripted are the answers of a server beside the one of --demo, for what the play
// there has no answers to: a shorter version of the entry "Key" of these tests, and what
// has become of the key.
func scripted() demo.Options {
	return demo.Options{Scripted: demo.InOrder(map[demo.Job][]any{
		demo.CompactJob: {`{"facts":[{"text":"old and heavy, of brass","from":[1,2,3]},
			{"text":"kept in(the left pocket of the prompter)","from":[4]}],"dropped":[]}`},
		demo.AskJob: {`{"answer":[{"text":"The key is of brass.","from":[1]},{"text":"Marlow has it.","from":[2]}]}`},
	})}
}

// scriptCommands are the commands of scripts in addition to testscript's own.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"code": cmdCode, "jsonkeys": cmdJSONKeys, "jsonis": cmdJSONIs, "jsonlen": cmdJSONLen, "jsonset": cmdJSONSet,
	"clean": cmdClean, "jpeg": cmdJPEG, "hold": cmdHold, "newer": cmdNewer, "rot": cmdRot,
}

// cmdCode runs the program and checks what it ends with: code N ARGS...
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("ghostlight", args[1:]...)
	got := 0
	if err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want || neg {
		ts.Fatalf("ended with %d, not %d", got, want)
	}
}

// document is standard output, which must be one JSON document and no more.
func document(ts *testscript.TestScript) any {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	dec.UseNumber()
	var doc any
	ts.Check(dec.Decode(&doc))
	if dec.More() {
		ts.Fatalf("standard output holds more than one document")
	}
	return doc
}

// at follows a path such as ".messages.0.id"; "-1" is the last of a list and
// "." the whole.
func at(ts *testscript.TestScript, path string) any {
	v := document(ts)
	for _, step := range strings.Split(strings.Trim(path, "."), ".") {
		if step == "" {
			continue
		}
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			ts.Check(err)
			if i < 0 {
				i += len(in)
			}
			if i < 0 || i >= len(in) {
				ts.Fatalf("%s: the list has %d entries", path, len(in))
			}
			v = in[i]
		default:
			ts.Fatalf("%s: there is nothing below a %T", path, v)
		}
	}
	return v
}

// cmdJSONKeys compares the keys of an object: jsonkeys PATH KEY... where a key
// with a ? may be missing. What is unset may be null.
func cmdJSONKeys(ts *testscript.TestScript, _ bool, args []string) {
	obj, ok := at(ts, args[0]).(map[string]any)
	if !ok {
		ts.Fatalf("%s is not an object", args[0])
	}
	var wrong []string
	for _, k := range args[1:] {
		name, optional := strings.CutSuffix(k, "?")
		if _, there := obj[name]; !there && !optional {
			wrong = append(wrong, "-"+name)
		}
	}
	for k := range obj {
		if !slices.Contains(args[1:], k) && !slices.Contains(args[1:], k+"?") {
			wrong = append(wrong, "+"+k)
		}
		if k != strings.ToLower(k) {
			ts.Fatalf("key %s is not in snake_case", k)
		}
	}
	if sort.Strings(wrong); len(wrong) > 0 {
		ts.Fatalf("%s: wrong keys: %s", args[0], strings.Join(wrong, " "))
	}
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// cmdJSONIs compares a value: jsonis PATH VALUE.
func cmdJSONIs(ts *testscript.TestScript, neg bool, args []string) {
	if got := show(at(ts, args[0])); (got == args[1]) == neg {
		ts.Fatalf("%s is %q", args[0], got)
	}
}

// cmdJSONLen compares the length of a list: jsonlen PATH N.
func cmdJSONLen(ts *testscript.TestScript, neg bool, args []string) {
	list, ok := at(ts, args[0]).([]any)
	if !ok {
		ts.Fatalf("%s is no list", args[0])
	}
	if (strconv.Itoa(len(list)) == args[1]) == neg {
		ts.Fatalf("%s has %d entries", args[0], len(list))
	}
}

// cmdJSONSet puts a value into a variable: jsonset NAME PATH.
func cmdJSONSet(ts *testscript.TestScript, _ bool, args []string) {
	v := show(at(ts, args[1]))
	if v == "" || v == "null" {
		ts.Fatalf("%s is empty", args[1])
	}
	ts.Setenv(args[0], v)
}

// cmdClean checks that nothing that a terminal would obey was printed.
func cmdClean(ts *testscript.TestScript, _ bool, _ []string) {
	for _, name := range []string{"stdout", "stderr"} {
		if s := ts.ReadFile(name); safetext.Block(s) != s {
			ts.Fatalf("%s is not safe: %q", name, s)
		}
	}
}

// cmdJPEG writes a small JPEG picture.
func cmdJPEG(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	ts.Check(jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 8, 8)), nil))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

// cmdHold opens the data file in this process until the script ends.
func cmdHold(ts *testscript.TestScript, _ bool, args []string) {
	s, err := storage.Open(ts.MkAbs(args[0]), storage.Options{Program: "another ghostlight"})
	ts.Check(err)
	ts.Defer(func() { _ = s.Close() })
}

// cmdRot replaces a text in a file by another of the same length, unnoticed by the program: rot
// FILE TEXT OTHER.
func cmdRot(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	was, err := os.ReadFile(path)
	ts.Check(err)
	if len(args[1]) != len(args[2]) || !bytes.Contains(was, []byte(args[1])) {
		ts.Fatalf("%q is not in %s, or %q is not as long", args[1], args[0], args[2])
	}
	ts.Check(os.WriteFile(path, bytes.ReplaceAll(was, []byte(args[1]), []byte(args[2])), 0o600))
}

// cmdNewer makes a data file look like one of a version to come.
func cmdNewer(ts *testscript.TestScript, _ bool, args []string) {
	db, err := bolt.Open(ts.MkAbs(args[0]), 0o600, nil)
	ts.Check(err)
	ts.Check(db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte("999")) }))
	ts.Check(db.Close())
}
