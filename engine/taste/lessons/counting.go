package lessons

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// EditsOf is how many of the user's edits show a lesson of a scene: those that its
// evidence names, each once, none that mends a mistake. Where it names none, those
// that speak of the same count as one. It is 0 where no edit shows it.
func EditsOf(m storage.TasteMemory, l storage.SceneLearning) int { return editsOf(m.Events, l) }

func editsOf(events []storage.EditEvent, l storage.SceneLearning) int {
	shows := func(e storage.EditEvent) bool { return isEdit(e) && !isMended(e) }
	var named []int
	for _, n := range eventNumbers(l.Evidence) {
		if n >= 1 && n <= len(events) && !slices.Contains(named, n) && shows(events[n-1]) {
			named = append(named, n)
		}
	}
	if len(named) > 0 {
		return len(named)
	}
	if slices.ContainsFunc(restsOn(events, l), shows) {
		return 1
	}
	return 0
}

// supported tells whether a lesson rests on anything. Of a memory without events it is
// not known.
func supported(m storage.TasteMemory, l storage.SceneLearning) bool {
	return len(m.Events) == 0 || editsOf(m.Events, l) > 0
}

// bounded is how sure a lesson of a scene can be at most: sure where two edits show
// it or the user says so, low where none does.
func bounded(events []storage.EditEvent, l storage.SceneLearning) storage.Confidence {
	n := editsOf(events, l)
	in := func(e storage.EditEvent) bool { return isEdit(e) && e.UserText != "" }
	switch {
	case n == 0:
		return storage.LowConfidence
	case n > 1 || slices.ContainsFunc(restsOn(events, l), in):
		return storage.HighConfidence
	}
	return storage.MediumConfidence
}

// SeenWords say how often a preference was shown, as it was counted; "" where nobody
// has counted.
func SeenWords(c storage.CardCount) string {
	switch {
	case c.Scenes == 0:
		return ""
	case c.Edits == 0:
		return "shown in " + counted(c.Scenes, "scene")
	}
	return fmt.Sprintf("shown by %s in %s", counted(c.Edits, "edit"), counted(c.Scenes, "scene"))
}

// claims are words on how often something was done: the program counts that.
var claims = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i) *\b(?:(?:very |quite |most )?often|usually|frequently|repeatedly|consistently|regularly|constantly|invariably|mostly|mainly|almost always|always|several times|many times|multiple times|every time|each time|time and again|again and again|` +
		`(?:more|less) than (?:once|by chance)|(?:once|twice|thrice)|(?:in )?(?:all|most|many|several|both|two|three|four|five|six|seven|eight|nine|ten|\d+)(?: (?:out )?of (?:the )?(?:two|three|four|five|six|seven|eight|nine|ten|\d+))? (?:times|scenes|edits|occasions|cases)|` +
		`oft|häufig|meist|meistens|mehrmals|mehrfach|jedes Mal|souvent|toujours|plusieurs fois|a menudo|siempre|varias veces)\b`)
})

// unclaimed is a text without words on how often.
func unclaimed(text string) string {
	out := prompts.OneLine(claims().ReplaceAllString(text, ""))
	out = strings.NewReplacer(" .", ".", " ,", ",", " ;", ";").Replace(out)
	return strings.TrimLeft(out, " ,;")
}
