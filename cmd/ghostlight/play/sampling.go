package play

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func samplingCommand(app *cli.App) *cobra.Command {
	c := cli.Chats.Act(app, "sampling CHAT [KEY VALUE]", "print or change the sampling settings of a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			name, value, ok, err := cli.SamplingArgs(args)
			if err == nil && ok {
				err = e.Chats.SetSampling(c.ID, name, value)
			}
			if err == nil {
				c, err = e.Chats.Find(string(c.ID))
			}
			if err != nil {
				return err
			}
			model := e.Models.ModelOf(c)
			return app.PrintSampling(model, e.Models.Samplings(c, model))
		})
	c.Long = "Print or change the sampling settings of a chat. " + cli.SamplingHelp
	return c
}
