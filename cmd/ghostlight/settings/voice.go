package settings

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
)

// The bounds of the user's own list of phrases.
const (
	maxPhrases = 10_000
	maxPhrase  = 500 // bytes
)

// Voice say how replies are to sound.
type Voice struct {
	Backtrack *bool    `toml:"backtrack" json:"backtrack"`
	Sets      []string `toml:"sets" json:"sets"`
	Phrases   []string `toml:"phrases" json:"phrases"`
	Allowed   []string `toml:"allowed" json:"allowed"`
	Cut       string   `toml:"cut" json:"cut"`
	User      *bool    `toml:"user" json:"user"`
	Speaker   *bool    `toml:"speaker" json:"speaker"`
	Repeat    *bool    `toml:"repeat" json:"repeat"`
	Language  *bool    `toml:"language" json:"language"`
	Items     *int     `toml:"list_items" json:"list_items"`
	Ends      *bool    `toml:"ends" json:"ends"`
	Length    string   `toml:"length" json:"length"`
}

// setName matches a valid name of a list. Whether the user has a file of that name is not known
// here.
var setName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + config.SetName + `$`) })

// The words of voice.cut and of voice.length.
var (
	cutWords    = []string{"phrase", "sentence"}
	lengthWords = append([]string{"any"}, config.Lengths()...)
)

const (
	defaultItems = 20
	maxItems     = 1000
)

func (s Voice) withDefaults() Voice {
	if s.Phrases == nil {
		s.Phrases = []string{}
	}
	if s.Allowed == nil {
		s.Allowed = []string{}
	}
	if s.Sets == nil {
		s.Sets = []string{config.SetAuto}
	}
	for _, b := range []**bool{&s.Backtrack, &s.User, &s.Speaker, &s.Language, &s.Ends} {
		*b = new(!IsOff(*b))
	}
	s.Repeat = new(s.Repeat != nil && *s.Repeat) // songs and oaths come back too
	if s.Items == nil {
		s.Items = new(defaultItems)
	}
	s.Cut, s.Length = cmp.Or(s.Cut, cutWords[0]), cmp.Or(s.Length, lengthWords[0])
	return s
}

func (s Voice) check() error {
	for name, list := range map[string][]string{config.SettingPhrases: s.Phrases, config.SettingAllowed: s.Allowed} {
		if err := checkPhrases(name, list); err != nil {
			return err
		}
	}
	known := append([]string{config.SetAuto}, phrases.Languages()...)
	for _, set := range s.Sets {
		if !setName().MatchString(set) {
			return refuse("voice.sets", "contains %q, which is no list: use %s, or the name of a file of your own "+
				"(lower-case letters, digits, - and _)", set, strings.Join(known, ", "))
		}
	}
	switch {
	case s.Cut != "" && !slices.Contains(cutWords, s.Cut):
		return refuse("voice.cut", "must be one of %s, not %q", strings.Join(cutWords, ", "), s.Cut)
	case s.Length != "" && !slices.Contains(lengthWords, s.Length):
		return refuse("voice.length", "must be one of %s, not %q", strings.Join(lengthWords, ", "), s.Length)
	case s.Items != nil && (*s.Items < 0 || *s.Items > maxItems):
		return refuse("voice.list_items", "must be from 0 (no limit) to %d, not %d", maxItems, *s.Items)
	}
	return nil
}

func checkPhrases(name string, list []string) error {
	if len(list) > maxPhrases {
		return refuse(name, "may have at most %d phrases, not %d", maxPhrases, len(list))
	}
	for _, p := range list {
		switch {
		case strings.TrimSpace(p) == "":
			return refuse(name, "has a phrase without words")
		case len(p) > maxPhrase:
			return refuse(name, "has a phrase of %d bytes; the limit is %d", len(p), maxPhrase)
		case len(p) > 2 && strings.HasPrefix(p, "/") && strings.HasSuffix(p, "/"):
			if _, err := regexp.Compile(p[1 : len(p)-1]); err != nil {
				return refuse(name, "has a regular expression that cannot be read: %s", err)
			}
		}
	}
	return nil
}

// Config returns the section in the engine's form.
func (s Voice) Config() config.Voice {
	s = s.withDefaults()
	v := config.Voice{Phrases: s.Phrases, Allowed: s.Allowed, Backtrack: *s.Backtrack,
		Sets: s.Sets, Sentence: s.Cut == cutWords[1],
		User: *s.User, Speaker: *s.Speaker, Repeat: *s.Repeat, Language: *s.Language, Items: *s.Items, Ends: *s.Ends}
	if s.Length != lengthWords[0] {
		v.Length = s.Length
	}
	return v
}
