package taste_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

//go:embed testdata/cards.txt
var benchCards string

// benchSeed splits the cards in two halves: the rules were tuned on one of them.
const benchSeed = 18

// benchCard is a card of the bench with what it is.
type benchCard struct {
	card    storage.PreferenceCard
	plot    bool
	story   string
	details *lessons.Details
	held    bool
}

// readBench reads the cards and splits them, as many of each sort and story in each
// half.
func readBench(t *testing.T) (out []benchCard) {
	t.Helper()
	var story string
	var details *lessons.Details
	var names []string
	for line := range strings.Lines(benchCards) {
		line = strings.TrimSpace(line)
		kind, rest, _ := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, "story "):
			story = line[6:]
		case kind == "names":
			names = strings.Split(strings.TrimSpace(rest), ", ")
		case kind == "text":
			details = lessons.NewDetails(names, nil, strings.TrimSpace(rest))
		case kind == "plot" || kind == "pattern":
			f := strings.Split(strings.TrimSpace(rest), " | ")
			if len(f) != 3 {
				t.Fatalf("%q has %d fields", line, len(f))
			}
			out = append(out, benchCard{card: storage.PreferenceCard{Preference: f[0], AppliesTo: f[1], AvoidApplyingTo: f[2]}, plot: kind == "plot", story: story, details: details})
		}
	}
	r := rand.New(rand.NewPCG(benchSeed, benchSeed))
	groups := map[string][]int{}
	for i, c := range out {
		key := fmt.Sprint(c.story, c.plot)
		groups[key] = append(groups[key], i)
	}
	keys := []string{}
	for k := range groups {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		for n, at := range r.Perm(len(groups[k])) {
			out[groups[k][at]].held = n%2 == 1
		}
	}
	return out
}

// benchFigures are what became of the cards of one half. A card that waits for the
// model is neither let through nor refused by the rules.
type benchFigures struct {
	plots, let, plotsAsked                 int
	patterns, refused, patternsAsked       int
	honest, careless, wrong, carelessWrong int
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

// honestly says what a card is, as a model does that does what it is told.
// Carelessly is one that finds every card fit for any story, but copies what
// catches its eye. Both answer in the form that is asked for.
func honestly(c benchCard) lessons.Verdicts {
	if !c.plot {
		return verdict("any story", "")
	}
	return verdict("one story", strings.Join(strings.Fields(c.card.Preference)[:3], " "))
}

func carelessly(c benchCard) lessons.Verdicts {
	if strings.Contains(c.card.Preference, " the ") {
		return verdict("any story", "the")
	}
	return verdict("any story", "")
}

func verdict(fits, detail string) (v lessons.Verdicts) {
	_ = json.Unmarshal([]byte(fmt.Sprintf(`{"cards":[{"card":1,"why":"as it reads","detail":%q,"fits":%q}]}`, detail, fits)), &v)
	return v
}

// toldAfter tells whether a card is told once a model has answered so.
func toldAfter(c benchCard, v lessons.Verdicts) bool {
	t := lessons.WithVerdicts(storage.Taste{}, lessons.KeepVerdicts([]storage.PreferenceCard{c.card}, v))
	held, _ := c.details.Hold(t, lessons.Card{PreferenceCard: c.card})
	return held == ""
}

// TestTasteBench prints how well plot is told from pattern: by the rules alone, and
// with what they cannot decide answered by a model that is played, honestly and
// carelessly. The rules were tuned on one half; the other half is held out.
func TestTasteBench(t *testing.T) {
	t.Parallel()
	half := map[bool]*benchFigures{false: {}, true: {}}
	for _, c := range readBench(t) {
		f := half[c.held]
		v, why := c.details.Judge(c.card)
		honest, careless := toldAfter(c, honestly(c)), toldAfter(c, carelessly(c))
		if c.plot {
			f.plots++
			f.let += count(v == lessons.Pattern)
			f.plotsAsked += count(v == lessons.Undecided)
			f.honest += count(honest)
			f.careless += count(careless)
		} else {
			f.patterns++
			f.refused += count(v == lessons.Plot)
			f.patternsAsked += count(v == lessons.Undecided)
			f.wrong += count(!honest)
			f.carelessWrong += count(!careless)
		}
		if c.plot == (v == lessons.Pattern) || c.plot == (v != lessons.Plot) {
			t.Logf("%s: %s | %s | %s: “%s”", map[lessons.Verdict]string{lessons.Pattern: "let through", lessons.Undecided: "asked", lessons.Plot: "refused"}[v],
				c.card.Preference, c.card.AppliesTo, c.card.AvoidApplyingTo, why)
		}
	}
	for _, held := range []bool{false, true} {
		f := half[held]
		name := map[bool]string{false: "tuned on", true: "held out"}[held]
		t.Logf("%s: %d plot: let through by the rules %.1f %%, left to the model %.1f %%; told after an honest model %.1f %%, after a careless one %.1f %%",
			name, f.plots, percent(f.let, f.plots), percent(f.plotsAsked, f.plots), percent(f.honest, f.plots), percent(f.careless, f.plots))
		t.Logf("%s: %d pattern: refused by the rules %.1f %%, left to the model %.1f %%; not told after an honest model %.1f %%, after a careless one %.1f %%",
			name, f.patterns, percent(f.refused, f.patterns), percent(f.patternsAsked, f.patterns), percent(f.wrong, f.patterns), percent(f.carelessWrong, f.patterns))
		if percent(f.let, f.plots) > 2 || percent(f.refused, f.patterns) > 5 || percent(f.honest, f.plots) > 2 || percent(f.wrong, f.patterns) > 5 {
			t.Errorf("%s: too much plot is let through, or too many patterns are refused", name)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
