package lore

import (
	"cmp"
	"encoding"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The largest scan depth, and the largest of other numbers of an entry.
const (
	deepestScan = 100_000
	maxNumber   = 1_000_000_000
)

// EntryFields are the fields of an entry that the user can set. The type's choices are the built-in
// ones; see TypeChoices for those of the settings.
var EntryFields = field.Record[storage.LoreEntry]{Noun: "an entry", New: storage.NewLoreEntry, Fields: slices.Concat(
	inGroup("Basics", basicFields),
	inGroup("More details", detailFields),
	inGroup("Triggers", triggerFields),
	inGroup("Placement", placeFields),
	inGroup("Key matching", matchFields),
	inGroup("Recursion", recursionFields),
	inGroup("Probability and groups", chanceFields),
	inGroup("Timed effects", timeFields),
	inGroup("Character filter", filterFields),
	inGroup("Additional sources", sourceFields),
)}

// entrySpec describes a field of an entry.
type entrySpec = field.Spec[storage.LoreEntry]

// inGroup puts fields into a group with a heading.
func inGroup(name string, fields []entrySpec) []entrySpec {
	for i := range fields {
		fields[i].Group = name
	}
	return fields
}

var basicFields = []entrySpec{
	{Name: "name", Label: "Name", Help: "its name in lists; the model does not see it",
		Flag: "name", At: func(e *storage.LoreEntry) any { return &e.Name }},
	{Name: "keys", Label: "Keys",
		Help: "one per line or comma-separated, plain or /regex/flags; any triggers it; quote a key with commas: " +
			"\"a, b\"",
		Flag: "key", Rows: 2, Split: SplitKeys, Join: JoinKeys, Check: checkKeyCount,
		At: func(e *storage.LoreEntry) any { return &e.Keys }},
	{Name: "content", Label: "Content", Help: "the text sent to the model: it must make sense on its own",
		Flag: "content", Rows: 6, Max: maxLore, At: func(e *storage.LoreEntry) any { return &e.Content }},
	{Name: "constant", Label: "Constant", Help: "always in the prompt",
		Flag: "constant", At: func(e *storage.LoreEntry) any { return &e.Constant }},
	{Name: "disabled", Label: "Disabled", Help: "never triggers",
		At: func(e *storage.LoreEntry) any { return &e.Disabled }},
}

var detailFields = []entrySpec{
	{Name: "aliases", Label: "Aliases", Help: "other names for it, one per line: new facts about them are added here",
		Flag: "alias", Rows: 1, At: func(e *storage.LoreEntry) any { return &e.Aliases }},
	{Name: "type", Label: "Type", Help: "what kind of thing it is; review can be set for each type",
		Flag: "type", AllowsOther: true, Choices: TypeChoices(fill.Types()),
		At: func(e *storage.LoreEntry) any { return &e.Type }},
	{Name: "synopsis", Label: "Synopsis", Help: "one line of at most 15 words, for lists and for matching",
		At: func(e *storage.LoreEntry) any { return &e.Synopsis }},
	{Name: "locked", Label: "Locked", Help: "only you can change it",
		At: func(e *storage.LoreEntry) any { return &e.Locked }},
}

var triggerFields = []entrySpec{
	{Name: "secondary_keys", Label: "Secondary keys",
		Help: "one per line or comma-separated; used according to the logic", Rows: 2, Split: SplitKeys,
		Join: JoinKeys, Check: checkKeyCount, At: func(e *storage.LoreEntry) any { return &e.SecondaryKeys }},
	{Name: "selective", Label: "Selective", Help: "whether secondary keys are used",
		At: func(e *storage.LoreEntry) any { return &e.Selective }},
	{Name: "logic", Label: "Logic", Help: "how secondary keys are combined once a key has matched",
		Choices: logics, At: func(e *storage.LoreEntry) any { return &e.Logic }},
	{Name: "vectorized", Label: "Vectorized", Help: "for other programs with vector search",
		At: func(e *storage.LoreEntry) any { return &e.Vectorized }},
}

var placeFields = []entrySpec{
	{Name: "position", Label: "Position", Help: "where the content is inserted in the prompt",
		Choices: positions, At: func(e *storage.LoreEntry) any { return &e.Position }},
	{Name: "depth", Label: "Depth", Help: "messages from the end, if the position is at a depth",
		Max: 10_000, At: func(e *storage.LoreEntry) any { return &e.Depth }},
	{Name: "role", Label: "Role", Help: "the message role, if the position is at a depth",
		Choices: field.Choices(storage.System, storage.User, storage.Assistant), At: roleOf},
	{Name: "outlet", Label: "Outlet", Help: "the outlet name, if the position is outlet",
		At: func(e *storage.LoreEntry) any { return &e.Outlet }},
	{Name: "order", Label: "Order",
		Help: "higher is chosen first when the budget is tight, and comes closer to the end", Min: -maxNumber,
		Max: maxNumber, At: func(e *storage.LoreEntry) any { return &e.Order }},
	{Name: "ignore_budget", Label: "Ignore budget", Help: "inserted even if the budget is used up",
		At: func(e *storage.LoreEntry) any { return &e.IgnoreBudget }},
}

var matchFields = []entrySpec{
	{Name: "scan_depth", Label: "Scan depth", Help: "how many messages are searched for its keys",
		Hint: "empty: lorebook default", Max: deepestScan,
		At: func(e *storage.LoreEntry) any { return &e.ScanDepth }},
	{Name: "case_sensitive", Label: "Case-sensitive", Help: "whether “Inn” and “inn” differ",
		At: func(e *storage.LoreEntry) any { return &e.CaseSensitive }},
	{Name: "whole_words", Label: "Whole words", Help: "whether “inn” is not found in “dinner”",
		At: func(e *storage.LoreEntry) any { return &e.WholeWords }},
}

var recursionFields = []entrySpec{
	{Name: "exclude_recursion", Label: "Non-recursable", Help: "other entries do not trigger it",
		At: func(e *storage.LoreEntry) any { return &e.ExcludeRecursion }},
	{Name: "prevent_recursion", Label: "No further recursion", Help: "its content does not trigger other entries",
		At: func(e *storage.LoreEntry) any { return &e.PreventRecursion }},
	{Name: "delay_until_recursion", Label: "Recursion level",
		Help: "triggers only through recursion, from this level on; 0: off", Max: maxNumber,
		At: func(e *storage.LoreEntry) any { return &e.DelayUntilRecursion }},
}

var chanceFields = []entrySpec{
	{Name: "use_probability", Label: "Use probability", Help: "whether the probability applies",
		At: func(e *storage.LoreEntry) any { return &e.UseProbability }},
	{Name: "probability", Label: "Probability", Help: "how often it triggers when matched, in percent",
		Max: 100, At: func(e *storage.LoreEntry) any { return &e.Probability }},
	{Name: "group", Label: "Groups", Help: "group names, separated by commas; one entry per group is used",
		At: func(e *storage.LoreEntry) any { return &e.Group }},
	{Name: "group_override", Label: "Prioritize", Help: "the entry with the highest order wins, without a roll",
		At: func(e *storage.LoreEntry) any { return &e.GroupOverride }},
	{Name: "group_weight", Label: "Group weight", Help: "its weight in the random choice of a group",
		Max: maxNumber, At: func(e *storage.LoreEntry) any { return &e.GroupWeight }},
	{Name: "use_group_scoring", Label: "Group scoring",
		Help: "whether the entry with the most matching keys wins its group",
		At:   func(e *storage.LoreEntry) any { return &e.UseGroupScoring }},
}

var timeFields = []entrySpec{
	{Name: "sticky", Label: "Sticky", Help: "how many messages it stays active after triggering; 0: none",
		Max: maxNumber, At: func(e *storage.LoreEntry) any { return &e.Sticky }},
	{Name: "cooldown", Label: "Cooldown", Help: "how many messages it cannot trigger afterwards; 0: none",
		Max: maxNumber, At: func(e *storage.LoreEntry) any { return &e.Cooldown }},
	{Name: "delay", Label: "Delay", Help: "how many messages the chat needs before it can trigger; 0: none",
		Max: maxNumber, At: func(e *storage.LoreEntry) any { return &e.Delay }},
}

var filterFields = []entrySpec{
	{Name: "filter_characters", Label: "Characters", Help: "character names, one per line: it triggers only for them",
		Path: "characters.names", Rows: 2, At: namesOf},
	{Name: "filter_tags", Label: "Tags", Help: "character tags, one per line",
		Path: "characters.tags", Rows: 2, At: tagsOf},
	{Name: "filter_exclude", Label: "Exclude",
		Help: "triggers for all except these characters and tags, instead of only for them",
		Path: "characters.exclude", At: excludeOf,
		Choices: []field.Choice{{Value: "false", Label: "no"}, {Value: "true", Label: "yes"}}},
	{Name: "triggers", Label: "Requests",
		Help: "requests it triggers for, one per line: normal, continue, swipe, regenerate, impersonate, quiet",
		Rows: 2, At: func(e *storage.LoreEntry) any { return &e.Triggers }},
}

var sourceFields = []entrySpec{
	{Name: "match_persona", Label: "Persona", Help: "the persona description is searched too",
		At: func(e *storage.LoreEntry) any { return &e.MatchPersona }},
	{Name: "match_description", Label: "Description", Help: "the character's description is searched too",
		At: func(e *storage.LoreEntry) any { return &e.MatchDescription }},
	{Name: "match_personality", Label: "Personality", Help: "the character's personality is searched too",
		At: func(e *storage.LoreEntry) any { return &e.MatchPersonality }},
	{Name: "match_depth_prompt", Label: "Depth prompt", Help: "the character's note at a depth is searched too",
		At: func(e *storage.LoreEntry) any { return &e.MatchDepthPrompt }},
	{Name: "match_scenario", Label: "Scenario", Help: "the scenario is searched too",
		At: func(e *storage.LoreEntry) any { return &e.MatchScenario }},
	{Name: "match_creator_notes", Label: "Creator notes", Help: "the card's creator's notes are searched too",
		At: func(e *storage.LoreEntry) any { return &e.MatchCreatorNotes }},
}

// TypeChoices returns the choices for the type of an entry.
func TypeChoices(types []string) []field.Choice {
	return append([]field.Choice{{}}, field.Choices(types...)...)
}

var logics = []field.Choice{
	choiceOf(storage.AndAny, "and any of them"), choiceOf(storage.AndAll, "and all of them"),
	choiceOf(storage.NotAny, "and none of them"), choiceOf(storage.NotAll, "and not all of them"),
}

var positions = []field.Choice{
	choiceOf(storage.BeforeChar, "before the character"), choiceOf(storage.AfterChar, "after the character"),
	choiceOf(storage.BeforeExamples, "before the examples"), choiceOf(storage.AfterExamples, "after the examples"),
	choiceOf(storage.NoteTop, "top of the author's note"), choiceOf(storage.NoteBottom, "end of the author's note"),
	choiceOf(storage.AtDepth, "at a depth"), choiceOf(storage.Outlet, "outlet"),
}

func choiceOf(v encoding.TextMarshaler, words string) field.Choice {
	text, _ := v.MarshalText() // never fails
	return field.Choice{Value: string(text), Label: words}
}

// roleOf returns the role of an entry; one without a role has that of the system.
func roleOf(e *storage.LoreEntry) any {
	role := func() string { return cmp.Or(string(e.Role), string(storage.System)) }
	return field.Computed{Get: role, Put: func(text string) error {
		if text != role() {
			e.Role = storage.Role(text)
		}
		return nil
	}}
}

func namesOf(e *storage.LoreEntry) any {
	return filterList(e, func(f *storage.LoreFilter) *[]string { return &f.Names })
}

func tagsOf(e *storage.LoreEntry) any {
	return filterList(e, func(f *storage.LoreFilter) *[]string { return &f.Tags })
}

func filterList(e *storage.LoreEntry, list func(f *storage.LoreFilter) *[]string) field.ListValue {
	return field.ListValue{Get: func() []string {
		f := filterOf(e)
		return *list(&f)
	}, Put: func(items []string) {
		f := filterOf(e)
		*list(&f) = items
		setFilter(e, f)
	}}
}

func excludeOf(e *storage.LoreEntry) any {
	return field.Computed{
		Get: func() string { return strconv.FormatBool(filterOf(e).Exclude) },
		Put: func(text string) error {
			f := filterOf(e)
			f.Exclude = text == "true"
			setFilter(e, f)
			return nil
		},
	}
}

// filterOf returns the filter of an entry, an empty one for none.
func filterOf(e *storage.LoreEntry) storage.LoreFilter {
	if e.Characters == nil {
		return storage.LoreFilter{}
	}
	return *e.Characters
}

// setFilter gives an entry a filter, which other entries do not share.
func setFilter(e *storage.LoreEntry, f storage.LoreFilter) {
	if e.Characters = nil; f.Exclude || len(f.Names)+len(f.Tags) > 0 {
		e.Characters = &f
	}
}

// maxKeys is the maximum number of keys of each kind in an entry.
const maxKeys = 1000

// checkKeyCount bounds the keys of an entry.
func checkKeyCount(e *storage.LoreEntry) error {
	if len(e.Keys) > maxKeys || len(e.SecondaryKeys) > maxKeys {
		return fmt.Errorf("at most %d keys", maxKeys)
	}
	return nil
}

// Changes returns the fields that differ between two states of an entry, without the content. Lists
// are joined with commas.
func Changes(before, after *storage.LoreEntry) []field.Change {
	list := slices.DeleteFunc(EntryFields.Diff(before, after), func(c field.Change) bool { return c.Name == "content" })
	for i, c := range list {
		if EntryFields.Find(c.Name).Kind() == field.List {
			list[i].Before, list[i].After = strings.ReplaceAll(
				c.Before,
				"\n",
				", ",
			), strings.ReplaceAll(
				c.After,
				"\n",
				", ",
			)
		}
	}
	return list
}
