package lessons

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files of a block: its frame, what is always said with it, and the frame
// for what is no plan.
const (
	BlockFile  = "taste/block"
	PolicyFile = "taste/policy"
	ToldFile   = "taste/told"
)

// What is told of taste besides the planning tools, named as tools are: the
// conversation about a storyboard, pictures, recaps, and the prose of replies.
const (
	SteerTool   = "steer"
	PictureTool = "picture"
	RecapTool   = "recap"
	ProseTool   = "prose"
)

// budgetTool is the one that is told the numbers.
const budgetTool = "budget_beat_packages"

// What a card is for.
const (
	ForShots    = "shots" // also where a card does not say
	ForPictures = "pictures"
	ForRecaps   = "recaps"
	ForProse    = "prose"
)

var fors = []string{ForShots, ForPictures, ForRecaps, ForProse}

// Fors are the values of what a card is for.
func Fors() []string { return slices.Clone(fors) }

// aspects are, for what is no plan, the cards it is told, and what its requests make.
var aspects = map[string]struct{ of, words string }{
	PictureTool: {ForPictures, "pictures to look"},
	RecapTool:   {ForRecaps, "recaps to be written"},
	ProseTool:   {ForProse, "the story to be written"},
}

// exampleFiles are the prompt files with the examples of use, by tool.
var exampleFiles = map[string]string{
	"recommend_key_beats":            "taste/example-beats",
	"recommend_filler_strategy":      "taste/example-filler",
	budgetTool:                       "taste/example-budget",
	"generate_beat_package":          "taste/example-package",
	"generate_scene_shots_from_plan": "taste/example-shots",
	"propose_edit_plan":              "taste/example-edit",
	SteerTool:                        "taste/example-steer",
}

// How many cards a block has: uncertain ones only up to the lesser number.
const (
	leastTold = 3
	mostTold  = 7
)

// Bounds of what is told, in runes.
const (
	toldCards = 4800
	toldStats = 500
)

// blockFences are the tags around a block, and those around what stands beside it
// in a request.
var blockFences = []string{"taste", "recap", "transcript", "board", "talk", "line"}

// Block is what of a profile is told for a tool; its text is "" where there is
// nothing to tell. The budget is told the numbers too. The same values give the same
// bytes.
func Block(set *prompts.Set, tool string, t storage.Taste, h storage.ProfileEdits) storage.TasteUse {
	aspect, isAspect := aspects[tool]
	var used storage.TasteUse
	var parts []string
	if summary := said(or(h.Summary, t.ProfileSummary), maxProfile); summary != "" && !isAspect {
		parts = append(parts, summary)
	}
	room := toldCards
	for i, c := range choose(Cards(t, h), aspect.of) {
		card := toldCard(i+1, c)
		if room -= utf8.RuneCountInString(card); room < 0 {
			break
		}
		parts = append(parts, card)
		used.Cards = append(used.Cards, c.ID)
	}
	if numbers := prompts.Bounded(t.StatsSummary, toldStats); tool == budgetTool && numbers != "" {
		parts = append(parts, "In numbers: "+numbers)
	}
	if len(parts) == 0 {
		return storage.TasteUse{}
	}
	file, values := BlockFile, map[string]string{"policy": set.Text(PolicyFile), "examples": set.Text(exampleFiles[tool])}
	if isAspect {
		file, values = ToldFile, map[string]string{"what": aspect.words}
	}
	values["taste"] = prompts.Defuse(strings.Join(parts, "\n\n"), blockFences)
	var texts []string
	for _, m := range set.Request(file, values) {
		texts = append(texts, m.Content)
	}
	used.Block = strings.TrimSpace(strings.Join(texts, "\n\n"))
	return used
}

// choose picks the cards that are told, of what they are for: "" is for plans. The
// user's own come first, then sure ones, then less sure ones, and doubtful ones only
// where there are few.
func choose(all []Card, of string) []Card {
	out := slices.DeleteFunc(slices.Clone(all), func(c Card) bool {
		is := or(c.For, ForShots)
		forPlans := of == "" && (is == ForShots || is == ForPictures)
		return !c.Used() || said(c.Preference, maxPreference) == "" || is != of && !forPlans
	})
	doubtful := func(c Card) bool { return !c.Own && levelOf(c.Confidence) == storage.LowConfidence }
	slices.SortStableFunc(out, func(a, b Card) int {
		if a.Own != b.Own {
			return rank(b.Own) - rank(a.Own)
		}
		return level(levelOf(b.Confidence)) - level(levelOf(a.Confidence))
	})
	if n := slices.IndexFunc(out, doubtful); n >= 0 {
		out = out[:min(len(out), max(n, leastTold))]
	}
	return out[:min(len(out), mostTold)]
}

// toldCard is a card as it is told.
func toldCard(number int, c Card) string {
	sure := string(levelOf(c.Confidence))
	if c.Own {
		sure = "the director's own words"
	} else if seen := SeenWords(c.Seen); seen != "" {
		sure += ", " + seen
	}
	return fmt.Sprintf("%d. %s (%s)\n   Applies to: %s\n   Not for: %s", number, said(c.Preference, 2*maxPreference), sure,
		or(said(c.AppliesTo, 2*maxCondition), "what it names"), or(said(c.AvoidApplyingTo, 2*maxCondition), "no case known yet"))
}
