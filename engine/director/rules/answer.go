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

// Answer is the director's answer. A part that was missing is nil; a list that was present and
// empty is not nil.
type Answer struct {
	Scene    *Scene              `json:"scene,omitempty"`
	Director *storage.Evaluation `json:"director,omitempty"`
	Memories []FoundMemory       `json:"memories,omitempty"`
	Hooks    []FoundHook         `json:"hooks,omitempty"`
	// Numbers of facts, from 1: due hooks that the reply brings up, and hooks whose story time has
	// come.
	TakenUp []int `json:"taken,omitempty"`
	Due     []int `json:"due,omitempty"`
	// Facts that are no longer true, and that are settled.
	Outdated []EndedFact    `json:"outdated,omitempty"`
	Settled  []EndedFact    `json:"settled,omitempty"`
	When     *TimeUpdate    `json:"when,omitempty"`
	Picture  *WantedPicture `json:"picture,omitempty"`
}

// EndedFact is a fact that the messages end: its number, why, and the numbers of the messages
// that show it.
type EndedFact struct {
	Why  string `json:"why"`
	From []int  `json:"from"`
	Fact int    `json:"fact"`
}

// TimeUpdate is the time of the story after the messages, in its own words, and how many days
// have passed in them.
type TimeUpdate struct {
	Day  string `json:"day"`
	Time string `json:"time"`
	Days int    `json:"days"`
}

// WantedPicture is the picture that the user asks for. Kind is one of pictureKinds.
type WantedPicture struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
}

// Scene is the part of an answer about the end of a scene.
type Scene struct {
	Rationale string `json:"rationale"`
	Status    bool   `json:"status"`
}

// FoundMemory is a new memory in an answer, and the numbers of its messages. Importance is from 0
// to 1.
type FoundMemory struct {
	From       []int              `json:"from"`
	Type       storage.MemoryType `json:"type"`
	Content    string             `json:"content"`
	Importance float64            `json:"importance"`
	// Mention is the source of the memory; the caller sets it.
	Mention storage.Mention `json:"-"`
}

// FoundHook is a new hook in an answer, due after some turns or at a story time.
type FoundHook struct {
	From     []int            `json:"from"`
	Type     storage.HookType `json:"type"`
	Content  string           `json:"content"`
	Opener   string           `json:"opener,omitempty"`
	Turns    int              `json:"turns"`
	Priority int              `json:"priority"`
	When     string           `json:"when,omitempty"` // the story's own time, in words
	Mention  storage.Mention  `json:"-"`              // as that of a FoundMemory
}

// The allowed values of an evaluation.
var (
	visualTypes = []string{"none", "character", "object", "atmosphere", "instruction"}
	statuses    = []string{"going", "closing", "done"}
	// pictureKinds are the kinds of pictures that the user may ask for; the first means no picture.
	pictureKinds = []string{"none", "image", "video"}
)

// noPicture is the visual type of a moment without one.
const noPicture = "none"

// maxRead is the maximum number of a list's entries that are read, including invalid ones.
const maxRead = 32

// UnmarshalJSON reads an answer. It fails only if data is not a JSON object; fields of the wrong
// type count as missing.
func (a *Answer) UnmarshalJSON(data []byte) error {
	fields, ok := parseObject(data)
	if !ok {
		return errors.New("director's answer: it is no JSON object")
	}
	*a = Answer{}
	if f, ok := parseObject(fields["scene"]); ok {
		a.Scene = &Scene{Rationale: prompts.Text(f["rationale"]), Status: parseBool(f["status"])}
	}
	if f, ok := parseObject(fields["director"]); ok {
		a.Director = &storage.Evaluation{
			VisualType: prompts.Text(f["visualtype"]), VisualHint: prompts.Text(f["visualhint"]),
			Status:  prompts.Text(f["status"]),
			Tension: int(math.Round(parseNumber(f["tension"], 0, 0, 100))), Tone: prompts.Text(f["tone"]),
			Beat: prompts.Text(f["beat"]),
			Open: prompts.Text(f["open"]), Setting: prompts.Text(f["setting"]), Next: prompts.Text(f["next"]),
			Why: prompts.Text(f["why"]),
		}
	}
	if list, ok := parseList(fields["memories"]); ok {
		a.Memories = []FoundMemory{}
		for _, raw := range list {
			if f, ok := parseObject(raw); ok {
				a.Memories = append(a.Memories, FoundMemory{From: parseFactNumbers(f["from"]),
					Type: storage.MemoryType(prompts.Text(f["type"])), Content: prompts.Text(f["content"]),
					Importance: parseNumber(f["importance"], defaultImportance, 0, math.MaxInt32)})
			}
		}
	}
	if list, ok := parseList(fields["hooks"]); ok {
		a.Hooks = []FoundHook{}
		for _, raw := range list {
			if f, ok := parseObject(raw); ok {
				a.Hooks = append(a.Hooks, FoundHook{From: parseFactNumbers(f["from"]),
					Type: storage.HookType(prompts.Text(f["type"])), Content: prompts.Text(f["content"]),
					Opener: prompts.Text(f["opener"]),
					Turns:  parseWhole(f["turns"]), When: prompts.Text(f["when"]), Priority: parseWhole(f["priority"])})
			}
		}
	}
	a.TakenUp, a.Due = parseFactNumbers(fields["taken"]), parseFactNumbers(fields["due"])
	a.Outdated, a.Settled = parseEnded(fields["outdated"]), parseEnded(fields["settled"])
	if f, ok := parseObject(fields["when"]); ok {
		a.When = &TimeUpdate{Day: prompts.Text(f["day"]), Time: prompts.Text(f["time"]), Days: parseWhole(f["days"])}
	}
	if f, ok := parseObject(fields["picture"]); ok {
		a.Picture = &WantedPicture{Kind: strings.ToLower(prompts.Text(f["kind"])), Subject: prompts.Text(f["subject"])}
	}
	return nil
}

// parseEnded reads facts that have ended. An entry may be just a number.
func parseEnded(raw json.RawMessage) []EndedFact {
	list, ok := parseList(raw)
	if !ok {
		return nil
	}
	out := []EndedFact{}
	for _, raw := range list {
		e := EndedFact{Fact: parseFactNumber(raw)}
		if f, ok := parseObject(raw); ok {
			e = EndedFact{Why: prompts.Text(f["why"]), From: parseFactNumbers(f["from"]),
				Fact: parseFactNumber(f["fact"])}
		}
		if e.Fact > 0 {
			out = append(out, e)
		}
	}
	return out
}

// parseFactNumbers reads numbers above 0; nil if there is no list.
func parseFactNumbers(raw json.RawMessage) []int {
	list, ok := parseList(raw)
	if !ok {
		return nil
	}
	out := []int{}
	for _, raw := range list {
		if n := parseFactNumber(raw); n > 0 {
			out = append(out, n)
		}
	}
	return out
}

// parseFactNumber reads the number of a fact or message, also from a string as "[2]". It returns 0
// for anything else.
func parseFactNumber(raw json.RawMessage) int {
	if n := parseWhole(raw); n > 0 {
		return n
	}
	n, _ := strconv.Atoi(strings.Trim(prompts.Text(raw), " []()#."))
	return n
}

// Usable returns an error, worded for the model, if the answer is so wrong that asking again is
// worth it. Minor faults are left to Clean.
func (a *Answer) Usable(p Parts, _ Input) error {
	switch {
	case p.Break && a.Scene == nil:
		return errors.New(`"scene" is missing: give {"rationale": "…", "status": false} where no new scene begins`)
	case p.Director && a.Director == nil:
		return errors.New(`"director" is missing: say what you saw, with "status" and "visual_type"`)
	case p.Director && matchWord(a.Director.Status, statuses) == "":
		return fmt.Errorf(`"director" has no "status" that is known: it is one of %s`, strings.Join(statuses, ", "))
	case p.Director && matchWord(a.Director.VisualType, visualTypes) == "":
		return fmt.Errorf(`"director" has no "visual_type" that is known: it is one of %s`,
			strings.Join(visualTypes, ", "))
	case p.Memories && a.Memories == nil:
		return errors.New(`"memories" is missing: give [] where nothing is worth remembering`)
	case p.Hooks && a.Hooks == nil:
		return errors.New(`"hooks" is missing: give [] where there is nothing to come back to`)
	case p.Picture && (a.Picture == nil || matchWord(a.Picture.Kind, pictureKinds) == ""):
		return fmt.Errorf(`"picture" is missing or has no "kind" that is known: it is one of %s`,
			strings.Join(pictureKinds, ", "))
	}
	return nil
}

// parseObject reads a JSON object, and reports whether it is one.
func parseObject(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	m, err := prompts.Object(raw)
	return m, err == nil && m != nil
}

// parseList reads a list; null is an empty one, and a single entry a list of one.
func parseList(raw json.RawMessage) ([]json.RawMessage, bool) {
	if len(raw) == 0 {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	return list[:min(len(list), maxRead)], true
}

// parseBool reads true, also from a string.
func parseBool(raw json.RawMessage) bool {
	s := strings.ToLower(strings.TrimSpace(prompts.Text(raw)))
	return string(raw) == "true" || s == "true" || s == "yes"
}

// defaultImportance is the importance of memories without one.
const defaultImportance = 0.5

// parseNumber reads a number within bounds, also from a string; it returns none for anything else.
func parseNumber(raw json.RawMessage, none, least, most float64) float64 {
	var n float64
	if json.Unmarshal(raw, &n) != nil {
		var err error
		if n, err = strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(prompts.Text(raw)), "% "), 64); err != nil ||
			math.IsNaN(n) {
			return none
		}
	}
	return min(max(n, least), most)
}

// parseWhole reads a number that is no less than 0 and without a fraction.
func parseWhole(raw json.RawMessage) int { return int(parseNumber(raw, 0, 0, 1<<20)) }

// matchWord returns the word of a list that said matches, "" if there is none.
func matchWord(said string, list []string) string {
	said = prompts.PlainName(strings.Trim(prompts.Bounded(said, 80), " \t\r\n.\"'*"))
	for _, w := range list {
		if prompts.PlainName(w) == said {
			return w
		}
	}
	return ""
}
