package lessons

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files of a block: its frame for planning, the text that is always part of it, and its
// frame for other tools.
const (
	BlockFile  = "taste/block"
	PolicyFile = "taste/policy"
	FrameFile  = "taste/told"
)

// Tools besides the planning tools that get a block: steering lines, picture prompts, recaps, and
// replies.
const (
	SteerTool   = "steer"
	PictureTool = "picture"
	RecapTool   = "recap"
	ProseTool   = "prose"
)

// budgetTool is the tool that gets the statistics.
const budgetTool = "budget_beat_packages"

// The purposes of a card.
const (
	ForShots    = "shots" // also if a card has no purpose
	ForPictures = "pictures"
	ForRecaps   = "recaps"
	ForProse    = "prose"
)

var purposes = []string{ForShots, ForPictures, ForRecaps, ForProse}

// Purposes returns the purposes that a card may have.
func Purposes() []string { return slices.Clone(purposes) }

// purposesByTool has the purpose of the cards of each tool that does not plan, and a description of
// what its requests produce.
var purposesByTool = map[string]struct{ of, words string }{
	PictureTool: {ForPictures, "pictures to look"},
	RecapTool:   {ForRecaps, "recaps to be written"},
	ProseTool:   {ForProse, "the story to be written"},
}

// exampleFiles are the prompt files with examples, by tool.
var exampleFiles = map[string]string{
	"recommend_key_beats":            "taste/example-beats",
	"recommend_filler_strategy":      "taste/example-filler",
	budgetTool:                       "taste/example-budget",
	"generate_beat_package":          "taste/example-package",
	"generate_scene_shots_from_plan": "taste/example-shots",
	"propose_edit_plan":              "taste/example-edit",
	SteerTool:                        "taste/example-steer",
}

// The number of cards in a block: uncertain ones only up to the lower number.
const (
	minCards = 3
	maxCards = 7
)

// Limits of a block, in runes.
const (
	maxCardsRunes = 4800
	maxStatsRunes = 500
)

// blockFences are the tags around a block and around the other texts of a request.
var blockFences = []string{"taste", "recap", "transcript", "board", "talk", "line"}

// Block returns the text about a profile for a tool; its text is "" if there is nothing to say.
// The budget also gets the statistics. The same values give the same bytes.
func Block(set *prompts.Set, tool string, t storage.Taste, h storage.ProfileEdits) storage.TasteUse {
	aspect, isAspect := purposesByTool[tool]
	var used storage.TasteUse
	var parts []string
	if summary := onOneLine(or(h.Summary, t.ProfileSummary), maxProfile); summary != "" && !isAspect {
		parts = append(parts, summary)
	}
	room := maxCardsRunes
	for i, c := range selectCards(Cards(t, h), aspect.of) {
		card := formatCard(i+1, c)
		if room -= utf8.RuneCountInString(card); room < 0 {
			break
		}
		parts = append(parts, card)
		used.Cards = append(used.Cards, c.ID)
	}
	if numbers := prompts.Bounded(t.StatsSummary, maxStatsRunes); tool == budgetTool && numbers != "" {
		parts = append(parts, "In numbers: "+numbers)
	}
	if len(parts) == 0 {
		return storage.TasteUse{}
	}
	file, values := BlockFile, map[string]string{"policy": set.Text(PolicyFile),
		"examples": set.Text(exampleFiles[tool])}
	if isAspect {
		file, values = FrameFile, map[string]string{"what": aspect.words}
	}
	values["taste"] = prompts.Defuse(strings.Join(parts, "\n\n"), blockFences)
	var texts []string
	for _, m := range set.Request(file, values) {
		texts = append(texts, m.Content)
	}
	used.Block = strings.TrimSpace(strings.Join(texts, "\n\n"))
	return used
}

// selectCards selects the cards of a block by purpose; "" means planning. The user's own come
// first, then certain ones, then less certain ones, and doubtful ones only if there are few
// others.
func selectCards(all []Card, of string) []Card {
	out := slices.DeleteFunc(slices.Clone(all), func(c Card) bool {
		is := or(c.For, ForShots)
		forPlans := of == "" && (is == ForShots || is == ForPictures)
		return !c.IsActive() || onOneLine(c.Preference, maxPreference) == "" || is != of && !forPlans
	})
	doubtful := func(c Card) bool { return !c.Own && levelOf(c.Confidence) == storage.LowConfidence }
	slices.SortStableFunc(out, func(a, b Card) int {
		if a.Own != b.Own {
			return rank(b.Own) - rank(a.Own)
		}
		return level(levelOf(b.Confidence)) - level(levelOf(a.Confidence))
	})
	if n := slices.IndexFunc(out, doubtful); n >= 0 {
		out = out[:min(len(out), max(n, minCards))]
	}
	return out[:min(len(out), maxCards)]
}

// formatCard returns a card as one line.
func formatCard(number int, c Card) string {
	sure := string(levelOf(c.Confidence))
	if c.Own {
		sure = "the director's own words"
	} else if seen := SeenText(c.Seen); seen != "" {
		sure += ", " + seen
	}
	return fmt.Sprintf("%d. %s (%s)\n   Applies to: %s\n   Not for: %s", number, onOneLine(c.Preference,
		2*maxPreference), sure,
		or(onOneLine(c.AppliesTo, 2*maxCondition), "what it names"), or(onOneLine(c.AvoidApplyingTo, 2*maxCondition),
			"no case known yet"))
}
