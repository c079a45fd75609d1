package library

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Personas are the personas as arguments of commands.
var Personas = cli.Noun[storage.Persona]{
	Find:   func(e *engine.Engine, ref string) (storage.Persona, error) { return e.Library.FindPersona(ref) },
	List:   func(e *engine.Engine) ([]storage.Persona, error) { return e.Library.Personas() },
	Called: func(p storage.Persona) (id, name string) { return string(p.ID), p.Name },
	Delete: func(e *engine.Engine, p storage.Persona) error { return e.Library.DeletePersona(p.ID) },
	Row: func(p storage.Persona) []string {
		standard := ""
		if p.Default {
			standard = "default"
		}
		return []string{string(p.ID), p.Name, standard}
	},
	Page: func(out *cli.Page, p storage.Persona) {
		out.Linef("%s  %s", p.ID, cli.OneLine(p.Name))
		if strings.TrimSpace(p.Description) != "" {
			out.Line("\n" + p.Description)
		}
	},
}

// PersonaCommand returns ghostlight persona.
func PersonaCommand(app *cli.App) *cobra.Command {
	return cli.Group("persona", "manage your personas",
		personaNewCommand(app),
		Personas.ListCommand(app, "list the personas"),
		Personas.ShowCommand(app, "show PERSONA", "print a persona"),
		personaEditCommand(app),
		Personas.Act(app, "default PERSONA", "set the persona for new chats",
			func(_ context.Context, e *engine.Engine, p storage.Persona, _ []string) error {
				p.Default = true
				return savePersona(app, e, p)
			}),
		Personas.DeleteCommand(app, "delete PERSONA", "delete a persona; its chats fall back to the default one"),
		personaImportCommand(app))
}

// savePersona stores a persona and prints it.
func savePersona(app *cli.App, e *engine.Engine, p storage.Persona) error {
	p, err := e.Library.SavePersona(p)
	if err != nil {
		return err
	}
	return Personas.PrintDone(app, p, "saved")
}

func personaNewCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.Persona]{Record: library.PersonaFields.Without("name"), Shown: storage.Persona{}}
	c := app.Command("new NAME", "create a persona", func(_ context.Context, e *engine.Engine, args []string) error {
		p := storage.Persona{Name: args[0]}
		if err := fields.Apply(app, &p); err != nil {
			return err
		}
		return savePersona(app, e, p)
	})
	fields.Add(c)
	return c
}

func personaEditCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.Persona]{Record: &library.PersonaFields, Shown: storage.Persona{}}
	c := Personas.Act(app, "edit PERSONA", "change a persona",
		func(_ context.Context, e *engine.Engine, p storage.Persona, _ []string) error {
			if err := fields.Change(app, &p); err != nil {
				return err
			}
			return savePersona(app, e, p)
		})
	fields.Add(c)
	return c
}

func personaImportCommand(app *cli.App) *cobra.Command {
	c := app.Command("import FILE...", "import backups of personas (- reads standard input)",
		func(_ context.Context, e *engine.Engine, args []string) error {
			return cli.ImportAll(app, args, func(path string) (out cli.ImportResult[library.PersonaImport], err error) {
				var got library.PersonaImport
				err = app.ReadInput(path, "standard input", formats.MaxCardFile, func(path string) (err error) {
					got, err = e.Library.ImportPersonas(path)
					return err
				})
				lines := []string{}
				for _, p := range got.Personas {
					lines = append(lines, fmt.Sprintf("%s  %s  imported", p.ID, cli.OneLine(p.Name)))
				}
				if got.Existing > 0 || len(lines) == 0 {
					lines = append(lines, cli.Plural(got.Existing, "persona was", "personas were")+" already imported")
				}
				return cli.ImportResult[library.PersonaImport]{Doc: got, Remarks: got.Warnings,
					Line: strings.Join(lines, "\n")}, err
			})
		})
	c.Long = "Import SillyTavern personas: a persona backup, or a settings.json. Identical personas are skipped. " +
		cli.ImportHelp
	return c
}
