package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help prints a command's help. It is written here rather than left to a
// library: those ask the terminal for its colours first and wait for the answer.
func (d *door) help(c *cobra.Command, _ []string) {
	bold := func(s string) string { return s }
	if isTerminal(d.out) && !d.json && os.Getenv("NO_COLOR") == "" {
		bold = func(s string) string { return ansi.NewStyle().Bold().Styled(s) }
	}
	_ = d.print(helpText(c, bold)) // nobody left to tell
}

func helpText(c *cobra.Command, bold func(string) string) string {
	var b strings.Builder
	about := c.Long
	if about == "" {
		about = sentence(c.Short)
	}
	b.WriteString(wrapped(about, helpWidth) + "\n\n")
	b.WriteString(bold("Usage") + "\n  " + c.UseLine() + "\n")
	if !c.HasParent() {
		b.WriteString("  ghostlight COMMAND\n")
	}
	if c.Example != "" {
		b.WriteString("\n" + bold("Examples") + "\n  " + strings.ReplaceAll(c.Example, "\n", "\n  ") + "\n")
	}
	if groups := c.Groups(); len(groups) > 0 {
		for _, g := range groups {
			writeCommands(&b, bold(g.Title), c, g.ID)
		}
	} else {
		writeCommands(&b, bold("Commands"), c, "")
	}
	writeFlags(&b, bold("Flags"), c.LocalNonPersistentFlags())
	if c.HasParent() {
		b.WriteString("\nEvery command takes --json, --data and the other flags that ghostlight --help lists.\n")
	} else {
		writeFlags(&b, bold("Flags of every command"), c.PersistentFlags())
	}
	return b.String()
}

// sentence makes one of a few words.
func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }

const helpWidth = 78

// wrapped breaks words into lines, between words alone: a flag stays in one piece.
func wrapped(words string, width int) string {
	const bound = "\u2011" // a hyphen after which nothing breaks
	return strings.ReplaceAll(ansi.Wordwrap(strings.ReplaceAll(words, "-", bound), width, ""), bound, "-")
}

func writeCommands(b *strings.Builder, title string, c *cobra.Command, group string) {
	var rows [][2]string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.GroupID == group {
			rows = append(rows, [2]string{sub.Name(), sub.Short})
		}
	}
	writeRows(b, title, rows)
}

func writeFlags(b *strings.Builder, title string, f *pflag.FlagSet) {
	var rows [][2]string
	f.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			rows = append(rows, flagRow(f))
		}
	})
	writeRows(b, title, rows)
}

// flagRow is a flag and what it does.
func flagRow(f *pflag.Flag) [2]string {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	return [2]string{strings.TrimSpace(name + " " + value), usage}
}

func writeRows(b *strings.Builder, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	b.WriteString("\n" + title + "\n")
	for _, r := range rows {
		text := wrapped(r[1], max(30, helpWidth-width-4))
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", width+4))
		fmt.Fprintf(b, "  %-*s  %s\n", width, r[0], text)
	}
}

func (d *door) helpCommand() *cobra.Command {
	return &cobra.Command{Use: "help [COMMAND]", Short: "print help", Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return misuse{"there is no command " + quote(strings.Join(args, " "))}
			}
			return of.Help()
		}}
}

func (d *door) completionCommand() *cobra.Command {
	shells := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{Use: "completion SHELL", Short: "print completions for bash, zsh, fish or powershell", Args: takes(1, 1),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Long: "Print completions for bash, zsh, fish or powershell. For bash, for instance: " +
			"ghostlight completion bash > ~/.local/share/bash-completion/completions/ghostlight",
		RunE: func(c *cobra.Command, args []string) error {
			write, ok := shells[args[0]]
			if !ok {
				return misuse{"there are completions for bash, zsh, fish and powershell, not for " + quote(args[0])}
			}
			var b strings.Builder
			if err := write(c.Root(), &b); err != nil {
				return err
			}
			return d.print(b.String())
		}}
}

func (d *door) manCommand() *cobra.Command {
	return &cobra.Command{Use: "man", Short: "print the manual page, for man -l -", Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return d.print(manPage(c.Root()))
		}}
}

// manPage writes the tree of commands as one manual page.
func manPage(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH GHOSTLIGHT 1 \"\" %q\n.SH NAME\nghostlight \\- %s\n", "ghostlight "+thisBuild().Version, roff(root.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B ghostlight\n[flags]\n.br\n.B ghostlight\nCOMMAND [flags]\n.SH DESCRIPTION\n%s\n", roff(root.Long))
	b.WriteString(".SH OPTIONS\n")
	manFlags(&b, root.LocalNonPersistentFlags())
	b.WriteString(".PP\nEvery command takes these:\n")
	manFlags(&b, root.PersistentFlags())
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, root)
	b.WriteString(".SH EXAMPLES\n.nf\n" + roff(root.Example) + "\n.fi\n")
	b.WriteString(".SH EXIT STATUS\n0: done; 1: failed, with the reason on standard error; 2: misused.\n")
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B OLLAMA_HOST\nwhere Ollama is, unless a flag or the config file says it\n" +
		".TP\n.B XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME\nwhere the folders of settings, data and logs are\n")
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
			fmt.Fprintf(b, ".SS %s\n%s\n", roff(sub.CommandPath()), roff(sentence(sub.Short)))
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
			row := flagRow(f)
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
