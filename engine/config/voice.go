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
	// Backtrack stops a reply at unwanted text, and makes the model continue from before it.
	// Without it only Ends and Length have an effect.
	Backtrack bool
	// Sets are the lists that apply if a chat sets none: SetAuto, languages that have one, or
	// files. The user's own list and the card's always apply.
	Sets []string
	// Sentence cuts at the beginning of the sentence instead of before the phrase.
	Sentence bool
	// User, Speaker, Repeat and Language enable checks: for words written for the user, the wrong
	// speaker, repeated sentences, and another script.
	User, Speaker, Repeat, Language bool
	Items                           int    // points that a list may have, 0 for any number
	Ends                            bool   // a reply that its limit would cut ends with its last full sentence
	Length                          string // one of Lengths, "" if not set
}

// SetAuto means all lists that come with the program, SetMine the user's own and SetCard the
// card's.
const (
	SetAuto = "auto"
	SetMine = "mine"
	SetCard = "card"
)

// SetName is a regular expression for the names of the user's own phrase lists.
const SetName = `[a-z0-9][a-z0-9_-]{0,39}`

// The lengths of replies.
const (
	LengthShort  = "short"
	LengthMedium = "medium"
	LengthLong   = "long"
	LengthMoment = "moment" // as the moment wants
)

// Lengths returns the lengths of replies, from the shortest.
func Lengths() []string { return []string{LengthShort, LengthMedium, LengthLong, LengthMoment} }

// WordsOfLength returns the approximate number of words of a length, 0 for any number.
func WordsOfLength(length string) int {
	return map[string]int{LengthShort: 80, LengthMedium: 200, LengthLong: 450}[length]
}

// The settings that hold Voice.Phrases and Voice.Allowed.
const (
	SettingPhrases = "voice.phrases"
	SettingAllowed = "voice.allowed"
)

// Ban returns the value of SettingPhrases with one more phrase; added is false if the phrase was
// there already, in any case.
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

// Without returns the phrases except one.
func (v Voice) Without(phrase string) []string {
	return slices.DeleteFunc(slices.Clone(v.Phrases), same(strings.TrimSpace(phrase)))
}

// AllowForEver returns the value of SettingAllowed with one more phrase; added is false if the
// phrase was there already, in any case.
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

// listed returns a list in the form of the config file, which accepts the strings of JSON.
func listed(list []string) string {
	text, err := json.Marshal(append([]string{}, list...))
	if err != nil {
		panic(err) // texts can always be written
	}
	return string(text)
}
