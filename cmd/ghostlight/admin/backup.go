package admin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
)

// BackupCommand returns the command ghostlight backup.
func BackupCommand(app *cli.App) *cobra.Command {
	var to string
	c := app.Command("backup", "copy the data file into the backup folder, or to a file",
		func(_ context.Context, e *engine.Engine, _ []string) (err error) {
			var path string
			if to == "" {
				path, err = e.Backup.Make()
			} else {
				path, err = e.Play.CopyTo(app.Path(to), "", "")
			}
			if err != nil {
				return err
			}
			doc := map[string]any{"path": path, "encrypted": e.Backup.Encrypted()}
			return app.Print(doc, func(p *cli.Page) { p.Line(path + ifEncrypted(e.Backup.Encrypted())) })
		})
	c.Long = "Copy the data file into the backup folder, which keeps the newest seven, or with --to to a file of " +
		"your own, which is never deleted."
	c.Flags().StringVar(&to, "to", "", "write the copy to this `FILE`, which must not exist, or into this folder")
	return c
}

// ifEncrypted says of a backup that it is encrypted.
func ifEncrypted(is bool) string {
	if is {
		return "  encrypted"
	}
	return ""
}

// RestoreCommand returns the command ghostlight restore.
func RestoreCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "restore [FILE|latest]", Short: "list the backups, or restore one",
		Long: "List the backups, newest first, or restore one: latest is the newest undamaged one; FILE can also be " +
			"a name from the list. The backup is checked first, and the current data file is kept: as a backup, or " +
			"as a copy if it is damaged; a damaged copy is not listed. Restored data is encrypted like the current " +
			"data.",
		RunE: app.WithoutEngine(func(_ context.Context, _ *cobra.Command, args []string) error {
			list, err := backup.List(app.Dirs.Data)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return printBackups(app, list)
			}
			done, err := restore(app, list, args[0])
			if err != nil {
				return err
			}
			return app.Print(done, func(p *cli.Page) {
				for _, path := range done.Damaged {
					p.Line(path + "  is damaged or from a newer version, skipped")
				}
				p.Line(done.Restored + "  restored")
				if done.Kept != "" {
					p.Line(done.Kept + "  is the previous data")
				}
			})
		})}
}

// restore restores the backup that the user names.
func restore(app *cli.App, list []backup.Info, name string) (done backup.Restored, err error) {
	if name == "latest" {
		return backup.RestoreLatest(app.Dirs.Data, app.Unlock)
	}
	if done.Restored, err = findBackup(app, list, name); err != nil {
		return done, err
	}
	done.Kept, err = backup.Restore(app.Dirs.Data, done.Restored, app.Unlock)
	return done, err
}

func printBackups(app *cli.App, list []backup.Info) error {
	return app.Print(list, func(p *cli.Page) {
		p.Table(cli.Docs(list, func(b backup.Info) []string {
			return []string{
				b.CreatedAt.Local().Format(time.DateTime),
				cli.ByteSize(b.Size),
				b.Path + ifEncrypted(b.Encrypted),
			}
		}))
	})
}

// findBackup returns the path of the backup that the user means.
func findBackup(app *cli.App, list []backup.Info, name string) (string, error) {
	for _, b := range list {
		if filepath.Base(b.Path) == name {
			return b.Path, nil
		}
	}
	path, err := cli.Absolute(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("there is no backup %s: ghostlight restore lists them", cli.Quote(name))
	}
	return path, nil
}

// compactStore makes the data file smaller after doctor found it well.
func compactStore(app *cli.App) (health.Check, error) {
	before, after, err := backup.Compact(app.Dirs.Data, app.Unlock)
	if err != nil {
		return health.Check{Name: "compact", Detail: failure.Text(err)}, err
	}
	return health.Check{
		Name:   "compact",
		OK:     true,
		Detail: cli.ByteSize(before) + " before, " + cli.ByteSize(after) + " now",
	}, nil
}
