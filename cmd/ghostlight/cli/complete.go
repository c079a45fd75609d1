package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/engine"
)

// Completer lists what an argument can be, as Suggestion writes it; before are the arguments in
// front of it.
type Completer func(e *engine.Engine, before []string) []string

// Suggestion returns something that an argument can be: its id, and its name.
func Suggestion(id, name string) string {
	if name = OneLine(name); name == "" || name == id {
		return OneLine(id)
	}
	return OneLine(id) + "\t" + name
}

// SetUpCommands sets up c and all commands below it by their usage lines: the number of arguments,
// and their completion. It also makes errors about flags that exclude or need each other usage
// errors. Arguments and flag values are completed by their names in usage lines, such as CHAT, with
// the suggestions of the completer for that name. Fixed words such as on|off are suggested
// themselves. For the names FILE and DIR, the shell completes paths.
func (app *App) SetUpCommands(c *cobra.Command, completers map[string]Completer) {
	for _, sub := range c.Commands() {
		app.SetUpCommands(sub, completers)
	}
	params := paramsOf(c.Use)
	if c.Args == nil {
		least, most := countOf(params)
		c.Args = Args(least, most)
	}
	if c.PreRunE == nil {
		c.PreRunE = checkFlagGroups
	}
	if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 {
		c.ValidArgsFunction = func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			name := ""
			switch at := len(args); {
			case at < len(params):
				name = params[at].name
			case len(params) > 0 && params[len(params)-1].repeats:
				name = params[len(params)-1].name
			}
			return app.complete(completers, name, args, word)
		}
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(f)
		if f.NoOptDefVal != "" || strings.HasPrefix(name, "FILE") || strings.HasPrefix(name, "DIR") {
			return
		}
		_ = c.RegisterFlagCompletionFunc(
			f.Name,
			func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
				return app.complete(completers, name, args, word)
			},
		) // fails only if the flag already has a completion
	})
}

// complete lists what an argument of a name can be that begins with word.
func (app *App) complete(
	completers map[string]Completer,
	name string,
	before []string,
	word string,
) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	switch {
	case name == "FILE" || name == "DIR":
		return nil, cobra.ShellCompDirectiveDefault
	case strings.Contains(name, "|"):
		var words []string
		for w := range strings.SplitSeq(name, "|") {
			if w == strings.ToLower(w) {
				words = append(words, beginningWith([]string{w}, word)...)
			} else {
				more, _ := app.complete(completers, w, before, word)
				words = append(words, more...)
			}
		}
		slices.Sort(words)
		return slices.Compact(words), none // an open program may have returned the fixed words too
	case completers[name] == nil:
		return nil, none
	}
	return app.suggestions(completers[name], before, word), none
}

// beginningWith returns the suggestions that begin with the typed word: names described by their
// ids, or ids described by their names if the word is the beginning of an id.
func beginningWith(list []string, word string) (out []string) {
	for _, s := range list {
		id, name, named := strings.Cut(s, "\t")
		switch {
		case hasPrefixFold(id, word), word == "" && !named:
			out = append(out, s)
		case named && (word == "" || hasPrefixFold(name, word)):
			out = append(out, name+"\t"+id)
		}
	}
	return out
}

// suggestions asks the program that is open, or opens the data itself. Completion never fails:
// without data there is nothing to offer.
func (app *App) suggestions(list Completer, before []string, word string) []string {
	if app.shared != nil {
		return beginningWith(list(app.shared, before), word)
	}
	if app.Prepare() != nil {
		return nil
	}
	var out bytes.Buffer
	other := *app
	other.Out, other.Err = &out, &bytes.Buffer{}
	if asked, err := other.ask(context.Background()); asked {
		if err != nil {
			return nil
		}
		return linesOf(out.String())
	}
	e, err := app.Open("complete")
	if err != nil {
		return nil
	}
	words := beginningWith(list(e, before), word)
	if app.Close(e, nil) != nil {
		return nil
	}
	return words
}

// linesOf returns the suggestions that another process printed: all lines but the last, which is
// the directive.
func linesOf(printed string) []string {
	lines := strings.Split(strings.TrimSuffix(printed, "\n"), "\n")
	return lines[:len(lines)-1]
}

// param is an argument of a usage line.
type param struct {
	name              string
	optional, repeats bool
}

// paramsOf returns the arguments that a usage line such as "show BOOK [ENTRY...] --flag X" names.
func paramsOf(use string) (list []param) {
	depth := 0
	for i, word := range strings.Fields(use) {
		if i == 0 {
			continue
		}
		if strings.HasPrefix(word, "--") {
			break
		}
		depth += strings.Count(word, "[")
		p := param{name: strings.Trim(word, "[].!"), optional: depth > 0, repeats: strings.Contains(word, "...")}
		depth -= strings.Count(word, "]")
		list = append(list, p)
	}
	return list
}

// countOf returns how many arguments there have to be, and how many there can be, -1 for any
// number.
func countOf(list []param) (least, most int) {
	for _, p := range list {
		if !p.optional {
			least++
		}
		if p.repeats {
			most = -1
		} else if most >= 0 {
			most++
		}
	}
	return least, most
}
