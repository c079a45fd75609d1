package house

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
)

// LockCommand is ghostlight lock.
func LockCommand(app *cli.App) *cobra.Command {
	c := cli.Group("lock", "encrypt the data under a passphrase", lockStatus(app), lockSet(app), lockChange(app), lockRemove(app))
	c.Long = "Encrypt the data file, the pictures and the backups to come under a passphrase, which is asked for whenever the program is opened. " +
		"Nobody can read them without it, and nobody can find it out for you. Exports and what you have moved out are never encrypted."
	return c
}

func lockStatus(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "status", Short: "tell what is encrypted, and which backups are not", Args: cli.Args(0, 0), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			e, err := house.EncryptionOf(app.Dirs.Data)
			if err != nil {
				return err
			}
			return app.Print(e, func(p *cli.Page) {
				p.Line(e.Words())
				for _, b := range e.PlainBackups {
					p.Line(b + "  is not encrypted")
				}
			})
		})}
}

type lockDoc struct {
	Encrypted bool `json:"encrypted"`
	house.EncryptionChange
	PlainBackups []string `json:"plain_backups"`
}

// printLock tells what was done, and which backups everybody can read.
func printLock(app *cli.App, encrypted bool, done house.EncryptionChange, words string) error {
	now, err := house.EncryptionOf(app.Dirs.Data)
	if err != nil {
		return err
	}
	return app.Print(lockDoc{encrypted, done, now.PlainBackups}, func(p *cli.Page) {
		p.Line(words)
		for _, f := range done.Unread {
			p.Line(f + "  cannot be read, and stays as it is")
		}
		if !encrypted {
			return
		}
		for _, b := range now.PlainBackups {
			p.Line(b + "  is not encrypted")
		}
		if len(now.PlainBackups) > 0 {
			p.Line("Whoever gets these backups can read them: remove them once you have seen that the passphrase opens your data. " +
				"What was removed, and what the data file was before, may be left on the disk until other files take its place.")
		}
		p.Line("Without the passphrase nobody can read any of it, you included: keep it where you find it again.")
	})
}

func lockSet(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "set", Short: "encrypt the data file and the pictures", Args: cli.Args(0, 0), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Encrypt the data file and the pictures under a passphrase that is asked for twice, or read from the file that --passphrase-file names. " +
			"A backup is made first, which is not encrypted. Where this was interrupted, the same command goes on.",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			if app.IsInside() {
				return inUse("lock set")
			}
			done, err := house.Encrypt(app.Dirs.Data, app.Unlock, func() (string, error) { return app.NewPassphrase(app.PassphraseFile()) })
			if err != nil {
				return err
			}
			return printLock(app, true, done, fmt.Sprintf("the data file is encrypted, and %s with it", failure.Count(done.Files, "picture")))
		})}
}

func lockChange(app *cli.App) *cobra.Command {
	var file string
	c := &cobra.Command{Use: "change", Short: "take another passphrase", Args: cli.Args(0, 0), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Take another passphrase in place of the present one. Backups that were made before open with the passphrase of their time.",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			if app.IsInside() {
				return inUse("lock change")
			}
			if file == "" && app.PassphraseFile() != "" {
				return cli.UsageError("name the file of the new passphrase with --new-passphrase-file")
			}
			backup, err := house.ChangePassphrase(app.Dirs.Data, app.Unlock, func() (string, error) { return app.NewPassphrase(file) })
			if err != nil {
				return err
			}
			return app.Print(map[string]any{"encrypted": true, "backup": backup}, func(p *cli.Page) {
				p.Line("the passphrase is the new one from now on")
				p.Line("Backups that were made before, " + backup + " among them, open with the old one: remove them if somebody else knows it.")
			})
		})}
	c.Flags().StringVar(&file, "new-passphrase-file", "", "read the new passphrase from `FILE`")
	return c
}

func lockRemove(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "remove", Short: "take the encryption away", Args: cli.Args(0, 0), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Have the data file and the pictures plain again. Backups that are encrypted stay so. Where this was interrupted, the same command goes on.",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			if app.IsInside() {
				return inUse("lock remove")
			}
			done, err := house.Decrypt(app.Dirs.Data, app.Unlock)
			if err != nil {
				return err
			}
			return printLock(app, false, done, fmt.Sprintf("nothing is encrypted any more: the data file, and %s with it; backups stay as they are", failure.Count(done.Files, "picture")))
		})}
}

func inUse(command string) error {
	return cli.UsageError("the data folder is open: leave the program, then ghostlight " + command)
}
