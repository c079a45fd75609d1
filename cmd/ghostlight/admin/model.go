package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
)

// ModelCommand returns the command ghostlight model.
func ModelCommand(app *cli.App) *cobra.Command {
	return cli.Group(
		"model",
		"list, download and choose models",
		modelListCommand(app),
		modelShowCommand(app),
		modelPullCommand(app),
		modelUnloadCommand(app),
		modelUseCommand(app),
		modelSamplingCommand(app),
	)
}

// withOllama returns a command's function that only needs the Ollama server, and so can run while
// another program has the data open.
func withOllama(
	app *cli.App,
	w func(ctx context.Context, o *ollama.Client, args []string) error,
) func(*cobra.Command, []string) error {
	return app.WithoutEngine(func(ctx context.Context, _ *cobra.Command, args []string) error {
		url, _, err := app.Servers()
		if err != nil {
			return err
		}
		o, err := ollama.New(url, ollama.WithHeaders(config.HeadersFor(app.Settings.Ollama.Headers, url, true)))
		if err != nil {
			return err
		}
		return w(ctx, o, args)
	})
}

func modelListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the installed models",
		RunE: withOllama(app, func(ctx context.Context, o *ollama.Client, _ []string) error {
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
			doc := cli.Docs(list, func(m ollama.Model) modelDoc { return modelDoc{m, loaded[m.Name]} })
			return app.Print(doc, func(p *cli.Page) {
				rows := [][]string{}
				for _, m := range doc {
					in := ""
					if m.Loaded {
						in = "loaded"
					}
					rows = append(rows, []string{m.Name, m.ParameterSize, m.Quantization, cli.ByteSize(m.Size), in})
				}
				p.Table(rows)
			})
		})}
}

func modelShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "show details of a model",
		RunE: withOllama(app, func(ctx context.Context, o *ollama.Client, args []string) error {
			m, err := o.Show(ctx, args[0])
			if err != nil {
				return err
			}
			return app.Print(m, func(p *cli.Page) {
				p.Table(
					[][]string{
						{"name", m.Name},
						{"context", fmt.Sprintf("%d tokens", m.ContextLength)},
						{"can", strings.Join(m.Capabilities, ", ")},
						{"family", m.Family},
						{"size", m.ParameterSize},
						{"quantization", m.Quantization},
					})
			})
		})}
}

func modelPullCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "pull NAME", Short: "download a model",
		RunE: withOllama(app, func(ctx context.Context, o *ollama.Client, args []string) error {
			bar := app.Progress()
			err := o.Pull(ctx, args[0], func(p ollama.PullProgress) {
				detail := ""
				if p.Total > 0 {
					detail = fmt.Sprintf("%d %% of %s", p.Done*100/p.Total, cli.ByteSize(p.Total))
				}
				bar.Show(p.Status, detail)
			})
			bar.Done()
			if ctx.Err() != nil {
				return errors.New("download stopped; the part downloaded so far is kept")
			}
			if err != nil {
				return err
			}
			return app.Print(
				map[string]string{"model": args[0], "status": "success"},
				func(p *cli.Page) { p.Linef("%s is installed", cli.OneLine(args[0])) },
			)
		})}
}

func modelUnloadCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "unload [NAME...]", Short: "unload models from the server's memory: all, or those named",
		RunE: withOllama(app, func(ctx context.Context, o *ollama.Client, args []string) (err error) {
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
			return app.Print(map[string][]string{"unloaded": gone}, func(p *cli.Page) {
				for _, name := range gone {
					p.Line(cli.OneLine(name))
				}
			})
		})}
}

func modelUseCommand(app *cli.App) *cobra.Command {
	return app.Command("use NAME", "set the default model for chats",
		func(ctx context.Context, e *engine.Engine, args []string) error {
			if _, err := e.Models.ModelDetails(ctx, args[0]); errors.Is(err, ollama.ErrNoModel) {
				return err
			} else if err != nil {
				app.Note("note: could not check whether the server has the model: %s", failure.Text(err))
			}
			if err := e.Models.SetDefaultModel(args[0]); err != nil {
				return err
			}
			return app.Print(
				map[string]string{"model": args[0]},
				func(p *cli.Page) { p.Linef("chats now use %s", cli.OneLine(args[0])) },
			)
		})
}
