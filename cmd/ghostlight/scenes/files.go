package scenes

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// subjectArg returns the recap that an argument names: of the scene with that number, or the
// running one.
func subjectArg(e *engine.Engine, chat storage.ChatID, arg string) (recapSubject, error) {
	if arg == "running" {
		return runningSubject(e, chat), nil
	}
	s, err := cli.FindScene(e, chat, arg)
	return sceneSubject(e, chat, s), err
}

func versionsCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "versions CHAT N|running",
		"list the versions of a scene's recap, or of the running recap",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			t, err := subjectArg(e, c.ID, args[0])
			if err != nil {
				return err
			}
			v, err := t.read()
			if err != nil {
				return err
			}
			var doc []versionDoc
			for i, r := range v.Versions {
				doc = append(doc, newVersionDoc(r, i, v.Current))
			}
			return app.Print(doc, func(p *cli.Page) {
				rows := [][]string{}
				for _, r := range doc {
					mark, state := "", string(r.Origin)
					if r.Current {
						mark = "*"
					}
					if r.Edited {
						state += ", edited"
					}
					if r.Stale {
						state += ", outdated"
					}
					rows = append(
						rows,
						[]string{
							fmt.Sprintf("v%d%s", r.Version, mark),
							cli.Clip(r.SceneName, cli.ColumnWidth),
							state,
							r.Style,
							cli.OneLine(r.Model),
							r.CreatedAt.Local().Format("2006-01-02 15:04:05"),
						})
				}
				p.Table(rows)
			})
		})
}

func diffCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "diff CHAT N|running A B", "print the changes from version A to version B of a recap",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			t, err := subjectArg(e, c.ID, args[0])
			if err != nil {
				return err
			}
			v, _, err := t.existing()
			if err != nil {
				return err
			}
			var numbers [2]int
			var texts [2]string
			for i := range texts {
				if numbers[i], err = cli.NumberArg(args[1+i], "the number of a version"); err != nil {
					return err
				}
				r, err := t.version(v, numbers[i])
				if err != nil {
					return err
				}
				texts[i] = r.Text
			}
			doc := diffDoc{v.Scene.Number, numbers[0], numbers[1], scene.Diff(texts[0], texts[1])}
			return app.Print(doc, func(p *cli.Page) {
				for _, l := range doc.Lines {
					p.Linef("%c%s", l.Op, l.Text)
				}
			})
		})
}

func searchCommand(app *cli.App) *cobra.Command {
	var limit int
	c := cli.Chats.Act(app, "search CHAT TEXT", "search recaps, ignoring case",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			if strings.TrimSpace(args[0]) == "" {
				return cli.UsageError("nothing to search for: TEXT is empty")
			}
			hits, err := e.Scenes.SearchRecaps(c.ID, args[0], max(1, limit))
			if err != nil {
				return err
			}
			if len(hits) == 0 {
				app.Note("note: no recap contains %s", cli.Quote(args[0]))
			}
			return app.Print(hits, func(p *cli.Page) {
				for _, h := range hits {
					p.Linef("%s v%d  %s", hitName(h), h.Version, cli.OneLine(h.Snippet))
				}
			})
		})
	c.Flags().IntVar(&limit, "limit", 50, "print at most `N` versions")
	return c
}

// hitName names the recap of a search result.
func hitName(h scenes.RecapHit) string {
	switch {
	case h.Kind == storage.RunningRecap:
		return "running"
	case h.Kind == storage.MessageRecap:
		return "message " + string(h.Node)
	case h.Scene == 0:
		return "on another branch"
	}
	return fmt.Sprintf("scene %d", h.Scene)
}

// maxRecapFile is the largest file of recaps that is read, in bytes.
const maxRecapFile = 16 << 20

func exportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	var format string
	c := cli.Chats.Act(app, "export CHAT", "export the recaps of a chat with all their versions",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			kind := format
			if kind == "" {
				kind = "markdown"
				if strings.HasSuffix(strings.ToLower(f.Output), ".json") {
					kind = "json"
				}
			}
			ending, ok := map[string]string{"markdown": ".md", "json": ".json"}[kind]
			if !ok {
				return cli.UsageError("--format must be markdown or json, not " + cli.Quote(format))
			}
			data, err := e.Scenes.ExportRecaps(c.ID, kind)
			if err != nil {
				return err
			}
			return app.WriteFile(f, string(c.ID)+"-recaps"+ending, kind, data)
		})
	f.Add(c)
	c.Flags().StringVar(&format, "format", "",
		"write `KIND`: markdown or json (default: by the file's name, else markdown)")
	return c
}

func importCommand(app *cli.App) *cobra.Command {
	c := cli.Chats.Act(app, "import CHAT FILE", "import recaps as new versions (- reads standard input)",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			var got scenes.RecapsRead
			err := app.ReadInput(args[0], "recaps", maxRecapFile, func(path string) error {
				data, err := cli.ReadFile(path, maxRecapFile)
				if err != nil {
					return err
				}
				got, err = e.Scenes.ImportRecaps(c.ID, data)
				return err
			})
			if err != nil {
				return err
			}
			app.Notes(got.Warnings)
			if got.Versions == 0 && len(got.Warnings) == 0 {
				app.Note("note: the chat already has all of these recaps")
			}
			return app.Print(got, func(p *cli.Page) { p.Linef("%d versions for %d scenes", got.Versions, got.Scenes) })
		})
	c.Long = "Import recaps from a file of ghostlight scene export, Markdown or JSON. Each becomes the current " +
		"version of its scene; unknown scenes are skipped with a note."
	return c
}

func recallTestCommand(app *cli.App) *cobra.Command {
	var show, repair, later bool
	c := cli.Chats.Act(app, "recall-test CHAT N", "check which facts of a scene its recap lost",
		func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			if show && (repair || later) || repair && later {
				return cli.UsageError("--show, --repair and --later cannot be combined")
			}
			sc, err := cli.FindScene(e, chat.ID, args[0])
			if err != nil {
				return err
			}
			t := sceneSubject(e, chat.ID, sc)
			_, r, err := t.existing()
			if err != nil {
				return err
			}
			if later {
				return app.QueueTask(e, recallTestTask(e, chat.ID, sc))
			}
			if !show && !(repair && r.RecallTest != nil) {
				if err := app.RunTask(ctx, e, recallTestTask(e, chat.ID, sc)); err != nil {
					return err
				}
			}
			if repair {
				return repairRecap(ctx, app, t, sc)
			}
			return printRecallTest(app, t, sc)
		})
	c.Aliases = []string{"exam"}
	c.Long = "Test a recap: the model answers questions about the scene from its recap and lorebook entries alone; " +
		"lost facts are printed. With --repair, a new recap version with the lost facts is created; the test is run " +
		"first if needed."
	c.Flags().BoolVar(&show, "show", false, "print the last test instead of running one")
	c.Flags().BoolVar(&repair, "repair", false, "create a new recap version with the lost facts")
	cli.LaterFlag(c, &later)
	return c
}

func recallTestTask(e *engine.Engine, chat storage.ChatID, sc scenes.Scene) cli.Task {
	return cli.Task{Chat: chat, Begin: func() (storage.OperationID, error) {
		return e.Scenes.QueueRecallTest(chat, sc.Break)
	}}
}

// repairRecap has what a recall test has shown to be lost put into another version.
func repairRecap(ctx context.Context, app *cli.App, t recapSubject, sc scenes.Scene) error {
	_, r, err := t.existing()
	if err != nil {
		return err
	}
	if len(r.RecallTest.Lost()) == 0 {
		app.Note("note: no facts were lost; the recap is not changed")
		return printRecap(app, t)
	}
	begin := func() (storage.OperationID, error) { return t.e.Scenes.RepairRecap(t.chat, sc.Break) }
	if err := app.RunTask(ctx, t.e, cli.Task{Chat: t.chat, Begin: begin}); err != nil {
		return err
	}
	return printRecap(app, t)
}

// printRecallTest prints the recall test of a recap's current version.
func printRecallTest(app *cli.App, t recapSubject, sc scenes.Scene) error {
	v, r, err := t.existing()
	if err != nil {
		return err
	}
	if r.RecallTest == nil {
		return fmt.Errorf("this version of %s has no recall test", t.of)
	}
	doc := struct {
		Scene   int `json:"scene"`
		Version int `json:"version"`
		Lost    int `json:"lost"` // facts
		storage.RecallTest
	}{sc.Number, v.Current + 1, len(r.RecallTest.Lost()), *r.RecallTest}
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s  v%d: %d of %d facts would be lost", t.of, doc.Version, doc.Lost, len(doc.Questions))
		for _, q := range doc.Questions {
			mark := "kept"
			if q.Lost {
				mark = "LOST"
			}
			p.Linef(
				"\n%s  %s\n  the scene: %s\n  from the recap: %s",
				mark,
				cli.OneLine(q.Question),
				cli.OneLine(q.Expected),
				cli.OneLine(q.Answer),
			)
		}
	})
}
