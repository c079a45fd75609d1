package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
)

// Every command has words for its help and a place in the manual page.
func TestEveryCommandIsDocumented(t *testing.T) {
	root := newRoot(cli.New(nil, io.Discard, io.Discard, ""))
	page := printed(t, "man")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || c.Short[0] >= 'A' && c.Short[0] <= 'Z' {
			t.Errorf("%s: the short help %q should be a few words in lower case", c.CommandPath(), c.Short)
		}
		if c.HasParent() && !c.HasSubCommands() && !strings.Contains(page, ".B "+strings.ReplaceAll(c.CommandPath(), "-", `\-`)) {
			t.Errorf("%s is not on the manual page", c.CommandPath())
		}
		if text := printed(t, append(strings.Fields(c.CommandPath())[1:], "--help")...); !strings.Contains(text, "\nUsage\n") || strings.Contains(text, " --\n") { // a flag in two
			t.Errorf("%s: the help is %q", c.CommandPath(), text)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// printed returns the output of a command that needs no data.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, nil, &out, &errs); code != cli.ExitDone {
		t.Fatalf("%q ends with %d: %s", args, code, errs.String())
	}
	return out.String()
}

// The commands are there whenever one is called, asked about or missed.
func TestRootFor_HasCommandsWhenCalled(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "--chat T": false, "--theme=dark --json --comfyui a,b": false, "--plain --": false, "--chat send": false,
		"send T hello": true, "--json send": true, "--help": true, "-h": true, "--nothing": true, "--chat": true, "nothing": true, "help": true,
		"__complete s": true, "-- send": true,
	} {
		app := cli.New(nil, io.Discard, io.Discard, "")
		if got := rootFor(app, strings.Fields(args)).HasSubCommands(); got != want {
			t.Errorf("%q: commands: %v", args, got)
		}
		if app.JSON {
			t.Errorf("%q: the flags are read already", args)
		}
	}
}

// Places from the end are no flags, unless they are the value of one.
func TestFromTheEnd(t *testing.T) {
	root := newRoot(cli.New(nil, nil, nil, ""))
	for in, want := range map[string]string{
		"scene break T -1":                "scene break T ~1",
		"--json scene break T -12":        "--json scene break T ~12",
		"scene message T -2 --show":       "scene message T ~2 --show",
		"chat swipe T -2 --step -1":       "chat swipe T ~2 --step -1",
		"chat swipe T --step -1 -2":       "chat swipe T --step -1 ~2",
		"chat swipe T --step=-1 -2":       "chat swipe T --step=-1 ~2",
		"scene break T --data -1 -1":      "scene break T --data -1 ~1",
		"scene break T --json -1":         "scene break T --json ~1",
		"scene break T -- -1":             "scene break T -- -1",
		"chat edit T -1 -5":               "chat edit T ~1 -5",
		"chat edit T 3 -5":                "chat edit T 3 -5",
		"chat regenerate T -1":            "chat regenerate T ~1",
		"chat regenerate --thinking T -1": "chat regenerate --thinking T ~1",
		"capture send ID --seed -1":       "capture send ID --seed -1",
		"scene recap T -1":                "scene recap T -1",
		"scene break T -x":                "scene break T -x",
		"chat edit T -1 -- -5 is my mood": "chat edit T ~1 -- -5 is my mood",
	} {
		if got := strings.Join(cli.EscapeFromEnd(root, strings.Fields(in)), " "); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
}
