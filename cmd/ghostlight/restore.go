package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ghostlight/engine/failure"
	"ghostlight/engine/house"
)

func (d *door) restoreCommand() *cobra.Command {
	return &cobra.Command{Use: "restore [FILE|latest]", Short: "list the backups, or bring one back", Args: takes(0, 1),
		Long: "List the backups, the newest first, or bring one back: the newest with latest, else the FILE, which may also be the name of one " +
			"of the list. The backup is checked before, and the present data file is kept as a backup of its own.",
		RunE: d.ready(func(_ context.Context, _ *cobra.Command, args []string) error {
			list, err := house.Backups(d.at.data)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return d.tellBackups(list)
			}
			from, err := d.backupNamed(list, args[0])
			if err != nil {
				return err
			}
			kept, err := house.Restore(d.at.data, from)
			if err != nil {
				return err
			}
			return d.tell(map[string]string{"restored": from, "kept": kept}, func(p *page) {
				p.line(from + "  restored")
				if kept != "" {
					p.line(kept + "  is what was there before")
				}
			})
		})}
}

type backupShape struct {
	Path      string    `json:"path"`
	Size      int64     `json:"size"` // bytes
	CreatedAt time.Time `json:"created_at"`
}

func (d *door) tellBackups(list []house.BackupFile) error {
	doc, rows := []backupShape{}, [][]string{}
	for _, b := range list {
		doc = append(doc, backupShape(b))
		rows = append(rows, []string{b.CreatedAt.Local().Format(time.DateTime), size(b.Size), b.Path})
	}
	return d.tell(doc, func(p *page) { p.table(rows) })
}

// backupNamed is the path of the backup that the user means.
func (d *door) backupNamed(list []house.BackupFile, name string) (string, error) {
	if name == "latest" {
		if len(list) == 0 {
			return "", errors.New("there is no backup in " + filepath.Join(d.at.data, "backups"))
		}
		return list[0].Path, nil
	}
	for _, b := range list {
		if filepath.Base(b.Path) == name {
			return b.Path, nil
		}
	}
	path, err := absolute(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("there is no backup %s: ghostlight restore lists them", quote(name))
	}
	return path, nil
}

// compact makes the data file smaller after doctor found it well.
func (d *door) compact() (house.Check, error) {
	before, after, err := house.Compact(d.at.data)
	if err != nil {
		return house.Check{Name: "compact", Detail: failure.Words(err)}, err
	}
	return house.Check{Name: "compact", OK: true, Detail: size(before) + " before, " + size(after) + " now"}, nil
}
