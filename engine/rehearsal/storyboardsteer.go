package rehearsal

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// edit is one call of a tool, its parameters as a schema for all tools has them.
type edit struct {
	tool   string
	params record
}

// steering is what a line comes to.
type steering struct {
	calls    []edit
	reply    string
	question bool
	propose  bool // the line speaks of the whole storyboard
}

// mostEdits bounds the calls of one line.
const mostEdits = 20

var (
	saidShot   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bs(\d{1,6})\b`) })
	saidPlaces = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:shots?|numbers?|no\.?|#)\s*(\d{1,3})((?:\s*(?:,|and|with|or|to)\s*(?:shot\s+)?\d{1,3})*)`)
	})
	saidNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{1,3}`) })
	saidOf     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:of|with|showing|that shows|where)\s+(.+)$`) })
	saidPlace  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(before|after)\b`) })
)

// steerBoard chooses tools for the director's line.
func steerBoard(messages []storage.Node) (record, bool) {
	b := readBoard(messages)
	s := b.steer(b.line)
	calls := []any{}
	for _, c := range s.calls {
		calls = append(calls, record{"tool": c.tool, "params": c.params})
	}
	return record{"why": "The line asks for this: " + clip(b.line, 0, 120), "calls": calls, "reply": s.reply, "propose": s.propose && len(s.calls) > 1, "question": s.question}, b.line != ""
}

// proposeEdits chooses edits for a wish about the whole storyboard.
func proposeEdits(messages []storage.Node) (record, bool) {
	b := readBoard(messages)
	if len(b.shots) == 0 {
		return nil, false
	}
	s := b.steer(b.wish + " everything")
	if !slices.ContainsFunc(s.calls, func(c edit) bool { return strings.Contains(c.tool, "_shot") && c.tool != "confirm_shots" }) {
		s = b.steer("everything closer")
	}
	calls := []any{}
	for _, c := range s.calls {
		calls = append(calls, record{"tool": c.tool, "params": c.params})
	}
	return record{"summary": or(s.reply, "The whole storyboard changes a little."), "calls": calls}, true
}

// steerCalls decides which of the offered tools a steering line calls, and what is
// said beside them. Where the results of calls have come already it only says so.
func steerCalls(messages []storage.Node, tools []string) (calls []storage.ToolCall, content string) {
	b := readBoard(messages)
	if b.line == "" || len(messages) == 0 {
		return nil, ""
	}
	s := b.steer(b.line)
	if last := messages[len(messages)-1]; last.Role != storage.User {
		if strings.HasPrefix(last.Content, "Not done") {
			return nil, "That could not be done: " + strings.TrimPrefix(last.Content, "Not done: ")
		}
		return nil, s.reply
	}
	if s.propose && len(s.calls) > 1 && slices.Contains(tools, "propose_edit_plan") {
		list := []any{}
		for _, c := range s.calls {
			list = append(list, record{"tool": c.tool, "params": c.params})
		}
		s.calls = []edit{{"propose_edit_plan", record{"request": b.line, "summary": s.reply, "calls": list}}}
	}
	for _, c := range s.calls {
		if c.tool == "insert_shot" {
			c.params = listed(c.params)
		}
		if raw, err := json.Marshal(c.params); err == nil && slices.Contains(tools, c.tool) {
			calls = append(calls, storage.ToolCall{Tool: c.tool, Params: raw})
		}
	}
	if len(calls) == 0 {
		content = s.reply
	}
	return calls, content
}

// listed puts the fields of a new shot into the list that the tool has for them.
func listed(params record) record {
	shot, out := record{}, record{}
	for k, v := range params {
		if k == "after" || k == "before" {
			out[k] = v
		} else {
			shot[k] = v
		}
	}
	out["shots"] = []any{shot}
	return out
}

// steer understands plain lines: what is to be done, and to which shots.
func (b board) steer(line string) steering {
	said := strings.ToLower(strings.TrimSpace(line))
	of, all := b.meant(said)
	switch {
	case b.waits && hasAny(said, "do it", "go ahead", "carry it out", "carry out", "agreed", "yes"):
		return steering{calls: []edit{{"execute_edit_plan", record{}}}, reply: "The edit plan is carried out."}
	case hasAny(said, "confirm", "approve", "looks good", "that is it", "we are done", "finished"):
		return steering{calls: []edit{{"confirm_shots", record{}}}, reply: "The storyboard is confirmed."}
	case len(b.shots) == 0:
		return steering{reply: "There are no shots yet that could be changed."}
	case hasAny(said, "insert", "add a", "add one", "another shot", "new shot"):
		return b.inserted(line, said, of)
	case hasAny(said, "remove", "delete", "drop", "take out", "cut out", "get rid", "lose "):
		if len(of) == 0 {
			return steering{reply: "Which shot shall go?", question: true}
		}
		return steering{calls: []edit{{"remove_shots", record{"shots": ids(of)}}}, reply: "Taken out: " + shotNames(of) + "."}
	case hasAny(said, "merge", "join", "combine"):
		if len(of) < 2 {
			return steering{reply: "Which shots shall become one?", question: true}
		}
		return steering{calls: []edit{{"merge_shots", record{"shots": ids(of), "into": of[0].id}}}, reply: "One shot of " + shotNames(of) + "."}
	case hasAny(said, "move ", "put ", "swap"):
		return b.shifted(said, of)
	}
	return b.changed(said, of, all)
}

// meant are the shots that a line speaks of, in the order in which it does; those
// of the newest line before it that names any where it only says "it".
func (b board) meant(said string) (of []boardShot, all bool) {
	add := func(i int) {
		if i >= 0 && i < len(b.shots) && !slices.Contains(of, b.shots[i]) {
			of = append(of, b.shots[i])
		}
	}
	for _, m := range saidShot().FindAllStringSubmatch(said, -1) {
		add(slices.IndexFunc(b.shots, func(s boardShot) bool { return s.id == m[0] }))
	}
	for _, m := range saidPlaces().FindAllString(said, -1) {
		for _, d := range saidNumber().FindAllString(m, -1) {
			n, _ := strconv.Atoi(d)
			add(n - 1)
		}
	}
	if hasAny(said, "first shot", "the first") {
		add(0)
	}
	if hasAny(said, "last shot", "the last") {
		add(len(b.shots) - 1)
	}
	if len(of) == 0 && hasAny(said, "everything", "every shot", "all shots", "all of", "the whole", "whole storyboard") {
		return b.shots, true
	}
	if len(of) == 0 && hasAny(" "+said+" ", " it ", " this shot", " that shot", " that ", " it.") {
		for l := range strings.SplitSeq(b.talk, "\n") {
			if before, ok := strings.CutPrefix(l, "Director: "); ok {
				if found, _ := (board{shots: b.shots}).meant(strings.ToLower(before)); len(found) > 0 {
					of = found
				}
			}
		}
	}
	return of, false
}

func (b board) inserted(line, said string, of []boardShot) steering {
	see := "A breath in which nobody moves."
	if m := saidOf().FindStringSubmatch(line); m != nil {
		what := saidPlace().Split(m[1], 2)[0]
		if what = strings.Trim(what, " .,"); what != "" {
			see = strings.ToUpper(what[:1]) + what[1:] + "."
		}
	}
	params := record{"kind": "filler", "size": "close_up", "angle": "eye_level", "movement": "static", "job": "physical_detail",
		"subject": clip(strings.TrimSuffix(see, "."), 0, 60), "description": see, "seconds": 2.0}
	at := b.shots[len(b.shots)-1]
	if len(of) > 0 {
		at = of[0]
	}
	if hasAny(said, "before") {
		params["before"] = at.id
	} else {
		params["after"] = at.id
	}
	return steering{calls: []edit{{"insert_shot", params}}, reply: "A new shot: " + see}
}

func (b board) shifted(said string, of []boardShot) steering {
	var params record
	switch place := saidPlace().FindString(said); {
	case len(of) == 0:
		return steering{reply: "Which shot shall move, and where to?", question: true}
	case hasAny(said, "to the end", "at the end"):
		params = record{"shots": ids(of[:1]), "to": len(b.shots)}
	case hasAny(said, "to the beginning", "to the start", "to the front"):
		params = record{"shots": ids(of[:1]), "to": 1}
	case len(of) > 1 && place != "":
		params = record{"shots": ids(of[:1]), place: of[1].id}
	case len(of) > 1:
		params = record{"order": []any{of[1].id, of[0].id}}
	default:
		return steering{reply: "Where shall " + of[0].id + " stand?", question: true}
	}
	return steering{calls: []edit{{"reorder_shots", params}}, reply: "Moved " + of[0].id + "."}
}

// sizesCloser are a shot's sizes, each closer than the one before.
var sizesCloser = []string{"extreme_wide", "wide", "full", "medium_wide", "medium", "medium_close_up", "close_up", "extreme_close_up"}

// closer is the size some steps nearer.
func closer(size string, steps int) string {
	at := slices.Index(sizesCloser, size)
	if at < 0 {
		at = slices.Index(sizesCloser, "medium")
	}
	return sizesCloser[min(max(at+steps, 0), len(sizesCloser)-1)]
}

// looks are words of a line that name the value of a field.
var looks = []struct{ words, field, value string }{
	{"low angle|from below", "angle", "low"}, {"high angle|from above", "angle", "high"}, {"overhead", "angle", "overhead"},
	{"over the shoulder", "angle", "over_the_shoulder"}, {"point of view|pov", "angle", "point_of_view"}, {"eye level", "angle", "eye_level"},
	{"handheld|unsteady", "movement", "handheld"}, {"push in", "movement", "push_in"}, {"static|no movement|hold still", "movement", "static"},
	{"close-up|close up", "size", "close_up"}, {"wide shot", "size", "wide"}, {"key shot", "kind", "key"},
}

// changed changes fields of shots. A feeling without a shot goes to key shots, pace
// without one to all.
func (b board) changed(said string, of []boardShot, all bool) steering {
	uneasy := hasAny(said, "uncomfortable", "uneasy", "tense", "tension", "oppressive", "unsettling", "threatening")
	pace := 1.0
	switch {
	case hasAny(said, "slower", "longer", "linger", "hold on"):
		pace = 1.5
	case hasAny(said, "faster", "shorter", "quicker", "brisk"):
		pace = 0.6
	}
	steps := 0
	switch {
	case hasAny(said, "closer", "tighter", "nearer"):
		steps = 1
	case hasAny(said, "wider", "further away", "farther", "from afar"):
		steps = -1
	}
	if len(of) == 0 && uneasy {
		of = slices.DeleteFunc(slices.Clone(b.shots), func(s boardShot) bool { return s.kind != "key" })
		of = of[max(0, len(of)-2):]
	}
	if len(of) == 0 && pace != 1 {
		of = b.shots
	}
	if len(of) == 0 && steps != 0 {
		return steering{reply: "Which shot do you mean?", question: true}
	}
	out := steering{propose: all && !hasAny(said, "at once", "right away", "now")}
	for _, s := range of[:min(len(of), mostEdits)] {
		p := record{}
		for _, l := range looks {
			if hasAny(said, strings.Split(l.words, "|")...) {
				p[l.field] = l.value
			}
		}
		if steps != 0 || uneasy {
			p["size"] = closer(s.size, max(steps, -1)+map[bool]int{true: 1}[uneasy && steps == 0])
		}
		if seconds := max(s.seconds, 2); pace != 1 {
			p["seconds"] = max(0.5, float64(int(seconds*pace*2+0.5))/2)
		} else if uneasy {
			p["seconds"] = seconds + 1.5
			p["movement"] = "push_in"
		}
		if hasAny(said, "silent", "no dialogue", "no words", "without words") {
			p["dialogue"] = ""
		}
		if len(p) > 0 {
			p["shot"] = s.id
			out.calls = append(out.calls, edit{"modify_shot", p})
		}
	}
	if len(out.calls) == 0 {
		return steering{reply: "Say which shot is to be different, and how: for instance “make shot 3 closer”."}
	}
	out.reply = "Changed " + shotNames(of[:min(len(of), mostEdits)]) + "."
	return out
}

func ids(shots []boardShot) []any {
	out := make([]any, len(shots))
	for i, s := range shots {
		out[i] = s.id
	}
	return out
}

func shotNames(shots []boardShot) string {
	var out []string
	for i, s := range shots {
		if i == 5 {
			out = append(out, "others")
			break
		}
		out = append(out, s.id)
	}
	return joined(out)
}
