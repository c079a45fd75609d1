package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ghostlight/engine"
	"ghostlight/engine/house"
	"ghostlight/storage"
)

func (d *door) profileCommand() *cobra.Command {
	c := group("profile", "say how kinds of background work speak to a model",
		d.profileList(), d.profileShow(), d.profileSet(), d.profileDelete(), d.profileAssign())
	c.Long = "A profile says how background work speaks to a model: server, model, context, room for the answer and other options. " +
		"Each kind of work (" + kindNames(", ") + ") can be given one; without it goes the chat's own way."
	return c
}

// kindNames are the kinds of work, as commands name them.
func kindNames(sep string) string {
	var names []string
	for _, k := range []house.JobKind{house.JobDetect, house.JobRecap, house.JobRunning, house.JobMessage, house.JobExam, house.JobLore,
		house.JobDirector, house.JobMemory, house.JobHooks, house.JobCapture, house.JobBoard, house.JobTaste} {
		names = append(names, string(k))
	}
	return strings.Join(names, sep)
}

func (d *door) profileList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the profiles, and which kind of work uses which", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error { return d.tellProfiles(e) })}
}

func (d *door) tellProfiles(e *engine.Engine) error {
	list, kinds, err := e.House.Profiles()
	if err != nil {
		return err
	}
	doc := profilesShape{[]profileShape{}, []kindShape{}}
	for _, p := range list {
		doc.Profiles = append(doc.Profiles, shapeProfile(p, kinds, nil))
	}
	for _, k := range kinds {
		doc.Kinds = append(doc.Kinds, kindShape{k.Kind, k.Words, k.Profile})
	}
	return d.tell(doc, func(p *page) {
		rows := [][]string{}
		for _, f := range list {
			rows = append(rows, []string{clip(f.Name, columnLimit), clip(first(f.Model, "the chat's model"), columnLimit), discreetAddress(f.Server)})
		}
		p.table(rows)
		if len(list) > 0 {
			p.line("")
		}
		rows = rows[:0]
		for _, k := range doc.Kinds {
			rows = append(rows, []string{string(k.Kind), k.Words, first(clip(k.Profile, columnLimit), "-")})
		}
		p.table(rows)
	})
}

func shapeProfile(p storage.Profile, kinds []house.JobInfo, notes []string) profileShape {
	doc := profileShape{p, []house.JobKind{}, notes}
	for _, k := range kinds {
		if k.Profile == p.Name {
			doc.Kinds = append(doc.Kinds, k.Kind)
		}
	}
	return doc
}

// profileNamed finds a profile; false where there is none.
func profileNamed(e *engine.Engine, name string) (p storage.Profile, kinds []house.JobInfo, ok bool, err error) {
	list, kinds, err := e.House.Profiles()
	at := slices.IndexFunc(list, func(p storage.Profile) bool { return p.Name == name })
	if err != nil || at < 0 {
		return p, kinds, false, err
	}
	return list[at], kinds, true, nil
}

// profileWork is work on the profile that the first argument names.
func (d *door) profileWork(w func(e *engine.Engine, p storage.Profile, kinds []house.JobInfo) error) func(*cobra.Command, []string) error {
	return d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		p, kinds, ok, err := profileNamed(e, args[0])
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("there is no profile %q; ghostlight profile list shows them", args[0])
		}
		return w(e, p, kinds)
	})
}

func (d *door) tellProfile(p storage.Profile, kinds []house.JobInfo, notes []string) error {
	doc := shapeProfile(p, kinds, notes)
	return d.tell(doc, func(out *page) {
		rows := [][]string{}
		add := func(name, text string) {
			if text != "" {
				rows = append(rows, []string{name, oneLine(text)})
			}
		}
		add("name", p.Name)
		add("server", discreetAddress(p.Server))
		add("model", p.Model)
		add("num_ctx", numberText(&p.NumCtx, p.NumCtx > 0))
		add("num_predict", numberText(&p.NumPredict, true))
		add("temperature", numberText(p.Temperature, true))
		add("top_p", numberText(p.TopP, true))
		add("top_k", numberText(p.TopK, true))
		add("min_p", numberText(p.MinP, true))
		add("repeat_penalty", numberText(p.RepeatPen, true))
		add("seed", numberText(p.Seed, true))
		add("stop", strings.Join(p.Stop, "  "))
		add("prefill", p.Prefill)
		if p.Think != nil {
			add("think", map[bool]string{true: "on", false: "off"}[*p.Think])
		}
		for _, k := range doc.Kinds {
			add("used for", string(k))
		}
		out.table(rows)
	})
}

// numberText is a number that is set and shown, else "".
func numberText[T int | float64](n *T, shown bool) string {
	if n == nil || !shown {
		return ""
	}
	return fmt.Sprint(*n)
}

func (d *door) profileShow() *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "print a profile", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.profileWork(func(_ *engine.Engine, p storage.Profile, kinds []house.JobInfo) error {
			return d.tellProfile(p, kinds, nil)
		})}
}

func (d *door) profileDelete() *cobra.Command {
	return &cobra.Command{Use: "delete NAME", Short: "delete a profile; work that used it goes the chat's own way", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.profileWork(func(e *engine.Engine, p storage.Profile, _ []house.JobInfo) error {
			if err := e.House.DeleteProfile(p.Name); err != nil {
				return err
			}
			return d.tell(map[string]string{"deleted": p.Name}, func(out *page) { out.linef("%s  deleted", oneLine(p.Name)) })
		})}
}

func (d *door) profileAssign() *cobra.Command {
	return &cobra.Command{Use: "assign KIND NAME", Short: "have a kind of work use a profile, or with - the chat's own way", Args: takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Have a kind of work use a profile, or with - the chat's own way again. The kinds are: " + kindNames(", ") + ".",
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			kind, name := args[0], args[1]
			if !slices.Contains(strings.Fields(kindNames(" ")), kind) {
				return misuse{"there is no kind of work " + quote(kind) + "; there are " + kindNames(", ")}
			}
			if name == "-" {
				name = ""
			} else if _, _, ok, err := profileNamed(e, name); err != nil {
				return err
			} else if !ok {
				return fmt.Errorf("there is no profile %q; ghostlight profile list shows them", name)
			}
			if err := e.House.AssignProfile(house.JobKind(kind), name); err != nil {
				return err
			}
			return d.tellProfiles(e)
		})}
}

func (d *door) profileSet() *cobra.Command {
	var think string
	var unset []string
	set, fields := blankProfile(), profileFields()
	c := &cobra.Command{Use: "set NAME", Short: "make a profile, or change of one what is named", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Make a profile, or change of one what the flags name. It is checked against its server where that answers. A profile needs --num-predict, the room for an answer; " +
			"what it leaves out is as in the chat. The profile's model is --use-model, as --model is what this one command asks."}
	profileFlags(c.Flags(), &set, &think)
	c.Flags().StringSliceVar(&unset, "unset", nil, "leave out again what `LIST` names, such as temperature,seed")
	c.RunE = d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
		if args[0] == "-" {
			return misuse{"- stands for no profile; give this one a name"}
		}
		p, _, ok, err := profileNamed(e, args[0])
		if err != nil {
			return err
		}
		if !ok {
			p = storage.Profile{Name: args[0]}
		}
		if set.Think, ok = map[string]*bool{"": nil, "auto": nil, "on": new(true), "off": new(false)}[think]; !ok {
			return misuse{"--think is on, off or auto, not " + quote(think)}
		}
		for name, f := range fields {
			if c.Flags().Changed(name) {
				f(&set, &p)
			}
		}
		for _, name := range unset {
			f, ok := fields[strings.ReplaceAll(strings.TrimSpace(name), "_", "-")]
			if !ok {
				return misuse{"--unset: a profile has no " + quote(name)}
			}
			f(&storage.Profile{}, &p)
		}
		notes, err := e.House.SaveProfile(ctx, p)
		if err != nil {
			return err
		}
		d.notes(notes)
		p, kinds, ok, err := profileNamed(e, strings.TrimSpace(p.Name))
		if err != nil || !ok {
			return errors.Join(err, errNotKept)
		}
		return d.tellProfile(p, kinds, notes)
	})
	return c
}

// errNotKept: what was saved cannot be found again.
var errNotKept = errors.New("the profile was saved but cannot be read back")

// blankProfile is one whose values flags can be read into.
func blankProfile() storage.Profile {
	return storage.Profile{Temperature: new(float64), TopP: new(float64), TopK: new(int), MinP: new(float64), RepeatPen: new(float64), Seed: new(int)}
}

// profileFlags are the flags that set the values of a profile; their names are
// those of profileFields.
func profileFlags(f *pflag.FlagSet, p *storage.Profile, think *string) {
	f.StringVar(&p.Server, "server", "", "ask the Ollama at `URL`")
	f.StringVar(&p.Model, "use-model", "", "ask the model `NAME`")
	f.IntVar(&p.NumCtx, "num-ctx", 0, "tokens of context")
	f.IntVar(&p.NumPredict, "num-predict", 0, "tokens of the longest answer")
	f.Float64Var(p.Temperature, "temperature", 0, "as Ollama knows it, like the next ones")
	f.Float64Var(p.TopP, "top-p", 0, "from 0 to 1")
	f.IntVar(p.TopK, "top-k", 0, "from 0")
	f.Float64Var(p.MinP, "min-p", 0, "from 0 to 1")
	f.Float64Var(p.RepeatPen, "repeat-penalty", 0, "from 0 to 5")
	f.IntVar(p.Seed, "seed", 0, "the same seed gives the same answer")
	f.StringArrayVar(&p.Stop, "stop", nil, "end the answer at `TEXT`; may be given several times")
	f.StringVar(think, "think", "", "on, off or auto: whether a model that can `think` does so")
	f.StringVar(&p.Prefill, "prefill", "", "begin the answer with `TEXT`, for models that need a nudge")
}

// profileFields copy one value of a profile to another, by the flag's name.
func profileFields() map[string]func(from, to *storage.Profile) {
	return map[string]func(from, to *storage.Profile){
		"server":         func(from, to *storage.Profile) { to.Server = from.Server },
		"use-model":      func(from, to *storage.Profile) { to.Model = from.Model },
		"num-ctx":        func(from, to *storage.Profile) { to.NumCtx = from.NumCtx },
		"num-predict":    func(from, to *storage.Profile) { to.NumPredict = from.NumPredict },
		"temperature":    func(from, to *storage.Profile) { to.Temperature = from.Temperature },
		"top-p":          func(from, to *storage.Profile) { to.TopP = from.TopP },
		"top-k":          func(from, to *storage.Profile) { to.TopK = from.TopK },
		"min-p":          func(from, to *storage.Profile) { to.MinP = from.MinP },
		"repeat-penalty": func(from, to *storage.Profile) { to.RepeatPen = from.RepeatPen },
		"seed":           func(from, to *storage.Profile) { to.Seed = from.Seed },
		"stop":           func(from, to *storage.Profile) { to.Stop = from.Stop },
		"think":          func(from, to *storage.Profile) { to.Think = from.Think },
		"prefill":        func(from, to *storage.Profile) { to.Prefill = from.Prefill },
	}
}
