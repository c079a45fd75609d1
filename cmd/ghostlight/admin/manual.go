package admin

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
)

// CompletionCommand returns the command ghostlight completion.
func CompletionCommand(app *cli.App) *cobra.Command {
	shells := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{Use: "completion SHELL", Short: "print completions for bash, zsh, fish or powershell",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Long: "Print completions for bash, zsh, fish or powershell. For bash: " +
			"ghostlight completion bash > ~/.local/share/bash-completion/completions/ghostlight",
		RunE: func(c *cobra.Command, args []string) error {
			write, ok := shells[args[0]]
			if !ok {
				return cli.UsageError("SHELL must be bash, zsh, fish or powershell, not " + cli.Quote(args[0]))
			}
			var b strings.Builder
			if err := write(c.Root(), &b); err != nil {
				return err
			}
			return app.PrintText(b.String())
		}}
}

// Section is an extra table in the manual page. Rows calls each for every row, with its group, its
// name and what it does; rows of one group are consecutive.
type Section struct {
	Title, About string
	Rows         func(each func(group, name, words string))
}

// ManCommand returns the command ghostlight man. The sections follow the commands in the page.
func ManCommand(app *cli.App, sections ...Section) *cobra.Command {
	return &cobra.Command{Use: "man", Short: "print the manual page: ghostlight man | man -l -",
		RunE: func(c *cobra.Command, _ []string) error {
			return app.PrintText(ManPage(c.Root(), app.Version, builtOn(), sections))
		}}
}

// builtOn returns the day of the commit that the program was built from, "" if it is not known.
func builtOn() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				return s.Value[:min(len(s.Value), len("2006-01-02"))]
			}
		}
	}
	return ""
}

// ManPage writes the tree of commands and the sections as one manual page.
func ManPage(root *cobra.Command, version, date string, sections []Section) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH GHOSTLIGHT 1 %q %q\n.SH NAME\nghostlight \\- %s\n", date, "ghostlight "+version,
		roff(root.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B ghostlight\n[flags]\n.br\n.B ghostlight\nCOMMAND [flags]\n.SH DESCRIPTION\n%s\n",
		roff(root.Long))
	b.WriteString(".SH OPTIONS\n")
	manFlags(&b, root.LocalNonPersistentFlags())
	b.WriteString(".PP\nEvery command takes these flags:\n")
	manFlags(&b, root.PersistentFlags())
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, root)
	for _, s := range sections {
		manSection(&b, s)
	}
	b.WriteString(".SH EXAMPLES\n.nf\n" + quoted(root.Example) + "\n.fi\n")
	b.WriteString(".SH EXIT STATUS\n0: success; 1: failure, with the reason on standard error; 2: wrong usage.\n")
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B OLLAMA_HOST\naddress of Ollama, unless set by a flag or the config file\n" +
		".TP\n.B NO_COLOR\nno colours\n.TP\n.B TERM\nif it is dumb, the program runs in plain mode\n" +
		".TP\n.B XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME\nthe folders for settings, data and logs\n")
	b.WriteString(".SH FILES\n.TP\n.I ~/.config/ghostlight/config.toml\nthe settings; prompts, themes and workflows " +
		"are in the same folder\n.TP\n.I ~/.local/share/ghostlight\nthe data file, pictures and backups\n" +
		".TP\n.I ~/.local/state/ghostlight/ghostlight.log\nthe log\n")
	return b.String()
}

func manSection(b *strings.Builder, s Section) {
	fmt.Fprintf(b, ".SH %s\n%s\n", roff(strings.ToUpper(s.Title)), roff(s.About))
	last := ""
	s.Rows(func(group, name, words string) {
		if group != last {
			fmt.Fprintf(b, ".SS %s\n", roff(group))
			last = group
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", quoted(name), roff(words))
	})
}

func manCommands(b *strings.Builder, c *cobra.Command) {
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if sub.HasAvailableSubCommands() {
			fmt.Fprintf(b, ".SS %s\n%s\n", roff(sub.CommandPath()), roff(cli.Sentence(sub.Short)))
			manCommands(b, sub)
			continue
		}
		text := sub.Long
		if text == "" {
			text = sub.Short
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", quoted(strings.TrimSuffix(sub.UseLine(), " [flags]")), roff(text))
		if f := sub.LocalNonPersistentFlags(); manText(f) {
			b.WriteString(".RS\n")
			manFlags(b, f)
			b.WriteString(".RE\n")
		}
	}
}

func manFlags(b *strings.Builder, f *pflag.FlagSet) {
	f.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			row := cli.FlagRow(f)
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", quoted(row[0]), roff(row[1]))
		}
	})
}

// manText reports whether there is a flag to describe.
func manText(f *pflag.FlagSet) (any bool) {
	f.VisitAll(func(f *pflag.Flag) { any = any || !f.Hidden && f.Name != "help" })
	return any
}

// longRow is the maximum length of a line in the page's source, in characters.
const longRow = 78

// roff returns text for the manual page, in lines that an editor can show.
func roff(s string) string {
	var out []string
	for l := range strings.Lines(s) {
		row := ""
		for w := range strings.FieldsSeq(quoted(l)) {
			if row != "" && len(row)+1+len(w) > longRow {
				out, row = append(out, row), ""
			}
			if row == "" {
				row = guarded(w)
			} else {
				row += " " + w
			}
		}
		if row != "" {
			out = append(out, row)
		}
	}
	return strings.Join(out, "\n")
}

// quoted escapes text for the manual page, and leaves its lines as they are.
func quoted(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	var b strings.Builder
	for _, r := range s {
		if r < 0x7f {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = guarded(l)
	}
	return strings.Join(lines, "\n")
}

// guarded keeps a line from being taken for a request.
func guarded(l string) string {
	if strings.HasPrefix(l, ".") {
		return `\&` + l
	}
	return l
}
