package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/storage"
)

func (d *door) personaCommand() *cobra.Command {
	return group("persona", "say who you play",
		d.personaNew(), d.personaList(), d.personaShow(), d.personaEdit(), d.personaDefault(), d.personaDelete())
}

// personaWork is work on the persona that the first argument names.
func (d *door) personaWork(w func(e *engine.Engine, p storage.Persona) error) func(*cobra.Command, []string) error {
	return d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		p, err := e.Library.FindPersona(args[0])
		if err != nil {
			return err
		}
		return w(e, p)
	})
}

// savePersona stores a persona and prints it.
func (d *door) savePersona(e *engine.Engine, p storage.Persona) error {
	p, err := e.Library.SavePersona(p)
	if err != nil {
		return err
	}
	return d.tell(shapePersona(p), func(out *page) { out.linef("%s  %s  saved", p.ID, oneLine(p.Name)) })
}

func (d *door) personaNew() *cobra.Command {
	var about string
	var standard bool
	c := &cobra.Command{Use: "new NAME", Short: "make a persona", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			text, err := d.valueArg(about)
			if err != nil {
				return err
			}
			return d.savePersona(e, storage.Persona{Name: args[0], Description: text, Default: standard})
		})}
	c.Flags().StringVar(&about, "description", "", "who that is: `TEXT`, @FILE, or - for standard input")
	c.Flags().BoolVar(&standard, "default", false, "play it in new chats")
	return c
}

func (d *door) personaList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the personas", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Library.Personas()
			if err != nil {
				return err
			}
			doc := []personaShape{}
			for _, p := range list {
				doc = append(doc, shapePersona(p))
			}
			return d.tell(doc, func(out *page) {
				rows := [][]string{}
				for _, p := range list {
					standard := ""
					if p.Default {
						standard = "default"
					}
					rows = append(rows, []string{string(p.ID), p.Name, standard})
				}
				out.table(rows)
			})
		})}
}

func (d *door) personaShow() *cobra.Command {
	return &cobra.Command{Use: "show PERSONA", Short: "print a persona", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.personaWork(func(_ *engine.Engine, p storage.Persona) error {
			return d.tell(shapePersona(p), func(out *page) {
				out.linef("%s  %s", p.ID, oneLine(p.Name))
				if strings.TrimSpace(p.Description) != "" {
					out.line("\n" + p.Description)
				}
			})
		})}
}

func (d *door) personaEdit() *cobra.Command {
	var name, about string
	c := &cobra.Command{Use: "edit PERSONA", Short: "change a persona", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = d.personaWork(func(e *engine.Engine, p storage.Persona) error {
		if !c.Flags().Changed("name") && !c.Flags().Changed("description") {
			return misuse{"nothing to change; --name and --description change something"}
		}
		if c.Flags().Changed("name") {
			p.Name = name
		}
		if c.Flags().Changed("description") {
			text, err := d.valueArg(about)
			if err != nil {
				return err
			}
			p.Description = text
		}
		return d.savePersona(e, p)
	})
	c.Flags().StringVar(&name, "name", "", "call it `NAME`")
	c.Flags().StringVar(&about, "description", "", "who that is: `TEXT`, @FILE, or - for standard input")
	return c
}

func (d *door) personaDefault() *cobra.Command {
	return &cobra.Command{Use: "default PERSONA", Short: "play a persona in new chats", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.personaWork(func(e *engine.Engine, p storage.Persona) error {
			p.Default = true
			return d.savePersona(e, p)
		})}
}

func (d *door) personaDelete() *cobra.Command {
	return &cobra.Command{Use: "delete PERSONA", Short: "delete a persona; its chats fall back to the default one", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.personaWork(func(e *engine.Engine, p storage.Persona) error {
			if err := e.Library.DeletePersona(p.ID); err != nil {
				return err
			}
			return d.tellDeleted(string(p.ID), p.Name)
		})}
}
