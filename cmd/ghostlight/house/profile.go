package house

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ProfileCommand is ghostlight profile.
func ProfileCommand(app *cli.App) *cobra.Command {
	c := cli.Group("profile", "models and options for background work",
		profileListCommand(app), profileShowCommand(app), profileSetCommand(app), profileDeleteCommand(app), profileAssignCommand(app))
	c.Long = "A profile sets how background work uses a model: server, model, context, answer length and other options. " +
		"Each kind of work (" + kindNames(", ") + ") can have one; otherwise it uses the chat's model."
	return c
}

// kindNames are the kinds of work, as commands name them.
func kindNames(sep string) string {
	var names []string
	for _, k := range []house.JobKind{house.JobDetect, house.JobRecap, house.JobRunning, house.JobMessage, house.JobExam, house.JobAsk, house.JobLore,
		house.JobDirector, house.JobMemory, house.JobHooks, house.JobCapture, house.JobBoard, house.JobTaste} {
		names = append(names, string(k))
	}
	return strings.Join(names, sep)
}

func profileListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the profiles, and which kind of work uses which",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, _ []string) error { return printProfiles(app, e) })}
}

func printProfiles(app *cli.App, e *engine.Engine) error {
	list, kinds, err := e.House.Profiles()
	if err != nil {
		return err
	}
	doc := profilesDoc{cli.Docs(list, func(p storage.Profile) profileDoc { return newProfileDoc(p, kinds, nil) }), kinds}
	return app.Print(doc, func(p *cli.Page) {
		rows := [][]string{}
		for _, f := range list {
			rows = append(rows, []string{cli.Clip(f.Name, cli.ColumnWidth), cli.Clip(cmp.Or(f.Model, "the chat's model"), cli.ColumnWidth), cli.RedactAddress(f.Server)})
		}
		p.Table(rows)
		if len(list) > 0 {
			p.Line("")
		}
		rows = rows[:0]
		for _, k := range kinds {
			rows = append(rows, []string{string(k.Kind), k.Words, cmp.Or(cli.Clip(k.Profile, cli.ColumnWidth), "-")})
		}
		p.Table(rows)
	})
}

func newProfileDoc(p storage.Profile, kinds []house.JobInfo, notes []string) profileDoc {
	doc := profileDoc{p, []house.JobKind{}, notes}
	for _, k := range kinds {
		if k.Profile == p.Name {
			doc.Kinds = append(doc.Kinds, k.Kind)
		}
	}
	return doc
}

// findProfile finds a profile; false where there is none.
func findProfile(e *engine.Engine, name string) (p storage.Profile, kinds []house.JobInfo, ok bool, err error) {
	list, kinds, err := e.House.Profiles()
	at := slices.IndexFunc(list, func(p storage.Profile) bool { return p.Name == name })
	if err != nil || at < 0 {
		return p, kinds, false, err
	}
	return list[at], kinds, true, nil
}

// withProfile is work on the profile that the first argument names.
func withProfile(app *cli.App, w func(e *engine.Engine, p storage.Profile, kinds []house.JobInfo) error) func(*cobra.Command, []string) error {
	return app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		p, kinds, ok, err := findProfile(e, args[0])
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("there is no profile %q; ghostlight profile list shows them", args[0])
		}
		return w(e, p, kinds)
	})
}

func printProfile(app *cli.App, p storage.Profile, kinds []house.JobInfo, notes []string) error {
	doc := newProfileDoc(p, kinds, notes)
	return app.Print(doc, func(out *cli.Page) {
		rows := [][]string{}
		add := func(name, text string) {
			if text != "" {
				rows = append(rows, []string{name, cli.OneLine(text)})
			}
		}
		add("name", p.Name)
		add("server", cli.RedactAddress(p.Server))
		add("model", p.Model)
		add("num_ctx", numberText(&p.NumCtx, p.NumCtx > 0))
		add("num_predict", numberText(&p.NumPredict, true))
		add("temperature", numberText(p.Temperature, true))
		add("top_p", numberText(p.TopP, true))
		add("top_k", numberText(p.TopK, true))
		add("min_p", numberText(p.MinP, true))
		add("typical_p", numberText(p.TypicalP, true))
		add("repeat_penalty", numberText(p.RepeatPen, true))
		add("repeat_last_n", numberText(p.RepeatLastN, true))
		add("presence_penalty", numberText(p.PresencePen, true))
		add("frequency_penalty", numberText(p.FrequencyPen, true))
		add("seed", numberText(p.Seed, true))
		add("stop", strings.Join(p.Stop, "  "))
		add("prefill", p.Prefill)
		add("think", string(p.Think))
		for _, k := range doc.Kinds {
			add("used for", string(k))
		}
		out.Table(rows)
	})
}

// numberText is a number that is set and shown, else "".
func numberText[T int | float64](n *T, shown bool) string {
	if n == nil || !shown {
		return ""
	}
	return fmt.Sprint(*n)
}

func profileShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "print a profile",
		RunE: withProfile(app, func(_ *engine.Engine, p storage.Profile, kinds []house.JobInfo) error {
			return printProfile(app, p, kinds, nil)
		})}
}

func profileDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete NAME", Short: "delete a profile; its work uses the chat's model again",
		RunE: withProfile(app, func(e *engine.Engine, p storage.Profile, _ []house.JobInfo) error {
			if err := e.House.DeleteProfile(p.Name); err != nil {
				return err
			}
			return app.Print(map[string]string{"deleted": p.Name}, func(out *cli.Page) { out.Linef("%s  deleted", cli.OneLine(p.Name)) })
		})}
}

func profileAssignCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "assign KIND NAME", Short: "set the profile for a kind of work; - is the chat's model",
		Long: "Set the profile for a kind of work; - is the chat's model. The kinds are: " + kindNames(", ") + ".",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			kind, name := args[0], args[1]
			if !slices.Contains(strings.Fields(kindNames(" ")), kind) {
				return cli.UsageError("unknown kind of work " + cli.Quote(kind) + "; there are " + kindNames(", "))
			}
			if name == "-" {
				name = ""
			} else if _, _, ok, err := findProfile(e, name); err != nil {
				return err
			} else if !ok {
				return fmt.Errorf("there is no profile %q; ghostlight profile list shows them", name)
			}
			if err := e.House.AssignProfile(house.JobKind(kind), name); err != nil {
				return err
			}
			return printProfiles(app, e)
		})}
}

func profileSetCommand(app *cli.App) *cobra.Command {
	var think string
	var unset []string
	set, fields := blankProfile(), profileFields()
	c := &cobra.Command{Use: "set NAME", Short: "create or change a profile",
		Long: "Create or change a profile. It is checked against its server if that is online. A profile needs --num-predict, the maximum answer length; " +
			"anything else defaults to the chat's values. Set the profile's model with --use-model; --model applies only to this command."}
	profileFlags(c.Flags(), &set, &think)
	c.Flags().StringSliceVar(&unset, "unset", nil, "unset the fields in `LIST`, such as temperature,seed")
	c.RunE = app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
		if args[0] == "-" {
			return cli.UsageError("- means no profile; choose a name")
		}
		p, _, ok, err := findProfile(e, args[0])
		if err != nil {
			return err
		}
		if !ok {
			p = storage.Profile{Name: args[0]}
		}
		if set.Think = storage.Thinking(strings.TrimPrefix(think, "auto")); set.Think != "" && !slices.Contains(storage.Thinkings(), set.Think) {
			return cli.UsageError("--think must be on, off, low, medium, high or auto, not " + cli.Quote(think))
		}
		for name, f := range fields {
			if c.Flags().Changed(name) {
				f(&set, &p)
			}
		}
		for _, name := range unset {
			f, ok := fields[strings.ReplaceAll(strings.TrimSpace(name), "_", "-")]
			if !ok {
				return cli.UsageError("--unset: a profile has no " + cli.Quote(name))
			}
			f(&storage.Profile{}, &p)
		}
		notes, err := e.House.SaveProfile(ctx, p)
		if err != nil {
			return err
		}
		app.Notes(notes)
		p, kinds, ok, err := findProfile(e, strings.TrimSpace(p.Name))
		if err != nil || !ok {
			return errors.Join(err, errNotKept)
		}
		return printProfile(app, p, kinds, notes)
	})
	return c
}

// errNotKept: what was saved cannot be found again.
var errNotKept = errors.New("the profile was saved but cannot be read back")

// blankProfile is one whose values flags can be read into.
func blankProfile() storage.Profile {
	return storage.Profile{Temperature: new(float64), TopP: new(float64), TopK: new(int), MinP: new(float64), RepeatPen: new(float64), Seed: new(int),
		TypicalP: new(float64), RepeatLastN: new(int), PresencePen: new(float64), FrequencyPen: new(float64)}
}

// profileFlags are the flags that set the values of a profile; their names are
// those of profileFields.
func profileFlags(f *pflag.FlagSet, p *storage.Profile, think *string) {
	f.StringVar(&p.Server, "server", "", "use the Ollama server at `URL`")
	f.StringVar(&p.Model, "use-model", "", "use the model `NAME`")
	f.IntVar(&p.NumCtx, "num-ctx", 0, "tokens of context")
	f.IntVar(&p.NumPredict, "num-predict", 0, "maximum tokens per answer")
	f.Float64Var(p.Temperature, "temperature", 0, "Ollama option, as are the next ones")
	f.Float64Var(p.TopP, "top-p", 0, "from 0 to 1")
	f.IntVar(p.TopK, "top-k", 0, "from 0")
	f.Float64Var(p.MinP, "min-p", 0, "from 0 to 1")
	f.Float64Var(p.TypicalP, "typical-p", 0, "from 0 to 1")
	f.Float64Var(p.RepeatPen, "repeat-penalty", 0, "from 0 to 5")
	f.IntVar(p.RepeatLastN, "repeat-last-n", 0, "tokens that the penalties look back over; 0 for none, -1 for the whole context")
	f.Float64Var(p.PresencePen, "presence-penalty", 0, "from -2 to 2")
	f.Float64Var(p.FrequencyPen, "frequency-penalty", 0, "from -2 to 2")
	f.IntVar(p.Seed, "seed", 0, "the same seed gives the same reply")
	f.StringArrayVar(&p.Stop, "stop", nil, "end the answer at `TEXT`; repeatable")
	f.StringVar(think, "think", "", "thinking: on, off, low, medium, high or auto")
	f.StringVar(&p.Prefill, "prefill", "", "start the answer with `TEXT`")
}

// profileFields copy one value of a profile to another, by the flag's name.
func profileFields() map[string]func(from, to *storage.Profile) {
	return map[string]func(from, to *storage.Profile){
		"server":            func(from, to *storage.Profile) { to.Server = from.Server },
		"use-model":         func(from, to *storage.Profile) { to.Model = from.Model },
		"num-ctx":           func(from, to *storage.Profile) { to.NumCtx = from.NumCtx },
		"num-predict":       func(from, to *storage.Profile) { to.NumPredict = from.NumPredict },
		"temperature":       func(from, to *storage.Profile) { to.Temperature = from.Temperature },
		"top-p":             func(from, to *storage.Profile) { to.TopP = from.TopP },
		"top-k":             func(from, to *storage.Profile) { to.TopK = from.TopK },
		"min-p":             func(from, to *storage.Profile) { to.MinP = from.MinP },
		"repeat-penalty":    func(from, to *storage.Profile) { to.RepeatPen = from.RepeatPen },
		"typical-p":         func(from, to *storage.Profile) { to.TypicalP = from.TypicalP },
		"repeat-last-n":     func(from, to *storage.Profile) { to.RepeatLastN = from.RepeatLastN },
		"presence-penalty":  func(from, to *storage.Profile) { to.PresencePen = from.PresencePen },
		"frequency-penalty": func(from, to *storage.Profile) { to.FrequencyPen = from.FrequencyPen },
		"seed":              func(from, to *storage.Profile) { to.Seed = from.Seed },
		"stop":              func(from, to *storage.Profile) { to.Stop = from.Stop },
		"think":             func(from, to *storage.Profile) { to.Think = from.Think },
		"prefill":           func(from, to *storage.Profile) { to.Prefill = from.Prefill },
	}
}
