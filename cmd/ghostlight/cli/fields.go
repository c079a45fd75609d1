package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Fields are the flags of a command that changes the fields of a record: --set, --unset and --from
// for all fields, and the flags of single fields.
type Fields[T any] struct {
	Record *field.Record[T]
	Shown  any // a value of the document that the show command prints, for --from

	c     *cobra.Command
	set   []string
	unset []string
	from  string
	own   map[string]any // a *string, *[]string or *bool by the flag
}

// Add adds the flags to a command.
func (f *Fields[T]) Add(c *cobra.Command) {
	f.c, f.own = c, map[string]any{}
	flags := c.Flags()
	for _, s := range f.Record.Fields {
		if s.Flag == "" {
			continue
		}
		help := s.Help
		switch {
		case s.Kind() == field.Switch && !s.Optional():
			f.own[s.Flag] = flags.Bool(s.Flag, false, s.Help)
		case s.Kind() == field.List && len(s.Choices) > 0:
			f.own[s.Flag] = flags.StringSlice(s.Flag, nil, help)
		case s.Kind() == field.List:
			f.own[s.Flag] = flags.StringArray(s.Flag, nil, help+"; repeatable")
		default:
			f.own[s.Flag] = flags.String(s.Flag, "", help)
		}
		if flag := flags.Lookup(s.Flag); flag.Value.Type() != "bool" && !strings.Contains(help, "`") {
			flag.Annotations = map[string][]string{valueAnnotation: {valueName(s.Kind())}}
		}
	}
	flags.StringArrayVar(&f.set, "set", nil,
		"set `FIELD=VALUE`; a VALUE of @FILE is read from a file, - from standard input; repeatable")
	flags.StringSliceVar(&f.unset, "unset", nil, "reset the fields in `LIST` to their defaults")
	flags.StringVar(&f.from, "from", "", "read the fields from the JSON object in `FILE`, "+
		"as the show command prints it with --json (- reads standard input)")
	for _, name := range []string{"set", "unset"} {
		_ = c.RegisterFlagCompletionFunc(name, f.complete) // fails only for a flag that is not there
	}
	if c.Long == "" {
		c.Long = Sentence(c.Short)
	}
	c.Long += " The fields are: " + strings.Join(f.Record.Names(), ", ") + "."
	if slices.ContainsFunc(f.Record.Fields, func(s field.Spec[T]) bool { return s.Kind() == field.List }) {
		c.Long += " Separate the items of a list with commas, or put one on each line."
	}
}

// valueName returns what usage lines call a value of a kind.
func valueName(k field.Kind) string {
	switch k {
	case field.Integer, field.Number:
		return "N"
	case field.Enum:
		return "VALUE"
	}
	return "TEXT"
}

// Given reports whether any of the flags was given.
func (f *Fields[T]) Given() bool {
	if len(f.set) > 0 || len(f.unset) > 0 || f.from != "" {
		return true
	}
	for name := range f.own {
		if f.c.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// Change is Apply for commands that are of no use without a flag.
func (f *Fields[T]) Change(app *App, v *T) error {
	if !f.Given() {
		return UsageError("nothing to change: use --set FIELD=VALUE, or --from FILE; the fields are " +
			strings.Join(f.Record.Names(), ", "))
	}
	return f.Apply(app, v)
}

// Apply changes a record as the flags say: --from first, then --unset, --set, and the flags of
// single fields. After an error the record is to be thrown away.
func (f *Fields[T]) Apply(app *App, v *T) error {
	if f.from != "" {
		text, err := app.FileArg(f.from)
		if err != nil {
			return err
		}
		name := f.from
		if name == "-" {
			name = "standard input"
		}
		if err := f.Record.FromJSON(v, TrimBOM([]byte(text)), reflect.TypeOf(f.Shown)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	std := f.Record.Default()
	for _, name := range f.unset {
		s := f.Record.Find(strings.TrimSpace(name))
		if s == nil {
			return UsageError("--unset: " + f.Record.Noun + " has no field " + Quote(name))
		}
		if err := f.Record.Set(v, s.Name, s.Get(&std)); err != nil {
			return err
		}
	}
	for _, arg := range f.set {
		name, text, ok := strings.Cut(arg, "=")
		if !ok {
			return UsageError("--set takes FIELD=VALUE, not " + Quote(arg))
		}
		if err := f.put(app, v, name, text); err != nil {
			return err
		}
	}
	return f.applyOwn(app, v)
}

func (f *Fields[T]) applyOwn(app *App, v *T) error {
	for _, s := range f.Record.Fields {
		if s.Flag == "" || !f.c.Flags().Changed(s.Flag) {
			continue
		}
		var err error
		switch at := f.own[s.Flag].(type) {
		case *bool:
			err = s.Set(v, fmt.Sprint(*at))
		case *[]string:
			err = s.SetItems(v, items(s.Split, *at))
		case *string:
			err = f.put(app, v, s.Name, *at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// items returns the non-blank items of a list that was given by repeated flags. If the list has a
// syntax of its own (split), each given text may contain several.
func items(split func(string) []string, given []string) []string {
	var list []string
	for _, text := range given {
		switch {
		case strings.TrimSpace(text) == "":
		case split != nil:
			list = append(list, split(text)...)
		default:
			list = append(list, text)
		}
	}
	return list
}

func (f *Fields[T]) put(app *App, v *T, name, text string) error {
	text, err := app.ValueArg(text)
	if err != nil {
		return err
	}
	return f.Record.Set(v, name, text)
}

// complete lists the fields for --set and --unset, and the choices of one.
func (f *Fields[T]) complete(_ *cobra.Command, _ []string, word string) (words []string, _ cobra.ShellCompDirective) {
	for _, s := range f.Record.Fields {
		words = append(words, s.Name)
		for _, c := range s.Choices {
			words = append(words, s.Name+"="+c.Value)
		}
	}
	return beginningWith(words, word), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// Table writes the set fields of a record, one line each, followed by its multi-line texts.
func Table[T any](p *Page, r *field.Record[T], v *T) {
	var rows [][]string
	var texts [][2]string
	for i := range r.Fields {
		s := &r.Fields[i]
		text := s.Get(v)
		switch {
		case text == "" || s.Kind() == field.Switch && text == "false":
		case s.Kind() == field.Text:
			texts = append(texts, [2]string{s.Name, text})
		default:
			rows = append(rows, []string{s.Name, safetext.Line(strings.ReplaceAll(text, "\n", ", "))})
		}
	}
	p.Table(rows)
	for _, t := range texts {
		p.Linef("\n%s\n%s", t[0], t[1])
	}
}
