package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// LockCommand returns the command ghostlight lock.
func LockCommand(app *cli.App) *cobra.Command {
	c := cli.Group("lock", "encrypt the data with a passphrase", lockStatus(app), lockSet(app), lockChange(app),
		lockRemove(app))
	c.Long = "Encrypt the data file, the pictures and future backups with a passphrase, which is required at every " +
		"start. They cannot be read without it, and a lost passphrase cannot be recovered. Exports and move-out " +
		"folders are never encrypted."
	return c
}

func lockStatus(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "status", Short: "show what is encrypted, and which backups are not",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			e, err := backup.EncryptionOf(app.Dirs.Data)
			if err != nil {
				return err
			}
			return app.Print(e, func(p *cli.Page) {
				p.Line(e.StateText())
				for _, b := range e.PlainBackups {
					p.Line(b + "  is not encrypted")
				}
			})
		})}
}

// printLock prints the result of a change of encryption, and the backups that anybody can read.
func printLock(app *cli.App, encrypted bool, done backup.EncryptionChange, words string) error {
	now, err := backup.EncryptionOf(app.Dirs.Data)
	if err != nil {
		return err
	}
	doc := struct {
		backup.EncryptionChange
		Encrypted    bool     `json:"encrypted"`
		PlainBackups []string `json:"plain_backups"`
	}{done, encrypted, now.PlainBackups}
	return app.Print(doc, func(p *cli.Page) {
		p.Line(words)
		for _, f := range done.Unread {
			p.Line(f + "  cannot be read, not changed")
		}
		if !encrypted {
			return
		}
		for _, b := range now.PlainBackups {
			p.Line(b + "  is not encrypted")
		}
		if len(now.PlainBackups) > 0 {
			p.Line("These backups are readable by anyone: delete them once you have checked that the passphrase " +
				"opens your data. Deleted files and the old data file may be recoverable from the disk until they " +
				"are overwritten.")
		}
		p.Line("Without the passphrase the data cannot be read, not even by you: store it safely.")
	})
}

func lockSet(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "set", Short: "encrypt the data file and the pictures",
		Long: "Encrypt the data file and the pictures with a passphrase that you enter twice, or from the file given " +
			"with --passphrase-file. An unencrypted backup is made first. If interrupted, run the same command again " +
			"to continue.",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			if app.IsInside() {
				return inUse("lock set")
			}
			done, err := backup.Encrypt(app.Dirs.Data, app.Unlock,
				func() (string, error) { return app.NewPassphrase(app.PassphraseFile()) })
			if err != nil {
				return err
			}
			return printLock(app, true, done,
				fmt.Sprintf("the data file is encrypted, and %s with it", failure.Count(done.Files, "picture")))
		})}
}

func lockChange(app *cli.App) *cobra.Command {
	var file string
	c := &cobra.Command{Use: "change", Short: "change the passphrase",
		Long: "Change the passphrase. Older backups still need the old passphrase.",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			if app.IsInside() {
				return inUse("lock change")
			}
			if file == "" && app.PassphraseFile() != "" {
				return cli.UsageError("give the file with the new passphrase: --new-passphrase-file FILE")
			}
			backup, err := backup.ChangePassphrase(app.Dirs.Data, app.Unlock,
				func() (string, error) { return app.NewPassphrase(file) })
			if err != nil {
				return err
			}
			return app.Print(map[string]any{"encrypted": true, "backup": backup}, func(p *cli.Page) {
				p.Line("passphrase changed")
				p.Line("Older backups, " + backup +
					" among them, still need the old one: delete them if someone else knows it.")
			})
		})}
	c.Flags().StringVar(&file, "new-passphrase-file", "", "read the new passphrase from `FILE`")
	return c
}

func lockRemove(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "remove", Short: "remove the encryption",
		Long: "Decrypt the data file and the pictures. Encrypted backups stay encrypted. If interrupted, run the " +
			"same command again to continue.",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			if app.IsInside() {
				return inUse("lock remove")
			}
			done, err := backup.Decrypt(app.Dirs.Data, app.Unlock)
			if err != nil {
				return err
			}
			return printLock(app, false, done, fmt.Sprintf("decrypted: the data file and %s; backups are not changed",
				failure.Count(done.Files, "picture")))
		})}
}

func inUse(command string) error {
	return cli.UsageError("the data folder is in use: quit the program, then run ghostlight " + command)
}
