package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PresetCommand is ghostlight preset.
func PresetCommand(app *cli.App) *cobra.Command {
	c := cli.Group("preset", "sampler presets, and presets from other programs",
		presetListCommand(app), presetShowCommand(app), presetUseCommand(app), presetSaveCommand(app), presetRenameCommand(app),
		presetImportCommand(app), presetExportCommand(app), presetDeleteCommand(app))
	c.Long = "Sampler presets: built-in ones, those you save from a chat's settings, and profiles. " +
		"SillyTavern presets can be imported: text completion, chat completion, instruct and context templates, system prompts, reasoning, master exports, " +
		"and quick reply sets. Samplers become a profile, texts become files in the prompts folder under new names; unsupported parts are listed. The original file is kept for export."
	return c
}

// presetDoc is a preset; the values of one that holds no samplers are empty.
type presetDoc struct {
	ID        string               `json:"id"`
	Name      string               `json:"name"`
	From      string               `json:"from"`
	Why       string               `json:"why"`
	Kinds     []string             `json:"kinds"`   // of what was imported
	Profile   string               `json:"profile"` // that has its samplers, "" for none
	Sampling  []house.SamplerValue `json:"sampling"`
	Lacks     []ecosystem.Lack     `json:"lacks"`  // what it asks for and Ollama lacks
	Banned    []string             `json:"banned"` // texts
	Chat      bool                 `json:"chat"`   // the chat that was named asks its model so
	Model     bool                 `json:"model"`  // and so is the model asked by chats that say nothing
	Files     []string             `json:"files"`  // below the prompts folder
	Remarks   []string             `json:"remarks"`
	CreatedAt time.Time            `json:"created_at"` // null where nothing was imported
}

func newPresetDoc(v library.PresetView) presetDoc {
	d := presetDoc{ID: v.Ref, Name: v.Name, From: v.From, Why: v.Why, Lacks: v.Lacks, Banned: v.Banned, Chat: v.Chat, Model: v.Model}
	if v.Profile != nil {
		d.Sampling = house.SamplerValues(*v.Profile)
	}
	if v.Profile != nil && v.From != library.PresetBundled {
		d.Profile = v.Profile.Name
	}
	if i := v.Import; i != nil {
		d.Kinds, d.Files, d.Remarks, d.CreatedAt = i.Kinds, i.Files, i.Remarks, i.CreatedAt
	}
	return d
}

// withPreset is work on the preset that the first argument names.
func withPreset(app *cli.App, w func(e *engine.Engine, v library.PresetView, args []string) error) func(*cobra.Command, []string) error {
	return cli.With(app, func(e *engine.Engine, ref string) (library.PresetView, error) { return e.Library.FindPresetView(ref) },
		func(_ context.Context, e *engine.Engine, v library.PresetView, args []string) error {
			return w(e, v, args)
		})
}

func writePreset(out *cli.Page, v library.PresetView) {
	kinds := v.From
	if v.Import != nil {
		kinds += ": " + strings.Join(v.Import.Kinds, ", ")
	}
	out.Linef("%s  %s  %s", cli.OneLine(v.Ref), cli.OneLine(v.Name), kinds)
	if v.Why != "" {
		out.Line("  " + v.Why)
	}
	d := newPresetDoc(v)
	if d.Profile != "" {
		out.Line("  profile: " + cli.OneLine(d.Profile))
	}
	rows := [][]string{}
	for _, s := range d.Sampling {
		rows = append(rows, []string{"  " + s.Name, cli.Clip(s.Value, cli.ColumnWidth), s.Words})
	}
	out.Table(rows)
	for _, f := range d.Files {
		out.Line("  prompts/" + f)
	}
	for _, r := range d.Remarks {
		out.Line("  - " + cli.OneLine(r))
	}
	if len(d.Banned) > 0 {
		out.Linef("  bans %s", cli.OneLine("“"+strings.Join(d.Banned, "”, “")+"”"))
	}
}

func presetImportCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "import FILE...", Short: "import presets; existing ones are skipped",
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
			var views []library.PresetView
			for _, p := range list {
				v, err := e.Library.FindPresetView(string(p.ID))
				if err != nil {
					return err
				}
				v.Import.Remarks = p.Remarks // which may say that it was here
				views = append(views, v)
			}
			doc := struct {
				Presets []presetDoc `json:"presets"`
				Refused []string    `json:"refused"`
			}{cli.Docs(views, newPresetDoc), cli.ErrorTexts(faults)}
			err := app.Print(doc, func(out *cli.Page) {
				for _, v := range views {
					writePreset(out, v)
				}
			})
			if len(faults) > 0 && err == nil {
				err = fmt.Errorf("%d of %d files failed", len(faults), len(args))
			}
			return err
		})}
}

// whose are the chat and the model that a command of presets is about.
type whose struct{ model string }

func (w *whose) add(c *cobra.Command, words string) {
	c.Flags().StringVar(&w.model, "model", "", words)
}

// chat finds the chat that is named, if one is; exactly one of a chat and a model has to be
// named where both is said.
func (w *whose) chat(e *engine.Engine, args []string, exactly bool) (chat storage.ChatID, err error) {
	if exactly && (len(args) == 0) == (w.model == "") {
		return "", cli.UsageError("give a chat, or a model with --model")
	}
	return cli.OptionalChat(e, args)
}

func presetListCommand(app *cli.App) *cobra.Command {
	var w whose
	c := &cobra.Command{Use: "list [CHAT]", Short: "list the presets, and which ones a chat and its model use"}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		chat, err := w.chat(e, args, false)
		if err != nil {
			return err
		}
		list, err := e.Library.PresetsOf(chat, w.model)
		if err != nil {
			return err
		}
		return cli.PrintList(app, list, newPresetDoc, func(v library.PresetView) []string {
			var marks []string
			if v.Chat {
				marks = append(marks, "the chat")
			}
			if v.Model {
				marks = append(marks, "the model")
			}
			what := v.Why
			if v.Import != nil {
				what = strings.Join(v.Import.Kinds, ", ")
			}
			return []string{cli.Clip(v.Name, cli.ColumnWidth), v.From, strings.Join(marks, ", "), what}
		})
	})
	w.add(c, "mark the preset of the model `M`")
	return c
}

func presetShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show PRESET", Short: "print a preset",
		RunE: withPreset(app, func(_ *engine.Engine, v library.PresetView, _ []string) error {
			return app.Print(newPresetDoc(v), func(out *cli.Page) { writePreset(out, v) })
		})}
}

func presetUseCommand(app *cli.App) *cobra.Command {
	var w whose
	c := &cobra.Command{Use: "use PRESET [CHAT]", Short: "apply a preset to a chat, or to a model",
		Long: "Apply a preset's samplers to a chat, or with --model to all chats that have no samplers of their own. Samplers that the preset does not set are reset; " +
			"other options (num_ctx, num_predict, stop, think) are kept. The preset settings sets nothing. ghostlight chat sampling CHAT shows all values, ghostlight chat undo CHAT undoes it."}
	c.RunE = withPreset(app, func(e *engine.Engine, v library.PresetView, args []string) error {
		chat, err := w.chat(e, args, true)
		if err != nil {
			return err
		}
		if chat == "" {
			if _, err := e.Library.UsePresetFor(w.model, v); err != nil {
				return err
			}
			return app.PrintSampling(w.model, e.House.Samplings(storage.Chat{}, w.model))
		}
		if _, err := e.Library.UsePreset(chat, v); err != nil {
			return err
		}
		c, err := e.Chats.Find(string(chat))
		if err != nil {
			return err
		}
		model := e.House.ModelOf(c)
		return app.PrintSampling(model, e.House.Samplings(c, model))
	})
	w.add(c, "apply it to the model `M`")
	return c
}

func presetSaveCommand(app *cli.App) *cobra.Command {
	var w whose
	var replace bool
	c := &cobra.Command{Use: "save NAME [CHAT]", Short: "save the samplers of a chat or a model as a preset"}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		chat, err := w.chat(e, args[1:], true)
		if err != nil {
			return err
		}
		if _, err := e.Library.SavePreset(args[0], chat, w.model, replace); err != nil {
			return err
		}
		return printPreset(app, e, strings.TrimSpace(args[0]))
	})
	w.add(c, "save the samplers of the model `M`")
	c.Flags().BoolVar(&replace, "replace", false, "replace a preset of the same name")
	return c
}

// printPreset prints the preset that has a profile's samplers.
func printPreset(app *cli.App, e *engine.Engine, profile string) error {
	list, err := e.Library.PresetsOf("", "")
	if err != nil {
		return err
	}
	for _, v := range list {
		if d := newPresetDoc(v); d.Profile == profile {
			return app.Print(d, func(out *cli.Page) { writePreset(out, v) })
		}
	}
	return &failure.Missing{Kind: "preset", Ref: profile} // another program has removed it meanwhile
}

func presetRenameCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "rename PRESET NAME", Short: "rename a preset",
		RunE: withPreset(app, func(e *engine.Engine, v library.PresetView, args []string) error {
			if _, err := e.Library.RenamePreset(v, args[0]); err != nil {
				return err
			}
			if v.Profile != nil {
				return printPreset(app, e, strings.TrimSpace(args[0]))
			}
			v, err := e.Library.FindPresetView(v.Ref)
			if err != nil {
				return err
			}
			return app.Print(newPresetDoc(v), func(out *cli.Page) { writePreset(out, v) })
		})}
}

func presetExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := &cobra.Command{Use: "export PRESET", Short: "export a preset in its original format, or as SillyTavern samplers"}
	c.RunE = withPreset(app, func(_ *engine.Engine, v library.PresetView, _ []string) error {
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

func presetDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete PRESET", Short: "delete a preset with its profile; prompt files are kept",
		RunE: withPreset(app, func(e *engine.Engine, v library.PresetView, _ []string) error {
			if _, err := e.Library.DeletePreset(v); err != nil {
				return err
			}
			return app.PrintDeleted(v.Ref, v.Name)
		})}
}
