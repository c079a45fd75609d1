package storyboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Take makes a call of a model's answer to Ask. The error says what is wrong with
// the answer, for the model; the call holds what can be used of it all the same,
// and its tool is "" where nothing can.
func Take(tool string, in Input, answer json.RawMessage) (storage.ToolCall, error) {
	o, err := readAnswer(answer)
	if err != nil {
		return storage.ToolCall{}, err
	}
	t := &taking{Input: in, from: o, said: in.heard()}
	var params map[string]any
	switch tool {
	case RecommendBeats:
		params = t.beats()
	case RecommendFiller:
		params = t.filler()
	case BudgetPackages:
		params = t.budget()
	case GeneratePackage:
		params = t.pack()
	case GenerateShots:
		params = t.scene()
	case ProposeEdit:
		params = t.proposal()
	default:
		return storage.ToolCall{}, refuse("there is no prompt for %q", cutRunes(tidyLine(tool), maxWord))
	}
	raw, err := encode(params)
	if err != nil {
		return storage.ToolCall{}, err
	}
	call := storage.ToolCall{Tool: tool, Params: raw}
	if _, _, err := Apply(in.Plan, call); err != nil {
		t.fault("%s", err)
		call = storage.ToolCall{}
	}
	if len(t.faults) > 0 {
		return call, errors.New(strings.Join(t.faults, "; "))
	}
	return call, nil
}

// taking is an answer while it is read.
type taking struct {
	Input
	from   object
	said   Heard
	faults []string
}

// mostFaults is how many of an answer's faults the model is told of.
const mostFaults = 5

func (t *taking) fault(format string, args ...any) {
	if f := fmt.Sprintf(format, args...); len(t.faults) < mostFaults && !slices.Contains(t.faults, f) {
		t.faults = append(t.faults, f)
	}
}

// entries are the objects of a list; of what is too much the rest is left out.
func (t *taking) entries(key string, most int) []object {
	var all []object
	for _, v := range t.from.list(key) {
		if o, ok := v.(map[string]any); ok && len(all) < most {
			all = append(all, o)
		}
	}
	if len(all) == 0 && (t.Part == nil || t.Part.Of < 2) {
		t.fault("%q must be a list of objects with at least one entry", key)
	}
	return all
}

func (t *taking) beats() map[string]any {
	type beat struct {
		first  int
		params map[string]any
	}
	var all []beat
	for i, o := range t.entries("beats", maxBeats) {
		text := clip(textOf(o["text"]), maxNote)
		if text == "" {
			text = clip(textOf(o["beat"]), maxNote)
		}
		if text == "" {
			t.fault("beat %d has no \"text\"", i+1)
			continue
		}
		params := map[string]any{"text": text, "why": clip(textOf(o["why"]), maxNote)}
		if id := textOf(o["id"]); id != "" {
			params["id"] = cutRunes(id, maxWord)
		}
		numbers := t.messages(i+1, o)
		var ids []any
		for _, n := range numbers {
			ids = append(ids, string(t.Messages[n-1].ID))
		}
		params["messages"] = ids
		first := len(t.Messages) // one without a place stays behind those before it
		if len(all) > 0 {
			first = all[len(all)-1].first
		}
		if len(numbers) > 0 {
			first = numbers[0]
		}
		all = append(all, beat{first, params})
	}
	slices.SortStableFunc(all, func(a, b beat) int { return cmp.Compare(a.first, b.first) })
	list := make([]any, len(all))
	for i, b := range all {
		list[i] = b.params
	}
	return map[string]any{"beats": list}
}

// messages are the numbers that a beat names, sorted, without those that no
// message has.
func (t *taking) messages(beat int, o object) []int {
	var all []int
	for _, v := range o.list("messages") {
		n, ok := numberIn(v)
		switch {
		case !ok:
			t.fault("beat %d: \"messages\" must hold the numbers of messages", beat)
		case n < 1 || n > len(t.Messages) || !t.shows(n):
			t.fault("beat %d: there is no message %d, they go from %d to %d", beat, n, t.firstShown(), t.lastShown())
		case !slices.Contains(all, n) && len(all) < maxMessages:
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		t.fault("beat %d names no message of the transcript", beat)
	}
	slices.Sort(all)
	return all
}

func (t *taking) filler() map[string]any {
	params := map[string]any{
		"amount": cutRunes(textOf(t.from["amount"]), maxWord),
		"where":  clip(textOf(t.from["where"]), maxNote), "why": clip(textOf(t.from["why"]), maxNote),
	}
	var jobs []any
	for _, v := range t.from.list("jobs") {
		if s := textOf(v); s != "" && len(jobs) < maxJobs {
			jobs = append(jobs, s)
		}
	}
	params["jobs"] = jobs
	return params
}

func (t *taking) budget() map[string]any {
	given := map[storage.BeatID]map[string]any{}
	for _, o := range t.entries("budget", maxBeats) {
		beat, err := findBeat(t.Plan.Beats, textOf(o["beat"]))
		if err != nil {
			t.fault("%s", err)
			continue
		}
		if given[beat] != nil {
			continue
		}
		key, _ := numberIn(o["key"])
		filler, _ := numberIn(o["filler"])
		seconds, _ := toNumber(o["seconds"])
		given[beat] = map[string]any{
			"beat": string(beat), "key": min(max(key, 1), maxAllotted), "filler": min(max(filler, 0), maxAllotted),
			"seconds": min(max(seconds, 1), maxBeatSeconds),
		}
	}
	var list []any
	for _, b := range t.Plan.Beats {
		if given[b.ID] == nil {
			t.fault("beat %s has no budget", b.ID)
			given[b.ID] = map[string]any{"beat": string(b.ID), "key": 1, "filler": 0, "seconds": 4}
		}
		list = append(list, given[b.ID])
	}
	return map[string]any{"budget": list}
}

// shot keeps the fields of a new shot that can be used, false where nothing is seen
// in it.
func (t *taking) shot(o object) (map[string]any, bool) {
	kept := map[string]any{}
	for key, most := range map[string]int{
		FieldSize: maxNote, FieldAngle: maxNote, FieldMovement: maxNote, FieldJob: maxNote,
		"subject": maxSubject, "description": maxDescription, "dialogue": maxDialogue,
	} {
		if s := clip(textOf(o[key]), most); s != "" {
			kept[key] = s
		}
	}
	if n, ok := toNumber(o["seconds"]); ok && n >= minSeconds && n <= maxSeconds {
		kept["seconds"] = n
	}
	var of storage.Shot
	if _, err := setKind(&of, o, nil); err == nil && of.Kind != "" {
		kept["kind"] = string(of.Kind)
	}
	return kept, kept["description"] != nil
}

// spoken says which words are spoken in a shot that nobody says. They stay where the
// model insists: the user sees that they are not in the messages.
func (t *taking) spoken(what string, i int, shot map[string]any) {
	words, _ := shot["dialogue"].(string)
	if line := t.said.Missing(words); line != "" {
		t.fault("%s %d: %s", what, i+1, unsaid(line))
	}
}

func (t *taking) pack() map[string]any {
	if name := textOf(t.from["beat"]); name != "" && storage.BeatID(idOf("b", name)) != t.Beat {
		t.fault("the shots are for beat %s, not for %q", t.Beat, cutRunes(name, maxWord))
	}
	var list []any
	for i, o := range t.entries("shots", 2*maxAllotted) {
		shot, ok := t.shot(o)
		if !ok {
			t.fault("shot %d has no description", i+1)
			continue
		}
		t.spoken("shot", i, shot)
		list = append(list, shot)
	}
	if a, ok := allotted(t.Plan, t.Beat); ok && a.Key+a.Filler > 0 && len(list) > a.Key+a.Filler {
		t.fault("there are %d shots, and the budget of %s is %d: %s", len(list), t.Beat, a.Key+a.Filler, budgetWords(t.Plan, t.Beat))
		list = fewer(list, a.Key+a.Filler)
	}
	return map[string]any{"beat": string(t.Beat), "shots": list}
}

// fewer takes shots away from the end until there are most: fillers first.
func fewer(shots []any, most int) []any {
	for i := len(shots) - 1; i >= 0 && len(shots) > most; i-- {
		if shots[i].(map[string]any)["kind"] == string(storage.FillerShot) {
			shots = slices.Delete(shots, i, i+1)
		}
	}
	return shots[:min(len(shots), most)]
}

// scene reads the order of the shots and what connects them. A shot that it forgets
// keeps its place: see Apply.
func (t *taking) scene() map[string]any {
	there := shotIDs(t.ready().Shots)
	known := func(v any) (storage.ShotID, bool) {
		id := storage.ShotID(idOf("s", textOf(v)))
		return id, slices.Contains(there, id)
	}
	var order []storage.ShotID
	for _, v := range t.from.list("order") {
		id, ok := known(v)
		if !ok {
			t.fault("there is no shot %q to put in order", cutRunes(string(id), maxWord))
		} else if !slices.Contains(order, id) {
			order = append(order, id)
		}
	}
	if len(order) < len(there) {
		lost := slices.DeleteFunc(slices.Clone(there), func(id storage.ShotID) bool { return slices.Contains(order, id) })
		t.fault("\"order\" lacks %s", nameShots(lost))
	}
	var fillers []any
	for i, v := range t.from.list("fillers") {
		o, _ := v.(map[string]any)
		shot, ok := t.shot(o)
		after, stands := known(object(o)["after"])
		switch {
		case !ok:
			t.fault("filler %d has no description", i+1)
		case !stands:
			t.fault("filler %d: \"after\" must be the id of a shot that is there", i+1)
		case len(fillers) < maxShots-len(there):
			t.spoken("filler", i, shot)
			shot["after"], shot["kind"] = string(after), string(storage.FillerShot)
			fillers = append(fillers, shot)
		}
	}
	return map[string]any{"order": order, "fillers": fillers}
}

// proposal keeps the calls that can be carried out one after the other.
func (t *taking) proposal() map[string]any {
	p := t.Plan
	var list []any
	for i, o := range t.entries("calls", maxEdits) {
		c, _ := callOf(map[string]any(o))
		c = Pinned(t.Plan, c)
		next, _, err := p, Outcome{}, error(nil)
		if editing(c.Tool) {
			next, _, err = Apply(p, c)
		} else {
			err = refuse("an edit plan cannot call %q", c.Tool)
		}
		if err == nil {
			err = t.CheckDialogue(c)
		}
		if err != nil {
			t.fault("call %d: %s", i+1, err)
			continue
		}
		p = next
		list = append(list, map[string]any{"tool": c.Tool, "params": c.Params})
	}
	return map[string]any{
		"request": clip(tidyText(t.Wish), maxDescription), "summary": clip(textOf(t.from["summary"]), maxDescription), "calls": list,
	}
}

// readAnswer reads an object and gives its keys the names that the schemas have.
func readAnswer(raw json.RawMessage) (object, error) {
	o, err := parseParams(raw)
	if err != nil {
		return nil, err
	}
	named, _ := canonical(map[string]any(o), 0).(map[string]any)
	return named, nil
}

// canonical gives keys their names, through all objects: models write camelCase and
// words that are near.
func canonical(v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		if depth == deepest {
			return nil
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys) // of two that mean the same, always the same wins
		out := make(map[string]any, len(v))
		for _, k := range keys {
			name := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(k))
			if other, ok := otherNames[name]; ok {
				name = other
			}
			if _, taken := out[name]; !taken || k == name {
				out[name] = canonical(v[k], depth+1)
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = canonical(v[i], depth+1)
		}
		return v
	}
	return v
}

// deepest is how deep objects stand within each other in any answer.
const deepest = 12

var otherNames = map[string]string{
	"keybeats": "beats", "reason": "why", "reasoning": "why", "messagenumbers": "messages", "messageids": "messages", "message": "messages",
	"fillerjobs": "jobs", "allotments": "budget", "packages": "budget", "beatid": "beat", "keyshots": "key", "fillershots": "filler",
	"duration": "seconds", "shotid": "shot", "shotids": "shots", "indices": "indexes", "shotsize": "size", "cameraangle": "angle",
	"cameramovement": "movement", "dialog": "dialogue", "name": "tool", "function": "tool", "arguments": "params", "parameters": "params",
	"toolcalls": "calls", "edits": "calls", "connecting": "fillers", "shotorder": "order", "afterid": "after", "beforeid": "before",
}

// textOf reads a text or a number as a text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return tidyText(v)
	case json.Number:
		return v.String()
	}
	return ""
}

// numberIn reads a whole number, also the first in a text such as "[3]".
func numberIn(v any) (int, bool) {
	s := textOf(v)
	if n, err := strconv.ParseFloat(s, 64); err == nil && n == float64(int(n)) {
		return int(n), true
	}
	from := strings.IndexAny(s, "0123456789")
	if from < 0 {
		return 0, false
	}
	to := from
	for to < len(s) && '0' <= s[to] && s[to] <= '9' {
		to++
	}
	n, err := strconv.Atoi(s[from:to])
	return n, err == nil
}
