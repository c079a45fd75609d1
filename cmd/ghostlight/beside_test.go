//go:build linux || darwin || freebsd

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// open keeps the program open on a home until the test ends, and returns its process.
func (h home) open(t *testing.T) *exec.Cmd {
	t.Helper()
	c := h.command("serve")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // where a test has not ended it
		_ = c.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "accepts commands") {
		t.Fatalf("%q %v\n%s", line, err, errs.String())
	}
	return c
}

// homeWithChat returns a new home with a chat T.
func homeWithChat(t *testing.T) home {
	t.Helper()
	h := home{dir: t.TempDir(), args: []string{"--demo"}, env: []string{quick}}
	h.run(t, "chat", "new", "--title", "T")
	return h
}

// said runs a command, and returns its streams and exit code.
func (h home) said(in string, args ...string) (out, errs string, code int) {
	c := h.command(args...)
	c.Stdin = strings.NewReader(in)
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	_ = c.Run() // the exit code is checked instead
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

// A command beside an open program says what it says without one: on both streams, with
// the same exit code.
func TestBeside_SaysTheSame(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t)
	h.run(t, "send", "T", "I light the lamp.")
	h.run(t, "queue", "run") // an open program does it by itself
	commands := [][]string{
		{"chat", "list"}, {"chat", "list", "--json"}, {"chat", "show", "T"}, {"chat", "show", "T", "--json"}, {"chat", "search", "lamp", "--json"},
		{"character", "list"}, {"character", "show", "Tove Halloran", "--json"}, {"persona", "list"}, {"lore", "list", "T"}, {"memory", "list", "T", "--json"},
		{"scene", "list", "T"}, {"prompt", "T", "--json"}, {"config", "workflows"}, {"profile", "list"}, {"series", "list", "--json"},
		{"chat", "show", "nobody"}, {"chat", "show", "nobody", "--json"}, {"chat", "show"}, {"chat", "frobnicate"}, {"send", "T", ""}, {"send", "T", "", "--json"},
		{"chat", "export", "T", "-o", "-"}, {"chat", "export", "T", "-o", "-", "--json"}, {"config", "show"}, {"model", "list"},
	}
	type answer struct {
		out, errs string
		code      int
	}
	var alone []answer
	ask := func(args []string) (a answer) {
		a.out, a.errs, a.code = h.said("", args...)
		return a
	}
	for _, args := range commands {
		alone = append(alone, ask(args))
	}
	h.open(t)
	for i, args := range commands {
		if got := ask(args); got != alone[i] && args[0] != "model" && args[0] != "config" {
			t.Errorf("%q says\n%+v\nand without an open program\n%+v", args, got, alone[i])
		}
	}
}

// Names and ids are completed alike, whether the program is open or not.
func TestBeside_Completes(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t)
	h.run(t, "series", "new", "Nights")
	h.run(t, "episode", "new", "Nights", "--title", "The lamp")
	doc, _, _ := h.run(t, "chat", "show", "T")
	id := doc["id"].(string)
	asks := h
	asks.args = nil // the last argument is the word that is completed
	lines := [][]string{{"chat", "show", ""}, {"chat", "show", "t"}, {"chat", "show", "0"}, {"persona", "show", "R"}, {"episode", "set", "T", ""},
		{"episode", "set", "T", "no"}, {"scene", "list", "x"}}
	var alone []string
	for _, line := range lines {
		out, _, _ := asks.said("", append([]string{"__complete"}, line...)...)
		alone = append(alone, out)
	}
	if alone[0] != "T\t"+id+"\n:4\n" || alone[2] != id+"\tT\n:4\n" || !strings.Contains(alone[4], "The lamp\t") ||
		!strings.Contains(alone[4], "none\n") {
		t.Errorf("%q", alone)
	}
	h.open(t)
	for i, line := range lines {
		if out, _, _ := asks.said("", append([]string{"__complete"}, line...)...); out != alone[i] {
			t.Errorf("%q: beside the program %q, without it %q", line, out, alone[i])
		}
	}
}

// Relative paths start at the command's working directory, and standard input is the command's own.
func TestBeside_PathsAndInput(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t)
	h.open(t)
	dir := t.TempDir()
	in := func(input string, args ...string) (string, string, int) {
		t.Helper()
		c := h.command(args...)
		c.Dir, c.Stdin = dir, strings.NewReader(input)
		var o, e bytes.Buffer
		c.Stdout, c.Stderr = &o, &e
		_ = c.Run() // the exit code is checked below
		if c.ProcessState.ExitCode() != 0 {
			t.Errorf("%q ends with %d: %s", args, c.ProcessState.ExitCode(), e.String())
		}
		return o.String(), e.String(), c.ProcessState.ExitCode()
	}
	card := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"%s","description":"x","first_mes":"Hello."}}`
	for name, text := range map[string]string{"ada.json": fmt.Sprintf(card, "Ada"), "cards/bea.json": fmt.Sprintf(card, "Bea"), "about.txt": "a short text"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in("", "character", "import", "ada.json")
	if out, _, _ := in("", "character", "import", "cards"); !strings.HasPrefix(out, "cards/bea.json: ") {
		t.Errorf("a folder is told of as %q", out)
	}
	in(fmt.Sprintf(card, "Cleo"), "character", "import", "-")
	in("", "character", "edit", "Ada", "--set", "description=@about.txt")
	if out, _, _ := in("", "character", "show", "Ada", "--json"); !strings.Contains(out, "a short text") {
		t.Errorf("Ada is %s", out)
	}
	in("", "chat", "export", "T", "story.jsonl")
	in("", "chat", "export", "T")
	in("", "character", "export", "Ada", "-o", "out.json")
	in("", "move-out", "all")
	for _, pattern := range []string{"story.jsonl", "*.jsonl", "out.json", "all/characters"} {
		if list, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(list) == 0 {
			t.Errorf("there is no %s", pattern)
		}
	}
	in("I say this by a pipe.", "send", "T", "-")
	if out, _, _ := in("", "chat", "show", "T"); !strings.Contains(out, "I say this by a pipe.") {
		t.Errorf("the chat is %s", out)
	}
	in("", "chat", "import", "story.jsonl")
}

// What would need another engine, or the data folder for itself, is refused with what to
// do, and nothing is done.
func TestBeside_Refuses(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t)
	h.run(t, "backup")
	other := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.args = nil
	served := home{dir: h.dir, args: []string{"--demo"}, env: h.env}
	served.open(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"send", "T", "x", "--model", "another"}, "another model than --model"},
		{[]string{"send", "T", "x", "--ollama", "http://127.0.0.1:9"}, "another Ollama server than --ollama"},
		{[]string{"chat", "list", "--comfyui", "http://127.0.0.1:9"}, "other servers than --comfyui"},
		{[]string{"chat", "list", "--config", other}, ", not " + other},
		{[]string{"chat", "note", "T", "@/dev/stdin"}, "use - for standard input"},
		{[]string{"restore", "latest"}, "is in use by ghostlight"},
		{[]string{"doctor", "--compact"}, "is in use by ghostlight"},
		{[]string{"serve"}, "is in use by ghostlight"},
	} {
		if _, errs, code := h.said("", c.args...); code != cli.ExitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%q ends with %d: %s", c.args, code, errs)
		}
	}
	if out, _, _ := h.said("", "chat", "show", "T"); strings.Contains(out, "x\n") {
		t.Errorf("something was said:\n%s", out)
	}
	if _, errs, code := h.said("", "chat", "list"); code != cli.ExitDone || !strings.Contains(errs, "demo mode") {
		t.Errorf("that it is demo mode is told with %d: %q", code, errs)
	}
}

// A client may go in several ways amid a reply: the user's message is kept, and the reply is
// stopped with the text so far.
func TestBeside_ClientGoes(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t).with("GHOSTLIGHT_DEMO_DELAY=20ms")
	h.open(t)
	for name, leave := range map[string]func(c *exec.Cmd, out io.Closer){
		"ctrl+c": func(c *exec.Cmd, _ io.Closer) { _ = c.Process.Signal(syscall.SIGINT) },
		"killed": func(c *exec.Cmd, _ io.Closer) { _ = c.Process.Kill() },
		"unread": func(_ *exec.Cmd, out io.Closer) { _ = out.Close() },
	} {
		c := h.command("send", "T", "I go: "+name)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, out, 1); err != nil {
			t.Fatalf("%s: %v %s", name, err, errs.String())
		}
		leave(c, out)
		_, _ = io.Copy(io.Discard, out) // ends with the process
		_ = c.Wait()
		if name != "killed" && c.ProcessState.ExitCode() != cli.ExitFailed {
			t.Errorf("%s: ended with %d: %s", name, c.ProcessState.ExitCode(), errs.String())
		}
		if name == "ctrl+c" && !strings.Contains(errs.String(), "the text so far is kept") {
			t.Errorf("%s: it says %s", name, errs.String())
		}
		// The next one is taken once the reply has ended, which comes at once.
		for {
			last := h.lastMessage(t, "T")
			if last.Role == storage.Assistant && last.State == storage.Stopped {
				break
			}
			if last.State == storage.Complete && last.Role == storage.Assistant {
				t.Fatalf("%s: the reply was written to its end: %q", name, last.Content)
			}
		}
		if out, _, _ := h.said("", "chat", "show", "T"); !strings.Contains(out, "I go: "+name) {
			t.Errorf("%s: what was said is not kept:\n%s", name, out)
		}
	}
}

// The open program is killed amid a reply: its client says so, and the next program finds all
// messages.
func TestBeside_ServerKilled(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t).with("GHOSTLIGHT_DEMO_DELAY=20ms")
	server := h.open(t)
	c := h.command("send", "T", "I am kept.")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, out, 1); err != nil {
		t.Fatal(err)
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out) // ends with the process
	_ = c.Wait()
	if c.ProcessState.ExitCode() != cli.ExitFailed || !strings.Contains(errs.String(), "was closed before the command finished") {
		t.Errorf("ended with %d: %s", c.ProcessState.ExitCode(), errs.String())
	}
	_ = server.Wait()
	if text, errs, code := h.said("", "chat", "show", "T"); code != 0 || !strings.Contains(text, "I am kept.") {
		t.Errorf("%d %s\n%s", code, errs, text)
	}
	h.open(t) // over the socket that was left
	if _, errs, code := h.said("", "chat", "list"); code != 0 {
		t.Errorf("after it: %d %s", code, errs)
	}
}

// A hundred at once all do their work, each once.
func TestBeside_Hundred(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t)
	server := h.open(t)
	var wg sync.WaitGroup
	slots := make(chan bool, 25) // processes; what they ask waits in the open program
	for i := range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			slots <- true
			defer func() { <-slots }()
			if _, errs, code := h.said("", "chat", "new", "--title", fmt.Sprintf("Number %d", i)); code != 0 {
				t.Errorf("%d ended with %d: %s", i, code, errs)
			}
		}()
	}
	wg.Wait()
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("asked to end, it ends with %v", err)
	}
	out, _, _ := h.said("", "chat", "list")
	if n := strings.Count(out, "Number "); n != 100 {
		t.Errorf("%d chats of 100", n)
	}
}

// A change that a command writes into the config file takes effect in the open program immediately,
// and an editor's change after a reload.
func TestBeside_ConfigIsHeard(t *testing.T) {
	t.Parallel()
	h := homeWithChat(t)
	h.open(t)
	length := func() string {
		doc, errs, code := h.run(t, "voice", "show", "T")
		if code != cli.ExitDone {
			t.Fatal(errs)
		}
		length, _ := doc["length"].(string)
		return length
	}
	before := length()
	if doc, errs, code := h.run(t, "config", "set", "voice.length", "short"); code != cli.ExitDone || strings.Contains(errs, "goes by") {
		t.Fatalf("%v %q", doc, errs)
	}
	if got := length(); got != "short" {
		t.Errorf("the length is %q", got)
	}
	doc, _, _ := h.run(t, "config", "path")
	path, _ := doc["config"].(string)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte("short"), []byte("long"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, errs, code := h.run(t, "config", "reload")
	if changed, _ := doc["changed"].([]any); code != cli.ExitDone || doc["open"] != true || len(changed) != 1 || changed[0] != "voice.length" {
		t.Errorf("%v %s", doc, errs)
	}
	if got := length(); got != "long" {
		t.Errorf("the length is %q", got)
	}
	if err := os.WriteFile(path, []byte("no setting"), 0o600); err != nil {
		t.Fatal(err)
	}
	if doc, _, code := h.run(t, "config", "reload"); code == cli.ExitDone {
		t.Errorf("a broken file was taken: %v", doc)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := length(); got != "long" {
		t.Errorf("the length is %q", got)
	}
	h.run(t, "config", "unset", "voice.length")
	if got := length(); got != before {
		t.Errorf("the length is %q, and not %q again", got, before)
	}
}
