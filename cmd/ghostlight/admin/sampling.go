package admin

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func modelSamplingCommand(app *cli.App) *cobra.Command {
	c := app.Command("sampling MODEL [KEY VALUE]", "print or change the sampling settings of a model",
		func(_ context.Context, e *engine.Engine, args []string) error {
			name, value, ok, err := cli.SamplingArgs(args[1:])
			if err == nil && ok {
				err = e.Models.SetModelSampling(args[0], name, value)
			}
			if err != nil {
				return err
			}
			return app.PrintSampling(args[0], e.Models.Samplings(storage.Chat{}, args[0]))
		})
	c.Long = "Print or change the sampling settings of a model, for all chats. " + cli.SamplingHelp
	return c
}
