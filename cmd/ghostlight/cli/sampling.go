package cli

import (
	"cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/models"
)

// PrintSampling prints how a model is asked.
func (app *App) PrintSampling(model string, list []models.Sampling) error {
	return app.Print(map[string]any{"model": model, "sampling": list}, func(p *Page) {
		rows := [][]string{}
		for _, s := range list {
			rows = append(rows, []string{s.Name, cmp.Or(OneLine(s.Value), "-"), s.Source})
		}
		p.Table(rows)
	})
}

// SamplingHelp is the help on the arguments of the sampling commands.
const SamplingHelp = "Without KEY it prints the current values and their source: the chat, the model or the " +
	"settings, in this order. The keys are temperature, top_p, top_k, min_p, typical_p, repeat_penalty, " +
	"repeat_last_n, presence_penalty, frequency_penalty, num_ctx, num_predict, seed, stop and think; the value - " +
	"resets one."

// SamplingArgs returns the key and the value of a sampling command; "-" as a value gives "". args
// are the arguments after the subject; ok is false if there are none.
func SamplingArgs(args []string) (name, value string, ok bool, err error) {
	switch len(args) {
	case 0:
		return "", "", false, nil
	case 1:
		return "", "", false, UsageError("the value is missing; - resets " + Quote(args[0]))
	}
	if value = args[1]; value == "-" {
		value = ""
	}
	return args[0], value, true, nil
}
