// Package admin has the commands that look after the program itself: models and
// profiles, the queue, health, backups, settings, completion and the manual page.
package admin

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
	"github.com/ghostlight-theatre/ghostlight/tui/clipboard"
)

// DoctorCommand returns the command ghostlight doctor.
func DoctorCommand(app *cli.App) *cobra.Command {
	var compact, repair bool
	c := &cobra.Command{Use: "doctor", Short: "check that everything works",
		Long: "Check everything the program needs. It fails only if your data is damaged; a missing server is only " +
			"reported. With --repair a damaged data file is rebuilt first from readable data and your backups; " +
			"losses are listed, and the damaged file is kept.",
		RunE: app.RunOrDelegate(func(ctx context.Context, c *cobra.Command, _ []string) error {
			var repaired *backup.Repaired
			if repair {
				done, err := backup.Repair(app.Dirs.Data, app.Unlock)
				if err != nil {
					return err
				}
				repaired = &done
			}
			checks, err := examine(ctx, app, c.CommandPath())
			if compact && err == nil {
				var check health.Check
				check, err = compactStore(app)
				checks = append(checks, check)
			}
			return printChecks(app, checks, repaired, err)
		})}
	c.Flags().BoolVar(&compact, "compact", false, "compact the data file")
	c.Flags().BoolVar(&repair, "repair", false, "rebuild a damaged data file from readable data and the backups")
	return c
}

// examine looks at everything. Its error is one of the user's data. A server
// whose address is none is not asked.
func examine(ctx context.Context, app *cli.App, program string) ([]health.Check, error) {
	bad := app.SkipBadAddresses()
	e, err := app.Open(program)
	if err != nil {
		return []health.Check{{Name: "store", Detail: failure.Text(err)}}, err
	}
	checks := append(e.Doctor(ctx), checkTerminal(ctx, app, e),
		health.Check{Name: "clipboard", OK: true, Detail: clipboard.Find(os.Getenv, exec.LookPath).Describe()})
	if app.Settings.Remember.EmbedModel != "" {
		checks = append(checks, checkEmbeddings(ctx, app, e))
	}
	for i, check := range checks {
		if words, ok := bad[check.Name]; ok {
			checks[i].OK, checks[i].Detail = false, words
		}
		if check.Name == "store" && !check.OK {
			err = errors.New(check.Detail)
		}
	}
	return checks, app.Close(e, err)
}

func printChecks(app *cli.App, checks []health.Check, repaired *backup.Repaired, fault error) error {
	if repaired != nil {
		checks = append(checks, health.Check{Name: "repair", OK: true, Detail: repaired.Text()})
	}
	for i := range checks {
		checks[i].Detail = app.Redact(checks[i].Detail)
	}
	err := app.Print(checksDoc{checks, repaired, failure.Text(fault)}, func(p *cli.Page) {
		rows := [][]string{}
		for _, c := range checks {
			mark := "well"
			if !c.OK {
				mark = "BAD"
			}
			rows = append(rows, []string{mark, c.Name, c.Detail})
		}
		p.Table(rows)
		if repaired != nil {
			printLost(p, repaired.Lost)
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

// printLost lists the records that could not be read.
func printLost(p *cli.Page, lost []backup.LostRecord) {
	rows := [][]string{}
	for _, l := range lost {
		where := "lost"
		if l.Backup != "" {
			where = "from " + l.Backup
		}
		rows = append(rows, []string{l.Kind, l.ID, l.Of, where})
	}
	p.Table(rows)
}
