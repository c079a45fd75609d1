package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Presets are the presets as arguments of commands.
var Presets = cli.Noun[library.PresetView]{
	Find:   func(e *engine.Engine, ref string) (library.PresetView, error) { return e.Library.FindPresetView(ref) },
	List:   func(e *engine.Engine) ([]library.PresetView, error) { return e.Library.PresetsOf("", "") },
	Called: func(v library.PresetView) (id, name string) { return v.Ref, v.Name },
	Page:   writePreset,
	Delete: func(e *engine.Engine, v library.PresetView) error {
		_, err := e.Library.DeletePreset(v)
		return err
	},
}

// PresetCommand returns ghostlight preset.
func PresetCommand(app *cli.App) *cobra.Command {
	c := cli.Group("preset", "sampler presets, and presets of other programs",
		presetListCommand(app),
		Presets.ShowCommand(app, "show PRESET", "print a preset"),
		presetUseCommand(app),
		presetSaveCommand(app),
		presetRenameCommand(app),
		presetImportCommand(app),
		presetExportCommand(app),
		Presets.DeleteCommand(app, "delete PRESET", "delete a preset with its profile; prompt files are kept"))
	c.Long = "Sampler presets: built-in ones, those you save from a chat's settings, and profiles. SillyTavern " +
		"presets can be imported: text completion, chat completion, instruct and context templates, system " +
		"prompts, reasoning, master exports, and quick reply sets. Samplers become a profile, texts become files " +
		"in the prompts folder under new names; unsupported parts are listed. The original file is kept for " +
		"export."
	return c
}

func writePreset(out *cli.Page, v library.PresetView) {
	kinds := v.Origin
	if v.Import != nil {
		kinds += ": " + strings.Join(v.Kinds, ", ")
	}
	out.Linef("%s  %s  %s", cli.OneLine(v.Ref), cli.OneLine(v.Name), kinds)
	if v.Why != "" {
		out.Line("  " + v.Why)
	}
	if v.OwnName != "" {
		out.Line("  profile: " + cli.OneLine(v.OwnName))
	}
	rows := [][]string{}
	for _, s := range v.Sampling {
		rows = append(rows, []string{"  " + s.Name, cli.Clip(s.Value, cli.ColumnWidth), s.Description})
	}
	out.Table(rows)
	for _, f := range v.Files {
		out.Line("  prompts/" + f)
	}
	for _, r := range v.Remarks {
		out.Line("  - " + cli.OneLine(r))
	}
	if len(v.Banned) > 0 {
		out.Linef("  bans %s", cli.OneLine("“"+strings.Join(v.Banned, "”, “")+"”"))
	}
}

// importedPresets are the imported presets, and why others were refused.
type importedPresets struct {
	Presets []library.PresetView `json:"presets"`
	Refused []string             `json:"refused"`
}

func presetImportCommand(app *cli.App) *cobra.Command {
	return app.Command("import FILE...", "import presets; existing ones are skipped",
		func(_ context.Context, e *engine.Engine, args []string) error {
			var doc importedPresets
			var faults []error
			for _, path := range args {
				p, err := e.Library.ImportPreset(app.Path(path))
				if err != nil {
					faults = append(faults, err)
					continue
				}
				v, err := e.Library.FindPresetView(string(p.ID))
				if err != nil {
					return err
				}
				v.Remarks = p.Remarks // which may say that it was here
				doc.Presets = append(doc.Presets, v)
			}
			if len(doc.Presets) == 0 {
				return errors.Join(faults...)
			}
			doc.Refused = cli.ErrorTexts(faults)
			app.Notes(doc.Refused)
			err := app.Print(doc, func(out *cli.Page) {
				for _, v := range doc.Presets {
					writePreset(out, v)
				}
			})
			if len(faults) > 0 && err == nil {
				err = fmt.Errorf("%d of %d files failed", len(faults), len(args))
			}
			return err
		})
}

// chatOrModel returns the named chat, "" if a model is named instead.
func chatOrModel(e *engine.Engine, args []string, model string) (storage.ChatID, error) {
	if (len(args) == 0) == (model == "") {
		return "", cli.UsageError("give a chat, or a model with --model M")
	}
	return cli.OptionalChat(e, args)
}

func presetListCommand(app *cli.App) *cobra.Command {
	var model string
	c := app.Command("list [CHAT]", "list the presets, and which ones a chat and its model use",
		func(_ context.Context, e *engine.Engine, args []string) error {
			chat, err := cli.OptionalChat(e, args)
			if err != nil {
				return err
			}
			list, err := e.Library.PresetsOf(chat, model)
			if err != nil {
				return err
			}
			return cli.PrintViews(app, list, presetRow)
		})
	c.Flags().StringVar(&model, "model", "", "mark the preset that the model `M` uses")
	return c
}

func presetRow(v library.PresetView) []string {
	var marks []string
	if v.Chat {
		marks = append(marks, "the chat")
	}
	if v.Model {
		marks = append(marks, "the model")
	}
	what := v.Why
	if v.Import != nil {
		what = strings.Join(v.Kinds, ", ")
	}
	return []string{cli.Clip(v.Name, cli.ColumnWidth), v.Origin, strings.Join(marks, ", "), what}
}

func presetUseCommand(app *cli.App) *cobra.Command {
	var model string
	c := Presets.Act(app, "use PRESET [CHAT]", "apply a preset to a chat, or to a model",
		func(_ context.Context, e *engine.Engine, v library.PresetView, args []string) error {
			chat, err := chatOrModel(e, args, model)
			if err != nil {
				return err
			}
			if chat == "" {
				if _, err := e.Library.UsePresetFor(model, v); err != nil {
					return err
				}
				return app.PrintSampling(model, e.Models.Samplings(storage.Chat{}, model))
			}
			if _, err := e.Library.UsePreset(chat, v); err != nil {
				return err
			}
			c, err := e.Chats.Find(string(chat))
			if err != nil {
				return err
			}
			asked := e.Models.ModelOf(c)
			return app.PrintSampling(asked, e.Models.Samplings(c, asked))
		})
	c.Long = "Apply a preset's samplers to a chat, or with --model to all chats that have no samplers of their " +
		"own. Samplers that the preset does not set are reset; other options (num_ctx, num_predict, stop, think) " +
		"are kept. The preset \"settings\" sets nothing. ghostlight chat sampling CHAT shows all values, ghostlight " +
		"chat undo CHAT undoes it."
	c.Flags().StringVar(&model, "model", "", "apply it to the model `M`")
	return c
}

func presetSaveCommand(app *cli.App) *cobra.Command {
	var model string
	var replace bool
	c := app.Command("save NAME [CHAT]", "save the samplers of a chat or a model as a preset",
		func(_ context.Context, e *engine.Engine, args []string) error {
			chat, err := chatOrModel(e, args[1:], model)
			if err != nil {
				return err
			}
			if _, err := e.Library.SavePreset(args[0], chat, model, replace); err != nil {
				return err
			}
			return printProfile(app, e, strings.TrimSpace(args[0]))
		})
	c.Flags().StringVar(&model, "model", "", "save the samplers of the model `M`")
	c.Flags().BoolVar(&replace, "replace", false, "replace a preset of the same name")
	return c
}

// printProfile prints the preset with a profile's samplers.
func printProfile(app *cli.App, e *engine.Engine, name string) error {
	list, err := e.Library.PresetsOf("", "")
	if err != nil {
		return err
	}
	for _, v := range list {
		if v.OwnName == name {
			return Presets.Print(app, v)
		}
	}
	return &failure.Missing{Kind: "preset", Ref: name} // another program has removed it meanwhile
}

func presetRenameCommand(app *cli.App) *cobra.Command {
	return Presets.Act(app, "rename PRESET NAME", "rename a preset",
		func(_ context.Context, e *engine.Engine, v library.PresetView, args []string) error {
			if _, err := e.Library.RenamePreset(v, args[0]); err != nil {
				return err
			}
			if v.Profile != nil {
				return printProfile(app, e, strings.TrimSpace(args[0]))
			}
			v, err := e.Library.FindPresetView(v.Ref)
			if err != nil {
				return err
			}
			return Presets.Print(app, v)
		})
}

func presetExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := Presets.Act(app, "export PRESET", "export a preset in its original format, or as SillyTavern samplers",
		func(_ context.Context, _ *engine.Engine, v library.PresetView, _ []string) error {
			source, err := v.File()
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := json.Indent(&out, source, "", "    "); err != nil {
				return err
			}
			out.WriteByte('\n')
			return app.WriteDocument(f, "json", out.Bytes())
		})
	f.AddForDocument(c)
	return c
}
