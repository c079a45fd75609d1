package chats

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The groups of a regex script's fields after the first ones.
const (
	groupTexts = "Texts"
	groupMore  = "More"
)

// maxDepth is the largest depth of a regex script, in messages.
const maxDepth = 1 << 20

// RegexFields are the fields of a regex script.
var RegexFields = field.Record[storage.RegexScript]{
	Noun: "a regex script",
	New: func() storage.RegexScript {
		return storage.RegexScript{Places: []storage.RegexPlace{storage.RegexUser, storage.RegexReply}, OnEdit: true}
	},
	Fields: slices.Concat([]field.Spec[storage.RegexScript]{
		{Name: "name", Flag: "name", Label: "Name", Help: "the name of the script", Required: true,
			At: func(s *storage.RegexScript) any { return &s.Name }},
		{Name: "find", Flag: "find", Label: "Find", Help: "a JavaScript regex, as /pattern/flags", Rows: 2,
			At: func(s *storage.RegexScript) any { return &s.Find }},
		{Name: "replace", Flag: "replace", Label: "Replace with",
			Help: "the replacement; $1 and $<name> are groups, {{match}} the whole match", Rows: 3,
			At: func(s *storage.RegexScript) any { return &s.Replace }},
		{
			Name:  "only_shown",
			Flag:  "shown",
			Label: "Only shown text",
			Help:  "affect shown text; with neither, shown and sent text",
			At:    func(s *storage.RegexScript) any { return &s.DisplayOnly },
		},
		{Name: "only_sent", Flag: "sent", Label: "Only sent text",
			Help: "affect sent text; with both, imported messages too",
			At:   func(s *storage.RegexScript) any { return &s.PromptOnly }},
		{Name: "places", Flag: "on", Help: "affect `TEXTS`: user, reply, command, lore, thinking",
			Choices: field.Choices(storage.RegexPlaces...), At: func(s *storage.RegexScript) any { return &s.Places }},
	}, placeFields(), []field.Spec[storage.RegexScript]{
		{Name: "on_edit", Flag: "on-edit", Group: groupMore, Label: "Run on edit", Help: "run on edited messages",
			At: func(s *storage.RegexScript) any { return &s.OnEdit }},
		{
			Name:  "trim",
			Flag:  "trim",
			Group: groupMore,
			Label: "Trim out, one per line",
			Help:  "texts removed from groups",
			Rows:  1,
			Split: splitLines,
			Join:  func(items []string) string { return strings.Join(items, "\n") },
			At:    func(s *storage.RegexScript) any { return &s.Trim },
		},
		{Name: "macros", Flag: "macros", Group: groupMore, Label: "Macros",
			Help: "macros in the find pattern: none keeps them, raw inserts their text, escaped inserts it as " +
				"literal text",
			Choices: []field.Choice{
				{Value: "", Label: "none"},
				{Value: string(storage.RegexRaw)},
				{Value: string(storage.RegexEscaped)},
			},
			At: func(s *storage.RegexScript) any { return &s.Macros }},
		{Name: "min_depth", Flag: "min-depth", Group: groupMore, Label: "Min depth",
			Help: "least number of messages after the affected one; none: no limit", Hint: "unlimited",
			Min: -1, Max: maxDepth,
			At: func(s *storage.RegexScript) any { return &s.MinDepth }},
		{Name: "max_depth", Flag: "max-depth", Group: groupMore, Label: "Max depth",
			Help: "greatest number of messages after the affected one; none: no limit", Hint: "unlimited",
			Min: -1, Max: maxDepth,
			At: func(s *storage.RegexScript) any { return &s.MaxDepth }},
	}),
}

// placeFields returns a switch for each kind of text that a script can act on.
func placeFields() (list []field.Spec[storage.RegexScript]) {
	labels := map[storage.RegexPlace]string{storage.RegexUser: "Your messages", storage.RegexReply: "Replies",
		storage.RegexCommand: "Narrators", storage.RegexLore: "Lore", storage.RegexThinking: "Thinking"}
	for _, place := range storage.RegexPlaces {
		list = append(
			list,
			field.Spec[storage.RegexScript]{Name: "on_" + string(place), Group: groupTexts, Label: labels[place],
				Choices: []field.Choice{{Value: "true", Label: "yes"}, {Value: "false", Label: "no"}},
				At: func(s *storage.RegexScript) any {
					return field.Computed{
						Get: func() string { return strconv.FormatBool(s.Acts(place)) },
						Put: func(text string) error { setPlace(s, place, text == "true"); return nil },
					}
				}},
		)
	}
	return list
}

// setPlace sets whether a script applies to a kind of text.
func setPlace(s *storage.RegexScript, place storage.RegexPlace, on bool) {
	var places []storage.RegexPlace
	for _, p := range storage.RegexPlaces {
		if p == place && on || p != place && s.Acts(p) {
			places = append(places, p)
		}
	}
	s.Places = places
}

// splitLines returns the lines of a text that are not empty.
func splitLines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			list = append(list, line)
		}
	}
	return list
}
