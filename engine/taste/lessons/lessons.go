package lessons

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// LessonsFile is the prompt file that asks for a scene's lessons.
const LessonsFile = "taste/lessons"

// Scene is what a scene's lessons are drawn from.
type Scene struct {
	Char, User string
	Name       string
	Recap      string   // or the beginning of its messages
	Names      []string // of people, places and things that are the story's own
	Harvested
}

// Lessons is a model's answer about one scene.
type Lessons struct {
	SceneContextSummary string                  `json:"sceneContextSummary"`
	EditSummary         string                  `json:"editSummary"`
	SceneLearnings      []storage.SceneLearning `json:"sceneLearnings"`
}

// LessonsRoom is how many runes AskLessons tells of a scene at most.
const LessonsRoom = 12000

// shownNames bounds the names in a request, in runes.
const shownNames = 400

// Bounds of an answer: how many lessons, and the runes of its texts.
const (
	mostLessons = 8
	maxContext  = 900
	maxEdits    = 1200
	maxLearning = 240
	maxApplies  = 180
	maxEvidence = 240
)

// Sentences that the two summaries have.
const (
	leastContextSentences, mostContextSentences = 2, 5
	leastEditSentences, mostEditSentences       = 3, 8
)

// lessonFences are the tags that the prompt file puts around what others have
// written.
var lessonFences = []string{"recap", "edits", "result"}

// AskLessons is the request to distil a scene's lessons, LessonsSchema the form of
// the answer. It tells so many runes of the scene and its edits.
func AskLessons(set *prompts.Set, s Scene, room int) []prompts.Message {
	inline := func(text string, n int, fallback string) string {
		return or(prompts.Defuse(said(text, n), lessonFences), fallback)
	}
	return set.Request(LessonsFile, map[string]string{
		"user": inline(s.User, maxName, "the user"), "char": inline(s.Char, maxName, "the character"),
		"name":   inline(s.Name, 2*maxName, "without a name"),
		"recap":  or(prompts.Defuse(prompts.Bounded(strings.TrimSpace(s.Recap), room/4), lessonFences), nothing),
		"names":  inline(strings.Join(s.Names, ", "), shownNames, nothing),
		"edits":  or(eventList(s.Events, room-room/4), nothing),
		"result": resultWords(s.Harvested),
	})
}

// eventList writes events with the numbers that evidence names them by, the newest
// for which there is room.
func eventList(events []storage.EditEvent, room int) string {
	from := len(events)
	lines := make([]string, len(events))
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		about := ""
		if e.About != "" {
			about = ", " + e.About
		}
		lines[i] = fmt.Sprintf("E%d (%s%s) %s", i+1, e.Type, about, said(e.Summary, maxSummary))
		if e.UserText != "" {
			lines[i] += "; the director's words: “" + said(e.UserText, toldWords) + "”"
		}
		lines[i] = prompts.Defuse(lines[i], lessonFences)
		if room -= utf8.RuneCountInString(lines[i]); room < 0 {
			break
		}
		from = i
	}
	if from > 0 && from < len(events) {
		return fmt.Sprintf("(E1 to E%d are older and left out)\n", from) + strings.Join(lines[from:], "\n")
	}
	return strings.Join(lines[from:], "\n")
}

// resultWords put in words what the edits come to in numbers.
func resultWords(h Harvested) string {
	var parts []string
	if h.Summary != nil {
		parts = append(parts, "The list in the end: "+said(h.Summary.Sentence, maxSummary))
	}
	list := func(what string, tallies []storage.Tally) {
		var words []string
		for _, t := range tallies {
			words = append(words, fmt.Sprintf("%s %d", said(t.Name, 2*maxName), t.N))
		}
		if len(words) > 0 {
			parts = append(parts, what+": "+strings.Join(words, ", "))
		}
	}
	list("Fields changed", h.Counts.Fields)
	list("Shots added", h.Counts.Inserted)
	list("Shots removed", h.Counts.Removed)
	if c := h.Counts; c.Merges+c.Reorders+c.Bulk > 0 {
		parts = append(parts, fmt.Sprintf("Merges: %d, moves: %d, edits of many shots at once: %d", c.Merges, c.Reorders, c.Bulk))
	}
	return or(prompts.Defuse(strings.Join(parts, "\n"), lessonFences), nothing)
}

// LessonsSchema is the form of the answer to AskLessons. What shows a lesson comes
// before it, so that it is thought of first.
func LessonsSchema() json.RawMessage {
	text := func(most int) string { return fmt.Sprintf(`{"type":"string","minLength":1,"maxLength":%d}`, most) }
	lesson := `{"type":"object","properties":{"evidence":` + text(maxEvidence) + `,"learning":` + text(maxLearning) + `,"appliesTo":` + text(maxApplies) + `,"avoidApplyingTo":` + text(maxApplies) +
		`,"confidence":{"type":"string","enum":["low","medium","high"]}},` +
		`"required":["evidence","learning","appliesTo","avoidApplyingTo","confidence"],"additionalProperties":false}`
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"sceneContextSummary":%s,"editSummary":%s,"sceneLearnings":{"type":"array","maxItems":%d,"items":%s}},`+
		`"required":["sceneContextSummary","editSummary","sceneLearnings"],"additionalProperties":false}`, text(maxContext), text(maxEdits), mostLessons, lesson))
}

// LessonsForm is what such an answer must look like to be read. It is wider than
// LessonsSchema, since not every server keeps to that.
func LessonsForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"sceneContextSummary":{"type":"string"},"editSummary":{"type":"string"},` +
		`"sceneLearnings":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"object"}}]}},"required":["sceneContextSummary","editSummary"]}`)
}
