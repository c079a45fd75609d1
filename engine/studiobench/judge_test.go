package studiobench

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// judge reads prompts with word lists of its own: it shares nothing with what the program
// checks by, so that both cannot be blind in the same place.
type judge struct{ axis, key, words string }

var lists = []judge{
	{"shot", "extreme-wide", "extreme wide shot"}, {"shot", "wide", "wide shot|long shot"}, {"shot", "full", "full shot|full-length shot|head to foot"},
	{"shot", "medium", "medium shot|from the waist up"}, {"shot", "medium-close", "medium close-up"}, {"shot", "close", "close-up"},
	{"shot", "detail", "extreme close-up"}, {"shot", "other", "medium wide shot"},
	{"angle", "eye", "eye level|eye-level"}, {"angle", "low", "low angle|low-angle|seen from below|below eye level|camera looking up|camera looks up"},
	{"angle", "high", "high angle|high-angle|seen from above|camera looking down|camera looks down"}, {"angle", "overhead", "straight above|top-down|overhead view|bird's-eye"},
	{"angle", "ground", "ground level|ground-level|close to the floor"}, {"angle", "dutch", "dutch angle|canted|tilted horizon"}, {"angle", "shoulder", "over-the-shoulder"},
	{"angle", "profile", "in profile|profile view|side view"}, {"angle", "behind", "from behind|back view|seen from the back"},
	{"light", "golden-hour", "golden hour|golden-hour|setting sun"}, {"light", "blue-hour", "blue hour|blue-hour"}, {"light", "overcast", "overcast"},
	{"light", "noon", "midday"}, {"light", "moon", "moonlight"}, {"light", "candle", "candle"}, {"light", "fire", "firelight"}, {"light", "lamp", "single lamp|lamplight|only source of light"},
	{"light", "stage", "spotlight"}, {"light", "studio", "studio lighting"}, {"light", "window", "side window|window light"}, {"light", "neon", "neon"},
	{"light", "back", "backlight"}, {"light", "chiaroscuro", "chiaroscuro"}, {"light", "morning", "morning light"},
}

// says are the values of an axis that a prompt names. A longer phrase hides the shorter
// ones in it.
func says(prompt, axis string) map[string]bool {
	low := strings.ToLower(prompt)
	type hit struct {
		from, to int
		key      string
	}
	var hits []hit
	for _, l := range lists {
		if l.axis != axis {
			continue
		}
		for w := range strings.SplitSeq(l.words, "|") {
			for at := 0; ; {
				i := strings.Index(low[at:], w)
				if i < 0 {
					break
				}
				hits = append(hits, hit{at + i, at + i + len(w), l.key})
				at += i + len(w)
			}
		}
	}
	out := map[string]bool{}
	for _, h := range hits {
		hidden := false
		for _, o := range hits {
			hidden = hidden || o.from <= h.from && o.to >= h.to && o.to-o.from > h.to-h.from
		}
		if !hidden {
			out[h.key] = true
		}
	}
	return out
}

// contradicts tells whether a prompt names on an axis that was chosen something else.
func contradicts(prompt string, c storage.Camera) (why string) {
	for axis, key := range map[string]string{"shot": c.Shot, "angle": c.Angle, "light": c.Lighting} {
		if key == "" {
			continue
		}
		for other := range says(prompt, axis) {
			together := axis == "light" && (key == "back" || key == "chiaroscuro" || other == "back" || other == "chiaroscuro")
			if other != key && !together {
				return axis + " " + key + ", and the prompt says " + other
			}
		}
	}
	return ""
}

// lacks tells whether a prompt does not name what was chosen.
func lacks(prompt string, c storage.Camera) string {
	for axis, key := range map[string]string{"shot": c.Shot, "angle": c.Angle, "light": c.Lighting} {
		if key != "" && !says(prompt, axis)[key] {
			return axis + " " + key
		}
	}
	return ""
}
