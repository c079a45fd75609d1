package capture

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// hours is a set of times of day, and weathers one of the sky.
var (
	hours = map[string]uint8{"dawn": 1, "sunrise": 1, "daybreak": 1, "morning": 3, "noon": 4, "midday": 4, "noonday": 4, "afternoon": 12, "sunset": 16, "dusk": 16 | 32, "twilight": 1 | 16 | 32,
		"evening": 8 | 16 | 32, "night": 32, "midnight": 32, "nighttime": 32, "tonight": 32, "moonlight": 32 | 16 | 1, "moonlit": 32 | 16 | 1, "starlight": 32, "starlit": 32,
		"daylight": 1 | 2 | 4 | 8 | 16, "sunlight": 1 | 2 | 4 | 8 | 16, "sunlit": 1 | 2 | 4 | 8 | 16, "sunshine": 2 | 4 | 8 | 16, "sunny": 2 | 4 | 8 | 16}
	weathers = map[string]uint8{"rain": 1, "raining": 1, "rainy": 1, "downpour": 1, "drizzle": 1, "storm": 1 | 2, "stormy": 1 | 2, "snow": 4, "snowing": 4, "snowfall": 4, "blizzard": 4,
		"overcast": 1 | 2 | 4 | 8, "cloudless": 16, "sunny": 16, "sunshine": 16}
	// elsewhen stand before a time that is not now.
	elsewhen = wordSet("until till since before after by towards toward for last yesterday tomorrow every each next all")
)

// notNow tells whether the word at i speaks of something that is not to be seen:
// a comparison, another time, a picture, a name such as night-stand.
func notNow(list []term, i int) bool {
	t := list[i]
	if t.own {
		return true
	}
	for j := i - 1; j >= max(0, i-8) && list[j].sentence == t.sentence; j-- {
		low := list[j].low
		if copies[low] || i-j <= 4 && (likeness[low] || negations[low]) || i-j <= 2 && elsewhen[low] {
			return true
		}
	}
	if i+1 < len(list) && list[i+1].sentence == t.sentence && !list[i+1].comma {
		return compoundTails[list[i+1].low]
	}
	return false
}

// compoundTails make a time part of a name: a night gown.
var compoundTails = wordSet("gown dress shirt stand table club nurse bag hat boots coat train shift watch watchman guard porter bus newspaper paper prayer star market school")

// saidOf are the words of a prompt that speak of place, time or weather.
func saidOf(list []term) (out []int) {
	for i, t := range list {
		if hours[t.low] != 0 || weathers[t.low] != 0 || places[t.low] != 0 {
			out = append(out, i)
		}
	}
	return out
}

// disagreeLight compares a fact about time and weather with a prompt.
func disagreeLight(f storage.Fact, list []term, said []int, say func(string, ...any)) {
	for _, known := range []map[string]uint8{hours, weathers} {
		var want uint8
		for _, t := range terms(f.Text) {
			if m := known[t.low]; m != 0 && want&m != 0 {
				want &= m
			} else {
				want |= m
			}
		}
		if want == 0 {
			continue
		}
		for _, i := range said {
			t := list[i]
			if m := known[t.low]; m != 0 && m&want == 0 && !notNow(list, i) {
				say("the sheet says the light is %s, the prompt says %s", clipped(strings.TrimSpace(f.Text), 80), t.low)
				break
			}
		}
	}
}

// places are the words of places, by what they have in common.
var places = func() map[string]int {
	out := map[string]int{}
	for i, words := range []string{"theatre theater stage auditorium backstage wings prompt-corner", "kitchen", "café cafe coffeehouse", "tavern inn pub bar saloon", "library bookshop",
		"forest woods woodland grove", "beach shore seaside seashore", "street alley pavement sidewalk boulevard", "office", "park garden", "train carriage compartment", "palace castle throne-room court",
		"bedroom", "bathroom", "church chapel cathedral", "harbour harbor pier dock quay jetty", "ship boat deck", "desert dunes", "mountain mountainside summit", "field meadow",
		"hospital ward", "school classroom", "market bazaar", "cave cavern", "prison cell dungeon", "attic loft", "cellar basement", "rooftop", "spaceship"} {
		for w := range strings.FieldsSeq(words) {
			out[w] = i + 1
		}
	}
	return out
}()

// within lead to where something is.
var within = wordSet("in at inside within on aboard")

// disagreePlace compares a fact about the place with a prompt: the prompt is
// somewhere, and nothing in it is of the sheet's place.
func disagreePlace(f storage.Fact, list []term, said []int, say func(string, ...any)) {
	want := map[int]bool{}
	for _, t := range terms(f.Text) {
		if p := places[t.low]; p != 0 {
			want[p] = true
		}
	}
	if len(want) == 0 {
		return
	}
	elsewhere := ""
	for _, i := range said {
		t := list[i]
		p := places[t.low]
		switch {
		case p == 0:
		case want[p]:
			return
		case elsewhere == "" && placed(list, i) && !notNow(list, i):
			elsewhere = t.low
		}
	}
	if elsewhere != "" {
		say("the sheet says the place is %s, the prompt says %s", clipped(strings.TrimSpace(f.Text), 80), elsewhere)
	}
}

// placed tells whether the word at i is where things are: "in a small kitchen".
func placed(list []term, i int) bool {
	if i+1 < len(list) && list[i+1].sentence == list[i].sentence && !list[i+1].comma && !closers[list[i+1].low] {
		return false // kitchen door
	}
	for j := i - 1; j >= max(0, i-4) && list[j].sentence == list[i].sentence && !list[j+1].comma; j-- {
		switch low := list[j].low; {
		case within[low]:
			return j+1 < i && (articlesAll[list[j+1].low] || pronouns[list[j+1].low] || list[j+1].own)
		case closers[low] && !pronouns[low]:
			return false
		}
	}
	return false
}
