package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func threadsCommand(app *cli.App) *cobra.Command {
	var shut, open, drop []string
	c := &cobra.Command{Use: "threads CHAT", Short: "list the threads of a story, from recaps and hooks",
		Long: "List the threads of a story, open ones first: pending threads of its recaps, and hooks. KEY is the " +
			"first word of a line, or the start of it."}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
		list, err := e.Memory.Threads(c.ID)
		if err != nil {
			return err
		}
		type mark struct{ key, state string }
		var marks []mark
		for _, m := range []struct {
			keys  []string
			state string
		}{{shut, "closed"}, {open, "open"}, {drop, "dropped"}} {
			for _, ref := range m.keys {
				t, err := findThread(list, ref)
				if err != nil {
					return err
				}
				marks = append(marks, mark{t.Key, m.state})
			}
		}
		for _, m := range marks {
			if err := e.Memory.MarkThread(c.ID, m.key, m.state); err != nil {
				return err
			}
		}
		if len(marks) > 0 {
			if list, err = e.Memory.Threads(c.ID); err != nil {
				return err
			}
		}
		return cli.PrintViews(app, list, func(t memory.Thread) []string {
			from := "hook"
			if t.Hook == "" {
				from = cmp.Or(t.Scene, "running recap")
			}
			state := t.State
			if t.Ended != nil {
				state += ", " + endWords(t.Ended)
			}
			return []string{t.Key, state, cli.Clip(t.Text, 100), cli.Clip(from, cli.ColumnWidth),
				cli.Clip(cli.OneLine(t.When), cli.ColumnWidth)}
		})
	})
	c.Flags().StringArrayVar(&shut, "close", nil, "mark the thread `KEY` as done; repeatable")
	c.Flags().StringArrayVar(&open, "reopen", nil, "mark the thread `KEY` as open; repeatable")
	c.Flags().StringArrayVar(&drop, "drop", nil, "drop the thread `KEY`; repeatable")
	return c
}

// findThread finds a thread by its key or a unique beginning of one.
func findThread(list []memory.Thread, ref string) (memory.Thread, error) {
	var hits []memory.Thread
	for _, t := range list {
		if t.Key == ref {
			return t, nil
		}
		if ref != "" && len(ref) <= len(t.Key) && strings.EqualFold(t.Key[:len(ref)], ref) {
			hits = append(hits, t)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return memory.Thread{}, fmt.Errorf("%w: no thread %q; ghostlight hooks threads lists them with their keys",
			storage.ErrNotFound, ref)
	}
	return memory.Thread{}, fmt.Errorf("%w: %d threads begin with %q: give more of the key", failure.ErrAmbiguous,
		len(hits), ref)
}
