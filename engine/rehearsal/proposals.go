package rehearsal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// turnsOfStory are what may happen next, one of each row at a time; %[1]s is who plays and
// %[2]s a thing of the story.
var turnsOfStory = [3][]string{
	{"%[1]s comes back to the %[2]s and tells what has been left out so far.", "%[1]s asks one plain question about the %[2]s, and waits for the answer.", "%[1]s takes up the %[2]s and shows how it is done."},
	{"Somebody knocks, and %[1]s hides the %[2]s before the door opens.", "The %[2]s is not where %[1]s has left it, and only one other person knew of it.", "%[1]s names a price for the %[2]s that is higher than it was."},
	{"%[1]s gives the %[2]s away, as if it had never mattered.", "%[1]s laughs, and admits that the %[2]s was never what it seemed to be.", "From under the %[2]s %[1]s draws a letter with a broken seal."},
}

// propose says what may happen in the next turn: with who is to speak, and things that the
// story names, the newest first.
func propose(messages []storage.Node, take int) (record, bool) {
	if len(messages) == 0 {
		return nil, false
	}
	asked := messages[len(messages)-1].Content
	who := "Somebody"
	if m := regexp.MustCompile(`Before (.{1,60}?)'s next turn`).FindStringSubmatch(asked); m != nil {
		who = m[1]
	}
	var things []string
	noun := regexp.MustCompile(`\b[Tt]he ([a-z]{3,12})(?:[.,;:!?"*]| (?:and|of|on|in|is|was|with|to|by|at|from|goes)\b)`)
	none := map[string]bool{"rest": true, "way": true, "other": true, "same": true, "first": true, "last": true, "one": true, "end": true, "side": true, "moment": true}
	for i := len(messages) - 2; i >= 0 && len(things) < 6; i-- {
		if r := messages[i].Role; r != storage.User && r != storage.Assistant {
			continue
		}
		for _, m := range noun.FindAllStringSubmatch(messages[i].Content, -1) {
			if !none[m[1]] && !slices.Contains(things, m[1]) {
				things = append(things, m[1])
			}
		}
	}
	if len(things) == 0 {
		things = []string{"lamp"}
	}
	take += strings.Count(asked, "\n- ") / len(turnsOfStory)
	var out []any
	for i, row := range turnsOfStory {
		out = append(out, fmt.Sprintf(row[take%len(row)], who, things[(i+take)%len(things)]))
	}
	return record{"proposals": out}, true
}
