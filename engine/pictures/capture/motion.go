package capture

import (
	"fmt"
	"strings"
)

var (
	// still are verbs that move nothing, and words that end as verbs do.
	still = wordSet("is has was as its this his hers stands sits lies rests remains stays waits seems looks appears wears holds shows frames glass across perhaps always " +
		"during king ring thing morning evening ceiling clothing lighting painting string something nothing everything anything standing sitting lying resting remaining staying waiting wearing " +
		"hands eyes lips fingers shadows walls curtains seats rows boards ropes stairs steps lights candles leaves clouds waves legs arms shoulders boots gloves books papers windows doors " +
		"spring wing being dress less darkness stillness us process focus lens canvas grass brass moss cross press princess actress building")
	// motions say that something moves, or that the camera does, or does not.
	motions = wordSet("moves move moving drifts drift turns turn rises falls sways flickers pans pan tilts tracks dolly dollies zooms pushes pulls glides slides walks runs " +
		"steps leans lifts lowers reaches opens closes swings trembles breathes blinks shakes spins flows ripples flutters burns curls swirls follows circles orbits raises draws " +
		"motionless slow-motion static")
	readable = wordSet("caption captions subtitle subtitles lettering text signage watermark logo")
)

// checkMotion misses movement in a video's prompt, and finds what would have to
// be read: video models write no letters.
func checkMotion(prompt string) (faults []Fault) {
	moves := false
	list := terms(prompt)
	for i, t := range list {
		moves = moves || motions[t.low] || !still[t.low] && strings.HasSuffix(t.low, "ing") && len(t.low) > 5 || verbAfter(list, i)
	}
	if !moves && Words(prompt) > 0 {
		faults = append(faults, Fault{
			"Nothing moves in the prompt; a video needs motion.",
			"Nothing moves in the prompt. Say in the present tense what moves and changes, and how the camera moves.",
		})
	}
	for i, t := range list {
		if !readable[t.low] || notWanted(list, i) {
			continue
		}
		return append(faults, Fault{
			fmt.Sprintf("The prompt speaks of words on the screen (%q).", t.word),
			fmt.Sprintf("The prompt speaks of words on the screen (%q). Leave out everything that would have to be read.", t.word),
		})
	}
	return faults
}

// verbAfter tells whether the word at i is what a pronoun or a name does.
func verbAfter(list []term, i int) bool {
	t := list[i]
	if i == 0 || still[t.low] || !strings.HasSuffix(t.low, "s") || len(t.low) < 4 || t.comma || list[i-1].sentence != t.sentence {
		return false
	}
	before := list[i-1]
	return before.low == "he" || before.low == "she" || before.low == "it" || before.low != before.word && !before.own && t.low == t.word
}

// notWanted tells whether the word at i is named as what must not be there.
func notWanted(list []term, i int) bool {
	for j := i - 1; j >= max(0, i-5) && list[j].sentence == list[i].sentence; j-- {
		if negations[list[j].low] {
			return true
		}
	}
	return false
}
