package scenes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapSubject is a recap that commands print, make and change.
type recapSubject struct {
	e     *engine.Engine
	chat  storage.ChatID
	of    string // what it recaps, in words
	none  string // the text if there is no recap
	read  func() (scenes.RecapView, error)
	write func(scenes.RecapRequest) (storage.OperationID, error)
	doc   func(scenes.RecapView) (any, error)
}

func sceneSubject(e *engine.Engine, chat storage.ChatID, s scenes.Scene) recapSubject {
	of := fmt.Sprintf("scene %d", s.Number)
	return recapSubject{e: e, chat: chat, of: of, none: of + " has no recap yet",
		read:  func() (scenes.RecapView, error) { return e.Scenes.SceneRecap(chat, s.Break) },
		write: func(r scenes.RecapRequest) (storage.OperationID, error) { return e.Scenes.Recap(chat, s.Break, r) },
		doc:   func(v scenes.RecapView) (any, error) { return newSceneRecapDoc(v, s), nil }}
}

func messageSubject(e *engine.Engine, chat storage.ChatID, node storage.NodeID) recapSubject {
	return recapSubject{e: e, chat: chat, of: "message " + string(node), none: "this message has no recap yet",
		read:  func() (scenes.RecapView, error) { return e.Scenes.MessageRecap(chat, node) },
		write: func(r scenes.RecapRequest) (storage.OperationID, error) { return e.Scenes.RecapMessage(chat, node, r) },
		doc:   func(v scenes.RecapView) (any, error) { return newMessageRecapDoc(v, node), nil }}
}

func runningSubject(e *engine.Engine, chat storage.ChatID) recapSubject {
	return recapSubject{e: e, chat: chat, of: "the running recap", none: "there is no running recap yet",
		read: func() (scenes.RecapView, error) { return e.Scenes.RunningRecap(chat) },
		doc: func(v scenes.RecapView) (any, error) {
			s, err := e.Scenes.List(chat)
			return newRunningDoc(v, s), err
		}}
}

// existing reads a recap and fails if it has no version.
func (t recapSubject) existing() (scenes.RecapView, *scenes.RecapVersion, error) {
	v, err := t.read()
	if err != nil {
		return v, nil, err
	}
	r := v.Version()
	if r == nil {
		return v, nil, errors.New(t.none)
	}
	return v, r, nil
}

// version returns a version by its number.
func (t recapSubject) version(v scenes.RecapView, number int) (scenes.RecapVersion, error) {
	if number > len(v.Versions) {
		return scenes.RecapVersion{}, fmt.Errorf("%s has no version %d; versions: %d", t.of, number, len(v.Versions))
	}
	return v.Versions[number-1], nil
}

// printRecap prints a recap as it is now.
func printRecap(app *cli.App, t recapSubject) error {
	v, err := t.read()
	if err != nil {
		return err
	}
	doc, err := t.doc(v)
	if err != nil {
		return err
	}
	r := v.Version()
	if r == nil {
		app.Note("note: %s", t.none)
	}
	return app.Print(doc, func(p *cli.Page) {
		if r != nil {
			writeRecap(p, t.of, v, *r)
		}
	})
}

// writeRecap writes the current version of a recap under a heading.
func writeRecap(p *cli.Page, of string, v scenes.RecapView, r scenes.RecapVersion) {
	head := fmt.Sprintf("%s  v%d/%d", of, v.Current+1, len(v.Versions))
	if name := cmp.Or(cli.OneLine(v.Scene.Name), cli.OneLine(r.SceneName)); name != "" && v.Kind == storage.SceneRecap {
		head += "  " + name
	}
	if r.Edited() {
		head += "  edited"
	}
	if r.Parts > 1 {
		head += fmt.Sprintf("  read in %d parts", r.Parts) + readsWords(r.Reads)
	}
	if r.Shortened > 0 {
		head += fmt.Sprintf("  %d long messages shortened", r.Shortened)
	}
	if r.Stale {
		head += "  outdated: its source has changed"
	}
	p.Line(head + "\n\n" + strings.TrimSpace(r.Text))
	for _, f := range [][2]string{{"atmosphere", r.Atmosphere}, {"emotional beats", r.EmotionalBeats}} {
		if f[1] != "" {
			p.Linef("\n%s: %s", f[0], f[1])
		}
	}
	writeLeftOut(p, r)
	for i, l := range r.Lorebooks {
		if i == 0 {
			p.Line("\nfor the lorebook:")
		}
		p.Linef("- %s (%s): %s", cli.OneLine(l.Name), cli.OneLine(l.Type), cli.OneLine(l.Content))
	}
}

// readsWords lists the parts of a scene as ranges of message numbers. ends are the numbers of the
// parts' last messages in the scene.
func readsWords(ends []int) string {
	var parts []string
	from := 1
	for _, to := range ends {
		if from >= to {
			parts = append(parts, fmt.Sprint(to))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", from, to))
		}
		from = to + 1
	}
	if len(parts) == 0 {
		return ""
	}
	return " (messages " + strings.Join(parts, ", ") + ")"
}

// printInterim prints how the open scene began.
func printInterim(app *cli.App, e *engine.Engine, chat storage.ChatID) error {
	v, working, err := e.Scenes.Interim(chat)
	if err != nil {
		return err
	}
	if v == nil {
		app.Note(
			"note: the open scene has no interim recap yet; one is created before its beginning leaves the context")
		return app.Print(newInterimDoc(scenes.InterimView{}, working), func(*cli.Page) {})
	}
	return app.Print(newInterimDoc(*v, working), func(p *cli.Page) {
		head := fmt.Sprintf("the open scene, interim  messages 1-%d", v.Messages)
		if v.Parts > 1 {
			head += fmt.Sprintf("  read in %d parts", v.Parts) + readsWords(v.Reads)
		}
		p.Line(head + "\n\n" + strings.TrimSpace(v.Text))
		writeLeftOut(p, v.RecapVersion)
	})
}

// writeLeftOut writes what a recap made of others left out.
func writeLeftOut(p *cli.Page, r scenes.RecapVersion) {
	for i, d := range r.Dropped {
		if i == 0 {
			p.Line("\nleft out (--bring-back N restores one):")
		}
		p.Linef("%d. %s (%s)", i+1, cli.OneLine(d.Bullet), cli.OneLine(d.Why))
	}
	first := true
	for _, s := range r.Sources {
		if s.UserEdit != storage.BulletRestored {
			continue
		}
		if first {
			p.Line("\nrestored by you, and kept:")
			first = false
		}
		p.Linef("- %s", cli.OneLine(s.Bullet))
	}
}

// recapFlags are the flags of the recap commands.
type recapFlags struct {
	scenes.RecapRequest
	show, later, restore bool
	version, bringBack   int
	edit                 string
}

func (f *recapFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.show, "show", false, "print the existing recap instead of creating one")
	c.Flags().BoolVar(&f.Force, "force", false, "create another version even if nothing has changed")
	c.Flags().StringVar(&f.Style, "style", "", "use the style `S`: "+strings.Join(settings.RecapStyles, ", "))
	cli.LaterFlag(c, &f.later)
	f.addChanges(c)
}

func (f *recapFlags) addChanges(c *cobra.Command) {
	c.Flags().StringVar(&f.edit, "edit", "", "use the text of `FILE` instead (- reads standard input)")
	c.Flags().BoolVar(&f.restore, "restore", false, "undo the edits")
	c.Flags().IntVar(&f.bringBack, "bring-back", 0,
		"restore the left-out fact `N` in the running recap; it is kept in later merges")
}

func (f *recapFlags) addVersion(c *cobra.Command) {
	c.Flags().IntVar(&f.version, "version", 0, "make version `K` current")
}

// check returns an error if flags contradict each other. changes reports whether they change an
// existing recap.
func (f *recapFlags) check(c *cobra.Command) (changes bool, err error) {
	changed := c.Flags().Changed
	changes = changed("version") || changed("edit") || f.restore || changed("bring-back")
	makes := f.Force || f.later || changed("style") || changed("instruction")
	switch {
	case f.show && (changes || makes), changes && makes:
		return changes, cli.UsageError(
			"printing (--show), creating and changing (--version, --edit, --restore) a recap cannot be combined")
	case changed("bring-back") && (changed("edit") || f.restore || changed("version")):
		return changes, cli.UsageError("--bring-back cannot be combined with --version, --edit and --restore")
	case changed("bring-back") && f.bringBack < 1:
		return changes, cli.UsageError("--bring-back needs the number of a left-out fact, from 1")
	case changed("edit") && f.restore:
		return changes, cli.UsageError("--edit and --restore cannot be combined")
	case changed("version") && f.version < 1:
		return changes, cli.UsageError("--version needs the number of a version, from 1")
	case changed("style") && !slices.Contains(settings.RecapStyles, f.Style):
		return changes, cli.UsageError("--style must be one of " + strings.Join(settings.RecapStyles, ", ") + ", not " +
			cli.Quote(f.Style))
	}
	return changes, nil
}

// makeRecap makes or changes a recap as the flags say, and prints it.
func makeRecap(ctx context.Context, app *cli.App, t recapSubject, f recapFlags, changes bool) error {
	switch {
	case f.show:
		if _, _, err := t.existing(); err != nil {
			return err
		}
		return printRecap(app, t)
	case changes:
		return changeRecap(app, t, f)
	}
	job := cli.Task{Chat: t.chat, Begin: func() (storage.OperationID, error) { return t.write(f.RecapRequest) }}
	if f.later {
		return app.QueueTask(t.e, job)
	}
	if err := app.RunTask(ctx, t.e, job); err != nil {
		return err
	}
	return printRecap(app, t)
}

// changeRecap chooses, edits or restores a version, and prints it.
func changeRecap(app *cli.App, t recapSubject, f recapFlags) error {
	v, now, err := t.existing()
	if err != nil {
		return err
	}
	r := *now
	if f.version > 0 {
		if r, err = t.version(v, f.version); err != nil {
			return err
		}
	}
	if f.bringBack > 0 {
		if _, err := t.e.Scenes.RestoreDropped(t.chat, r.ID, f.bringBack-1); err != nil {
			return err
		}
		return printRecap(app, t)
	}
	text := ""
	if f.edit != "" { // before anything is changed
		if text, err = app.FileArg(f.edit); err != nil {
			return err
		}
	}
	if r.ID != now.ID {
		if err := t.e.Scenes.ChooseRecap(t.chat, r.ID); err != nil {
			return err
		}
	}
	if f.edit != "" {
		if _, err := t.e.Scenes.EditRecap(t.chat, r.ID, text); err != nil {
			return err
		}
	}
	if f.restore {
		if err := t.e.Scenes.RestoreRecap(t.chat, r.ID); err != nil {
			return err
		}
	}
	return printRecap(app, t)
}

func recapCommand(app *cli.App) *cobra.Command {
	var f recapFlags
	var missing, interim bool
	c := &cobra.Command{Use: "recap CHAT [N]", Short: "recap a scene and print the recap",
		Long: "Recap scene N and print the recap. A recap of unchanged messages is reused, unless --force is given. " +
			"The new recap becomes the current version; the command also waits for follow-up work such as the " +
			"running recap. --interim prints the interim recap of the open scene: it replaces messages that left the " +
			"context, and is removed when the scene ends."}
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		changes, err := f.check(c)
		if err != nil {
			return err
		}
		if interim {
			if len(args) > 0 || missing || changes || f.Force || f.later || c.Flags().Changed("style") ||
				c.Flags().Changed("instruction") {
				return cli.UsageError("--interim cannot be combined with other flags")
			}
			return printInterim(app, e, chat.ID)
		}
		if missing {
			if len(args) > 0 || changes || f.show || f.Force || c.Flags().Changed("style") ||
				c.Flags().Changed("instruction") {
				return cli.UsageError("--missing can only be combined with --later")
			}
			return recapMissing(ctx, app, e, chat.ID, f.later)
		}
		if len(args) == 0 {
			return cli.UsageError("give a scene number, or --missing for all scenes without a recap")
		}
		sc, err := cli.FindScene(e, chat.ID, args[0])
		if err != nil {
			return err
		}
		return makeRecap(ctx, app, sceneSubject(e, chat.ID, sc), f, changes)
	})
	f.add(c)
	f.addVersion(c)
	c.Flags().StringVar(&f.Instruction, "instruction", "", "add the instruction `TEXT` for this version")
	c.Flags().BoolVar(&interim, "interim", false, "print the interim recap of the open scene")
	c.Flags().BoolVar(&missing, "missing", false, "recap all scenes without an up-to-date recap, and list the scenes")
	return c
}

// recapMissing recaps all scenes that lack a recap and lists the scenes.
func recapMissing(ctx context.Context, app *cli.App, e *engine.Engine, chat storage.ChatID, later bool) error {
	n := 0
	t := cli.Task{Chat: chat, Types: []string{"generate_scene_recap"},
		Begin: func() (_ storage.OperationID, err error) {
			n, err = e.Scenes.RecapMissing(chat)
			return "", err
		}}
	if later {
		return app.QueueTask(e, t)
	}
	if err := app.RunTask(ctx, e, t); err != nil {
		return err
	}
	if n == 0 {
		app.Note("note: every finished scene has a recap")
	}
	return printScenes(app, e, chat)
}

func runningCommand(app *cli.App) *cobra.Command {
	var f recapFlags
	var rebuild bool
	var merge int
	c := &cobra.Command{Use: "running CHAT", Short: "print the running recap",
		Long: "Print the running recap as it is in prompts. If there is none, the version is 0 and the text is empty."}
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
		changes, err := f.check(c)
		if err != nil {
			return err
		}
		merges := c.Flags().Changed("merge")
		t := cli.Task{Chat: chat.ID, Types: []string{"combine_running_recap"}}
		switch {
		case merges && rebuild, changes && (merges || rebuild):
			return cli.UsageError(
				"--merge, --rebuild and changing it (--version, --edit, --restore) cannot be combined")
		case changes:
			return changeRecap(app, runningSubject(e, chat.ID), f)
		case merges:
			sc, err := cli.FindScene(e, chat.ID, fmt.Sprint(merge))
			if err != nil {
				return err
			}
			t.Types, t.Begin = nil, func() (storage.OperationID, error) {
				return e.Scenes.MergeRunning(chat.ID, sc.Break)
			}
		case rebuild:
			t.Begin = func() (storage.OperationID, error) { _, err := e.Scenes.RebuildRunning(chat.ID); return "", err }
		case f.later:
			return cli.UsageError("--later needs --merge or --rebuild")
		default:
			return printRecap(app, runningSubject(e, chat.ID))
		}
		if f.later {
			return app.QueueTask(e, t)
		}
		if err := app.RunTask(ctx, e, t); err != nil {
			return err
		}
		return printRecap(app, runningSubject(e, chat.ID))
	})
	f.addChanges(c)
	f.addVersion(c)
	cli.LaterFlag(c, &f.later)
	c.Flags().BoolVar(&rebuild, "rebuild", false, "rebuild it from the recaps of the scenes, in order")
	c.Flags().IntVar(&merge, "merge", 0, "merge the recap of the scene `N` into it")
	return c
}

func messageCommand(app *cli.App) *cobra.Command {
	var f recapFlags
	c := &cobra.Command{Use: "message CHAT MESSAGE", Short: "recap a single message and print the recap",
		Long: "Recap a single message and print the recap. " + messageHelp}
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		changes, err := f.check(c)
		if err != nil {
			return err
		}
		m, err := cli.FindMessage(e, chat.ID, args[0])
		if err != nil {
			return err
		}
		return makeRecap(ctx, app, messageSubject(e, chat.ID, m.ID), f, changes)
	})
	f.add(c)
	return c
}
