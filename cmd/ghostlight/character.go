package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/ecosystem"
	"ghostlight/engine/library"
	"ghostlight/storage"
)

func (d *door) characterCommand() *cobra.Command {
	return group("character", "import, write and export characters",
		d.characterImport(), d.characterNew(), d.characterList(), d.characterShow(), d.characterEdit(), d.characterExport(), d.characterDelete())
}

// characterWork is work on the character that the first argument names.
func (d *door) characterWork(w func(e *engine.Engine, c storage.Character) error) func(*cobra.Command, []string) error {
	return d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		c, err := e.Library.FindCharacter(args[0])
		if err != nil {
			return err
		}
		return w(e, c)
	})
}

func (d *door) tellCharacter(c storage.Character, warnings []string, words string) error {
	d.notes(warnings)
	return d.tell(shapeCharacter(c, warnings), func(p *page) { p.linef("%s  %s  %s", c.ID, oneLine(c.Card.Name), words) })
}

func (d *door) characterImport() *cobra.Command {
	return &cobra.Command{Use: "import FILE", Short: "bring in a card: JSON, PNG or CHARX, V1 to V3 (- reads standard input)", Args: takes(1, 1),
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			var got library.Imported
			err := d.fromFile(args[0], "standard input", ecosystem.MaxCardFile, func(path string) (err error) {
				got, err = e.Library.ImportCharacter(path)
				return err
			})
			if err != nil {
				return err
			}
			return d.tellCharacter(got.Character, got.Warnings, "imported")
		})}
}

func (d *door) characterList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the characters", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Library.Characters()
			if err != nil {
				return err
			}
			doc := []characterLine{}
			for _, c := range list {
				doc = append(doc, shapeCharacterLine(c))
			}
			return d.tell(doc, func(p *page) {
				rows := [][]string{}
				for _, c := range list {
					rows = append(rows, []string{string(c.ID), clip(c.Card.Name, columnLimit), string(c.Immersion), clip(strings.Join(c.Card.Tags, ", "), columnLimit)})
				}
				p.table(rows)
			})
		})}
}

func (d *door) characterShow() *cobra.Command {
	return &cobra.Command{Use: "show CHARACTER", Short: "print a character", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.characterWork(func(_ *engine.Engine, c storage.Character) error {
			return d.tell(shapeCharacter(c, nil), func(p *page) {
				p.linef("%s  %s", c.ID, oneLine(c.Card.Name))
				for _, f := range fields() {
					if v := f.get(&c); v != "" && f.name != "name" {
						p.linef("\n%s\n%s", f.name, v)
					}
				}
			})
		})}
}

func (d *door) characterNew() *cobra.Command {
	var set []string
	var actor actorFlags
	c := &cobra.Command{Use: "new NAME", Short: "make a character", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		ch := storage.Character{Card: storage.Card{Name: args[0]}}
		if err := d.setFields(e, &ch, set); err != nil {
			return err
		}
		if err := actor.apply(d, c, &ch); err != nil {
			return err
		}
		ch, err := saveCharacter(e, ch)
		if err != nil {
			return err
		}
		return d.tellCharacter(ch, nil, "made")
	})
	setFlag(c, &set)
	actor.add(c)
	return c
}

func (d *door) characterEdit() *cobra.Command {
	var set []string
	var actor actorFlags
	c := &cobra.Command{Use: "edit CHARACTER --set FIELD=TEXT", Short: "change fields of a character", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = d.characterWork(func(e *engine.Engine, ch storage.Character) error {
		if len(set) == 0 && !actor.given(c) {
			return misuse{"nothing to change; --set FIELD=TEXT changes a field, --goal and the like the actor's notes"}
		}
		if err := d.setFields(e, &ch, set); err != nil {
			return err
		}
		if err := actor.apply(d, c, &ch); err != nil {
			return err
		}
		ch, err := saveCharacter(e, ch)
		if err != nil {
			return err
		}
		return d.tellCharacter(ch, nil, "saved")
	})
	setFlag(c, &set)
	actor.add(c)
	return c
}

func setFlag(c *cobra.Command, set *[]string) {
	names := []string{}
	for _, f := range fields() {
		names = append(names, f.name)
	}
	sort.Strings(names)
	c.Flags().StringArrayVar(set, "set", nil, "set `FIELD=TEXT`; a TEXT of @FILE is read from a file, - from standard input")
	c.Long = sentence(c.Short) + " The fields are: " + strings.Join(names, ", ") +
		". Tags are set with commas between them, greetings with lines of --- between them."
}

func (d *door) characterExport() *cobra.Command {
	var f fileFlags
	var format string
	c := &cobra.Command{Use: "export CHARACTER", Short: "write a character as a V3 card", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.characterWork(func(e *engine.Engine, c storage.Character) error {
			kind := format
			if kind == "" {
				kind = "png"
				if strings.HasSuffix(strings.ToLower(f.output), ".json") || f.output == "-" {
					kind = "json"
				}
			}
			if kind != "png" && kind != "json" {
				return misuse{"--format is json or png, not " + quote(format)}
			}
			data, err := e.Library.ExportCharacter(c.ID, kind)
			if err != nil {
				return err
			}
			return d.writeFile(f, string(c.ID)+"."+kind, kind, data)
		})}
	f.add(c)
	c.Flags().StringVar(&format, "format", "", "write `KIND`: json or png (default: by the file's name, else png)")
	return c
}

func (d *door) characterDelete() *cobra.Command {
	return &cobra.Command{Use: "delete CHARACTER", Short: "delete a character; chats with it stay", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.characterWork(func(e *engine.Engine, c storage.Character) error {
			if err := e.Library.DeleteCharacter(c.ID); err != nil {
				return err
			}
			return d.tellDeleted(string(c.ID), c.Card.Name)
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
				return misuse{"depth_prompt_depth is a number of messages, not " + quote(v)}
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
			return misuse{name + " is a number of pixels from 64 to 4096, or blank, not " + quote(v)}
		}
		*at(c) = n
		return nil
	}}
}

// imagesField tells whether pictures of the character are made that are asked
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
			return misuse{"images is on or off, not " + quote(v)}
		}
		return nil
	}}
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
func (d *door) setFields(e *engine.Engine, c *storage.Character, set []string) error {
	for _, s := range set {
		name, v, ok := strings.Cut(s, "=")
		if !ok {
			return misuse{"--set takes FIELD=TEXT, not " + quote(s)}
		}
		f, ok := fieldNamed(name)
		if !ok {
			return misuse{"a character has no field " + quote(name)}
		}
		v, err := d.valueArg(v)
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
		all, _ := e.Pictures.Workflows() // the faulty ones are none to choose
		for _, w := range all {
			list = append(list, w.Name)
		}
	default:
		return nil
	}
	if slices.Contains(list, v) {
		return nil
	}
	return misuse{fmt.Sprintf("%s is one of %s, not %q", name, strings.TrimPrefix(strings.Join(list, ", "), ", "), v)}
}

func fieldNamed(name string) (field, bool) {
	for _, f := range fields() {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// valueArg is textArg, and "@FILE" for a file's content.
func (d *door) valueArg(v string) (string, error) {
	path, ok := strings.CutPrefix(v, "@")
	if !ok {
		return d.textArg(v)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, textLimit+1))
	_ = f.Close() // was only read
	if err == nil && len(data) > textLimit {
		err = fmt.Errorf("%s holds more than %d bytes of text", path, textLimit)
	}
	if err != nil {
		return "", err
	}
	return readable(path, strings.TrimRight(string(data), "\r\n"))
}
