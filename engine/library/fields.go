package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PersonaFields are the fields of a persona. The default persona is chosen in lists of personas.
var PersonaFields = field.Record[storage.Persona]{Noun: "a persona", Fields: []field.Spec[storage.Persona]{
	{Name: "name", Flag: "name", Label: "Name", Help: "your name in the chat", Hint: "your name in the chat",
		Required: true, At: func(p *storage.Persona) any { return &p.Name }},
	{Name: "description", Flag: "description", Label: "Description",
		Help: "who you are in the chat; sent to the model", Rows: 8,
		At: func(p *storage.Persona) any { return &p.Description }},
	{Name: "default", Flag: "default", Help: "use it in new chats",
		At: func(p *storage.Persona) any { return &p.Default }},
}}

// The groups of a character's fields.
const (
	groupCharacter = "Character"
	groupRoleplay  = "Roleplay"
	groupGreetings = "Greetings and creator"
	groupActor     = "Actor"
	groupPictures  = "Pictures"
)

// Limits of a character's fields.
const (
	maxActorText          = 16 << 10 // bytes
	maxWeights            = 32
	maxTraitLength        = 60 // characters
	maxWeight             = 100
	minSide, maxSide      = 64, 4096 // pixels
	maxDepth              = 10000    // messages
	maxLoraStrength       = 5
	maxSeed               = 1<<32 - 1
	greetingSeparator     = "\n---\n"
	weightsFormat         = "TRAIT=N with N from 0 to 100, such as warmth=80"
	automaticWorkflowHelp = "which workflow generates %s; automatic uses the one in the settings"
)

// CharacterFields are the fields of a character. The choices of workflows come from the pictures
// service: see Record.With.
var CharacterFields = field.Record[storage.Character]{
	Noun:   "a character",
	New:    func() storage.Character { return storage.Character{Immersion: storage.Full} },
	Fields: slices.Concat(characterFields, roleplayFields, creatorFields, actorFields, pictureFields),
}

var characterFields = []field.Spec[storage.Character]{
	{Name: "name", Path: "card.name", Group: groupCharacter, Label: "Name", Hint: "the character's name",
		Required: true, At: func(c *storage.Character) any { return &c.Card.Name }},
	{Name: "description", Path: "card.description", Group: groupCharacter, Label: "Description", Rows: 6,
		Help: "personality, goals and appearance",
		At:   func(c *storage.Character) any { return &c.Card.Description }},
	{Name: "first_mes", Path: "card.first_mes", Group: groupCharacter, Label: "First message", Rows: 5,
		Help: "the greeting of a new chat",
		At:   func(c *storage.Character) any { return &c.Card.FirstMessage }},
	{Name: "scenario", Path: "card.scenario", Group: groupCharacter, Label: "Scenario", Rows: 3,
		Help: "where the story starts, and your relationship",
		At:   func(c *storage.Character) any { return &c.Card.Scenario }},
	{Name: "appearance", Path: "imagery.appearance", Group: groupCharacter, Label: "Appearance", Rows: 2,
		Help: "included in every picture of the character",
		At:   func(c *storage.Character) any { return &c.Imagery.Appearance }},
}

var roleplayFields = []field.Spec[storage.Character]{
	{Name: "personality", Path: "card.personality", Group: groupRoleplay, Label: "Personality", Rows: 3,
		Help: "a summary in a few words",
		At:   func(c *storage.Character) any { return &c.Card.Personality }},
	{Name: "immersion", Group: groupRoleplay, Label: "Immersion", Help: "how strictly the model stays in character",
		Choices: field.Choices(storage.Full, storage.Minimal, storage.Balanced, storage.Unbounded),
		At:      func(c *storage.Character) any { return &c.Immersion }},
	{Name: "mes_example", Path: "card.mes_example", Group: groupRoleplay, Label: "Example dialogue", Rows: 4,
		Help: "how the character speaks; each example begins with <START>",
		At:   func(c *storage.Character) any { return &c.Card.MessageExample }},
	{Name: "system_prompt", Path: "card.system_prompt", Group: groupRoleplay, Label: "System prompt", Rows: 3,
		Help: "replaces the system prompt; {{original}} inserts the replaced one",
		At:   func(c *storage.Character) any { return &c.Card.SystemPrompt }},
	{Name: "post_history_instructions", Path: "card.post_history_instructions", Group: groupRoleplay,
		Label: "Post-history instructions", Rows: 3, Help: "added after the messages",
		At: func(c *storage.Character) any { return &c.Card.PostHistoryInstructions }},
	{Name: "depth_prompt", Path: "card.depth_prompt", Group: groupRoleplay, Label: "Depth prompt", Rows: 2,
		Help: "a note inserted between the messages",
		At:   func(c *storage.Character) any { return &c.Card.DepthPrompt }},
	{Name: "depth_prompt_depth", Path: "card.depth_prompt_depth", Group: groupRoleplay, Label: "Depth",
		Help: "number of messages after the depth prompt", Hint: "at the end", ZeroIsEmpty: true, Max: maxDepth,
		At: func(c *storage.Character) any { return &c.Card.DepthPromptDepth }},
	{Name: "depth_prompt_role", Path: "card.depth_prompt_role", Group: groupRoleplay, Label: "Depth role",
		Help:    "message role of the depth prompt",
		Choices: []field.Choice{{Label: "default"}, {Value: "system"}, {Value: "user"}, {Value: "assistant"}},
		At:      func(c *storage.Character) any { return &c.Card.DepthPromptRole }},
}

var creatorFields = []field.Spec[storage.Character]{
	{Name: "alternate_greetings", Path: "card.alternate_greetings", Group: groupGreetings, Rows: 4,
		Label: "Alternate greetings", Help: "other first messages, with lines of --- between them",
		Split: splitGreetings, Join: func(list []string) string { return strings.Join(list, greetingSeparator) },
		At: func(c *storage.Character) any { return &c.Card.AlternateGreetings }},
	{Name: "nickname", Path: "card.nickname", Group: groupGreetings, Label: "Nickname",
		Help: "used for {{char}} instead of the name",
		At:   func(c *storage.Character) any { return &c.Card.Nickname }},
	{Name: "tags", Path: "card.tags", Group: groupGreetings, Label: "Tags", Help: "one per line",
		At: func(c *storage.Character) any { return &c.Card.Tags }},
	{Name: "creator", Path: "card.creator", Group: groupGreetings, Label: "Creator",
		At: func(c *storage.Character) any { return &c.Card.Creator }},
	{Name: "character_version", Path: "card.character_version", Group: groupGreetings, Label: "Version",
		At: func(c *storage.Character) any { return &c.Card.CharacterVersion }},
	{Name: "creator_notes", Path: "card.creator_notes", Group: groupGreetings, Label: "Creator's notes", Rows: 3,
		Help: "for people; never sent to a model",
		At:   func(c *storage.Character) any { return &c.Card.CreatorNotes }},
}

var actorFields = []field.Spec[storage.Character]{
	{Name: "current_goal", Path: "actor.current_goal", Flag: "goal", Group: groupActor, Label: "Goal", Multiline: true,
		Help: "what the character wants now", Max: maxActorText,
		At: func(c *storage.Character) any { return &c.Actor.Goal }},
	{Name: "current_struggle", Path: "actor.current_struggle", Flag: "struggle", Group: groupActor, Label: "Struggle",
		Multiline: true, Help: "inner conflict", Max: maxActorText,
		At: func(c *storage.Character) any { return &c.Actor.Struggle }},
	{Name: "secret_dream", Path: "actor.secret_dream", Flag: "dream", Group: groupActor, Label: "Dream",
		Multiline: true, Help: "secret wish", Max: maxActorText,
		At: func(c *storage.Character) any { return &c.Actor.Dream }},
	{Name: "current_stressor", Path: "actor.current_stressor", Flag: "stressor", Group: groupActor, Label: "Stressor",
		Multiline: true, Help: "current burden", Max: maxActorText,
		At: func(c *storage.Character) any { return &c.Actor.Stressor }},
	{Name: "tone", Path: "actor.tone", Flag: "tone", Group: groupActor, Label: "Tone", Multiline: true,
		Help: "how the character sounds", Max: maxActorText,
		At: func(c *storage.Character) any { return &c.Actor.Tone }},
	{Name: "speech_patterns", Path: "actor.speech_patterns", Flag: "speech", Group: groupActor, Label: "Speech",
		Multiline: true, Help: "way of speaking", Max: maxActorText,
		At: func(c *storage.Character) any { return &c.Actor.Speech }},
	{Name: "boundaries", Path: "actor.boundaries", Flag: "boundaries", Group: groupActor, Label: "Boundaries",
		Multiline: true, Help: "what the character refuses", Max: maxActorText,
		At: func(c *storage.Character) any { return &c.Actor.Boundaries }},
	{Name: "weights", Path: "actor.weights", Group: groupActor, Label: "Weights", Multiline: true,
		Help: "how strong each trait is: warmth=80, wit=55", Check: checkWeights,
		At: func(c *storage.Character) any {
			return field.Computed{
				Get: func() string { return weightsText(c.Actor.Weights) },
				Put: func(text string) (err error) {
					c.Actor.Weights, err = parseWeights(text)
					return err
				}}
		}},
	{Name: "phrases", Path: "actor.phrases", Group: groupActor, Label: "Banned phrases", Rows: 2,
		Help:  "what this character must not say, one per line",
		Split: splitLines, Join: func(list []string) string { return strings.Join(list, "\n") }, Check: checkPhrases,
		At: func(c *storage.Character) any { return &c.Actor.Phrases }},
}

var pictureFields = []field.Spec[storage.Character]{
	{Name: "style", Path: "imagery.style", Group: groupPictures, Label: "Style", Hint: "for example: oil painting",
		At: func(c *storage.Character) any { return &c.Imagery.Style }},
	{Name: "negative_prompt", Path: "imagery.negative_prompt", Group: groupPictures, Label: "Negative prompt",
		Help: "what pictures must not show",
		At:   func(c *storage.Character) any { return &c.Imagery.NegativePrompt }},
	{Name: "trigger_word", Path: "imagery.trigger_word", Group: groupPictures, Label: "Trigger",
		Hint: "trigger word of the picture model",
		At:   func(c *storage.Character) any { return &c.Imagery.TriggerWord }},
	{Name: "workflow", Path: "imagery.workflow", Group: groupPictures, Label: "Workflow",
		Help: fmt.Sprintf(automaticWorkflowHelp, "pictures"),
		At:   func(c *storage.Character) any { return &c.Imagery.Workflow }},
	{Name: "video_workflow", Path: "imagery.video_workflow", Group: groupPictures, Label: "For videos",
		Help: fmt.Sprintf(automaticWorkflowHelp, "videos"),
		At:   func(c *storage.Character) any { return &c.Imagery.VideoWorkflow }},
	{Name: "width", Path: "imagery.width", Group: groupPictures, Label: "Width", Hint: "workflow default",
		Help: "in pixels, for example 832", Min: minSide, Max: maxSide, ZeroIsEmpty: true,
		At: func(c *storage.Character) any { return &c.Imagery.Width }},
	{Name: "height", Path: "imagery.height", Group: groupPictures, Label: "Height", Hint: "workflow default",
		Help: "in pixels, for example 1216", Min: minSide, Max: maxSide, ZeroIsEmpty: true,
		At: func(c *storage.Character) any { return &c.Imagery.Height }},
	{Name: "images", Path: "imagery.off", Inverted: true, Group: groupPictures, Label: "On request",
		Help: "whether asking for a picture in the chat creates one; the capture keys always work",
		At:   func(c *storage.Character) any { return &c.Imagery.Off }},
	{Name: "lora", Path: "imagery.lora", Group: groupPictures, Label: "LoRA", Hint: "the file's name in ComfyUI",
		Help: "with or without extension; the workflow must support a LoRA, as built-in ones do",
		At:   func(c *storage.Character) any { return &c.Imagery.Lora }},
	{Name: "lora_weight", Path: "imagery.lora_weight", Group: groupPictures, Label: "LoRA weight", Hint: "1",
		Help: "for example 0.8", Min: -maxLoraStrength, Max: maxLoraStrength, ZeroIsEmpty: true,
		At: func(c *storage.Character) any { return &c.Imagery.LoraWeight }},
	{Name: "seeds", Path: "imagery.seeds", Group: groupPictures, Label: "Seeds",
		Help:    "a new seed for each picture, one for a batch or storyboard, or always the same",
		Choices: []field.Choice{{Label: "new"}, {Value: string(storage.SeedBatch)}, {Value: string(storage.SeedFixed)}},
		At:      func(c *storage.Character) any { return &c.Imagery.Seeds }},
	{Name: "seed", Path: "imagery.seed", Group: groupPictures, Label: "Fixed seed", Hint: "empty: chosen once",
		Help: "the seed of the character's pictures if seeds are fixed", Min: 1, Max: maxSeed, ZeroIsEmpty: true,
		At: func(c *storage.Character) any { return &c.Imagery.Seed }},
}

func splitGreetings(text string) []string { return splitTrimmed(text, greetingSeparator) }

func splitLines(text string) []string { return splitTrimmed(text, "\n") }

// splitTrimmed splits a text and drops blank parts.
func splitTrimmed(text, sep string) []string {
	list := []string{}
	for part := range strings.SplitSeq(text, sep) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// weightsText formats weights as parseWeights reads them.
func weightsText(weights map[string]int) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		words = append(words, fmt.Sprintf("%s=%d", name, weights[name]))
	}
	return strings.Join(words, ", ")
}

// parseWeights parses a list of TRAIT=N, where TRAIT= removes one, or a JSON object.
func parseWeights(text string) (map[string]int, error) {
	weights := map[string]int{}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if json.Unmarshal([]byte(text), &weights) != nil {
			return nil, errors.New(weightsFormat)
		}
		return weights, nil
	}
	for _, item := range field.SplitList(text) {
		name, number, ok := strings.Cut(item, "=")
		name, number = strings.ToLower(strings.Join(strings.Fields(name), " ")), strings.TrimSpace(number)
		n, err := strconv.Atoi(number)
		switch {
		case !ok || name == "" || number != "" && (err != nil || n < 0 || n > maxWeight):
			return nil, fmt.Errorf("%s, not %q", weightsFormat, item)
		case number == "":
			delete(weights, name)
		default:
			weights[name] = n
		}
	}
	return weights, nil
}

func checkWeights(c *storage.Character) error {
	if len(c.Actor.Weights) > maxWeights {
		return fmt.Errorf("at most %d, not %d", maxWeights, len(c.Actor.Weights))
	}
	for name, n := range c.Actor.Weights {
		if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > maxTraitLength || n < 0 || n > maxWeight {
			return fmt.Errorf("%s, not %q", weightsFormat, fmt.Sprintf("%s=%d", name, n))
		}
	}
	return nil
}

func checkPhrases(c *storage.Character) error {
	if n := len(c.Actor.Phrases); n > formats.MaxCardPhrases {
		return fmt.Errorf("at most %d, not %d", formats.MaxCardPhrases, n)
	}
	for _, p := range c.Actor.Phrases {
		if err := voice.Check(p); err != nil {
			return fmt.Errorf("phrases that can be matched: %q: %w", p, err)
		}
	}
	return nil
}
