package storyboard

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files. Every tool has one of its own, folder+its name: for a planning
// tool it is the request for its parameters, for another what a model is told of it.
const (
	folder         = "storyboard/"
	SystemFile     = folder + "system"
	SceneFile      = folder + "scene"
	PartFile       = folder + "part" // in its place, of a scene that is too long
	SaidFile       = folder + "said" // what the director has said before
	BoardFile      = folder + "board"
	SteerRulesFile = folder + "steer-rules" // how a line is carried out, for both of these
	SteerFile      = folder + "steer"       // with tools beside it
	UnchangedFile  = folder + "unchanged"   // to one that says something and calls none
	SteerAloneFile = folder + "steer-alone" // for a model that cannot call tools
)

// nothing stands for a missing part of a prompt.
const nothing = "(none)"

// Bounds of what prompts hold of a text, in runes unless it says bytes.
const (
	usualRoom   = 8000 // bytes, of a scene where the input does not say
	leastRoom   = 2000 // bytes
	shownName   = 80
	shownRecap  = 1500
	shownTaste  = 8000
	shownNote   = 300 // a beat's text, what a filler strategy says
	shownSaid   = 80  // dialogue on the board
	shownWish   = 1500
	shownSaying = 2400 // of what the director has said before, the newest
	shownTalk   = 6    // lines and replies, the newest
	shownReply  = 300
	shownEdits  = 12 // calls of a proposal
	shownParams = 200
)

// Ask is the request for the parameters of a planning tool; nil for any other.
//
// All requests about one scene begin with the same bytes: what the program says and
// the scene. Then come what the user has said before, what was learnt of the user, the
// storyboard, what the tool is for, and the user's words last. So a server reads the
// scene once.
func Ask(set *prompts.Set, tool string, in Input) []prompts.Message {
	if t, ok := Find(tool); !ok || !t.Planning {
		return nil
	}
	values := in.values()
	switch tool {
	case RecommendBeats:
		values["count_rule"] = in.beatRule()
	case BudgetPackages:
		values["beats"] = or(joinIDs(beatIDs(in.Plan.Beats)), nothing)
	case GeneratePackage:
		beat, ok := in.beat()
		if !ok {
			return nil
		}
		values["beat_id"] = string(beat.ID)
		values["beat"] = shownLine(string(beat.ID)+" – "+beat.Text, shownNote)
		values["messages"] = or(in.messageWords(beat.Messages), "the whole scene")
		values["budget"] = budgetWords(in.Plan, beat.ID)
	case GenerateShots:
		values["shots"] = or(joinIDs(shotIDs(in.ready().Shots)), nothing)
		values["filler"] = fillerWords(in.Plan.Filler)
	case ProposeEdit:
		values["tools"] = toolList(set, edits())
	}
	return in.request(set, folder+tool, values)
}

// request puts a prompt together of the parts that all share and a file of its own.
func (in Input) request(set *prompts.Set, file string, values map[string]string) []prompts.Message {
	values["scene"] = or(shownLine(in.Scene, shownName), "without a name")
	values["recap"] = or(shown(in.Recap, min(shownRecap, in.room()/4)), nothing)
	values["count"] = fmt.Sprint(len(in.Messages))
	told := SceneFile
	if in.Part != nil {
		in.partValues(values)
		if values["left_out"] = ""; in.Part.Of != 1 { // one part is the scene
			told = PartFile
		}
	} else {
		values["transcript"], values["left_out"] = in.transcript()
	}
	values["board"] = in.board()
	var parts []string
	for _, part := range []string{filled(set, told, values), Said(set, in.Said, in.Wish), shown(in.Taste, shownTaste), filled(set, BoardFile, values), filled(set, file, values)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return []prompts.Message{
		{Role: "system", Content: filled(set, SystemFile, values)},
		{Role: "user", Content: strings.Join(parts, "\n\n")},
	}
}

// Said is what a request tells of what the director has said about a scene before,
// oldest first: the newest lines for which there is room. It is "" where there is
// nothing but now, which stands elsewhere in the request.
func Said(set *prompts.Set, lines []string, now string) string {
	var kept []string
	room := shownSaying
	for _, line := range slices.Backward(lines) {
		if line == now {
			continue
		}
		line = "- " + shownLine(line, shownWish)
		if room -= utf8.RuneCountInString(line); room < 0 {
			break
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return ""
	}
	slices.Reverse(kept)
	return filled(set, SaidFile, map[string]string{"said": strings.Join(kept, "\n")})
}

// values are what every prompt file may name.
func (in Input) values() map[string]string {
	return map[string]string{
		"user": or(in.name(in.User), "the user"), "char": or(in.name(in.Char), "the character"),
		"sizes": strings.Join(keysOf(FieldSize), ", "), "angles": strings.Join(keysOf(FieldAngle), ", "),
		"movements": strings.Join(keysOf(FieldMovement), ", "), "jobs": strings.Join(keysOf(FieldJob), ", "),
		"wish": or(shown(in.Wish, shownWish), nothing),
	}
}

// filled is the text of a prompt file with its values put in.
func filled(set *prompts.Set, file string, values map[string]string) string {
	var parts []string
	for _, m := range set.Request(file, values) {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n\n")
}

// Description is what a model is told of a tool that it may choose.
func Description(set *prompts.Set, tool string) string {
	t, _ := Find(tool)
	if t.Planning || !t.Steering {
		return t.Words
	}
	return or(strings.TrimSpace(set.Text(folder+tool)), t.Words)
}

// toolList lists tools with what a model is told of them.
func toolList(set *prompts.Set, tools []string) string {
	var b strings.Builder
	for _, tool := range tools {
		fmt.Fprintf(&b, "- `%s`: %s\n", tool, Description(set, tool))
	}
	return strings.TrimSpace(b.String())
}

// beatRule says how many beats a scene should get.
func (in Input) beatRule() string {
	low, high := in.rightBeats()
	if p := in.Part; p != nil && p.Of > 1 {
		return fmt.Sprintf("For the whole scene %d to %d are right, so for this part 0 to %d. Where the scene turns on nothing in it, the list is empty.", low, high, max(1, (high+p.Of-1)/p.Of))
	}
	return fmt.Sprintf("For a scene of this length %d to %d are right.", low, high)
}

// rightBeats is how many beats a scene of so many messages should get.
func (in Input) rightBeats() (low, high int) {
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
	if a, ok := allotted(p, beat); ok {
		return fmt.Sprintf("%s, %s, %s in all", countWord(a.Key, "key shot"), countWord(a.Filler, "filler"), secondsWord(a.Seconds))
	}
	return "none was given: one or two key shots, and a filler where it needs one"
}

func allotted(p storage.Plan, beat storage.BeatID) (storage.Allotment, bool) {
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
	words := shown(f.Amount, shownName)
	if len(f.Jobs) > 0 {
		words += ", for " + shown(strings.Join(f.Jobs, ", "), shownNote)
	}
	if f.Where != "" {
		words += "; " + strings.TrimRight(shownLine(f.Where, shownNote), ". ")
	}
	return words
}

// beat is the one that a package is written for.
func (in Input) beat() (storage.BoardBeat, bool) {
	i := slices.IndexFunc(in.Plan.Beats, func(b storage.BoardBeat) bool { return b.ID == in.Beat })
	if i < 0 {
		return storage.BoardBeat{}, false
	}
	return in.Plan.Beats[i], true
}

// ready is the plan as it becomes when the packages are put into the list as they
// are.
func (in Input) ready() storage.Plan {
	p, _, err := Apply(in.Plan, storage.ToolCall{Tool: GenerateShots})
	if err != nil {
		return in.Plan
	}
	return p
}

// messageWords names messages by their numbers in the transcript.
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

// name is a name from outside fit to stand at the head of a line.
func (in Input) name(s string) string {
	return shown(strings.NewReplacer("[", "", "]", "", ":", "", "<", "", "\n", " ").Replace(s), shownName)
}

// fences are the tags that the prompt files put around what others have written.
var fences = []string{"recap", "before", "transcript", "said", "board", "talk", "line"}

// shown is text from outside, at most n runes of it, fit to stand within a fence.
func shown(s string, n int) string {
	return clip(prompts.Defuse(strings.TrimSpace(tidyText(s)), fences), n)
}

// shownLine is the same on one line, without what parts the fields of a shot.
func shownLine(s string, n int) string {
	return clip(strings.ReplaceAll(prompts.Defuse(tidyLine(s), fences), "|", "/"), n)
}

// clip keeps at most n runes and says that there was more.
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
