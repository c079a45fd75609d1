package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PresetCommand is ghostlight preset.
func PresetCommand(app *cli.App) *cobra.Command {
	c := cli.Group("preset", "import presets of other programs: samplers, prompts, templates",
		presetImportCommand(app), presetListCommand(app), presetShowCommand(app), presetUseCommand(app), presetExportCommand(app), presetDeleteCommand(app))
	c.Long = "Presets of SillyTavern: samplers of text completion, chat completion, instruct and context templates, system prompts, reasoning, the export of all of them in one file, " +
		"and sets of quick replies. Samplers become a profile, texts become files in the prompts folder, under new names; what has no counterpart is named. The file itself is kept, and comes out as it was."
	return c
}

type presetDoc struct {
	ID        storage.PresetID `json:"id"`
	Name      string           `json:"name"`
	Kinds     []string         `json:"kinds"`
	Profile   string           `json:"profile"` // that was made of it, "" for none
	Files     []string         `json:"files"`   // below the prompts folder
	Remarks   []string         `json:"remarks"`
	CreatedAt time.Time        `json:"created_at"`
}

func newPresetDoc(p storage.Preset) presetDoc {
	return presetDoc{p.ID, p.Name, p.Kinds, p.Profile, p.Files, p.Remarks, p.CreatedAt}
}

// withPreset is work on the preset that the first argument names.
func withPreset(app *cli.App, w func(e *engine.Engine, p storage.Preset, args []string) error) func(*cobra.Command, []string) error {
	return cli.With(app, func(e *engine.Engine, ref string) (storage.Preset, error) { return e.Library.FindPreset(ref) },
		func(_ context.Context, e *engine.Engine, p storage.Preset, args []string) error { return w(e, p, args) })
}

func writePreset(out *cli.Page, p storage.Preset) {
	out.Linef("%s  %s  %s", p.ID, cli.OneLine(p.Name), strings.Join(p.Kinds, ", "))
	if p.Profile != "" {
		out.Line("  profile: " + cli.OneLine(p.Profile))
	}
	for _, f := range p.Files {
		out.Line("  prompts/" + f)
	}
	for _, r := range p.Remarks {
		out.Line("  - " + cli.OneLine(r))
	}
}

func presetImportCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "import FILE...", Short: "import presets; what is here already is left alone", Args: cli.Args(1, 1000),
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			var list []storage.Preset
			var faults []error
			for _, path := range args {
				p, err := e.Library.ImportPreset(app.Path(path))
				if err != nil {
					faults = append(faults, err)
					continue
				}
				list = append(list, p)
			}
			if len(list) == 0 {
				return errors.Join(faults...)
			}
			app.Notes(cli.ErrorTexts(faults))
			doc := struct {
				Presets []presetDoc `json:"presets"`
				Refused []string    `json:"refused"`
			}{cli.Docs(list, newPresetDoc), cli.ErrorTexts(faults)}
			err := app.Print(doc, func(out *cli.Page) {
				for _, p := range list {
					writePreset(out, p)
				}
			})
			if len(faults) > 0 && err == nil {
				err = fmt.Errorf("%d of %d files were refused", len(faults), len(args))
			}
			return err
		})}
}

func presetListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the imported presets", Args: cli.Args(0, 0),
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Library.Presets()
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, newPresetDoc, func(p storage.Preset) []string {
				return []string{string(p.ID), cli.Clip(p.Name, cli.ColumnWidth), strings.Join(p.Kinds, ", "), cli.Clip(p.Profile, cli.ColumnWidth)}
			})
		})}
}

func presetShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show PRESET", Short: "print what became of a preset", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: withPreset(app, func(_ *engine.Engine, p storage.Preset, _ []string) error {
			return app.Print(newPresetDoc(p), func(out *cli.Page) { writePreset(out, p) })
		})}
}

func presetUseCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "use PRESET CHAT", Short: "have a chat ask its model with a preset's samplers", Args: cli.Args(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Have a chat ask its model with the samplers of a preset, as its profile says them now. What the preset does not say stays as it is; ghostlight chat sampling CHAT shows all.",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			p, err := e.Library.FindPreset(args[0])
			if err != nil {
				return err
			}
			c, err := e.Chats.Find(args[1])
			if err != nil {
				return err
			}
			list, _, err := e.House.Profiles()
			if err != nil {
				return err
			}
			at := slices.IndexFunc(list, func(f storage.Profile) bool { return f.Name == p.Profile })
			if p.Profile == "" || at < 0 {
				return fmt.Errorf("the preset %q has no profile: it holds %s", p.Name, strings.Join(p.Kinds, ", "))
			}
			if err := e.Chats.UseSampling(c.ID, list[at]); err != nil {
				return err
			}
			if c, err = e.Chats.Find(string(c.ID)); err != nil {
				return err
			}
			model := e.House.ModelOf(c)
			return app.PrintSampling(model, e.House.Samplings(c, model))
		})}
}

func presetExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := &cobra.Command{Use: "export PRESET", Short: "write a preset as it came in", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = withPreset(app, func(_ *engine.Engine, p storage.Preset, _ []string) error {
		var out bytes.Buffer
		if err := json.Indent(&out, p.Source, "", "    "); err != nil {
			return err
		}
		out.WriteByte('\n')
		return app.WriteDocument(f, "json", out.Bytes())
	})
	f.AddForDocument(c)
	return c
}

func presetDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete PRESET", Short: "forget a preset; its profile and files stay", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: withPreset(app, func(e *engine.Engine, p storage.Preset, _ []string) error {
			if err := e.Library.DeletePreset(p.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(p.ID), p.Name)
		})}
}
