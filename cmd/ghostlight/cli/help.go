package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/tui/guide"
)

// Help prints a command's help. It is written here rather than left to a
// library: those ask the terminal for its colours first and wait for the answer.
func (app *App) Help(c *cobra.Command, _ []string) {
	bold := func(s string) string { return s }
	if IsTerminal(app.Out) && !app.JSON && os.Getenv("NO_COLOR") == "" {
		bold = func(s string) string { return ansi.NewStyle().Bold().Styled(s) }
	}
	_ = app.PrintText(helpText(c, bold)) // nowhere to report a failure
}

func helpText(c *cobra.Command, bold func(string) string) string {
	var b strings.Builder
	about := c.Long
	if about == "" {
		about = Sentence(c.Short)
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
			rows = append(rows, FlagRow(f))
		}
	})
	writeRows(b, title, rows)
}

// valueAnnotation is a flag's annotation that names its value, if the usage does not.
const valueAnnotation = "ghostlight_value"

// FlagRow returns a flag and its description, for a table.
func FlagRow(f *pflag.Flag) [2]string {
	value, usage := pflag.UnquoteUsage(f)
	if given := f.Annotations[valueAnnotation]; len(given) > 0 {
		value = given[0]
	}
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

// HelpCommand returns the command that prints the help of another, or a page of the guide.
func (app *App) HelpCommand() *cobra.Command {
	return &cobra.Command{Use: "help [COMMAND | PAGE]", Short: "print help, or a guide page", Args: cobra.ArbitraryArgs,
		Long: "Print the help of a command, or a page of the guide:\n" + guidePages() +
			"\nIf a page has the name of a command, use: help guide PAGE.",
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err == nil && len(rest) == 0 {
				return of.Help()
			}
			if len(args) > 0 && args[0] == "guide" {
				args = args[1:]
			}
			if len(args) == 0 {
				return app.PrintText(guidePages())
			}
			if p, ok := guide.Find(strings.Join(args, " ")); ok {
				return app.printPage(p)
			}
			return UsageError("unknown command or guide page " + Quote(strings.Join(args, " ")) +
				"; ghostlight help guide lists the pages")
		}}
}

func guidePages() string {
	var b strings.Builder
	for _, p := range guide.Pages() {
		fmt.Fprintf(&b, "  %-14s %s\n", p.Name, p.Title)
	}
	return b.String()
}

// printPage prints a page of the guide.
func (app *App) printPage(p guide.Page) error {
	return app.Print(map[string]any{"page": p.Name, "title": p.Title, "markdown": p.Text}, func(page *Page) {
		page.Line(p.Title)
		page.Line("")
		for _, l := range pageLines(p.PlainText(helpWidth - len(frameMargin))) {
			page.Line(l)
		}
	})
}

// frameMargin is the indent of code blocks in a page.
const frameMargin = "    "

// pageLines wraps the lines of a page for a terminal. Continuation lines of a list item are
// indented to its text.
func pageLines(md string) (out []string) {
	code := false
	for l := range strings.Lines(md) {
		l = strings.TrimRight(l, "\n")
		switch mark := guide.Point(l); {
		case strings.HasPrefix(l, "```"):
			code = !code
		case code:
			out = append(out, frameMargin+l)
		case strings.HasPrefix(l, "#"):
			out = append(out, strings.TrimLeft(l, "# "))
		default:
			text := wrapped(l[len(mark):], helpWidth-len(mark))
			out = append(out, mark+strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(mark))))
		}
	}
	return out
}
