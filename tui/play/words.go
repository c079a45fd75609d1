package play

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// grouped formats a count with separated thousands: 3,900.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// roughly formats an estimated count of tokens with suitable precision: 27, 340, 3,900.
func roughly(n int) string {
	switch {
	case n >= 1000:
		n = (n + 50) / 100 * 100
	case n >= 100:
		n = (n + 5) / 10 * 10
	}
	return grouped(n)
}

// secondsWords formats a waiting time: "0.4 s", "12 s", "2 min".
func secondsWords(s float64) string {
	switch {
	case s < 0.95:
		return fmt.Sprintf("%.1f s", max(s, 0.1))
	case s < 9.5:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", s), ".0") + " s"
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	case s < 36000:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return "hours"
}

// cacheMissWords returns what makes the server process a prompt again, and the cost.
func cacheMissWords(b play.CacheMiss) string {
	what := draw.Truncate(b.What, 200)
	if what == "" {
		what = "it changed"
	}
	if does, ok := strings.CutPrefix(what, "it "); ok {
		what = layerWords(b.Layer) + " (" + draw.Truncate(b.Source, 80) + ") " + does
	}
	words := what + ": about " + roughly(b.Tokens) + " tokens"
	if b.Seconds > 0 {
		words += ", " + secondsWords(b.Seconds) + " on this computer"
	}
	return words
}

// rereadWords returns how much of the next prompt must be processed again, and how long that takes.
func rereadWords(v *play.PromptView) string {
	words := "about " + grouped(v.PredictedReread) + " to be processed again"
	if v.PredictedReread == 0 {
		words = "all of it is cached"
	} else if v.TokenMS > 0 {
		words += draw.Separator + secondsWords(float64(v.PredictedReread)*v.TokenMS/1000)
	}
	if v.FoldedThisPrompt {
		words += draw.Separator + "older messages leave the context"
	}
	return words
}

// measuredWords returns the actual cost of the last request, "" before the first.
func measuredWords(m *play.RequestCost) string {
	if m == nil {
		return ""
	}
	words := "last prompt: estimated " + grouped(m.Predicted) + " tokens to read"
	if m.Read >= 0 {
		words += ", actual about " + grouped(m.Read)
	}
	if m.MS > 0 {
		words += draw.Separator + secondsWords(float64(m.MS)/1000)
	}
	if m.Backtracks > 0 {
		words += draw.Separator + fmt.Sprintf("cut %s, %s tokens discarded", draw.Plural(m.Backtracks, "time"),
			grouped(m.RejectedTokens))
	}
	if m.Restarts > 0 {
		words += draw.Separator + "restarted " + draw.Plural(m.Restarts, "time") +
			": this model cannot continue a partial reply"
	}
	return words
}

// layerWords returns the display name of a layer of a prompt.
func layerWords(layer string) string { return strings.ReplaceAll(draw.Truncate(layer, 40), "_", " ") }
