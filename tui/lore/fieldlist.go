package lore

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fieldSpecs are all fields of an entry, in the order of the form; types are what
// the setting of the types offers.
func fieldSpecs(types []string) []fieldSpec {
	return slices.Concat(
		inGroup(firstGroup, specsOfFirst()),
		inGroup("More of what it is", specsOfWhat(types)),
		inGroup("When it fires", specsOfKeys()),
		inGroup("Where it goes", specsOfPlace()),
		inGroup("How keys are matched", specsOfMatch()),
		inGroup("Recursion", specsOfRecursion()),
		inGroup("Chance and groups", specsOfChance()),
		inGroup("Time", specsOfTime()),
		inGroup("For whom", append(filterSpecs(), listSpec("Requests", "Kinds of request that it fires for, one per line: normal, continue, swipe, regenerate, impersonate, quiet. Empty: all.", 2,
			func(e *storage.LoreEntry) *[]string { return &e.Triggers }))),
		inGroup("What is searched besides the messages", specsOfFields()),
	)
}

// firstGroup is the heading of the fields that nearly every entry needs. The other
// groups are folded while the focus is elsewhere.
const firstGroup = "What it is"

func specsOfFirst() []fieldSpec {
	return []fieldSpec{
		lineSpec("Name", "The entry's name in lists. The model does not see it.", func(e *storage.LoreEntry) *string { return &e.Name }),
		keysSpec("Keys", "On lines or between commas, plain or as /regex/flags; \"a, b\" is one key. Any of them fires the entry.", func(e *storage.LoreEntry) *[]string { return &e.Keys }),
		textSpec("Content", "All that the model is told: it must make sense on its own.", 6, func(e *storage.LoreEntry) *string { return &e.Content }),
		yesSpec("Constant", "Always in the prompt.", func(e *storage.LoreEntry) *bool { return &e.Constant }),
		yesSpec("Disabled", "Never fires.", func(e *storage.LoreEntry) *bool { return &e.Disabled }),
	}
}

func inGroup(name string, specs []fieldSpec) []fieldSpec {
	for i := range specs {
		specs[i].group = name
	}
	return specs
}

func specsOfWhat(types []string) []fieldSpec {
	values, words := []string{""}, []string{"(none)"}
	for _, t := range types {
		values, words = append(values, t), append(words, t)
	}
	return []fieldSpec{
		listSpec("Aliases", "Other names for it, one per line: facts learnt under them go here.", 1, func(e *storage.LoreEntry) *[]string { return &e.Aliases }),
		pickSpec("Type", "What kind of thing it is. Review can be set for each type.", values, words, func(e *storage.LoreEntry) *string { return &e.Type }),
		lineSpec("Synopsis", "One line of at most 15 words, for lists and for matching.", func(e *storage.LoreEntry) *string { return &e.Synopsis }),
		yesSpec("Locked", "Only you can change it.", func(e *storage.LoreEntry) *bool { return &e.Locked }),
	}
}

func specsOfKeys() []fieldSpec {
	return []fieldSpec{
		keysSpec("Secondary keys", "On lines or between commas. They count as the logic below says.", func(e *storage.LoreEntry) *[]string { return &e.SecondaryKeys }),
		yesSpec("Selective", "Whether secondary keys count.", func(e *storage.LoreEntry) *bool { return &e.Selective }),
		pickSpec("Logic", "How secondary keys count once a key has matched.",
			[]storage.LoreLogic{storage.AndAny, storage.AndAll, storage.NotAny, storage.NotAll},
			[]string{"and any of them", "and all of them", "and none of them", "and not all of them"},
			func(e *storage.LoreEntry) *storage.LoreLogic { return &e.Logic }),
		yesSpec("Vectorized", "For other programs, which may find it by meaning.", func(e *storage.LoreEntry) *bool { return &e.Vectorized }),
	}
}

func specsOfPlace() []fieldSpec {
	return []fieldSpec{
		pickSpec("Position", "Where in the prompt the content stands.",
			[]storage.LorePosition{storage.BeforeChar, storage.AfterChar, storage.BeforeExamples, storage.AfterExamples, storage.NoteTop, storage.NoteBottom, storage.AtDepth, storage.Outlet},
			[]string{"before the character", "after the character", "before the examples", "after the examples", "top of the author's note", "end of the author's note", "at a depth", "outlet"},
			func(e *storage.LoreEntry) *storage.LorePosition { return &e.Position }),
		wholeSpec("Depth", "Messages from the end, if the position is at a depth.", 0, 10_000, func(e *storage.LoreEntry) *int { return &e.Depth }),
		roleSpec(),
		lineSpec("Outlet", "The name a prompt asks for it by, if the position is outlet.", func(e *storage.LoreEntry) *string { return &e.Outlet }),
		wholeSpec("Order", "Higher is chosen first when the budget is tight, and comes closer to the end.", -1_000_000, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Order }),
		yesSpec("Ignore budget", "Goes in even if the budget is spent.", func(e *storage.LoreEntry) *bool { return &e.IgnoreBudget }),
	}
}

// roleSpec takes an entry without a role for one of the system's.
func roleSpec() fieldSpec {
	of := func(e *storage.LoreEntry) *storage.Role {
		if e.Role == storage.System {
			none := storage.Role("")
			return &none
		}
		return &e.Role
	}
	return pickSpec("Role", "The role it has, if the position is at a depth.",
		[]storage.Role{"", storage.User, storage.Assistant}, []string{"system", "user", "assistant"}, of)
}

func specsOfMatch() []fieldSpec {
	return []fieldSpec{
		openWholeSpec("Scan depth", "How many messages are searched for its keys.", 100_000, func(e *storage.LoreEntry) **int { return &e.ScanDepth }),
		openSpec("Case counts", "Whether “Inn” and “inn” differ.", func(e *storage.LoreEntry) **bool { return &e.CaseSensitive }),
		openSpec("Whole words", "Whether “inn” is not found in “dinner”.", func(e *storage.LoreEntry) **bool { return &e.WholeWords }),
	}
}

func specsOfRecursion() []fieldSpec {
	return []fieldSpec{
		yesSpec("Not by others", "The content of other entries does not fire it.", func(e *storage.LoreEntry) *bool { return &e.ExcludeRecursion }),
		yesSpec("Fires no others", "Its content does not fire other entries.", func(e *storage.LoreEntry) *bool { return &e.PreventRecursion }),
		wholeSpec("Recursion level", "Fires only through other entries, from this level on; 0: off.", 0, 1000, func(e *storage.LoreEntry) *int { return &e.DelayUntilRecursion }),
	}
}

func specsOfChance() []fieldSpec {
	return []fieldSpec{
		yesSpec("By chance", "Whether the probability applies.", func(e *storage.LoreEntry) *bool { return &e.UseProbability }),
		numberSpec("Probability", "How often it fires when it could, in percent.", 100, func(e *storage.LoreEntry) *float64 { return &e.Probability }),
		lineSpec("Groups", "Group names, separated by commas. One entry per group fires.", func(e *storage.LoreEntry) *string { return &e.Group }),
		yesSpec("Wins its group", "The one with the highest order wins, without a roll.", func(e *storage.LoreEntry) *bool { return &e.GroupOverride }),
		numberSpec("Group weight", "Its share of the roll in a group.", 1_000_000, func(e *storage.LoreEntry) *float64 { return &e.GroupWeight }),
		openSpec("Group scoring", "Whether the entry with the most matching keys wins its group.", func(e *storage.LoreEntry) **bool { return &e.UseGroupScoring }),
	}
}

func specsOfTime() []fieldSpec {
	return []fieldSpec{
		wholeSpec("Sticky", "How many messages it stays after firing; 0: none.", 0, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Sticky }),
		wholeSpec("Cooldown", "How many messages it then pauses; 0: none.", 0, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Cooldown }),
		wholeSpec("Delay", "How many messages the chat needs before it can fire; 0: none.", 0, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Delay }),
	}
}

func specsOfFields() []fieldSpec {
	return []fieldSpec{
		yesSpec("Persona", "Who you are.", func(e *storage.LoreEntry) *bool { return &e.MatchPersona }),
		yesSpec("Description", "The character's description.", func(e *storage.LoreEntry) *bool { return &e.MatchDescription }),
		yesSpec("Personality", "The character's personality.", func(e *storage.LoreEntry) *bool { return &e.MatchPersonality }),
		yesSpec("Depth prompt", "The character's note at a depth.", func(e *storage.LoreEntry) *bool { return &e.MatchDepthPrompt }),
		yesSpec("Scenario", "The scenario.", func(e *storage.LoreEntry) *bool { return &e.MatchScenario }),
		yesSpec("Creator notes", "The card's creator's notes.", func(e *storage.LoreEntry) *bool { return &e.MatchCreatorNotes }),
	}
}

// fieldWords is a field of an entry in words.
type fieldWords struct{ label, text string }

// unusual are the settings of an entry that differ from a new one's, those that
// its reader shows by themselves left out.
func unusual(e *storage.LoreEntry) []fieldWords {
	def := storage.NewLoreEntry()
	return differing(e, &def, "Name", "Aliases", "Content", "Keys", "Type", "Synopsis")
}

// differing are the fields of an entry that another one has otherwise.
func differing(e, other *storage.LoreEntry, but ...string) []fieldWords {
	var out []fieldWords
	for _, s := range fieldSpecs(nil) {
		if !slices.Contains(but, s.label) && !s.same(e, other) {
			out = append(out, fieldWords{s.label, s.words(e)})
		}
	}
	return out
}
