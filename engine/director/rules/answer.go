package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Answer is what the director said. A part that was not there is nil; lists that
// were there and empty are not.
type Answer struct {
	Scene    *Scene              `json:"scene,omitempty"`
	Director *storage.Evaluation `json:"director,omitempty"`
	Memories []FoundMemory       `json:"memories,omitempty"`
	Hooks    []FoundHook         `json:"hooks,omitempty"`
	// Numbers of facts, from 1: due hooks that the reply brings up, and hooks whose time in
	// the story has come.
	Taken []int `json:"taken,omitempty"`
	Due   []int `json:"due,omitempty"`
	// Facts that are no longer true, and that are settled.
	Outdated []Ended        `json:"outdated,omitempty"`
	Settled  []Ended        `json:"settled,omitempty"`
	When     *When          `json:"when,omitempty"`
	Picture  *WantedPicture `json:"picture,omitempty"`
}

// Ended is a fact that the messages end: its number, why, and the numbers of the messages
// that show it.
type Ended struct {
	Why  string `json:"why"`
	From []int  `json:"from"`
	Fact int    `json:"fact"`
}

// When is the time of the story after the messages, in its own words, and how many days
// have passed in them.
type When struct {
	Day  string `json:"day"`
	Time string `json:"time"`
	Days int    `json:"days"`
}

// WantedPicture is what picture the user asks for, in the kinds of pictureKinds.
type WantedPicture struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
}

// Scene is what was said of a scene's end.
type Scene struct {
	Rationale string `json:"rationale"`
	Status    bool   `json:"status"`
}

// FoundMemory is something that was found worth remembering, and the numbers of the
// messages that say it. Importance goes from 0 to 1.
type FoundMemory struct {
	From       []int              `json:"from"`
	Type       storage.MemoryType `json:"type"`
	Content    string             `json:"content"`
	Importance float64            `json:"importance"`
	// StoryPlace is where it comes from and who knows that; the caller fills it in.
	Told storage.StoryPlace `json:"-"`
}

// FoundHook is something that was found to be brought up later: after so many
// turns, or at a time of the story.
type FoundHook struct {
	From     []int              `json:"from"`
	Type     storage.HookType   `json:"type"`
	Content  string             `json:"content"`
	Opener   string             `json:"opener,omitempty"`
	Turns    int                `json:"turns"`
	Priority int                `json:"priority"`
	When     string             `json:"when,omitempty"` // the story's own time, in words
	Told     storage.StoryPlace `json:"-"`              // as that of a FoundMemory
}

// What an evaluation may say.
var (
	visualTypes = []string{"none", "character", "object", "atmosphere", "instruction"}
	statuses    = []string{"going", "closing", "done"}
	// pictureKinds are what the user may ask to see, the first for nothing.
	pictureKinds = []string{"none", "image", "video"}
)

// noPicture is the visual type of a moment without one.
const noPicture = "none"

// maxRead is how many entries of a list are read, before those that mean nothing
// are dropped.
const maxRead = 32

// UnmarshalJSON takes an answer in. It fails only on what is no JSON object:
// what has another shape inside counts as not said.
func (a *Answer) UnmarshalJSON(data []byte) error {
	fields, ok := object(data)
	if !ok {
		return errors.New("director's answer: it is no JSON object")
	}
	*a = Answer{}
	if f, ok := object(fields["scene"]); ok {
		a.Scene = &Scene{Rationale: prompts.Text(f["rationale"]), Status: truth(f["status"])}
	}
	if f, ok := object(fields["director"]); ok {
		a.Director = &storage.Evaluation{
			VisualType: prompts.Text(f["visualtype"]), VisualHint: prompts.Text(f["visualhint"]), Status: prompts.Text(f["status"]),
			Tension: int(math.Round(number(f["tension"], 0, 0, 100))), Tone: prompts.Text(f["tone"]), Beat: prompts.Text(f["beat"]),
			Open: prompts.Text(f["open"]), Setting: prompts.Text(f["setting"]), Next: prompts.Text(f["next"]), Why: prompts.Text(f["why"]),
		}
	}
	if list, ok := listOf(fields["memories"]); ok {
		a.Memories = []FoundMemory{}
		for _, raw := range list {
			if f, ok := object(raw); ok {
				a.Memories = append(a.Memories, FoundMemory{From: numbersOf(f["from"]), Type: storage.MemoryType(prompts.Text(f["type"])), Content: prompts.Text(f["content"]),
					Importance: number(f["importance"], usual, 0, math.MaxInt32)})
			}
		}
	}
	if list, ok := listOf(fields["hooks"]); ok {
		a.Hooks = []FoundHook{}
		for _, raw := range list {
			if f, ok := object(raw); ok {
				a.Hooks = append(a.Hooks, FoundHook{From: numbersOf(f["from"]), Type: storage.HookType(prompts.Text(f["type"])), Content: prompts.Text(f["content"]), Opener: prompts.Text(f["opener"]),
					Turns: whole(f["turns"]), When: prompts.Text(f["when"]), Priority: whole(f["priority"])})
			}
		}
	}
	a.Taken, a.Due = numbersOf(fields["taken"]), numbersOf(fields["due"])
	a.Outdated, a.Settled = endedOf(fields["outdated"]), endedOf(fields["settled"])
	if f, ok := object(fields["when"]); ok {
		a.When = &When{Day: prompts.Text(f["day"]), Time: prompts.Text(f["time"]), Days: whole(f["days"])}
	}
	if f, ok := object(fields["picture"]); ok {
		a.Picture = &WantedPicture{Kind: strings.ToLower(prompts.Text(f["kind"])), Subject: prompts.Text(f["subject"])}
	}
	return nil
}

// endedOf reads facts that have ended, also where they come as their numbers alone.
func endedOf(raw json.RawMessage) []Ended {
	list, ok := listOf(raw)
	if !ok {
		return nil
	}
	out := []Ended{}
	for _, raw := range list {
		e := Ended{Fact: numberOf(raw)}
		if f, ok := object(raw); ok {
			e = Ended{Why: prompts.Text(f["why"]), From: numbersOf(f["from"]), Fact: numberOf(f["fact"])}
		}
		if e.Fact > 0 {
			out = append(out, e)
		}
	}
	return out
}

// numbersOf reads numbers above 0; nil where there is no list.
func numbersOf(raw json.RawMessage) []int {
	list, ok := listOf(raw)
	if !ok {
		return nil
	}
	out := []int{}
	for _, raw := range list {
		if n := numberOf(raw); n > 0 {
			out = append(out, n)
		}
	}
	return out
}

// numberOf reads the number of a fact or a message, also where it came as a text: "[2]". It is 0
// where there is none.
func numberOf(raw json.RawMessage) int {
	if n := whole(raw); n > 0 {
		return n
	}
	n, _ := strconv.Atoi(strings.Trim(prompts.Text(raw), " []()#."))
	return n
}

// Usable finds what is wrong with an answer where asking again is worth it, in
// words for the model. What is merely poor is left to Clean.
func (a *Answer) Usable(p Parts, _ Input) error {
	switch {
	case p.Break && a.Scene == nil:
		return errors.New(`"scene" is missing: give {"rationale": "…", "status": false} where no new scene begins`)
	case p.Director && a.Director == nil:
		return errors.New(`"director" is missing: say what you saw, with "status" and "visual_type"`)
	case p.Director && oneOf(a.Director.Status, statuses) == "":
		return fmt.Errorf(`"director" has no "status" that is known: it is one of %s`, strings.Join(statuses, ", "))
	case p.Director && oneOf(a.Director.VisualType, visualTypes) == "":
		return fmt.Errorf(`"director" has no "visual_type" that is known: it is one of %s`, strings.Join(visualTypes, ", "))
	case p.Memories && a.Memories == nil:
		return errors.New(`"memories" is missing: give [] where nothing is worth remembering`)
	case p.Hooks && a.Hooks == nil:
		return errors.New(`"hooks" is missing: give [] where there is nothing to come back to`)
	case p.Picture && (a.Picture == nil || oneOf(a.Picture.Kind, pictureKinds) == ""):
		return fmt.Errorf(`"picture" is missing or has no "kind" that is known: it is one of %s`, strings.Join(pictureKinds, ", "))
	}
	return nil
}

// object reads a JSON object, and reports whether it is one.
func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	m, err := prompts.Object(raw)
	return m, err == nil && m != nil
}

// listOf reads a list; null is an empty one, and a single entry a list of one.
func listOf(raw json.RawMessage) ([]json.RawMessage, bool) {
	if len(raw) == 0 {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	return list[:min(len(list), maxRead)], true
}

// truth reads true, also where it came as a text.
func truth(raw json.RawMessage) bool {
	s := strings.ToLower(strings.TrimSpace(prompts.Text(raw)))
	return string(raw) == "true" || s == "true" || s == "yes"
}

// usual is the importance of what none was given for.
const usual = 0.5

// number reads a number within bounds, also where it came as a text; it is none
// where there is no number.
func number(raw json.RawMessage, none, least, most float64) float64 {
	var n float64
	if json.Unmarshal(raw, &n) != nil {
		var err error
		if n, err = strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(prompts.Text(raw)), "% "), 64); err != nil || math.IsNaN(n) {
			return none
		}
	}
	return min(max(n, least), most)
}

// whole reads a number that is no less than 0 and without a fraction.
func whole(raw json.RawMessage) int { return int(number(raw, 0, 0, 1<<20)) }

// oneOf is the word of a list that is meant, "" for none.
func oneOf(said string, list []string) string {
	said = prompts.PlainName(strings.Trim(prompts.Bounded(said, 80), " \t\r\n.\"'*"))
	for _, w := range list {
		if prompts.PlainName(w) == said {
			return w
		}
	}
	return ""
}
