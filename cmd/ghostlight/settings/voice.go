package settings

import (
	"regexp"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
)

// The bounds of the user's own list of phrases.
const (
	mostPhrases = 10_000
	mostPhrase  = 500 // bytes
)

// Voice say how replies are to sound.
type Voice struct {
	Phrases []string `toml:"phrases" json:"phrases"`
}

func (s Voice) withDefaults() Voice {
	if s.Phrases == nil {
		s.Phrases = []string{}
	}
	return s
}

func (s Voice) check() error {
	if len(s.Phrases) > mostPhrases {
		return refuse("voice.phrases", "may have %d phrases at the most, not %d", mostPhrases, len(s.Phrases))
	}
	for _, p := range s.Phrases {
		switch {
		case strings.TrimSpace(p) == "":
			return refuse("voice.phrases", "has a phrase without words")
		case len(p) > mostPhrase:
			return refuse("voice.phrases", "has a phrase of %d bytes; one may have %d at the most", len(p), mostPhrase)
		case len(p) > 2 && strings.HasPrefix(p, "/") && strings.HasSuffix(p, "/"):
			if _, err := regexp.Compile(p[1 : len(p)-1]); err != nil {
				return refuse("voice.phrases", "has a regular expression that cannot be read: %s", err)
			}
		}
	}
	return nil
}

// Config is the section as the engine takes it.
func (s Voice) Config() config.Voice { return config.Voice{Phrases: s.Phrases} }
