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

// ProfileFile is the prompt file for a profile.
const ProfileFile = "taste/profile"

// Story is the material of a profile.
type Story struct {
	Memories  []storage.TasteMemory // oldest first
	Before    storage.Taste         // zero for none
	Overrides storage.ProfileEdits  // zero for none
	Material
}

// Profile is a model's answer about a story.
type Profile struct {
	ProfileSummary  string       `json:"profileSummary"`
	PreferenceCards []AnswerCard `json:"preferenceCards"`
}

// The kinds of cards in an answer.
const (
	patternKind = "pattern" // it fits any story
	plotKind    = "plot"    // it belongs to one story, and is not kept
)

// AnswerCard is a card in an answer. Scenes are the numbers of the scenes that show the preference.
// Card is the number of the earlier card that it continues, 0 for a new one. Detail is the part
// that is specific to this story.
type AnswerCard struct {
	storage.PreferenceCard
	Scenes []int  `json:"scenes,omitempty"`
	Card   int    `json:"card,omitempty"`
	Detail string `json:"detail,omitempty"`
	Kind   string `json:"kind,omitempty"`
}

// ProfileBudget is the maximum size of the memories and earlier cards that AskProfile includes, in
// runes.
const ProfileBudget = 30000

// Limits of the texts of a profile, in runes.
const (
	maxProfile    = 800
	maxPreference = maxLearning
	maxCondition  = maxApplies
)

// maxProfileSentences limits a profile's summary.
const maxProfileSentences = 8

// minSureScenes is the number of scenes that make a card certain; mostScenes is the maximum number
// that it lists.
const minSureScenes, mostScenes = 3, 40

// profileFences are the tags around outside text in the prompt file.
var profileFences = []string{"scenes", "numbers", "before"}

// AskProfile returns the request for a profile with at most this many runes of the newest memories
// and of the earlier cards. ProfileSchema is the schema of the answer.
func AskProfile(set *prompts.Set, s Story, room int) []prompts.Message {
	return set.Request(ProfileFile, map[string]string{
		"scenes":  or(memoryList(s.Memories, room-room/5), none),
		"numbers": or(prompts.Defuse(Stats(s.Memories), profileFences), none),
		"before":  or(beforeList(s.earlier(), room/5), none),
		"names":   or(prompts.Defuse(onOneLine(strings.Join(s.Names, ", "), maxNamesRunes), profileFences), none),
	})
}

// memoryList lists memories under the numbers of their scenes, the newest that fit; if there is
// little room, only their lessons. Memories without lessons are left out.
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
		if text = onOneLine(text, most); text != "" {
			lines = append(lines, what+text)
		}
	}
	if whole {
		add("Kind of scene: ", m.SceneContextSummary, maxContext)
		add("Edits: ", m.EditSummary, maxEdits)
	}
	for _, l := range m.SceneLearnings[:min(len(m.SceneLearnings), maxLessons)] {
		add("- ", cardWords(storage.PreferenceCard{Preference: l.Learning, AppliesTo: l.AppliesTo,
			AvoidApplyingTo: l.AvoidApplyingTo, Confidence: l.Confidence}), 3*maxLearning)
	}
	return prompts.Defuse(strings.Join(lines, "\n"), profileFences)
}

// cardWords returns a card on one line, without its evidence.
func cardWords(c storage.PreferenceCard) string {
	return fmt.Sprintf("%s | applies to: %s | not for: %s | %s", onOneLine(c.Preference, maxPreference),
		or(onOneLine(c.AppliesTo, maxCondition), none), or(onOneLine(c.AvoidApplyingTo, maxCondition), none),
		levelOf(c.Confidence))
}

// earlier returns the earlier cards in the order of their numbers, including deleted ones that are
// gone from the profile.
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

// beforeList lists earlier cards with their numbers and the user's changes.
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

// ProfileSchema returns the schema of the answer to AskProfile, with only the numbers of scenes
// and earlier cards in the request.
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
	card := fmt.Sprintf(
		`{"type":"object","properties":{"scenes":{"type":"array","minItems":1,"maxItems":%d,"items":%s}`,
		min(mostScenes, scenes), number(1, scenes)) +
		`,"evidence":` + text(1, maxEvidence) + `,"card":` + number(0, len(s.earlier())) + `,"preference":` +
		text(1, maxPreference) +
		`,"appliesTo":` + text(1, maxCondition) + `,"avoidApplyingTo":` + text(1, maxCondition) +
		`,"detail":` + text(0, maxCondition) + `,"kind":` + oneOf(patternKind, plotKind) + `,"for":` +
		oneOf(purposes...) +
		`,"confidence":` + oneOf("low", "medium", "high") + `},` +
		`"required":["scenes","evidence","card","preference","appliesTo","avoidApplyingTo","detail","kind","for",` +
		`"confidence"],` +
		`"additionalProperties":false}`
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
		`"preferenceCards":{"type":"array","maxItems":%d,"items":%s},"profileSummary":%s},`+
		`"required":["preferenceCards","profileSummary"],"additionalProperties":false}`, MaxCards, card,
		text(1, 2*maxProfile)))
}

// ProfileForm returns the minimal schema of such an answer, because not every server enforces a
// schema.
func ProfileForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"profileSummary":{"type":"string"},` +
		`"preferenceCards":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"object",` +
		`"required":["preference"],` +
		`"properties":{"preference":{"type":"string"}}}}]}},"required":["profileSummary"]}`)
}

// CheckProfile returns what is wrong with an answer, for the model. NewProfile can still use the
// answer if it is Usable.
func CheckProfile(s Story, p Profile) error {
	var faults []string
	if len(sentences(p.ProfileSummary)) == 0 {
		faults = append(faults, `"profileSummary" is empty`)
	}
	if found := s.In(p.ProfileSummary); found != "" {
		faults = append(faults,
			fmt.Sprintf(`"profileSummary" holds “%s”, which is of this story: say it of that kind of scene`,
				onOneLine(found, maxName)))
	}
	for i, c := range p.PreferenceCards {
		if fault := cardFault(s, c); fault != "" {
			faults = append(faults, fmt.Sprintf("card %d: %s", i+1, fault))
		}
	}
	return faultsOf(faults)
}

// cardFault returns what is wrong with one card, "" for nothing. A card that the answer itself
// marks as plot is not stored and needs no correction.
func cardFault(s Story, c AnswerCard) string {
	found := s.In(cardText(c.PreferenceCard))
	switch {
	case c.Kind == plotKind:
		return ""
	case prompts.OneLine(c.Preference) == "":
		return `"preference" is empty`
	case prompts.OneLine(c.AppliesTo) == "":
		return `"appliesTo" is empty: say for which kind of scene or moment it holds`
	case len(s.scenesOf(c)) == 0:
		return `"scenes" names no scene that was shown`
	case found != "":
		return fmt.Sprintf("“%s” is of this story: say it in general words, or leave the card out",
			onOneLine(found, maxName))
	}
	return ""
}

// cardText returns the text of a card that prompts contain.
func cardText(c storage.PreferenceCard) string {
	return c.Preference + "\n" + c.AppliesTo + "\n" + c.AvoidApplyingTo
}

// scenesOf returns the scenes that a card names and that have lessons, without duplicates.
func (s Story) scenesOf(c AnswerCard) (out []int) {
	for _, n := range c.Scenes {
		if n >= 1 && n <= len(s.Memories) && len(s.Memories[n-1].SceneLearnings) > 0 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// Usable reports whether any part of the answer can be stored. Cards that all say nothing are not
// an answer.
func (p *Profile) Usable() bool {
	says := func(c AnswerCard) bool { return prompts.OneLine(c.Preference) != "" }
	return slices.ContainsFunc(p.PreferenceCards, says) ||
		len(p.PreferenceCards) == 0 && len(sentences(p.ProfileSummary)) > 0
}

// NewProfile returns the profile to store. It drops cards that are plot, contain parts of the
// story, are shown by no scene or repeat the user's own cards. Earlier cards keep their IDs and so
// the user's changes; disabled ones stay until the user deletes them. Statistics are computed. The
// caller sets scope and times.
func NewProfile(s Story, p Profile) storage.Taste {
	t := storage.Taste{SourceSceneIDs: []storage.NodeID{}, SourceMemoryIDs: []storage.TasteMemoryID{},
		PreferenceCards: []storage.PreferenceCard{}, StatsSummary: Stats(s.Memories)}
	for _, m := range s.Memories {
		t.SourceSceneIDs = append(t.SourceSceneIDs, m.Scene)
		t.SourceMemoryIDs = append(t.SourceMemoryIDs, m.ID)
	}
	earlier := s.earlier()
	for _, a := range p.PreferenceCards {
		c := storage.PreferenceCard{Preference: onOneLine(a.Preference, maxPreference),
			AppliesTo: onOneLine(a.AppliesTo,
				maxCondition),
			AvoidApplyingTo: onOneLine(a.AvoidApplyingTo, maxCondition), Evidence: onOneLine(a.Evidence, maxEvidence),
			Confidence: levelOf(a.Confidence), For: a.For}
		if !slices.Contains(purposes, c.For) {
			c.For = ForShots
		}
		shown := s.scenesOf(a)
		if a.Kind == plotKind || c.Preference == "" || c.AppliesTo == "" || len(shown) == 0 || s.In(cardText(c)) != "" {
			continue
		}
		if c.Seen.Scenes = len(shown); c.Seen.Scenes < minSureScenes && c.Confidence == storage.HighConfidence {
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
		if t.PreferenceCards = append(t.PreferenceCards, c); len(t.PreferenceCards) == MaxCards {
			break
		}
	}
	for _, c := range earlier {
		again := func(x storage.PreferenceCard) bool { return x.ID == c.ID || text.Equal(x.Preference, c.Preference) }
		if (c.Muted || c.BeyondLimit) && !c.Own && !c.Deleted && !slices.ContainsFunc(t.PreferenceCards, again) {
			t.PreferenceCards = append(t.PreferenceCards, c.PreferenceCard)
		}
	}
	summary := slices.DeleteFunc(sentences(onOneLine(p.ProfileSummary, 4*maxProfile)),
		func(x string) bool { return s.In(x) != "" })
	t.ProfileSummary = prompts.Bounded(strings.Join(summary[:min(len(summary), maxProfileSentences)], " "), maxProfile)
	return t
}

// MuteBeyondLimit mutes the cards that were beyond the limit before and are kept in t, or they
// would be used as soon as there are fewer others. It reports whether there were any.
func (s Story) MuteBeyondLimit(t storage.Taste, h *storage.ProfileEdits) (changed bool) {
	for _, c := range Cards(s.Before, s.Overrides) {
		kept := slices.ContainsFunc(t.PreferenceCards, func(x storage.PreferenceCard) bool {
			return x == c.PreferenceCard
		})
		if c.BeyondLimit && kept && overrideOf(*h, c.PreferenceCard) < 0 {
			h.Cards = append(h.Cards, storage.CardEdits{ID: c.ID, Was: c.Preference, Muted: true})
			changed = true
		}
	}
	return changed
}

// writtenByUser reports whether the user created a card. A card that the user changed or deleted
// is the program's and can be restored.
func (s Story) writtenByUser(id storage.CardID) bool {
	return slices.ContainsFunc(s.Overrides.Cards, func(h storage.CardEdits) bool { return h.ID == id && h.Was == "" })
}

// NoLessons reports whether no scene has lessons: then the model is not asked, and the profile
// only has statistics.
func (s Story) NoLessons() bool {
	return !slices.ContainsFunc(s.Memories, func(m storage.TasteMemory) bool { return len(m.SceneLearnings) > 0 })
}
