package lessons

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files of a block: its frame, and what is always said with it.
const (
	BlockFile  = "taste/block"
	PolicyFile = "taste/policy"
)

// SteerTool names the conversation about a storyboard among the tools, for Block.
const SteerTool = "steer"

// exampleFiles are the prompt files with the examples of use, by tool.
var exampleFiles = map[string]string{
	"recommend_key_beats":            "taste/example-beats",
	"recommend_filler_strategy":      "taste/example-filler",
	"budget_beat_packages":           "taste/example-budget",
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
// nothing to tell. It holds nothing of any scene: what d finds is left out, and
// evidence and ids are never in it. The user's own words stay as they are. With
// stats it tells the numbers too. Cards are chosen by how well they fit about, the
// scene and what is planned of it, then by how sure they are. The same values give
// the same bytes.
func Block(set *prompts.Set, tool, about string, t storage.Taste, h storage.TasteHand, d *Details, stats bool) storage.TasteUsed {
	d = d.with(t)
	all := Cards(t, h)
	told := d.choose(t, all, tool, about)
	summary := ""
	if !Aspect(tool) {
		summary = d.summary(t, h, all)
	}
	if summary == "" && len(told) == 0 {
		return storage.TasteUsed{}
	}
	var used storage.TasteUsed
	var parts []string
	if summary != "" {
		parts = append(parts, summary)
	}
	room := toldCards
	for i, c := range told {
		card := toldCard(i+1, c)
		if room -= utf8.RuneCountInString(card); room < 0 {
			break
		}
		parts = append(parts, card)
		used.Cards = append(used.Cards, c.ID)
	}
	if Aspect(tool) {
		used.Block = aspectWords(set, tool, parts)
		return used
	}
	if numbers := prompts.Bounded(d.Scrub(t.StatsSummary), toldStats); stats && numbers != "" {
		parts = append(parts, "In numbers: "+numbers)
	}
	used.Block = strings.TrimSpace(oneText(set.Request(BlockFile, map[string]string{
		"taste":    prompts.Defuse(strings.Join(parts, "\n\n"), blockFences),
		"policy":   set.Text(PolicyFile),
		"examples": set.Text(exampleFiles[tool]),
	})))
	return used
}

// oneText joins the messages of a prompt file.
func oneText(messages []prompts.Message) string {
	var parts []string
	for _, m := range messages {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n\n")
}

// with is d that knows the ids of a profile's sources too.
func (d *Details) with(t storage.Taste) *Details {
	var out Details
	if d != nil {
		out = *d
	}
	out.ids = maps.Clone(out.ids)
	if out.ids == nil {
		out.ids = phrases{}
	}
	for _, id := range t.SourceSceneIDs {
		out.addID(string(id))
	}
	for _, id := range t.SourceMemoryIDs {
		out.addID(string(id))
	}
	return &out
}

// choose picks the cards that are told for a tool: those that fit what it is about,
// then the user's own, then sure ones, then less sure ones, and doubtful ones only
// where there are few.
func (d *Details) choose(t storage.Taste, all []Card, tool, about string) []Card {
	var out []Card
	at, fits := moment(about), map[storage.CardID]int{}
	for _, c := range all {
		if c.Muted || c.Deleted || !speaksFor(tool, c.PreferenceCard) {
			continue
		}
		if held, _ := d.Hold(t, c); held != "" {
			continue
		}
		for _, text := range []*string{&c.Preference, &c.AppliesTo, &c.AvoidApplyingTo} {
			*text = d.withoutIDs(said(*text, 2*maxPreference))
		}
		if slices.Contains(t.Doubted, c.ID) && !c.Own {
			c.Confidence = storage.LowConfidence
		}
		if c.Preference != "" {
			fits[c.ID] = fit(c.PreferenceCard, at)
			out = append(out, c)
		}
	}
	doubtful := func(c Card) bool {
		return !c.Own && (level(c.Confidence) < level(storage.MediumConfidence) || slices.Contains(t.Doubted, c.ID))
	}
	slices.SortStableFunc(out, func(a, b Card) int {
		if x, y := rank(doubtful(a)), rank(doubtful(b)); x != y {
			return x - y
		}
		if fits[a.ID] != fits[b.ID] {
			return fits[b.ID] - fits[a.ID]
		}
		if a.Own != b.Own {
			return rank(b.Own) - rank(a.Own)
		}
		return level(b.Confidence) - level(a.Confidence)
	})
	if n := slices.IndexFunc(out, doubtful); n >= 0 {
		out = firstOf(out, max(n, leastTold))
	}
	return firstOf(out, mostTold)
}

// summary is what is told of a profile's summary: the user's own, or the program's
// without the sentences that speak of what the user took away or put in other
// words.
func (d *Details) summary(t storage.Taste, h storage.TasteHand, all []Card) string {
	if own := d.withoutIDs(said(h.Summary, maxProfile)); own != "" {
		return own
	}
	var gone []meaning
	for _, c := range all {
		if c.Muted || c.Deleted {
			gone = append(gone, meaningOf(c.Preference))
		}
	}
	for _, c := range h.Cards {
		if c.Was != "" && (c.Card != nil || c.Muted || c.Deleted) {
			gone = append(gone, meaningOf(c.Was))
		}
	}
	kept := without(sentences(d.Scrub(t.ProfileSummary)), gone, meaning.supports)
	return prompts.Bounded(strings.Join(kept, " "), maxProfile)
}

// withoutIDs is a text of the user's without ids of records, which say nothing to
// anybody.
func (d *Details) withoutIDs(text string) string {
	text = recordID().ReplaceAllStringFunc(text, func(w string) string {
		if isRecord(w) {
			return ""
		}
		return w
	})
	terms := termsOf(text)
	for i, t := range slices.Backward(terms) {
		if n := d.ids.at(terms[i:]); n > 0 {
			text = text[:t.start] + text[terms[i+n-1].end:]
		}
	}
	return prompts.OneLine(text)
}

// toldCard is a card as it is told.
func toldCard(number int, c Card) string {
	sure := string(c.Confidence)
	if c.Own {
		sure = "the director's own words"
	} else if seen := SeenWords(c.Seen); seen != "" {
		sure += ", " + seen
	}
	return fmt.Sprintf("%d. %s (%s)\n   Applies to: %s\n   Not for: %s", number, prompts.Bounded(c.Preference, maxPreference), sure,
		or(prompts.Bounded(c.AppliesTo, 2*maxCondition), "what it names"), or(prompts.Bounded(c.AvoidApplyingTo, 2*maxCondition), "no case known yet"))
}
