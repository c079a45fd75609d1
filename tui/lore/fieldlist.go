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
		inGroup("More details", specsOfWhat(types)),
		inGroup("Triggers", specsOfKeys()),
		inGroup("Placement", specsOfPlace()),
		inGroup("Key matching", specsOfMatch()),
		inGroup("Recursion", specsOfRecursion()),
		inGroup("Probability and groups", specsOfChance()),
		inGroup("Timed effects", specsOfTime()),
		inGroup("Character filter", append(filterSpecs(), listSpec("Requests", "Generation types it triggers for, one per line: normal, continue, swipe, regenerate, impersonate, quiet. Empty: all.", 2,
			func(e *storage.LoreEntry) *[]string { return &e.Triggers }))),
		inGroup("Additional sources", specsOfFields()),
	)
}

// firstGroup is the heading of the fields that nearly every entry needs. The other
// groups are folded while the focus is elsewhere.
const firstGroup = "Basics"

func specsOfFirst() []fieldSpec {
	return []fieldSpec{
		lineSpec("Name", "The entry's name in lists. The model does not see it.", func(e *storage.LoreEntry) *string { return &e.Name }),
		keysSpec("Keys", "One per line or comma-separated, plain or as /regex/flags; \"a, b\" is one key. Any of them triggers the entry.", func(e *storage.LoreEntry) *[]string { return &e.Keys }),
		textSpec("Content", "The text sent to the model: it must make sense on its own.", 6, func(e *storage.LoreEntry) *string { return &e.Content }),
		yesSpec("Constant", "Always in the prompt.", func(e *storage.LoreEntry) *bool { return &e.Constant }),
		yesSpec("Disabled", "Never triggers.", func(e *storage.LoreEntry) *bool { return &e.Disabled }),
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
		listSpec("Aliases", "Other names for it, one per line: new facts about them are added here.", 1, func(e *storage.LoreEntry) *[]string { return &e.Aliases }),
		pickSpec("Type", "What kind of thing it is. Review can be set for each type.", values, words, func(e *storage.LoreEntry) *string { return &e.Type }),
		lineSpec("Synopsis", "One line of at most 15 words, for lists and for matching.", func(e *storage.LoreEntry) *string { return &e.Synopsis }),
		yesSpec("Locked", "Only you can change it.", func(e *storage.LoreEntry) *bool { return &e.Locked }),
	}
}

func specsOfKeys() []fieldSpec {
	return []fieldSpec{
		keysSpec("Secondary keys", "One per line or comma-separated. Used according to the logic below.", func(e *storage.LoreEntry) *[]string { return &e.SecondaryKeys }),
		yesSpec("Selective", "Whether secondary keys are used.", func(e *storage.LoreEntry) *bool { return &e.Selective }),
		pickSpec("Logic", "How secondary keys are combined once a key has matched.",
			[]storage.LoreLogic{storage.AndAny, storage.AndAll, storage.NotAny, storage.NotAll},
			[]string{"and any of them", "and all of them", "and none of them", "and not all of them"},
			func(e *storage.LoreEntry) *storage.LoreLogic { return &e.Logic }),
		yesSpec("Vectorized", "For other programs with vector search.", func(e *storage.LoreEntry) *bool { return &e.Vectorized }),
	}
}

func specsOfPlace() []fieldSpec {
	return []fieldSpec{
		pickSpec("Position", "Where the content is inserted in the prompt.",
			[]storage.LorePosition{storage.BeforeChar, storage.AfterChar, storage.BeforeExamples, storage.AfterExamples, storage.NoteTop, storage.NoteBottom, storage.AtDepth, storage.Outlet},
			[]string{"before the character", "after the character", "before the examples", "after the examples", "top of the author's note", "end of the author's note", "at a depth", "outlet"},
			func(e *storage.LoreEntry) *storage.LorePosition { return &e.Position }),
		wholeSpec("Depth", "Messages from the end, if the position is at a depth.", 0, 10_000, func(e *storage.LoreEntry) *int { return &e.Depth }),
		roleSpec(),
		lineSpec("Outlet", "The outlet name, if the position is outlet.", func(e *storage.LoreEntry) *string { return &e.Outlet }),
		wholeSpec("Order", "Higher is chosen first when the budget is tight, and comes closer to the end.", -1_000_000, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Order }),
		yesSpec("Ignore budget", "Inserted even if the budget is used up.", func(e *storage.LoreEntry) *bool { return &e.IgnoreBudget }),
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
	return pickSpec("Role", "The message role, if the position is at a depth.",
		[]storage.Role{"", storage.User, storage.Assistant}, []string{"system", "user", "assistant"}, of)
}

func specsOfMatch() []fieldSpec {
	return []fieldSpec{
		openWholeSpec("Scan depth", "How many messages are searched for its keys.", 100_000, func(e *storage.LoreEntry) **int { return &e.ScanDepth }),
		openSpec("Case-sensitive", "Whether “Inn” and “inn” differ.", func(e *storage.LoreEntry) **bool { return &e.CaseSensitive }),
		openSpec("Whole words", "Whether “inn” is not found in “dinner”.", func(e *storage.LoreEntry) **bool { return &e.WholeWords }),
	}
}

func specsOfRecursion() []fieldSpec {
	return []fieldSpec{
		yesSpec("Non-recursable", "Other entries do not trigger it.", func(e *storage.LoreEntry) *bool { return &e.ExcludeRecursion }),
		yesSpec("No further recursion", "Its content does not trigger other entries.", func(e *storage.LoreEntry) *bool { return &e.PreventRecursion }),
		wholeSpec("Recursion level", "Triggers only through recursion, from this level on; 0: off.", 0, 1000, func(e *storage.LoreEntry) *int { return &e.DelayUntilRecursion }),
	}
}

func specsOfChance() []fieldSpec {
	return []fieldSpec{
		yesSpec("Use probability", "Whether the probability applies.", func(e *storage.LoreEntry) *bool { return &e.UseProbability }),
		numberSpec("Probability", "How often it triggers when matched, in percent.", 100, func(e *storage.LoreEntry) *float64 { return &e.Probability }),
		lineSpec("Groups", "Group names, separated by commas. One entry per group is used.", func(e *storage.LoreEntry) *string { return &e.Group }),
		yesSpec("Prioritize", "The entry with the highest order wins, without a roll.", func(e *storage.LoreEntry) *bool { return &e.GroupOverride }),
		numberSpec("Group weight", "Its weight in the random choice of a group.", 1_000_000, func(e *storage.LoreEntry) *float64 { return &e.GroupWeight }),
		openSpec("Group scoring", "Whether the entry with the most matching keys wins its group.", func(e *storage.LoreEntry) **bool { return &e.UseGroupScoring }),
	}
}

func specsOfTime() []fieldSpec {
	return []fieldSpec{
		wholeSpec("Sticky", "How many messages it stays active after triggering; 0: none.", 0, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Sticky }),
		wholeSpec("Cooldown", "How many messages it cannot trigger afterwards; 0: none.", 0, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Cooldown }),
		wholeSpec("Delay", "How many messages the chat needs before it can trigger; 0: none.", 0, 1_000_000, func(e *storage.LoreEntry) *int { return &e.Delay }),
	}
}

func specsOfFields() []fieldSpec {
	return []fieldSpec{
		yesSpec("Persona", "The persona description.", func(e *storage.LoreEntry) *bool { return &e.MatchPersona }),
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
