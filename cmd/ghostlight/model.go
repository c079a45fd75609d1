package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/ollama"
)

func (d *door) modelCommand() *cobra.Command {
	return group("model", "see, fetch and choose models", d.modelList(), d.modelShow(), d.modelPull(), d.modelUnload(), d.modelUse())
}

// withOllama is work that only needs the server, and so runs beside an open
// program.
func (d *door) withOllama(w func(ctx context.Context, o *ollama.Client, args []string) error) func(*cobra.Command, []string) error {
	return d.ready(func(ctx context.Context, _ *cobra.Command, args []string) error {
		url, _, err := d.servers()
		if err != nil {
			return err
		}
		o, err := ollama.New(url)
		if err != nil {
			return err
		}
		return w(ctx, o, args)
	})
}

func (d *door) modelList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the models that the server has", Args: takes(0, 0),
		RunE: d.withOllama(func(ctx context.Context, o *ollama.Client, _ []string) error {
			list, err := o.Models(ctx)
			if err != nil {
				return err
			}
			running, err := o.Running(ctx)
			if err != nil {
				return err
			}
			loaded := map[string]bool{}
			for _, m := range running {
				loaded[m.Name] = true
			}
			doc := []modelLine{}
			for _, m := range list {
				doc = append(doc, shapeModel(m, loaded[m.Name]))
			}
			return d.tell(doc, func(p *page) {
				rows := [][]string{}
				for _, m := range doc {
					in := ""
					if m.Loaded {
						in = "loaded"
					}
					rows = append(rows, []string{m.Name, m.ParameterSize, m.Quantization, size(m.Size), in})
				}
				p.table(rows)
			})
		})}
}

// size is a number of bytes for people.
func size(n int64) string {
	f, unit := float64(n), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB"} {
		if f < 1000 {
			break
		}
		f, unit = f/1000, u
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, unit)
}

func (d *door) modelShow() *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "tell about a model", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.withOllama(func(ctx context.Context, o *ollama.Client, args []string) error {
			m, err := o.Show(ctx, args[0])
			if err != nil {
				return err
			}
			doc := modelShape{m.Name, m.ContextLength, orNone(m.Capabilities), m.Family, m.ParameterSize, m.Quantization}
			return d.tell(doc, func(p *page) {
				p.table([][]string{{"name", m.Name}, {"context", fmt.Sprintf("%d tokens", m.ContextLength)}, {"can", strings.Join(m.Capabilities, ", ")},
					{"family", m.Family}, {"size", m.ParameterSize}, {"quantization", m.Quantization}})
			})
		})}
}

func (d *door) modelPull() *cobra.Command {
	return &cobra.Command{Use: "pull NAME", Short: "have the server download a model", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.withOllama(func(ctx context.Context, o *ollama.Client, args []string) error {
			bar := d.progress()
			err := o.Pull(ctx, args[0], func(p ollama.PullProgress) {
				detail := ""
				if p.Total > 0 {
					detail = fmt.Sprintf("%d %% of %s", p.Done*100/p.Total, size(p.Total))
				}
				bar.show(p.Status, detail)
			})
			bar.done()
			if ctx.Err() != nil {
				return errors.New("the download was stopped; what has come stays on the server")
			}
			if err != nil {
				return err
			}
			return d.tell(map[string]string{"model": args[0], "status": "success"}, func(p *page) { p.linef("%s is there", oneLine(args[0])) })
		})}
}

func (d *door) modelUnload() *cobra.Command {
	return &cobra.Command{Use: "unload [NAME...]", Short: "have the server give the memory of models back: of all, or of those named", Args: takes(0, -1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.withOllama(func(ctx context.Context, o *ollama.Client, args []string) (err error) {
			gone := args
			if len(args) == 0 {
				gone, err = o.UnloadAll(ctx)
			}
			for _, name := range args {
				err = errors.Join(err, o.Unload(ctx, name))
			}
			if err != nil {
				return err
			}
			return d.tell(map[string][]string{"unloaded": orNone(gone)}, func(p *page) {
				for _, name := range gone {
					p.line(oneLine(name))
				}
			})
		})}
}

func (d *door) modelUse() *cobra.Command {
	return &cobra.Command{Use: "use NAME", Short: "have chats ask a model from now on", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
			if _, err := e.House.ModelDetails(ctx, args[0]); errors.Is(err, ollama.ErrNoModel) {
				return err
			} else if err != nil {
				d.note("note: nobody knows whether the model is there: %s", failure.Words(err))
			}
			if err := e.House.SetDefaultModel(args[0]); err != nil {
				return err
			}
			return d.tell(map[string]string{"model": args[0]}, func(p *page) { p.linef("chats ask %s now", oneLine(args[0])) })
		})}
}
