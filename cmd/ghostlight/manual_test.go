package main

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/admin"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/plain"
)

// roffed is text as the manual page has it, whatever its lines.
func roffed(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)), " ")
}

func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, do)
	}
}

// The manual page has every command, flag and key, and every word of the plain front end.
func TestManual_IsWhole(t *testing.T) {
	root := newRoot(cli.New(nil, io.Discard, io.Discard, ""))
	page := admin.ManPage(root, "1.0", "2026-01-31", manSections())
	flat := strings.Join(strings.Fields(page), " ")
	has := func(what, text string) {
		t.Helper()
		if !strings.Contains(flat, roffed(text)) {
			t.Errorf("the manual page does not have the %s %q", what, text)
		}
	}
	eachCommand(root, func(c *cobra.Command) {
		if !c.IsAvailableCommand() && c.HasParent() {
			return
		}
		has("command", c.CommandPath())
		flag := func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" {
				has("flag", "--"+f.Name)
			}
		}
		c.LocalNonPersistentFlags().VisitAll(flag)
		c.PersistentFlags().VisitAll(flag)
	})
	m, _ := tui.Keys(nil)
	for _, b := range m.Bindings() {
		has("action", "("+string(b.Action)+")")
	}
	plain.EachCommand(func(_, command, _ string) { has("word", command) })
	for i, l := range strings.Split(page, "\n") {
		for _, r := range l {
			if r >= 0x7f {
				t.Errorf("line %d of the manual page has %q", i+1, r)
			}
		}
	}
}

func TestManual_Lint(t *testing.T) {
	lint, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("NOT TESTED: there is no mandoc")
	}
	root := newRoot(cli.New(nil, io.Discard, io.Discard, ""))
	c := exec.CommandContext(t.Context(), lint, "-Tlint", "-Wwarning")
	c.Stdin = strings.NewReader(admin.ManPage(root, "1.0", "2026-01-31", manSections()))
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// Completions are made of the same commands; what shells read them by is there.
func TestCompletions(t *testing.T) {
	for shell, sign := range map[string]string{"bash": "complete -o default -F __start_ghostlight ghostlight", "zsh": "#compdef ghostlight", "fish": "complete -c ghostlight", "powershell": "Register-ArgumentCompleter"} {
		var out, errs bytes.Buffer
		if code := run([]string{"completion", shell}, strings.NewReader(""), &out, &errs); code != 0 || !strings.Contains(out.String(), sign) {
			t.Errorf("%s: %d %s", shell, code, errs.String())
		}
	}
	// The shells ask the program itself.
	eachCommand(newRoot(cli.New(nil, io.Discard, io.Discard, "")), func(c *cobra.Command) {
		if !c.HasAvailableSubCommands() {
			return
		}
		path := strings.Fields(c.CommandPath())[1:]
		var out, errs bytes.Buffer
		run(append(append([]string{cobra.ShellCompRequestCmd}, path...), ""), strings.NewReader(""), &out, &errs)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && !strings.Contains("\n"+out.String(), "\n"+sub.Name()+"\t") {
				t.Errorf("%s: %s is not completed", c.CommandPath(), sub.Name())
			}
		}
	})
}
