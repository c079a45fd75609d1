package library

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PersonaCommand is ghostlight persona.
func PersonaCommand(app *cli.App) *cobra.Command {
	return cli.Group("persona", "manage your personas",
		personaNewCommand(app), personaListCommand(app), personaShowCommand(app), personaEditCommand(app), personaDefaultCommand(app), personaDeleteCommand(app), personaImportCommand(app))
}

// withPersona is work on the persona that the first argument names.
func withPersona(app *cli.App, w func(e *engine.Engine, p storage.Persona) error) func(*cobra.Command, []string) error {
	return cli.With(app, func(e *engine.Engine, ref string) (storage.Persona, error) { return e.Library.FindPersona(ref) }, func(_ context.Context, e *engine.Engine, v storage.Persona, _ []string) error { return w(e, v) })
}

// savePersona stores a persona and prints it.
func savePersona(app *cli.App, e *engine.Engine, p storage.Persona) error {
	p, err := e.Library.SavePersona(p)
	if err != nil {
		return err
	}
	return app.Print(newPersonaDoc(p), func(out *cli.Page) { out.Linef("%s  %s  saved", p.ID, cli.OneLine(p.Name)) })
}

func personaNewCommand(app *cli.App) *cobra.Command {
	var about string
	var standard bool
	c := &cobra.Command{Use: "new NAME", Short: "create a persona", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			text, err := app.ValueArg(about)
			if err != nil {
				return err
			}
			return savePersona(app, e, storage.Persona{Name: args[0], Description: text, Default: standard})
		})}
	c.Flags().StringVar(&about, "description", "", "who it is: `TEXT`, @FILE, or - for standard input")
	c.Flags().BoolVar(&standard, "default", false, "use it in new chats")
	return c
}

// importedPersonasDoc is what a backup of personas brought in.
type importedPersonasDoc struct {
	Personas []personaDoc `json:"personas"`
	Had      int          `json:"had"` // that were here already
	Warnings []string     `json:"warnings"`
}

func personaImportCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "import FILE...", Short: "import backups of personas (- reads standard input)", Args: cli.Args(1, -1),
		Long: "Import SillyTavern personas: a persona backup, or a settings.json. Identical personas are skipped. " + cli.ImportHelp,
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			return cli.ImportAll(app, args, func(path string) (out cli.Brought[importedPersonasDoc], err error) {
				var got library.PersonasImported
				err = app.ReadInput(path, "standard input", ecosystem.MaxCardFile, func(path string) (err error) {
					got, err = e.Library.ImportPersonas(path)
					return err
				})
				lines := []string{}
				for _, p := range got.Personas {
					lines = append(lines, fmt.Sprintf("%s  %s  imported", p.ID, cli.OneLine(p.Name)))
				}
				if got.Had > 0 || len(lines) == 0 {
					lines = append(lines, cli.Plural(got.Had, "persona was", "personas were")+" already imported")
				}
				return cli.Brought[importedPersonasDoc]{Doc: importedPersonasDoc{cli.Docs(got.Personas, newPersonaDoc), got.Had, got.Warnings},
					Remarks: got.Warnings, Line: strings.Join(lines, "\n")}, err
			})
		})}
}

func personaListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the personas", Args: cli.Args(0, 0),
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Library.Personas()
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, newPersonaDoc, func(p storage.Persona) []string {
				standard := ""
				if p.Default {
					standard = "default"
				}
				return []string{string(p.ID), p.Name, standard}
			})
		})}
}

func personaShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show PERSONA", Short: "print a persona", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: withPersona(app, func(_ *engine.Engine, p storage.Persona) error {
			return app.Print(newPersonaDoc(p), func(out *cli.Page) {
				out.Linef("%s  %s", p.ID, cli.OneLine(p.Name))
				if strings.TrimSpace(p.Description) != "" {
					out.Line("\n" + p.Description)
				}
			})
		})}
}

func personaEditCommand(app *cli.App) *cobra.Command {
	var name, about string
	c := &cobra.Command{Use: "edit PERSONA", Short: "change a persona", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = withPersona(app, func(e *engine.Engine, p storage.Persona) error {
		if !c.Flags().Changed("name") && !c.Flags().Changed("description") {
			return cli.UsageError("nothing to change; --name and --description change something")
		}
		if c.Flags().Changed("name") {
			p.Name = name
		}
		if c.Flags().Changed("description") {
			text, err := app.ValueArg(about)
			if err != nil {
				return err
			}
			p.Description = text
		}
		return savePersona(app, e, p)
	})
	c.Flags().StringVar(&name, "name", "", "call it `NAME`")
	c.Flags().StringVar(&about, "description", "", "who it is: `TEXT`, @FILE, or - for standard input")
	return c
}

func personaDefaultCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "default PERSONA", Short: "set the persona for new chats", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: withPersona(app, func(e *engine.Engine, p storage.Persona) error {
			p.Default = true
			return savePersona(app, e, p)
		})}
}

func personaDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete PERSONA", Short: "delete a persona; its chats fall back to the default one", Args: cli.Args(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: withPersona(app, func(e *engine.Engine, p storage.Persona) error {
			if err := e.Library.DeletePersona(p.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(p.ID), p.Name)
		})}
}
