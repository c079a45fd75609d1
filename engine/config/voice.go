package config

import (
	"encoding/json"
	"slices"
	"strings"
)

// Voice is how replies are to sound.
type Voice struct {
	// Phrases are those that the user does not want to read again: plain ones, or
	// regular expressions between slashes.
	Phrases []string
}

// SettingPhrases is the setting that holds Voice.Phrases.
const SettingPhrases = "voice.phrases"

// Ban is the value of SettingPhrases with one more phrase; added tells whether it was not
// there already, in whatever case.
func (v Voice) Ban(phrase string) (value string, added bool) {
	phrase = strings.TrimSpace(phrase)
	list := slices.Clone(v.Phrases)
	if added = phrase != "" && !slices.ContainsFunc(list, same(phrase)); added {
		list = append(list, phrase)
	}
	return listed(list), added
}

// Allow is the value of SettingPhrases without a phrase.
func (v Voice) Allow(phrase string) (value string) {
	return listed(slices.DeleteFunc(slices.Clone(v.Phrases), same(strings.TrimSpace(phrase))))
}

func same(phrase string) func(string) bool {
	return func(have string) bool { return strings.EqualFold(have, phrase) }
}

// listed is a list as the config file has it, which takes the strings of JSON.
func listed(list []string) string {
	text, err := json.Marshal(append([]string{}, list...))
	if err != nil {
		panic(err) // texts can always be written
	}
	return string(text)
}
