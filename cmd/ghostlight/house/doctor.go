// Package house has the commands that look after the program itself: models and
// profiles, the queue, health, backups, settings, completion and the manual page.
package house

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
)

// DoctorCommand is ghostlight doctor.
func DoctorCommand(app *cli.App) *cobra.Command {
	var compact bool
	c := &cobra.Command{Use: "doctor", Short: "check that everything works", Args: cli.Args(0, 0),
		Long: "Check everything that the program needs. It fails only if your data is damaged: a missing server is a finding, not a failure.",
		RunE: app.Beside(func(ctx context.Context, c *cobra.Command, _ []string) error {
			checks, err := examine(ctx, app, c.CommandPath())
			if compact && err == nil {
				var check house.Check
				check, err = compactStore(app)
				checks = append(checks, check)
			}
			return printChecks(app, checks, err)
		})}
	c.Flags().BoolVar(&compact, "compact", false, "make the data file as small as possible")
	return c
}

// examine looks at everything. Its error is one of the user's data. A server
// whose address is none is not asked.
func examine(ctx context.Context, app *cli.App, program string) ([]house.Check, error) {
	bad := app.SkipBadAddresses()
	e, err := app.Open(program)
	if err != nil {
		return []house.Check{{Name: "store", Detail: failure.Words(err)}}, err
	}
	checks := append(e.House.Doctor(ctx), checkTerminal(ctx, app, e))
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

func printChecks(app *cli.App, checks []house.Check, fault error) error {
	for i := range checks {
		checks[i].Detail = app.Redact(checks[i].Detail)
	}
	err := app.Print(checksDoc{checks, failure.Words(fault)}, func(p *cli.Page) {
		rows := [][]string{}
		for _, c := range checks {
			mark := "well"
			if !c.OK {
				mark = "BAD"
			}
			rows = append(rows, []string{mark, c.Name, c.Detail})
		}
		p.Table(rows)
	})
	if fault != nil {
		return fault
	}
	return err
}
