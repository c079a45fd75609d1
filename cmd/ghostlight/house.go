package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/comfy"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/prompts"
	"ghostlight/themes"
	"ghostlight/tui"
)

func (d *door) doctorCommand() *cobra.Command {
	var compact bool
	c := &cobra.Command{Use: "doctor", Short: "look whether everything is well", Args: takes(0, 0),
		Long: "Look at everything that the program needs. It fails only when your data is not well: a server that is not there is a finding, not a failure.",
		RunE: d.ready(func(ctx context.Context, c *cobra.Command, _ []string) error {
			checks, err := d.examine(ctx, c.CommandPath())
			if compact && err == nil {
				var check house.Check
				check, err = d.compact()
				checks = append(checks, check)
			}
			return d.tellChecks(checks, err)
		})}
	c.Flags().BoolVar(&compact, "compact", false, "make the data file as small as it can be")
	return c
}

// nowhere is an address where no server answers.
const nowhere = "http://127.0.0.1:1"

// examine looks at everything. Its error is one of the user's data. A server
// whose address is none is not asked.
func (d *door) examine(ctx context.Context, program string) ([]house.Check, error) {
	bad := map[string]string{}
	if !d.rehearse {
		for _, a := range d.badAddresses() {
			bad[a.server] = failure.Words(a.check())
			switch a.server {
			case "ollama":
				d.ollama = nowhere
			case "comfyui":
				d.comfy = []string{nowhere}
			default:
				d.set.Remember.EmbedServer = nowhere
			}
		}
	}
	e, err := d.open(program)
	if err != nil {
		return []house.Check{{Name: "store", Detail: failure.Words(err)}}, err
	}
	checks := append(e.House.Doctor(ctx), d.checkTerminal(ctx, e))
	if d.set.Remember.EmbedModel != "" {
		checks = append(checks, d.checkEmbeddings(ctx, e))
	}
	for i, check := range checks {
		if words, ok := bad[check.Name]; ok {
			checks[i].OK, checks[i].Detail = false, words
		}
		if check.Name == "store" && !check.OK {
			err = errors.New(check.Detail)
		}
	}
	return checks, d.shut(e, err)
}

func (d *door) tellChecks(checks []house.Check, fault error) error {
	for i := range checks {
		checks[i].Detail = d.discreet(checks[i].Detail)
	}
	err := d.tell(checksShape{orNone(checks), failure.Words(fault)}, func(p *page) {
		rows := [][]string{}
		for _, c := range checks {
			mark := "well"
			if !c.OK {
				mark = "BAD"
			}
			rows = append(rows, []string{mark, c.Name, c.Detail})
		}
		p.table(rows)
	})
	if fault != nil {
		return fault
	}
	return err
}

func (d *door) backupCommand() *cobra.Command {
	return &cobra.Command{Use: "backup", Short: "copy the data file into the folder of backups", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			path, err := e.House.Backup()
			if err != nil {
				return err
			}
			return d.tell(map[string]string{"path": path}, func(p *page) { p.line(path) })
		})}
}

func (d *door) configCommand() *cobra.Command {
	return group("config", "see and check the settings", d.configPath(), d.configShow(), d.configCheck(), d.configPrompts(), d.configWorkflows())
}

func (d *door) folder(name string) string { return filepath.Join(d.at.config, name) }

func (d *door) configPath() *cobra.Command {
	return &cobra.Command{Use: "path", Short: "print where everything lies", Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) (err error) {
			if d.at, err = findPlaces(d.data, d.configFile); err != nil { // also with a broken file
				return err
			}
			list := [][]string{{"config", d.at.file}, {"data", d.at.data}, {"log", d.at.log()}, {"prompts", d.folder("prompts")},
				{"themes", d.folder("themes")}, {"workflows", d.folder("workflows")}}
			doc := map[string]string{}
			for _, row := range list {
				doc[row[0]] = row[1]
			}
			return d.tell(doc, func(p *page) { p.table(list) })
		}}
}

func (d *door) configShow() *cobra.Command {
	return &cobra.Command{Use: "show", Short: "print the settings in force, as a config file", Args: takes(0, 0),
		RunE: d.ready(func(context.Context, *cobra.Command, []string) error {
			s := d.effective()
			text, err := toml.Marshal(s)
			if err != nil {
				return err
			}
			return d.tell(s, func(p *page) { p.text(string(text)) })
		})}
}

func (d *door) configCheck() *cobra.Command {
	return &cobra.Command{Use: "check", Short: "look for faults in the config file, prompts, themes and workflows", Args: takes(0, 0),
		RunE: d.ready(func(_ context.Context, c *cobra.Command, _ []string) error { // a broken config file fails before this
			_, found := tui.Keys(d.set.Keys)
			for _, a := range d.badAddresses() {
				found = append(found, fmt.Errorf("%s: %w", d.at.file, a.check()))
			}
			for _, f := range tui.CheckQuickReplies(d.set.quickReplies(), d.set.Keys) {
				found = append(found, f)
			}
			_, errs := prompts.Load(d.folder("prompts"))
			found = append(found, errs...)
			set, errs := themes.Load(d.folder("themes"))
			found = append(found, errs...)
			if name := d.set.UI.Theme; name != "" {
				if _, ok := set.Find(name); !ok {
					found = append(found, fmt.Errorf("ui.theme: there is no theme %q; there are %s", name, strings.Join(set.Names(), ", ")))
				}
			}
			_, errs = d.usableWorkflows(c.CommandPath())
			words := wordsOf(append(found, errs...))
			var fault error
			doc := struct {
				Faults []string `json:"faults"`
				Error  string   `json:"error,omitempty"`
			}{Faults: words}
			if len(words) > 0 {
				fault = faults(words)
				doc.Error = fault.Error()
			}
			if d.json || fault == nil {
				if err := d.tell(doc, func(p *page) { p.line("all is well") }); err != nil {
					return err
				}
			}
			return fault
		})}
}

func (d *door) configPrompts() *cobra.Command {
	return &cobra.Command{Use: "prompts [NAME]", Short: "list the prompt files, or print the one in force", Args: takes(0, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.ready(func(_ context.Context, _ *cobra.Command, args []string) error {
			set, faults := prompts.Load(d.folder("prompts"))
			list := set.Names()
			if len(args) == 0 {
				d.notes(wordsOf(faults))
				return d.tell(promptFiles{orNone(list), wordsOf(faults)}, func(p *page) {
					rows := [][]string{}
					for _, f := range list {
						rows = append(rows, []string{f.Name, f.Source})
					}
					p.table(rows)
				})
			}
			for _, f := range list {
				if f.Name == args[0] {
					text := set.Text(f.Name)
					return d.tell(map[string]string{"name": f.Name, "source": f.Source, "text": text}, func(p *page) { p.line(strings.TrimRight(text, "\n")) })
				}
			}
			return fmt.Errorf("there is no prompt file %q", args[0])
		})}
}

func (d *door) configWorkflows() *cobra.Command {
	return &cobra.Command{Use: "workflows [NAME]", Short: "list the workflows, or tell what one does", Args: takes(0, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.ready(func(_ context.Context, c *cobra.Command, args []string) error {
			list, faults := d.usableWorkflows(c.CommandPath())
			if len(args) == 0 {
				return d.tellWorkflows(list, faults)
			}
			w, err := pickWorkflow(list, faults, args[0])
			if err != nil {
				return err
			}
			doc := shapeWorkflow(w)
			return d.tell(doc, func(p *page) {
				p.linef("%s  %s, by its %s", oneLine(doc.Name), doc.Kind, doc.How)
				for _, s := range append(doc.Found, doc.Warnings...) {
					p.line("  " + s)
				}
			})
		})}
}

func (d *door) tellWorkflows(list []comfy.Workflow, faults []error) error {
	doc, rows := []workflowShape{}, [][]string{}
	for _, w := range list {
		s := shapeWorkflow(w)
		doc, rows = append(doc, s), append(rows, []string{s.Name, string(s.Kind), s.How})
	}
	d.notes(wordsOf(faults))
	return d.tell(doc, func(p *page) { p.table(rows) })
}
