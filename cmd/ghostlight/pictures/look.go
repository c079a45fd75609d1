package pictures

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fromCommand returns ghostlight capture from.
func fromCommand(app *cli.App) *cobra.Command {
	var strength float64
	c := Captures.Act(app, "from CAPTURE", "create a draft that starts from a capture's picture",
		func(_ context.Context, e *engine.Engine, c storage.Capture, _ []string) error {
			v, err := e.Pictures.StartFrom(c.ID, strength)
			if err != nil {
				return err
			}
			return printCapture(app, e, v.ID)
		},
	)
	c.Long = "Create a draft that uses a capture's picture as its start picture; the strength sets how much may " +
		"change. The draft has the same prompt; ghostlight capture send sends it, optionally with another one."
	c.Flags().Float64Var(&strength, "strength", pictures.DefaultStrength, "how much may change: `N` from 0 to 1")
	return c
}

// workflowTextCommand returns ghostlight workflow text.
func workflowTextCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "text WORKFLOW [prose|tags|auto]",
		Short: "show or set whether prompts for a workflow are sentences or tags",
		Long: "Show or set the prompt form of a workflow: sentences (prose), comma-separated tags (tags), or " +
			"detected (auto). " +
			"It is detected from the text encoder that the workflow loads, or from the model name.",
		RunE: app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
			if len(args) > 1 {
				if !slices.Contains([]string{comfy.Prose, comfy.Tags, "auto"}, args[1]) {
					return cli.UsageError("the prompt form must be prose, tags or auto, not " + cli.Quote(args[1]))
				}
				form := args[1]
				if form == "auto" {
					form = ""
				}
				if err := e.Pictures.Workflows.SetText(args[0], form); err != nil {
					return err
				}
			}
			w, err := findWorkflow(e, args[0])
			if err != nil {
				return err
			}
			e.Pictures.Workflows.Form(
				ctx,
				w.Name,
				string(w.Inspect().Kind),
			) // asks a server if the file does not fix the model
			doc := struct {
				Name string `json:"name"`
				comfy.Text
			}{w.Name, e.Pictures.Workflows.Text(w)}
			return app.Print(doc, func(p *cli.Page) {
				if !doc.Known() {
					p.Linef("%s: unknown; sentences are used", cli.OneLine(doc.Name))
					return
				}
				p.Linef(
					"%s: %s, %d tokens (%s, from %s)",
					cli.OneLine(doc.Name),
					doc.Form,
					doc.Tokens,
					doc.Encoder,
					cli.OneLine(doc.From),
				)
			})
		}),
	}
}
