package lessons

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ProfileFile is the prompt file that asks for a profile.
const ProfileFile = "taste/profile"

// Story is what a profile is made of.
type Story struct {
	Memories  []storage.TasteMemory // oldest first
	Before    storage.Taste         // zero for none
	Overrides storage.ProfileEdits  // likewise
	Material
}

// Profile is a model's answer about a story.
type Profile struct {
	ProfileSummary  string       `json:"profileSummary"`
	PreferenceCards []AnswerCard `json:"preferenceCards"`
}

// The two kinds of cards that a model tells apart.
const (
	patternKind = "pattern" // it fits any story
	plotKind    = "plot"    // it is of one story, and not kept
)

// AnswerCard is a card as a model answers it. Scenes are the numbers of the scenes
// that show the preference, Card that of the earlier card which it goes on with, 0 for
// a new one. Detail is what of it only this story has.
type AnswerCard struct {
	storage.PreferenceCard
	Scenes []int  `json:"scenes,omitempty"`
	Card   int    `json:"card,omitempty"`
	Detail string `json:"detail,omitempty"`
	Kind   string `json:"kind,omitempty"`
}

// ProfileRoom is how many runes AskProfile tells of memories and earlier cards at
// most.
const ProfileRoom = 30000

// Bounds of the texts of a profile, in runes.
const (
	maxProfile    = 800
	maxPreference = maxLearning
	maxCondition  = maxApplies
)

// mostProfileSentences is how many sentences a profile's summary has at most.
const mostProfileSentences = 8

// sureScenes is how many scenes show a card of which one is sure, mostScenes how many it names at most.
const sureScenes, mostScenes = 3, 40

// profileFences are the tags that the prompt file puts around what others have
// written.
var profileFences = []string{"scenes", "numbers", "before"}

// AskProfile is the request for a profile, ProfileSchema the form of the answer. It
// tells so many runes of the newest memories, and of the cards that there were.
func AskProfile(set *prompts.Set, s Story, room int) []prompts.Message {
	return set.Request(ProfileFile, map[string]string{
		"scenes":  or(memoryList(s.Memories, room-room/5), nothing),
		"numbers": or(prompts.Defuse(Stats(s.Memories), profileFences), nothing),
		"before":  or(beforeList(s.earlier(), room/5), nothing),
		"names":   or(prompts.Defuse(said(strings.Join(s.Names, ", "), shownNames), profileFences), nothing),
	})
}

// memoryList writes memories under the numbers of their scenes, the newest for
// which there is room; where room is short, by their lessons alone. What has taught
// nothing is left out.
func memoryList(memories []storage.TasteMemory, room int) string {
	var parts []string
	for i, m := range slices.Backward(memories) {
		if len(m.SceneLearnings) == 0 {
			continue
		}
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
		add("- ", cardWords(storage.PreferenceCard{Preference: l.Learning, AppliesTo: l.AppliesTo,
			AvoidApplyingTo: l.AvoidApplyingTo, Confidence: l.Confidence}), 3*maxLearning)
	}
	return prompts.Defuse(strings.Join(lines, "\n"), profileFences)
}

// cardWords writes a card on one line, without its evidence.
func cardWords(c storage.PreferenceCard) string {
	return fmt.Sprintf("%s | applies to: %s | not for: %s | %s", said(c.Preference, maxPreference),
		or(said(c.AppliesTo, maxCondition), nothing), or(said(c.AvoidApplyingTo, maxCondition), nothing), levelOf(c.Confidence))
}

// earlier are the cards that there were before, by the numbers that an answer names
// them by; those that the user deleted and the profile has lost are among them.
func (s Story) earlier() []Card {
	out := Cards(s.Before, s.Overrides)
	for _, h := range s.Overrides.Cards {
		known := slices.ContainsFunc(out, func(c Card) bool { return c.ID == h.ID })
		if h.Deleted && h.Card == nil && h.Was != "" && !known {
			out = append(out, Card{PreferenceCard: storage.PreferenceCard{ID: h.ID, Preference: h.Was}, Deleted: true})
		}
	}
	return out
}

// beforeList writes earlier cards with their numbers and what the user made of them.
func beforeList(cards []Card, room int) string {
	var lines []string
	for i, c := range cards {
		what := ""
		switch {
		case c.Deleted:
			what = "deleted by the user: "
		case c.Own:
			what = "the user's own words: "
		case c.Muted:
			what = "muted by the user: "
		}
		line := fmt.Sprintf("%d. %s%s", i+1, what, prompts.Defuse(cardWords(c.PreferenceCard), profileFences))
		if room -= utf8.RuneCountInString(line); room < 0 {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// ProfileSchema is the form of the answer to AskProfile about a story. It has only the numbers of
// scenes and earlier cards that the request shows.
func ProfileSchema(s Story) json.RawMessage {
	text := func(least, most int) string {
		return fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, least, most)
	}
	number := func(least, most int) string {
		return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, least, most)
	}
	scenes := max(1, len(s.Memories))
	oneOf := func(values ...string) string {
		return `{"type":"string","enum":["` + strings.Join(values, `","`) + `"]}`
	}
	card := fmt.Sprintf(`{"type":"object","properties":{"scenes":{"type":"array","minItems":1,"maxItems":%d,"items":%s}`,
		min(mostScenes, scenes), number(1, scenes)) +
		`,"evidence":` + text(1, maxEvidence) + `,"card":` + number(0, len(s.earlier())) + `,"preference":` + text(1, maxPreference) +
		`,"appliesTo":` + text(1, maxCondition) + `,"avoidApplyingTo":` + text(1, maxCondition) +
		`,"detail":` + text(0, maxCondition) + `,"kind":` + oneOf(patternKind, plotKind) + `,"for":` + oneOf(fors...) +
		`,"confidence":` + oneOf("low", "medium", "high") + `},` +
		`"required":["scenes","evidence","card","preference","appliesTo","avoidApplyingTo","detail","kind","for","confidence"],` +
		`"additionalProperties":false}`
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
		`"preferenceCards":{"type":"array","maxItems":%d,"items":%s},"profileSummary":%s},`+
		`"required":["preferenceCards","profileSummary"],"additionalProperties":false}`, MostCards, card, text(1, 2*maxProfile)))
}

// ProfileForm is what such an answer must look like to be read. It is wider than
// ProfileSchema, since not every server keeps to that.
func ProfileForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"profileSummary":{"type":"string"},` +
		`"preferenceCards":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"object","required":["preference"],` +
		`"properties":{"preference":{"type":"string"}}}}]}},"required":["profileSummary"]}`)
}

// CheckProfile says what is wrong with an answer, for the model. What KeepProfile
// makes of an answer with such faults is still fit to be kept where it is Usable.
func CheckProfile(s Story, p Profile) error {
	var faults []string
	if len(sentences(p.ProfileSummary)) == 0 {
		faults = append(faults, `"profileSummary" is empty`)
	}
	if found := s.In(p.ProfileSummary); found != "" {
		faults = append(faults, fmt.Sprintf(`"profileSummary" holds “%s”, which is of this story: say it of that kind of scene`,
			said(found, maxName)))
	}
	for i, c := range p.PreferenceCards {
		if fault := cardFault(s, c); fault != "" {
			faults = append(faults, fmt.Sprintf("card %d: %s", i+1, fault))
		}
	}
	return faultsOf(faults)
}

// cardFault says what is wrong with one card, "" for nothing. A card that the answer
// itself takes for plot is not kept, and need not be said in another way.
func cardFault(s Story, c AnswerCard) string {
	found := s.In(cardText(c.PreferenceCard))
	switch {
	case c.Kind == plotKind:
		return ""
	case prompts.OneLine(c.Preference) == "":
		return `"preference" is empty`
	case prompts.OneLine(c.AppliesTo) == "":
		return `"appliesTo" is empty: say for which kind of scene or moment it holds`
	case len(s.shownBy(c)) == 0:
		return `"scenes" names no scene that was shown`
	case found != "":
		return fmt.Sprintf("“%s” is of this story: say it in general words, or leave the card out", said(found, maxName))
	}
	return ""
}

// cardText is what of a card is told.
func cardText(c storage.PreferenceCard) string {
	return c.Preference + "\n" + c.AppliesTo + "\n" + c.AvoidApplyingTo
}

// shownBy are the scenes that a card names and that have taught something, each once.
func (s Story) shownBy(c AnswerCard) (out []int) {
	for _, n := range c.Scenes {
		if n >= 1 && n <= len(s.Memories) && len(s.Memories[n-1].SceneLearnings) > 0 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// Usable reports whether something of the answer can be kept at all. Cards of which
// none says anything are no answer.
func (p *Profile) Usable() bool {
	says := func(c AnswerCard) bool { return prompts.OneLine(c.Preference) != "" }
	return slices.ContainsFunc(p.PreferenceCards, says) || len(p.PreferenceCards) == 0 && len(sentences(p.ProfileSummary)) > 0
}

// KeepProfile makes the profile to store of an answer: cards that are plot, hold
// something of the story, are shown by no scene or say again what the user wrote are left
// out; cards that were there before keep their ids, and so what the user made of them.
// what is switched off stays until the user deletes it. Numbers are computed. Scope and
// times are the caller's.
func KeepProfile(s Story, p Profile) storage.Taste {
	t := storage.Taste{SourceSceneIDs: []storage.NodeID{}, SourceMemoryIDs: []storage.TasteMemoryID{},
		PreferenceCards: []storage.PreferenceCard{}, StatsSummary: Stats(s.Memories)}
	for _, m := range s.Memories {
		t.SourceSceneIDs = append(t.SourceSceneIDs, m.Scene)
		t.SourceMemoryIDs = append(t.SourceMemoryIDs, m.ID)
	}
	earlier := s.earlier()
	for _, a := range p.PreferenceCards {
		c := storage.PreferenceCard{Preference: said(a.Preference, maxPreference), AppliesTo: said(a.AppliesTo, maxCondition),
			AvoidApplyingTo: said(a.AvoidApplyingTo, maxCondition), Evidence: said(a.Evidence, maxEvidence),
			Confidence: levelOf(a.Confidence), For: a.For}
		if !slices.Contains(fors, c.For) {
			c.For = ForShots
		}
		shown := s.shownBy(a)
		if a.Kind == plotKind || c.Preference == "" || c.AppliesTo == "" || len(shown) == 0 || s.In(cardText(c)) != "" {
			continue
		}
		if c.Seen.Scenes = len(shown); c.Seen.Scenes < sureScenes && c.Confidence == storage.HighConfidence {
			c.Confidence = storage.MediumConfidence
		}
		if s.In(c.Evidence) != "" {
			c.Evidence = ""
		}
		goesOn := slices.IndexFunc(earlier, func(e Card) bool { return text.Equal(e.Preference, c.Preference) })
		if goesOn < 0 && a.Card <= len(earlier) {
			goesOn = a.Card - 1
		}
		if goesOn >= 0 {
			if c.ID = earlier[goesOn].ID; s.writtenByUser(c.ID) {
				continue
			}
		}
		again := func(x storage.PreferenceCard) bool {
			return c.ID != "" && x.ID == c.ID || text.Equal(x.Preference, c.Preference)
		}
		if slices.ContainsFunc(t.PreferenceCards, again) {
			continue
		}
		if c.ID == "" {
			c.ID = storage.CardID(storage.NewID())
		}
		if t.PreferenceCards = append(t.PreferenceCards, c); len(t.PreferenceCards) == MostCards {
			break
		}
	}
	for _, c := range earlier {
		again := func(x storage.PreferenceCard) bool { return x.ID == c.ID || text.Equal(x.Preference, c.Preference) }
		if (c.Muted || c.Over) && !c.Own && !c.Deleted && !slices.ContainsFunc(t.PreferenceCards, again) {
			t.PreferenceCards = append(t.PreferenceCards, c.PreferenceCard)
		}
	}
	summary := slices.DeleteFunc(sentences(said(p.ProfileSummary, 4*maxProfile)), func(x string) bool { return s.In(x) != "" })
	t.ProfileSummary = prompts.Bounded(strings.Join(summary[:min(len(summary), mostProfileSentences)], " "), maxProfile)
	return t
}

// MuteOver mutes the cards of the profile before for which there was no room, where t has
// kept them: else they would be used as soon as there are fewer others. It reports whether
// there was any.
func (s Story) MuteOver(t storage.Taste, h *storage.ProfileEdits) (changed bool) {
	for _, c := range Cards(s.Before, s.Overrides) {
		kept := slices.ContainsFunc(t.PreferenceCards, func(x storage.PreferenceCard) bool { return x == c.PreferenceCard })
		if c.Over && kept && overrideOf(*h, c.PreferenceCard) < 0 {
			h.Cards = append(h.Cards, storage.CardEdits{ID: c.ID, Was: c.Preference, Muted: true})
			changed = true
		}
	}
	return changed
}

// writtenByUser reports whether a card is the user's own from the beginning. One that the
// user changed or deleted is the program's below that, to be restored.
func (s Story) writtenByUser(id storage.CardID) bool {
	return slices.ContainsFunc(s.Overrides.Cards, func(h storage.CardEdits) bool { return h.ID == id && h.Was == "" })
}

// NoLessons reports whether none of the scenes has taught anything: then there is
// nothing to ask, and the profile holds numbers alone.
func (s Story) NoLessons() bool {
	return !slices.ContainsFunc(s.Memories, func(m storage.TasteMemory) bool { return len(m.SceneLearnings) > 0 })
}
