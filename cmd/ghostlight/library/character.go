// Package library has the commands of characters and personas, with their import and
// export.
package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CharacterCommand is ghostlight character.
func CharacterCommand(app *cli.App) *cobra.Command {
	return cli.Group("character", "import, write and export characters",
		characterImportCommand(app), characterNewCommand(app), characterListCommand(app), characterShowCommand(app), characterEditCommand(app), characterExportCommand(app), characterDeleteCommand(app), characterReferenceCommand(app), characterAssetsCommand(app))
}

// withCharacter is work on the character that the first argument names.
func withCharacter(app *cli.App, w func(e *engine.Engine, c storage.Character) error) func(*cobra.Command, []string) error {
	return cli.With(app, func(e *engine.Engine, ref string) (storage.Character, error) { return e.Library.FindCharacter(ref) }, func(_ context.Context, e *engine.Engine, v storage.Character, _ []string) error { return w(e, v) })
}

func printCharacter(app *cli.App, c storage.Character, warnings []string, words string) error {
	app.Notes(warnings)
	return app.Print(newCharacterDoc(c, warnings), func(p *cli.Page) { p.Linef("%s  %s  %s", c.ID, cli.OneLine(c.Card.Name), words) })
}

func characterImportCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "import FILE...", Short: "import cards, or the cards of a folder (- reads standard input)",
		Long: "Import character cards: V1 to V3 as PNG, JSON, CHARX, WebP or JPEG, the characters of Agnai, of Backyard (PNG, BYAF) and of " +
			"text-generation-webui (JSON, YAML). " + cli.ImportHelp,
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			return cli.ImportAll(app, args, func(path string) (out cli.Brought[characterDoc], err error) {
				var got library.Imported
				err = app.ReadInput(path, "standard input", ecosystem.MaxCardFile, func(path string) (err error) {
					got, err = e.Library.ImportCharacter(path)
					return err
				})
				doc := newCharacterDoc(got.Character, got.Warnings)
				doc.Format = got.Format
				return cli.Brought[characterDoc]{Doc: doc, Remarks: got.Warnings,
					Line: fmt.Sprintf("%s  %s  imported (%s)", got.Character.ID, cli.OneLine(got.Character.Card.Name), got.Format)}, err
			})
		})}
}

func characterListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the characters",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Library.Characters()
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, newCharacterLine, func(c storage.Character) []string {
				return []string{string(c.ID), cli.Clip(c.Card.Name, cli.ColumnWidth), string(c.Immersion), cli.Clip(strings.Join(c.Card.Tags, ", "), cli.ColumnWidth)}
			})
		})}
}

func characterShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show CHARACTER", Short: "print a character",
		RunE: withCharacter(app, func(_ *engine.Engine, c storage.Character) error {
			return app.Print(newCharacterDoc(c, nil), func(p *cli.Page) {
				p.Linef("%s  %s", c.ID, cli.OneLine(c.Card.Name))
				for _, f := range fields() {
					if v := f.get(&c); v != "" && f.name != "name" {
						p.Linef("\n%s\n%s", f.name, v)
					}
				}
			})
		})}
}

func characterNewCommand(app *cli.App) *cobra.Command {
	var f characterFlags
	c := &cobra.Command{Use: "new NAME", Short: "create a character"}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		return f.save(app, e, storage.Character{Card: storage.Card{Name: args[0]}}, "made")
	})
	f.add(c)
	return c
}

func characterEditCommand(app *cli.App) *cobra.Command {
	var f characterFlags
	c := &cobra.Command{Use: "edit CHARACTER --set FIELD=TEXT", Short: "change fields of a character"}
	c.RunE = withCharacter(app, func(e *engine.Engine, ch storage.Character) error {
		if len(f.set) == 0 && !f.actor.given(c) {
			return cli.UsageError("nothing to change: use --set FIELD=TEXT, or --goal and similar flags")
		}
		return f.save(app, e, ch, "saved")
	})
	f.add(c)
	return c
}

// characterFlags are what the commands that write a character take.
type characterFlags struct {
	set   []string
	actor actorFlags
	c     *cobra.Command
}

// save writes what was said into a character, stores it and prints it.
func (f *characterFlags) save(app *cli.App, e *engine.Engine, ch storage.Character, done string) error {
	if err := setFields(app, e, &ch, f.set); err != nil {
		return err
	}
	if err := f.actor.apply(app, f.c, &ch); err != nil {
		return err
	}
	ch, err := saveCharacter(e, ch)
	if err != nil {
		return err
	}
	return printCharacter(app, ch, nil, done)
}

func (f *characterFlags) add(c *cobra.Command) {
	f.c = c
	f.actor.add(c)
	names := []string{}
	for _, f := range fields() {
		names = append(names, f.name)
	}
	sort.Strings(names)
	c.Flags().StringArrayVar(&f.set, "set", nil, "set `FIELD=TEXT`; a TEXT of @FILE is read from a file, - from standard input")
	c.Long = cli.Sentence(c.Short) + " The fields are: " + strings.Join(names, ", ") +
		". Separate tags with commas, greetings with lines of ---."
}

func characterDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete CHARACTER", Short: "delete a character; its chats are kept",
		RunE: withCharacter(app, func(e *engine.Engine, c storage.Character) error {
			if err := e.Library.DeleteCharacter(c.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(c.ID), c.Card.Name)
		})}
}

// field is a text of a character that can be read and set by its name.
type field struct {
	name string
	get  func(c *storage.Character) string
	set  func(c *storage.Character, v string) error
}

func fields() []field {
	list := []field{}
	text := func(name string, at func(c *storage.Character) *string) {
		list = append(list, field{name, func(c *storage.Character) string { return *at(c) },
			func(c *storage.Character, v string) error { *at(c) = v; return nil }})
	}
	text("name", func(c *storage.Character) *string { return &c.Card.Name })
	text("nickname", func(c *storage.Character) *string { return &c.Card.Nickname })
	text("description", func(c *storage.Character) *string { return &c.Card.Description })
	text("personality", func(c *storage.Character) *string { return &c.Card.Personality })
	text("scenario", func(c *storage.Character) *string { return &c.Card.Scenario })
	text("first_mes", func(c *storage.Character) *string { return &c.Card.FirstMessage })
	text("mes_example", func(c *storage.Character) *string { return &c.Card.MessageExample })
	text("system_prompt", func(c *storage.Character) *string { return &c.Card.SystemPrompt })
	text("post_history_instructions", func(c *storage.Character) *string { return &c.Card.PostHistoryInstructions })
	text("creator_notes", func(c *storage.Character) *string { return &c.Card.CreatorNotes })
	text("creator", func(c *storage.Character) *string { return &c.Card.Creator })
	text("character_version", func(c *storage.Character) *string { return &c.Card.CharacterVersion })
	text("depth_prompt", func(c *storage.Character) *string { return &c.Card.DepthPrompt })
	text("depth_prompt_role", func(c *storage.Character) *string { return &c.Card.DepthPromptRole })
	text("immersion", func(c *storage.Character) *string { return (*string)(&c.Immersion) })
	text("style", func(c *storage.Character) *string { return &c.Imagery.Style })
	text("negative_prompt", func(c *storage.Character) *string { return &c.Imagery.NegativePrompt })
	text("trigger_word", func(c *storage.Character) *string { return &c.Imagery.TriggerWord })
	text("workflow", func(c *storage.Character) *string { return &c.Imagery.Workflow })
	text("video_workflow", func(c *storage.Character) *string { return &c.Imagery.VideoWorkflow })
	text("appearance", func(c *storage.Character) *string { return &c.Imagery.Appearance })
	list = append(list, pixelField("width", func(c *storage.Character) *int { return &c.Imagery.Width }),
		pixelField("height", func(c *storage.Character) *int { return &c.Imagery.Height }), imagesField())
	list = append(list, lookFields()...)
	return append(append(list, actorFields()...),
		field{"tags", func(c *storage.Character) string { return strings.Join(c.Card.Tags, ", ") },
			func(c *storage.Character, v string) error { c.Card.Tags = cut(v, ","); return nil }},
		field{"alternate_greetings", func(c *storage.Character) string { return strings.Join(c.Card.AlternateGreetings, "\n---\n") },
			func(c *storage.Character, v string) error { c.Card.AlternateGreetings = cut(v, "\n---\n"); return nil }},
		field{"depth_prompt_depth", func(c *storage.Character) string {
			if c.Card.DepthPrompt == "" {
				return ""
			}
			return strconv.Itoa(c.Card.DepthPromptDepth)
		}, func(c *storage.Character, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return cli.UsageError("depth_prompt_depth must be a number of messages, not " + cli.Quote(v))
			}
			c.Card.DepthPromptDepth = n
			return nil
		}})
}

// pixelField is a side of a picture, blank for the workflow's own.
func pixelField(name string, at func(c *storage.Character) *int) field {
	return field{name, func(c *storage.Character) string {
		if *at(c) == 0 {
			return ""
		}
		return strconv.Itoa(*at(c))
	}, func(c *storage.Character, v string) error {
		if v = strings.TrimSpace(v); v == "" {
			*at(c) = 0
			return nil
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 64 || n > 4096 {
			return cli.UsageError(name + " must be a number of pixels from 64 to 4096, or blank, not " + cli.Quote(v))
		}
		*at(c) = n
		return nil
	}}
}

// imagesField reports whether pictures of the character are made that are asked
// for in the talk.
func imagesField() field {
	return field{"images", func(c *storage.Character) string {
		if c.Imagery.Off {
			return "off"
		}
		return "on"
	}, func(c *storage.Character, v string) error {
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "on", "yes", "true":
			c.Imagery.Off = false
		case "off", "no", "false":
			c.Imagery.Off = true
		default:
			return cli.UsageError("images must be on or off, not " + cli.Quote(v))
		}
		return nil
	}}
}

// lookFields are how a character's look is kept in pictures.
func lookFields() []field {
	number := func(name, words string, low, high float64, get func(c *storage.Character) float64, set func(c *storage.Character, n float64)) field {
		return field{name, func(c *storage.Character) string {
			if get(c) == 0 {
				return ""
			}
			return strconv.FormatFloat(get(c), 'f', -1, 64)
		}, func(c *storage.Character, v string) error {
			if v = strings.TrimSpace(v); v == "" {
				set(c, 0)
				return nil
			}
			n, err := strconv.ParseFloat(v, 64)
			if err != nil || !(n >= low && n <= high) {
				return cli.UsageError(name + " must be " + words + ", or blank, not " + cli.Quote(v))
			}
			set(c, n)
			return nil
		}}
	}
	return []field{
		{"lora", func(c *storage.Character) string { return c.Imagery.Lora }, func(c *storage.Character, v string) error {
			c.Imagery.Lora = strings.TrimSpace(v)
			return nil
		}},
		number("lora_weight", "a number from -5 to 5", -5, 5, func(c *storage.Character) float64 { return c.Imagery.LoraWeight }, func(c *storage.Character, n float64) { c.Imagery.LoraWeight = n }),
		{"seeds", func(c *storage.Character) string { return cmp.Or(string(c.Imagery.Seeds), "new") }, func(c *storage.Character, v string) error {
			switch p := storage.SeedPolicy(strings.TrimSpace(v)); p {
			case "new", "":
				c.Imagery.Seeds = storage.SeedNew
			case storage.SeedBatch, storage.SeedFixed:
				c.Imagery.Seeds = p
			default:
				return cli.UsageError("seeds must be new, batch or fixed, not " + cli.Quote(v))
			}
			return nil
		}},
		number("seed", "a whole number from 1 to 4294967295", 1, 1<<32-1, func(c *storage.Character) float64 { return float64(c.Imagery.Seed) }, func(c *storage.Character, n float64) { c.Imagery.Seed = int64(n) }),
	}
}

// cut splits a text and drops what is empty.
func cut(s, sep string) (out []string) {
	for _, part := range strings.Split(s, sep) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// setFields applies FIELD=TEXT settings.
func setFields(app *cli.App, e *engine.Engine, c *storage.Character, set []string) error {
	for _, s := range set {
		name, v, ok := strings.Cut(s, "=")
		if !ok {
			return cli.UsageError("--set takes FIELD=TEXT, not " + cli.Quote(s))
		}
		f, ok := fieldNamed(name)
		if !ok {
			return cli.UsageError("unknown field " + cli.Quote(name))
		}
		v, err := app.ValueArg(v)
		if err != nil {
			return err
		}
		if err := checkField(e, name, v); err != nil {
			return err
		}
		if err := f.set(c, v); err != nil {
			return err
		}
	}
	return nil
}

// checkField refuses values of fields that take only some.
func checkField(e *engine.Engine, name, v string) error {
	var list []string
	switch name {
	case "immersion":
		list = []string{string(storage.Minimal), string(storage.Balanced), string(storage.Full), string(storage.Unbounded)}
	case "depth_prompt_role":
		list = []string{"", string(storage.System), string(storage.User), string(storage.Assistant)}
	case "workflow", "video_workflow":
		list = []string{""}
		all, _ := e.Pictures.Workflows.List() // the faulty ones are none to choose
		for _, w := range all {
			list = append(list, w.Name)
		}
	default:
		return nil
	}
	if slices.Contains(list, v) {
		return nil
	}
	return cli.UsageError(fmt.Sprintf("%s must be one of %s, not %q", name, strings.TrimPrefix(strings.Join(list, ", "), ", "), v))
}

func fieldNamed(name string) (field, bool) {
	for _, f := range fields() {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
