package voicebench

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

// misbehaviour is something that a model is not to do, as the demo server does it where it is told
// to misbehave.
type misbehaviour struct {
	name, says string
	voice      config.Voice
	company    bool // several characters play
	always     bool // it is watched for whatever the settings say
	finds      func(text string) string
}

var (
	anotherSpeaks = regexp.MustCompile(`(?m)^Bo:`)
	points        = regexp.MustCompile(`(?m)^\d+\. the rope`)
)

const (
	mostPoints = 20
	saidTwice  = "Tove sets the lamp on the edge of the stage, and the dust settles around it."
)

// misbehaviours returns what is watched for beside phrases and words for the user.
func misbehaviours() []misbehaviour {
	has := func(what string) func(string) string {
		return func(text string) string {
			if strings.Contains(normalize(text), normalize(what)) {
				return what
			}
			return ""
		}
	}
	return []misbehaviour{
		{"tokens of its template", "template", config.Voice{}, false, true, has("<|im_start|>user")},
		{"another speaker's line", "speaker", config.Voice{Speaker: true}, true, false, anotherSpeaks.FindString},
		{"a sentence that was said before", "repeat", config.Voice{Repeat: true}, false, false, func(text string) string {
			if strings.Count(text, saidTwice) > 1 {
				return saidTwice
			}
			return ""
		}},
		{"another script", "language", config.Voice{Language: true}, false, false, has("Она уходит с лампой")},
		{"more points than a list may have", "list", config.Voice{Items: mostPoints}, false, false, func(text string) string {
			if n := len(points.FindAllString(text, -1)); n > mostPoints+1 { // the one that is one too many is cut when it is whole
				return fmt.Sprint(n, " points")
			}
			return ""
		}},
	}
}

// Whatever a model does that is watched for does not reach the user, and the reply goes on or
// ends in order; without the watch it does reach the user.
func TestVoiceBench_Ways(t *testing.T) {
	var rows [][2]string
	for _, w := range misbehaviours() {
		for _, manner := range []string{"", " stubborn"} {
			f := misbehave(t, w, manner, true)
			rows = append(rows, [2]string{"replies that try " + w.name + manner, fmt.Sprintf("%d, shown in %d, cut %d times, in mid-sentence %d", f.replies, f.shown, f.cuts, f.midSentence)})
			if f.shown > 0 || f.midSentence > 0 || f.cuts+f.rejected < f.replies {
				t.Errorf("%s%s: %+v", w.name, manner, f)
			}
		}
		if f := misbehave(t, w, "", false); f.shown != f.replies && !w.always {
			t.Errorf("nothing is watched, and %s is shown in %d of %d replies: it proves nothing", w.name, f.shown, f.replies)
		}
	}
	t.Logf("\n%s", table(rows))
}

// misbehave plays replies of a model that tries one thing, each in a chat of its own.
func misbehave(t *testing.T, w misbehaviour, manner string, watched bool) (f results) {
	t.Helper()
	v := w.voice
	v.Backtrack, v.Ends = watched, true
	s := enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Voice, o.Servers.Record = v, false })
	for range max(2, *replies/20) {
		c, err := s.Chats.New(s.View().Chat.Character, "")
		if err != nil {
			t.Fatal(err)
		}
		if s.Chat = c.ID; w.company {
			s.Joined("Bo")
		}
		f.quiet = !watched
		f.playReply(t, s, w.finds, "Robin", "misbehave "+w.says+manner)
	}
	return f
}
