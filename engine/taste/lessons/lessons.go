package lessons

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// LessonsFile is the prompt file for a scene's lessons.
const LessonsFile = "taste/lessons"

// Scene is the material of a scene's lessons.
type Scene struct {
	Char, User string
	Name       string
	Recap      string // or the beginning of its messages
	// Planned are the key beats of the model's first plan; Final is the confirmed plan with its
	// purpose. Both are empty without a storyboard.
	Planned []storage.BoardBeat
	Final   storage.Plan
	Material
	HarvestResult
}

// Plans returns the key beats as they were planned first, and the plan in the end.
func Plans(calls []storage.BoardCall) (planned []storage.BoardBeat, final storage.Plan) {
	for _, c := range calls {
		if planned == nil && c.By == storage.ByModel {
			planned = c.After.Beats
		}
		final = c.After
	}
	return planned, final
}

// Lessons is a model's answer about one scene.
type Lessons struct {
	SceneContextSummary string                  `json:"sceneContextSummary"`
	EditSummary         string                  `json:"editSummary"`
	SceneLearnings      []storage.SceneLearning `json:"sceneLearnings"`
}

// LessonsBudget is the maximum part of a scene that AskLessons includes, in runes.
const LessonsBudget = 12000

// Limits of an answer: the number of lessons, and the runes of its texts.
const (
	maxLessons    = 8
	maxContext    = 900
	maxEdits      = 1200
	maxLearning   = 240
	maxApplies    = 180
	maxEvidence   = 240
	maxNamesRunes = 400 // runes of names in a request
	maxFaults     = 5   // in one request to a model
)

// The maximum number of sentences of both summaries.
const maxContextSentences, mostEditSentences = 5, 8

// lessonFences are the tags around outside text in the prompt file.
var lessonFences = []string{"recap", "intent", "beats", "edits", "result"}

// AskLessons returns the request for a scene's lessons with at most this many runes of the scene
// and its edits. LessonsSchema is the schema of the answer.
func AskLessons(set *prompts.Set, s Scene, room int) []prompts.Message {
	inline := func(text string, n int, fallback string) string {
		return or(prompts.Defuse(onOneLine(text, n), lessonFences), fallback)
	}
	return set.Request(LessonsFile, map[string]string{
		"user": inline(s.User, maxName, "the user"), "char": inline(s.Char, maxName, "the character"),
		"name":   inline(s.Name, 2*maxName, "without a name"),
		"recap":  or(prompts.Defuse(prompts.Bounded(strings.TrimSpace(s.Recap), room/4), lessonFences), none),
		"names":  inline(strings.Join(s.Names, ", "), maxNamesRunes, none),
		"intent": or(prompts.Defuse(prompts.Bounded(s.intent(), room/8), lessonFences), none),
		"beats":  or(prompts.Defuse(prompts.Bounded(s.beats(), room/8), lessonFences), none),
		"edits":  or(eventList(s.Events, room/2), none),
		"result": resultWords(s.HarvestResult),
	})
}

// intent describes the purpose of the scene: the reasons of its beats, and the fillers between
// them.
func (s Scene) intent() string {
	var lines []string
	for _, b := range s.Final.Beats {
		if why := onOneLine(b.Why, maxEvidence); why != "" {
			lines = append(lines, "- "+why)
		}
	}
	if f := s.Final.Filler; f != nil {
		words := "Filler: " + plain(f.Amount)
		for _, part := range []string{strings.Join(f.Jobs, ", "), f.Where, f.Why} {
			if part = onOneLine(part, maxEvidence); part != "" {
				words += "; " + part
			}
		}
		lines = append(lines, words)
	}
	return strings.Join(lines, "\n")
}

// beats returns the key beats as planned and as confirmed, once if they are the same.
func (s Scene) beats() string {
	list := func(beats []storage.BoardBeat) string {
		var lines []string
		for i, b := range beats {
			lines = append(lines, fmt.Sprintf("%d. %s", i+1, onOneLine(b.Text, maxEvidence)))
		}
		return or(strings.Join(lines, "\n"), none)
	}
	planned, final := list(s.Planned), list(s.Final.Beats)
	switch {
	case len(s.Planned)+len(s.Final.Beats) == 0:
		return ""
	case planned == final:
		return "As planned and confirmed:\n" + final
	}
	return "As planned:\n" + planned + "\nAs confirmed:\n" + final
}

// eventList lists events with the numbers that evidence refers to, the newest that fit.
func eventList(events []storage.EditEvent, room int) string {
	from := len(events)
	lines := make([]string, len(events))
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		about := ""
		if e.About != "" {
			about = ", " + e.About
		}
		lines[i] = fmt.Sprintf("E%d (%s%s) %s", i+1, e.Type, about, onOneLine(e.Summary, maxSummary))
		if e.UserText != "" {
			lines[i] += "; the director's words: “" + onOneLine(e.UserText, shownWords) + "”"
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

// resultWords describes the counts of the edits.
func resultWords(h HarvestResult) string {
	var parts []string
	if h.Summary != nil {
		parts = append(parts, "The list in the end: "+onOneLine(h.Summary.Sentence, maxSummary))
	}
	list := func(what string, tallies []storage.Tally) {
		var words []string
		for _, t := range tallies {
			words = append(words, fmt.Sprintf("%s %d", onOneLine(t.Name, 2*maxName), t.N))
		}
		if len(words) > 0 {
			parts = append(parts, what+": "+strings.Join(words, ", "))
		}
	}
	list("Fields changed", h.Counts.Fields)
	list("Shots added", h.Counts.Inserted)
	list("Shots removed", h.Counts.Removed)
	if c := h.Counts; c.Merges+c.Reorders+c.Bulk > 0 {
		parts = append(parts, fmt.Sprintf("Merges: %d, moves: %d, edits of many shots at once: %d", c.Merges,
			c.Reorders, c.Bulk))
	}
	return or(prompts.Defuse(strings.Join(parts, "\n"), lessonFences), none)
}

// LessonsSchema returns the schema of the answer to AskLessons. Evidence comes before the lesson,
// so that the model considers it first.
func LessonsSchema() json.RawMessage {
	text := func(most int) string { return fmt.Sprintf(`{"type":"string","minLength":1,"maxLength":%d}`, most) }
	lesson := `{"type":"object","properties":{"evidence":` + text(maxEvidence) + `,"learning":` + text(maxLearning) +
		`,"appliesTo":` + text(maxApplies) + `,"avoidApplyingTo":` + text(maxApplies) +
		`,"confidence":{"type":"string","enum":["low","medium","high"]}},` +
		`"required":["evidence","learning","appliesTo","avoidApplyingTo","confidence"],"additionalProperties":false}`
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"sceneContextSummary":%s,"editSummary":%s,`+
		`"sceneLearnings":{"type":"array","maxItems":%d,"items":%s}},`+
		`"required":["sceneContextSummary","editSummary","sceneLearnings"],"additionalProperties":false}`,
		text(maxContext), text(maxEdits), maxLessons, lesson))
}

// LessonsForm returns the minimal schema of such an answer, because not every server enforces a
// schema.
func LessonsForm() json.RawMessage {
	return json.RawMessage(
		`{"type":"object","properties":{"sceneContextSummary":{"type":"string"},"editSummary":{"type":"string"},` +
			`"sceneLearnings":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"object"}}]}},` +
			`"required":["sceneContextSummary","editSummary"]}`)
}

// CheckLessons returns what is wrong with an answer, for the model. CleanLessons can still use the
// answer if it is Usable.
func CheckLessons(s Scene, l Lessons) error {
	var faults []string
	for name, text := range map[string]string{"sceneContextSummary": l.SceneContextSummary,
		"editSummary": l.EditSummary} {
		if len(sentences(text)) == 0 {
			faults = append(faults, fmt.Sprintf("%q is empty", name))
		}
	}
	for i, x := range l.SceneLearnings {
		switch of := s.In(lessonText(x)); {
		case prompts.OneLine(x.Learning) == "" || prompts.OneLine(x.AppliesTo) == "":
			faults = append(faults, fmt.Sprintf(`lesson %d: "learning" or "appliesTo" is empty`, i+1))
		case of != "":
			faults = append(faults, fmt.Sprintf("lesson %d: “%s” is of this story: say it in general words", i+1,
				onOneLine(of, maxName)))
		}
	}
	return faultsOf(faults)
}

// faultsOf joins the first faults of an answer, nil for none.
func faultsOf(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	slices.Sort(faults)
	return errors.New(strings.Join(faults[:min(len(faults), maxFaults)], "; "))
}

// lessonText returns the text of a lesson that prompts contain.
func lessonText(x storage.SceneLearning) string {
	return x.Learning + "\n" + x.AppliesTo + "\n" + x.AvoidApplyingTo
}

// Usable reports whether any part of the answer can be stored.
func (l *Lessons) Usable() bool {
	return len(sentences(l.SceneContextSummary)) > 0 && len(sentences(l.EditSummary)) > 0
}

// CleanLessons returns the answer for the store: limited, and without lessons that say nothing, repeat
// an earlier one or contain parts of the story.
func CleanLessons(s Scene, l Lessons) Lessons {
	out := Lessons{
		SceneContextSummary: firstSentences(l.SceneContextSummary, maxContextSentences, maxContext),
		EditSummary:         firstSentences(l.EditSummary, mostEditSentences, maxEdits),
		SceneLearnings:      []storage.SceneLearning{},
	}
	for _, x := range l.SceneLearnings[:min(len(l.SceneLearnings), maxLessons)] {
		x = storage.SceneLearning{Learning: onOneLine(x.Learning, maxLearning),
			AppliesTo:       onOneLine(x.AppliesTo, maxApplies),
			AvoidApplyingTo: onOneLine(x.AvoidApplyingTo, maxApplies), Evidence: onOneLine(x.Evidence, maxEvidence),
			Confidence: levelOf(x.Confidence)}
		again := func(y storage.SceneLearning) bool { return text.Equal(x.Learning, y.Learning) }
		if x.Learning != "" && x.AppliesTo != "" && s.In(lessonText(x)) == "" &&
			!slices.ContainsFunc(out.SceneLearnings, again) {
			out.SceneLearnings = append(out.SceneLearnings, x)
		}
	}
	return out
}
