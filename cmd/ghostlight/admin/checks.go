package admin

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/tui"
)

// checkEmbeddings looks whether the model is there that finds memories by their
// meaning. Where it is not, nothing else says so: memories are found without it.
func checkEmbeddings(ctx context.Context, app *cli.App, e *engine.Engine) health.Check {
	model, server := app.Settings.Remember.EmbedModel, app.Settings.Remember.EmbedServer
	check := health.Check{Name: "embeddings"}
	list := e.Models.Models
	if server != "" && !app.Demo {
		client,
			err := ollama.New(server, ollama.WithHeaders(config.HeadersFor(app.Settings.Ollama.Headers, server, false)))
		if err != nil {
			check.Detail = failure.Text(err)
			return check
		}
		defer client.Close()
		list = client.Models
	}
	models, err := list(ctx)
	if err != nil {
		check.Detail = failure.Text(err)
		return check
	}
	check.Detail = model + " is not on the server: download it with ghostlight model pull, or set " +
		"remember.embed_model to another"
	for _, have := range models {
		if have.Name == model || strings.TrimSuffix(have.Name, ":latest") == model {
			check.OK, check.Detail = true, have.Name
		}
	}
	return check
}

// checkTerminal reports how pictures are shown, and why. If the doctor runs on a terminal, it
// examines that terminal. Otherwise it reports what the screen found when it last ran. The check is
// always OK: a terminal that cannot show pictures is not a fault.
func checkTerminal(ctx context.Context, app *cli.App, e *engine.Engine) health.Check {
	check := health.Check{Name: "terminal", OK: true}
	in, here := app.In.(*os.File)
	out, too := app.Out.(*os.File)
	if here && too && cli.IsTerminal(in) && cli.IsTerminal(out) {
		words, err := tui.ExamineTerminal(ctx, in, out, cmp.Or(app.Settings.UI.Images, "auto"))
		if err == nil {
			check.Detail = words
			return check
		}
		check.Detail = "cannot be checked: " + failure.Text(err) + "; "
	} else {
		check.Detail = "cannot be checked here because input or output is not a terminal; "
	}
	if last := e.Settings.Terminal(); last != "" {
		check.Detail += "the screen last used " + last
	} else {
		check.Detail += "the screen has not been opened yet"
	}
	return check
}
