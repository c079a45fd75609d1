package config

import (
	"encoding/json"
	"slices"
	"strings"
)

// Voice configures the wording of replies. The zero value leaves every reply as the model writes
// it.
type Voice struct {
	// Phrases are phrases that the user does not want to read again: plain ones, or regular
	// expressions between slashes. Allowed are phrases that are accepted even if a list contains
	// them.
	Phrases, Allowed []string
	// Backtrack ends a reply where it becomes what is not wanted, and has the model go on
	// from before that. Without it nothing else here but Ends and Length counts.
	Backtrack bool
	// Sets are the lists that are looked for where a chat does not say: SetAuto, or
	// languages that have one, or files. The user's own and the card's always are.
	Sets []string
	// Sentence cuts where the sentence begins, in place of before the phrase.
	Sentence bool
	// User, Speaker, Repeat and Language enable checks: for words written for the user, the wrong
	// speaker, repeated sentences, and another script.
	User, Speaker, Repeat, Language bool
	Items                           int    // points that a list may have, 0 for any number
	Ends                            bool   // a reply that its limit would cut ends with its last full sentence
	Length                          string // one of Lengths, "" if not set
}

// SetAuto are all lists that come with the program, SetMine the user's own and
// SetCard the card's.
const (
	SetAuto = "auto"
	SetMine = "mine"
	SetCard = "card"
)

// SetName is a regular expression for the names of the user's own phrase lists.
const SetName = `[a-z0-9][a-z0-9_-]{0,39}`

// The lengths that a reply can be asked for.
const (
	LengthShort  = "short"
	LengthMedium = "medium"
	LengthLong   = "long"
	LengthMoment = "moment" // as the moment wants
)

// Lengths returns the lengths that a reply can be asked for, from the shortest.
func Lengths() []string { return []string{LengthShort, LengthMedium, LengthLong, LengthMoment} }

// Words returns about how many words a length means, 0 for any number.
func Words(length string) int {
	return map[string]int{LengthShort: 80, LengthMedium: 200, LengthLong: 450}[length]
}

// The settings that hold Voice.Phrases and Voice.Allowed.
const (
	SettingPhrases = "voice.phrases"
	SettingAllowed = "voice.allowed"
)

// Ban returns the value of SettingPhrases with one more phrase; added reports whether it was not
// there already, in whatever case.
func (v Voice) Ban(phrase string) (value string, added bool) {
	phrase = strings.TrimSpace(phrase)
	list := slices.Clone(v.Phrases)
	if added = phrase != "" && !slices.ContainsFunc(list, same(phrase)); added {
		list = append(list, phrase)
	}
	return listed(list), added
}

// Allow returns the value of SettingPhrases without a phrase.
func (v Voice) Allow(phrase string) (value string) {
	return listed(v.Without(phrase))
}

// Without returns the phrases but for one.
func (v Voice) Without(phrase string) []string {
	return slices.DeleteFunc(slices.Clone(v.Phrases), same(strings.TrimSpace(phrase)))
}

// AllowForEver returns the value of SettingAllowed with one more phrase; added reports whether it
// was not there already, in whatever case. Disallow is its value without one.
func (v Voice) AllowForEver(phrase string) (value string, added bool) {
	return Voice{Phrases: v.Allowed}.Ban(phrase)
}

// Disallow returns the value of SettingAllowed without a phrase.
func (v Voice) Disallow(phrase string) (value string) {
	return Voice{Phrases: v.Allowed}.Allow(phrase)
}

func same(phrase string) func(string) bool {
	return func(have string) bool { return strings.EqualFold(have, phrase) }
}

// listed returns a list as the config file has it, which takes the strings of JSON.
func listed(list []string) string {
	text, err := json.Marshal(append([]string{}, list...))
	if err != nil {
		panic(err) // texts can always be written
	}
	return string(text)
}
