package storyboard

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files. Each tool has one more, folder+its name: for a planning tool the request for
// its parameters, for another tool its description.
const (
	folder         = "storyboard/"
	SystemFile     = folder + "system"
	SceneFile      = folder + "scene"
	PartFile       = folder + "part" // instead of SceneFile, for a scene that is too long
	SaidFile       = folder + "said" // earlier directions
	BoardFile      = folder + "board"
	SteerRulesFile = folder + "steer-rules" // rules for steering lines, for the next two
	SteerFile      = folder + "steer"       // with tools
	UnchangedFile  = folder + "unchanged"   // to a model that replies without calling a tool
	SteerAloneFile = folder + "steer-alone" // for a model that cannot call tools
)

// none replaces a missing part of a prompt.
const none = "(none)"

// Limits of a text in prompts, in runes unless it says bytes.
const (
	defaultSceneBytes = 8000 // bytes of a scene, if the input sets none
	minSceneBytes     = 2000 // bytes
	maxName           = 80
	maxRecap          = 1500
	maxTaste          = 8000
	maxShownNote      = 300 // a beat's text, a filler strategy
	maxShownDialogue  = 80  // dialogue on the board
	maxInstruction    = 1500
	maxDirections     = 2400 // earlier directions, the newest
	maxTalkLines      = 6    // lines and replies, the newest
	maxReply          = 300
	maxShownEdits     = 12 // calls of a proposal
	maxShownParams    = 200
)

// Ask returns the request for the parameters of a planning tool; nil for any other.
//
// All requests about a scene begin with the same bytes, so that a server reads the scene once: the
// system text and the scene. They are followed by earlier directions, the user's taste, the
// storyboard, the tool's instruction, and the user's words.
func Ask(set *prompts.Set, tool string, in Input) []prompts.Message {
	if t, ok := Find(tool); !ok || !t.Planning {
		return nil
	}
	values := in.values()
	switch tool {
	case RecommendBeats:
		values["count_rule"] = in.beatRule()
	case BudgetPackages:
		values["beats"] = or(joinIDs(beatIDs(in.Plan.Beats)), none)
	case GeneratePackage:
		beat, ok := in.beat()
		if !ok {
			return nil
		}
		values["beat_id"] = string(beat.ID)
		values["beat"] = escapeLine(string(beat.ID)+" – "+beat.Text, maxShownNote)
		values["messages"] = or(in.messageWords(beat.Messages), "the whole scene")
		values["budget"] = budgetWords(in.Plan, beat.ID)
	case GenerateShots:
		values["shots"] = or(joinIDs(shotIDs(in.withPackages().Shots)), none)
		values["filler"] = fillerWords(in.Plan.Filler)
	case ProposeEdit:
		values["tools"] = toolList(set, editTools())
	}
	return in.request(set, folder+tool, values)
}

// request builds a prompt from the shared parts and a prompt file.
func (in Input) request(set *prompts.Set, file string, values map[string]string) []prompts.Message {
	values["scene"] = or(escapeLine(in.Scene, maxName), "without a name")
	values["recap"] = or(escapeText(in.Recap, min(maxRecap, in.sceneBytes()/4)), none)
	values["count"] = fmt.Sprint(len(in.Messages))
	told := SceneFile
	if in.Part != nil {
		in.partValues(values)
		if values["left_out"] = ""; in.Part.Of != 1 { // one part is the whole scene
			told = PartFile
		}
	} else {
		values["transcript"], values["left_out"] = in.transcript()
	}
	values["board"] = in.board()
	var parts []string
	for _, part := range []string{fillPrompt(set, told, values), DirectionsText(set, in.Directions, in.Instruction),
		escapeText(in.Taste, maxTaste), fillPrompt(set, BoardFile, values), fillPrompt(set, file, values)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return []prompts.Message{
		{Role: "system", Content: fillPrompt(set, SystemFile, values)},
		{Role: "user", Content: strings.Join(parts, "\n\n")},
	}
}

// DirectionsText returns the user's earlier directions for a scene, oldest first: the newest ones
// that fit. It is "" if there is only now, which is elsewhere in the request.
func DirectionsText(set *prompts.Set, lines []string, now string) string {
	var kept []string
	room := maxDirections
	for _, line := range slices.Backward(lines) {
		if line == now {
			continue
		}
		line = "- " + escapeLine(line, maxInstruction)
		if room -= utf8.RuneCountInString(line); room < 0 {
			break
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return ""
	}
	slices.Reverse(kept)
	return fillPrompt(set, SaidFile, map[string]string{"said": strings.Join(kept, "\n")})
}

// values returns the macros of every prompt file.
func (in Input) values() map[string]string {
	return map[string]string{
		"user": or(in.name(in.User), "the user"), "char": or(in.name(in.Char), "the character"),
		"sizes": strings.Join(keysOf(FieldSize), ", "), "angles": strings.Join(keysOf(FieldAngle), ", "),
		"movements": strings.Join(keysOf(FieldMovement), ", "), "jobs": strings.Join(keysOf(FieldJob), ", "),
		"wish": or(escapeText(in.Instruction, maxInstruction), none),
	}
}

// fillPrompt returns a prompt file with its values.
func fillPrompt(set *prompts.Set, file string, values map[string]string) string {
	var parts []string
	for _, m := range set.Request(file, values) {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n\n")
}

// Description returns the description of a tool for the model.
func Description(set *prompts.Set, tool string) string {
	t, _ := Find(tool)
	if t.Planning || !t.Steering {
		return t.Description
	}
	return or(strings.TrimSpace(set.Text(folder+tool)), t.Description)
}

// toolList lists tools with their descriptions.
func toolList(set *prompts.Set, tools []string) string {
	var b strings.Builder
	for _, tool := range tools {
		fmt.Fprintf(&b, "- `%s`: %s\n", tool, Description(set, tool))
	}
	return strings.TrimSpace(b.String())
}

// beatRule returns how many beats a scene should have.
func (in Input) beatRule() string {
	low, high := in.beatRange()
	if p := in.Part; p != nil && p.Of > 1 {
		return fmt.Sprintf("For the whole scene %d to %d are right, so for this part 0 to %d. Where the scene turns "+
			"on nothing in it, the list is empty.", low, high, max(1, (high+p.Of-1)/p.Of))
	}
	return fmt.Sprintf("For a scene of this length %d to %d are right.", low, high)
}

// beatRange returns how many beats a scene of this length should have.
func (in Input) beatRange() (low, high int) {
	switch n := len(in.Messages); {
	case n > 40:
		return 4, 9
	case n > 12:
		return 3, 6
	case n > 4:
		return 2, 4
	}
	return 1, 2
}

func budgetWords(p storage.Plan, beat storage.BeatID) string {
	if a, ok := budgetOf(p, beat); ok {
		return fmt.Sprintf("%s, %s, %s in all", countText(a.Key, "key shot"), countText(a.Filler, "filler"),
			secondsText(a.Seconds))
	}
	return "none was given: one or two key shots, and a filler where it needs one"
}

func budgetOf(p storage.Plan, beat storage.BeatID) (storage.Allotment, bool) {
	i := slices.IndexFunc(p.Budget, func(a storage.Allotment) bool { return a.Beat == beat })
	if i < 0 {
		return storage.Allotment{}, false
	}
	return p.Budget[i], true
}

func fillerWords(f *storage.FillerStrategy) string {
	if f == nil {
		return "none was chosen, so few or none"
	}
	words := escapeText(f.Amount, maxName)
	if len(f.Jobs) > 0 {
		words += ", for " + escapeText(strings.Join(f.Jobs, ", "), maxShownNote)
	}
	if f.Where != "" {
		words += "; " + strings.TrimRight(escapeLine(f.Where, maxShownNote), ". ")
	}
	return words
}

// beat returns the beat that a package is written for.
func (in Input) beat() (storage.BoardBeat, bool) {
	i := slices.IndexFunc(in.Plan.Beats, func(b storage.BoardBeat) bool { return b.ID == in.Beat })
	if i < 0 {
		return storage.BoardBeat{}, false
	}
	return in.Plan.Beats[i], true
}

// withPackages returns the plan with the packages in the list of shots.
func (in Input) withPackages() storage.Plan {
	p, _, err := Apply(in.Plan, storage.ToolCall{Tool: GenerateShots})
	if err != nil {
		return in.Plan
	}
	return p
}

// messageWords lists messages by their numbers in the transcript.
func (in Input) messageWords(ids []storage.NodeID) string {
	var numbers []string
	for i, m := range in.Messages {
		if slices.Contains(ids, m.ID) {
			numbers = append(numbers, fmt.Sprint(i+1))
		}
	}
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return "message " + numbers[0]
	}
	return "messages " + strings.Join(numbers, ", ")
}

// name returns an outside name for the beginning of a line.
func (in Input) name(s string) string {
	return escapeText(strings.NewReplacer("[", "", "]", "", ":", "", "<", "", "\n", " ").Replace(s), maxName)
}

// fences are the tags that the prompt files put around outside text.
var fences = []string{"recap", "before", "transcript", "said", "board", "talk", "line"}

// escapeText returns at most n runes of an outside text, safe within a fence.
func escapeText(s string, n int) string {
	return clip(prompts.Defuse(strings.TrimSpace(cleanText(s)), fences), n)
}

// escapeLine is escapeText on one line, without the separators of a shot's fields.
func escapeLine(s string, n int) string {
	return clip(strings.ReplaceAll(prompts.Defuse(cleanLine(s), fences), "|", "/"), n)
}

// clip returns at most n runes and marks a cut.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(cutRunes(s, n-1)) + "…"
}

func or(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func beatIDs(beats []storage.BoardBeat) []storage.BeatID {
	ids := make([]storage.BeatID, len(beats))
	for i, b := range beats {
		ids[i] = b.ID
	}
	return ids
}

func joinIDs[T ~string](ids []T) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = string(id)
	}
	return strings.Join(all, ", ")
}
