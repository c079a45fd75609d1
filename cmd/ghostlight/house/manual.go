package house

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ghostlight/cmd/ghostlight/cli"
)

// CompletionCommand is ghostlight completion.
func CompletionCommand(app *cli.App) *cobra.Command {
	shells := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{Use: "completion SHELL", Short: "print completions for bash, zsh, fish or powershell", Args: cli.Args(1, 1),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Long: "Print completions for bash, zsh, fish or powershell. For bash, for instance: " +
			"ghostlight completion bash > ~/.local/share/bash-completion/completions/ghostlight",
		RunE: func(c *cobra.Command, args []string) error {
			write, ok := shells[args[0]]
			if !ok {
				return cli.UsageError("there are completions for bash, zsh, fish and powershell, not for " + cli.Quote(args[0]))
			}
			var b strings.Builder
			if err := write(c.Root(), &b); err != nil {
				return err
			}
			return app.PrintText(b.String())
		}}
}

// ManCommand is ghostlight man.
func ManCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "man", Short: "print the manual page, for man -l -", Args: cli.Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return app.PrintText(manPage(c.Root(), app.Version))
		}}
}

// manPage writes the tree of commands as one manual page.
func manPage(root *cobra.Command, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH GHOSTLIGHT 1 \"\" %q\n.SH NAME\nghostlight \\- %s\n", "ghostlight "+version, roff(root.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B ghostlight\n[flags]\n.br\n.B ghostlight\nCOMMAND [flags]\n.SH DESCRIPTION\n%s\n", roff(root.Long))
	b.WriteString(".SH OPTIONS\n")
	manFlags(&b, root.LocalNonPersistentFlags())
	b.WriteString(".PP\nEvery command takes these:\n")
	manFlags(&b, root.PersistentFlags())
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, root)
	b.WriteString(".SH EXAMPLES\n.nf\n" + roff(root.Example) + "\n.fi\n")
	b.WriteString(".SH EXIT STATUS\n0: done; 1: failed, with the reason on standard error; 2: misused.\n")
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B OLLAMA_HOST\nwhere Ollama is, unless a flag or the config file says so\n" +
		".TP\n.B XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME\nwhere the folders for settings, data and logs are\n")
	b.WriteString(".SH FILES\n.TP\n.I ~/.config/ghostlight/config.toml\nthe settings; beside it lie prompts, themes and workflows\n" +
		".TP\n.I ~/.local/share/ghostlight\nthe data file, pictures and backups\n" +
		".TP\n.I ~/.local/state/ghostlight/ghostlight.log\nthe log\n")
	return b.String()
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
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSuffix(sub.UseLine(), " [flags]")), roff(text))
		if f := sub.LocalNonPersistentFlags(); f.HasAvailableFlags() {
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
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(row[0]), roff(row[1]))
		}
	})
}

// roff escapes text for the manual page.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
