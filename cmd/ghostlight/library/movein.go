package library

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/library/movein"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MoveInCommand returns ghostlight move-in.
func MoveInCommand(app *cli.App) *cobra.Command {
	var plan, report, newer, later, yes bool
	c := &cobra.Command{Use: "move-in [PATH]", Short: "import a whole SillyTavern data folder, or its backup",
		Long: "Import a SillyTavern data folder, or a zip backup of it: characters, chats, lorebooks with their " +
			"links, personas, presets, quick replies and regex scripts. Any other folder of cards, chats and " +
			"lorebooks works too. You see a preview first. Nothing in the folder is changed, and nothing is " +
			"imported twice: if stopped, the work stays in the queue, and the same command continues it. Skipped " +
			"items are listed in the report, with the reason.",
		Example: "ghostlight move-in ~/SillyTavern/data --plan\n" +
			"ghostlight move-in ~/SillyTavern/data/default-user\n" +
			"ghostlight move-in default-user-20240101.zip --yes\n" +
			"ghostlight move-in --report"}
	c.RunE = app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
		switch {
		case report && (plan || len(args) > 0):
			return cli.UsageError("--report shows the last import and cannot be combined with other arguments")
		case report:
			return printLastMove(app, e)
		case len(args) == 0:
			return cli.UsageError("give the folder or the backup to import")
		}
		path, err := cli.Absolute(app.Path(args[0]))
		if err != nil {
			return err
		}
		found, err := previewMove(ctx, app, e, path)
		if err != nil {
			return err
		}
		if plan {
			return app.Print(found, func(p *cli.Page) { writePlan(p, found) })
		}
		if len(found.Kinds) == 0 || found.New()+found.Newer() == 0 && !hasContents(found.Kinds) {
			return fmt.Errorf("nothing to import from %q: no cards, chats or lorebooks found", args[0])
		}
		if !yes && !app.JSON && cli.IsTerminal(app.In) && cli.IsTerminal(app.Out) {
			page := cli.NewPage(app.Out)
			writePlan(page, found)
			page.Text("\nImport this? (y/n) ")
			if err := page.Close(); err != nil {
				return err
			}
			answer, _ := bufio.NewReader(app.In).ReadString('\n')
			if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
				return nil
			}
		}
		t := cli.Task{
			Types: []string{movein.OpMove},
			Begin: func() (storage.OperationID, error) { return e.MoveIn.Begin(path, newer) },
		}
		if later {
			return app.QueueTask(e, t)
		}
		if err := app.RunTask(ctx, e, t); err != nil {
			return err
		}
		return printLastMove(app, e)
	})
	c.Flags().BoolVar(&plan, "plan", false, "only show what would be done")
	c.Flags().BoolVar(&report, "report", false, "print the report of the last import")
	c.Flags().BoolVar(&newer, "newer", false, "update earlier imports to newer versions; your changes are kept")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cli.LaterFlag(c, &later)
	return c
}

func hasContents(kinds []storage.MoveCount) bool {
	for _, k := range kinds {
		if k.Here+k.Left > 0 {
			return true
		}
	}
	return false
}

// previewMove plans a move and shows the progress.
func previewMove(ctx context.Context, app *cli.App, e *engine.Engine, path string) (movein.Plan, error) {
	bar := app.Progress()
	defer bar.Done()
	last := time.Now()
	return e.MoveIn.Preview(ctx, path, func(done, of int) {
		if now := time.Now(); now.Sub(last) > 100*time.Millisecond {
			last = now
			bar.Show("scanning", fmt.Sprintf("%d/%d", done, of))
		}
	})
}

func writePlan(p *cli.Page, found movein.Plan) {
	p.Linef("%s  %s", found.Path, cli.ByteSize(found.Bytes))
	for _, h := range found.UserDirs {
		if h != "" {
			p.Linef("user  %s", h)
		}
	}
	writeKinds(p, found.Kinds, "new")
	writeLines(p, "skipped", found.Left, found.More)
}

// writeKinds writes the counts that are not zero.
func writeKinds(p *cli.Page, kinds []storage.MoveCount, done string) {
	rows := [][]string{{"", "found", done, "already imported", "newer", "skipped"}}
	for _, k := range kinds {
		if k.Found > 0 {
			row := []string{k.Kind}
			for _, n := range []int{k.Found, k.New, k.Here, k.Newer, k.Left} {
				row = append(row, fmt.Sprint(n))
			}
			rows = append(rows, row)
		}
	}
	p.Table(rows)
}

func writeLines(p *cli.Page, title string, lines []storage.MoveRemark, more int) {
	if len(lines) == 0 {
		return
	}
	p.Linef("\n%s", title)
	for _, l := range movein.ReportLines(lines) {
		p.Linef("  %s", cli.OneLine(l))
	}
	if more > 0 {
		p.Linef("  and %d more", more)
	}
}

// printLastMove prints the report of the last move.
func printLastMove(app *cli.App, e *engine.Engine) error {
	list, err := e.MoveIn.Moves()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("nothing has been imported yet: ghostlight move-in PATH imports a folder")
	}
	m := list[0]
	doc := struct {
		storage.MoveIn
		Over bool `json:"over"`
	}{m, !m.Ended.IsZero()}
	return app.Print(doc, func(p *cli.Page) {
		words := "imported " + m.Ended.Local().Format(time.DateTime)
		if m.Ended.IsZero() {
			words = "not finished yet: ghostlight queue run continues it"
		}
		p.Linef("%s  %s", m.Path, words)
		writeKinds(p, m.Kinds, "imported")
		writeLines(p, "skipped", m.Left, m.More)
		writeLines(p, "remarks", m.Remarks, 0)
	})
}
