package lessons

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ProfileFile is the prompt file that asks for a profile.
const ProfileFile = "taste/profile"

// Story is what a profile is made of.
type Story struct {
	Memories  []storage.TasteMemory // oldest first
	Before    storage.Taste         // zero for none
	Overrides storage.TasteHand     // likewise
	Names     []string              // of people, places and things that are the story's own
	Texts     []string              // that tell of its scenes
}

func (s Story) details() *Details { return NewDetails(s.Names, s.Memories, s.Texts...) }

// Profile is a model's answer about a story.
type Profile struct {
	ProfileSummary  string       `json:"profileSummary"`
	PreferenceCards []AnswerCard `json:"preferenceCards"`
}

// AnswerCard is a card as a model answers it. Scenes are the numbers of the scenes
// that it says show the preference; none where it does not say.
type AnswerCard struct {
	storage.PreferenceCard
	Scenes []int `json:"scenes,omitempty"`
}

// ProfileRoom is how many runes AskProfile tells of memories and earlier cards at
// most.
const ProfileRoom = 30000

// Bounds of a profile: how many cards, and the runes of its texts.
const (
	mostCards     = 12
	readCards     = 60 // of an answer
	maxProfile    = 800
	maxPreference = maxLearning
	maxCondition  = maxApplies
	maxSupport    = 400 // evidence of a card
)

// Sentences that a profile's summary has.
const leastProfileSentences, mostProfileSentences = 3, 8

// profileFences are the tags that the prompt file puts around what others have
// written.
var profileFences = []string{"scenes", "numbers", "before"}

// AskProfile is the request for a profile, ProfileSchema the form of the answer. It
// tells so many runes of the newest memories, and of the cards that there were.
func AskProfile(set *prompts.Set, s Story, room int) []prompts.Message {
	return set.Request(ProfileFile, map[string]string{
		"scenes":  or(memoryList(s.Memories, room-room/5), nothing),
		"numbers": or(prompts.Defuse(Stats(s.Memories), profileFences), nothing),
		"before":  or(beforeList(s.Before, s.Overrides, room/5), nothing),
		"names":   or(prompts.Defuse(said(strings.Join(s.Names, ", "), shownNames), profileFences), nothing),
	})
}

// memoryList writes memories under the numbers of their scenes, the newest for
// which there is room; where room is short, by their lessons alone.
func memoryList(memories []storage.TasteMemory, room int) string {
	var parts []string
	for i, m := range slices.Backward(memories) {
		part := memoryWords(i+1, m, true)
		if 4*utf8.RuneCountInString(part) > room {
			part = memoryWords(i+1, m, false)
		}
		if room -= utf8.RuneCountInString(part); room < 0 && len(parts) > 0 {
			break
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n\n")
}

func memoryWords(number int, m storage.TasteMemory, whole bool) string {
	lines := []string{fmt.Sprintf("Scene %d", number)}
	add := func(what, text string, most int) {
		if text = said(text, most); text != "" {
			lines = append(lines, what+text)
		}
	}
	if whole {
		add("Kind of scene: ", m.SceneContextSummary, maxContext)
		add("Edits: ", m.EditSummary, maxEdits)
	}
	for _, l := range m.SceneLearnings[:min(len(m.SceneLearnings), mostLessons)] {
		add("- ", cardWords(storage.PreferenceCard{Preference: l.Learning, AppliesTo: l.AppliesTo, AvoidApplyingTo: l.AvoidApplyingTo, Confidence: l.Confidence}), 3*maxLearning)
	}
	return prompts.Defuse(strings.Join(lines, "\n"), profileFences)
}

// cardWords writes a card on one line, without its evidence.
func cardWords(c storage.PreferenceCard) string {
	return fmt.Sprintf("%s | applies to: %s | not for: %s | %s", said(c.Preference, maxPreference), or(said(c.AppliesTo, maxCondition), nothing),
		or(said(c.AvoidApplyingTo, maxCondition), nothing), or(string(levelOf(c.Confidence)), string(storage.LowConfidence)))
}

// beforeList writes the cards that there were before, with what the user made of
// them.
func beforeList(t storage.Taste, h storage.TasteHand, room int) string {
	var lines []string
	for _, c := range Cards(t, h) {
		what := ""
		switch {
		case c.Deleted:
			what = "deleted by the user: "
		case c.Own:
			what = "the user's own words: "
		case c.Muted:
			what = "muted by the user: "
		}
		line := "- " + what + prompts.Defuse(cardWords(c.PreferenceCard), profileFences)
		if room -= utf8.RuneCountInString(line); room < 0 {
			break
		}
		lines = append(lines, line)
	}
	for _, c := range h.Cards {
		gone := c.Deleted && c.Card == nil && c.Was != "" && !slices.ContainsFunc(t.PreferenceCards, func(p storage.PreferenceCard) bool { return p.ID == c.ID })
		if line := "- deleted by the user: " + prompts.Defuse(said(c.Was, maxPreference), profileFences); gone && room > utf8.RuneCountInString(line) {
			room -= utf8.RuneCountInString(line)
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// ProfileSchema is the form of the answer to AskProfile.
func ProfileSchema() json.RawMessage {
	text := func(least, most int) string {
		return fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, least, most)
	}
	card := `{"type":"object","properties":{"scenes":{"type":"array","minItems":1,"maxItems":40,"items":{"type":"integer","minimum":1,"maximum":9999}},"evidence":` + text(1, maxEvidence) +
		`,"preference":` + text(1, maxPreference) + `,"appliesTo":` + text(1, maxCondition) + `,"avoidApplyingTo":` + text(1, maxCondition) +
		`,"confidence":{"type":"string","enum":["low","medium","high"]}},` +
		`"required":["scenes","evidence","preference","appliesTo","avoidApplyingTo","confidence"],"additionalProperties":false}`
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"preferenceCards":{"type":"array","maxItems":%d,"items":%s},"profileSummary":%s},`+
		`"required":["preferenceCards","profileSummary"],"additionalProperties":false}`, mostCards, card, text(1, 2*maxProfile)))
}

// ProfileForm is what such an answer must look like to be read. It is wider than
// ProfileSchema, since not every server keeps to that.
func ProfileForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"profileSummary":{"type":"string"},` +
		`"preferenceCards":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"object","required":["preference"],"properties":{"preference":{"type":"string"}}}}]}},"required":["profileSummary"]}`)
}

// CheckProfile says what is wrong with an answer, for the model. What KeepProfile
// makes of an answer with such faults is still fit to be kept where it is Usable.
func CheckProfile(s Story, p Profile) error {
	var faults []string
	details := s.details()
	switch n := len(sentences(p.ProfileSummary)); {
	case n == 0:
		faults = append(faults, `"profileSummary" is empty`)
	case n < leastProfileSentences || n > 2*mostProfileSentences:
		faults = append(faults, fmt.Sprintf(`"profileSummary" has %s, not %d to %d`, counted(n, "sentence"), leastProfileSentences, mostProfileSentences))
	}
	if found := details.In(p.ProfileSummary); found != "" {
		faults = append(faults, fmt.Sprintf(`"profileSummary" holds “%s”, which belongs to a scene: say it of that kind of scene`, said(found, maxName)))
	}
	for i, c := range p.PreferenceCards[:min(len(p.PreferenceCards), readCards)] {
		if fault := cardFault(details, c.PreferenceCard); fault != "" {
			faults = append(faults, fmt.Sprintf("card %d: %s", i+1, fault))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults[:min(len(faults), mostFaults)], "; "))
}

// cardFault says what is wrong with one card, "" for nothing.
func cardFault(d *Details, c storage.PreferenceCard) string {
	switch {
	case prompts.OneLine(c.Preference) == "":
		return `"preference" is empty`
	case broadCondition(c.AppliesTo):
		return `"appliesTo" is no condition: say for which kind of scene or moment it holds`
	case broadCondition(c.AvoidApplyingTo):
		return `"avoidApplyingTo" is no condition: say for which kind of scene or moment it would be wrong`
	case broadLearning(c.Preference):
		return "it is said of everything: say it of the kind of scene or moment it holds for"
	case levelOf(c.Confidence) == "":
		return `"confidence" must be low, medium or high`
	}
	for _, f := range []struct{ name, text string }{{"preference", c.Preference}, {"appliesTo", c.AppliesTo}, {"avoidApplyingTo", c.AvoidApplyingTo}} {
		if found := d.In(f.text); found != "" {
			return fmt.Sprintf("%q holds “%s”, which belongs to a scene: say it in general words, or leave the card out", f.name, said(found, maxName))
		}
	}
	if v, found := d.Judge(c); v == Plot {
		return fmt.Sprintf("“%s” belongs to this story: say it of any story with other people, or leave the card out", said(found, maxName))
	}
	return ""
}

// Usable tells whether something of the answer can be kept at all. Cards of which
// none says anything are no answer.
func (p *Profile) Usable() bool {
	said := func(c AnswerCard) bool { return prompts.OneLine(c.Preference) != "" }
	return slices.ContainsFunc(p.PreferenceCards, said) || len(p.PreferenceCards) == 0 && len(sentences(p.ProfileSummary)) > 0
}
