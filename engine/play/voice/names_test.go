package voice_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
)

// Somebody is identified by the whole name and by its parts, but never by a name that the speaker
// has too.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, speaker, want string }{
		{"Ada Brandt", "Tove", "Ada Brandt|Ada|Brandt"},
		{"Ada Brandt", "Ada Lund", "Ada Brandt|Brandt"},
		{"Dr. Brandt", "Tove", "Dr. Brandt|Brandt"},
		{"Bo the  Brave", "Tove", "Bo the Brave|Brave"},
		{"Robert \"Bob\" Miller", "Tove", "Robert \"Bob\" Miller|Robert|Bob|Miller"},
		{"Robert (Bob)", "Bob", "Robert (Bob)|Robert"},
		{"Jo Li", "Tove", "Jo Li"},
		{"tove", "Tove", ""},
		{"", "Tove", ""},
	} {
		if got := strings.Join(voice.Names(tc.name, tc.speaker), "|"); got != tc.want {
			t.Errorf("%q beside %q: %q, want %q", tc.name, tc.speaker, got, tc.want)
		}
	}
}

// In a group, a line of somebody who should not speak is cut also if it has the short name. To
// speak of somebody, or to somebody, is not to speak for them.
func TestWatch_OtherSpeakersByTheirShortNames(t *testing.T) {
	t.Parallel()
	others := append(voice.Names("Bo the Brave", "Tove Halloran"), voice.Names("Tove Lund", "Tove Halloran")...)
	for text, found := range map[string]bool{
		"She waits.\nBo the Brave: Me too.":    true,
		"She waits.\n**Tove Lund:** Me too.":   true,
		"She waits.\nTove: Me too.":            false,
		"She waits.\nBo the Brave laughs.":     false,
		"\"Bo the Brave: a fool,\" she says.":  false,
		"Bo the Brave, come here! Tove: what?": false,
	} {
		f, _ := first(voice.Rules{Others: others}, text, 3)
		if (f != nil && f.Kind == voice.Speaker) != found {
			t.Errorf("%q: %+v", text, f)
		}
	}
}
