package rehearsal

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// boardTags part what a request about a storyboard shows from what it says.
var boardTags = []string{"transcript", "recap", "board", "talk", "line"}

// board is what a request about a storyboard shows.
type board struct {
	tale
	beats  []boardBeat
	filler string      // its amount
	jobs   []string    // of the fillers
	shots  []boardShot // of the list
	fresh  []boardShot // written for a beat, and not in the list
	waits  bool        // an edit plan does
	wish   string      // the director's words for a step
	line   string      // to steer by
	talk   string      // the lines before
	rest   string      // all other words
}

type boardBeat struct {
	id                   string
	messages             []int
	key, filler, seconds int // its budget, 0 without one
}

type boardShot struct {
	id, kind, beat                           string
	size, angle, movement, job, subject, see string
	seconds                                  float64
}

var (
	shotLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(s\d{1,6})(?: \(\d+\))? (key|filler)(?: (b\d{1,6}))? (.*)$`)
	})
	beatLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Beat (b\d{1,6}): (.*)$`) })
	beatPlace  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(messages? ([\d, ]+)\)`) })
	budgetLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^Budget of (b\d{1,6}): (\d{1,3}) key shots?, (\d{1,3}) fillers?, (\d{1,5})`)
	})
	fillerLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Filler: (\w+)(?:, for ([\w, ]+))?`) })
	leftOut    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\(… messages .*$`) })
	stepWish   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^The director's words[^:\n]*: (.+)$`) })
)

// readBoard finds scene and storyboard in a request.
func readBoard(messages []storage.Node) board {
	var all strings.Builder
	for _, m := range messages {
		if m.Role == storage.User {
			all.WriteString(m.Content + "\n")
		}
	}
	blocks, rest := between(all.String(), boardTags)
	var notes []note
	for _, part := range leftOut().Split(blocks["transcript"], -1) {
		notes = append(notes, readTranscript(part)...)
	}
	b := board{tale: tellAll(notes), line: blocks["line"], talk: blocks["talk"], rest: rest}
	if m := stepWish().FindStringSubmatch(rest); m != nil && m[1] != "(none)" {
		b.wish = m[1]
	}
	written := false
	for _, l := range trimmed(blocks["board"]) {
		switch {
		case strings.HasPrefix(l, "Written for "):
			written = true
		case strings.HasPrefix(l, "The list, "):
			written = false
		case strings.HasPrefix(l, "A proposed edit plan waits"):
			b.waits = true
		default:
			b.read(l, written)
		}
	}
	return b
}

func (b *board) read(l string, written bool) {
	if m := shotLine().FindStringSubmatch(l); m != nil {
		s := boardShot{id: m[1], kind: m[2], beat: m[3]}
		f := append(strings.Split(m[4], " | "), make([]string, 8)...)
		for i := range f {
			if f[i] == "-" {
				f[i] = ""
			}
		}
		s.size, s.angle, s.movement, s.job, s.subject, s.see = f[0], f[1], f[2], f[3], f[4], f[5]
		s.seconds, _ = strconv.ParseFloat(strings.TrimSuffix(f[6], " s"), 64)
		if written {
			b.fresh = append(b.fresh, s)
		} else {
			b.shots = append(b.shots, s)
		}
		return
	}
	if m := beatLine().FindStringSubmatch(l); m != nil {
		beat := boardBeat{id: m[1]}
		if at := beatPlace().FindStringSubmatch(m[2]); at != nil {
			for n := range strings.SplitSeq(at[1], ",") {
				if i, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
					beat.messages = append(beat.messages, i)
				}
			}
		}
		b.beats = append(b.beats, beat)
		return
	}
	if m := budgetLine().FindStringSubmatch(l); m != nil {
		if i := slices.IndexFunc(b.beats, func(x boardBeat) bool { return x.id == m[1] }); i >= 0 {
			b.beats[i].key, _ = strconv.Atoi(m[2])
			b.beats[i].filler, _ = strconv.Atoi(m[3])
			b.beats[i].seconds, _ = strconv.Atoi(m[4])
		}
		return
	}
	if m := fillerLine().FindStringSubmatch(l); m != nil {
		b.filler = m[1]
		if m[2] != "" {
			b.jobs = strings.Split(m[2], ", ")
		}
	}
}

// keyBeats finds what the scene turns on: facts at even distances.
func keyBeats(messages []storage.Node, take int) (record, bool) {
	b := readBoard(messages)
	most := 1 + len(b.notes)/4
	if n := numberWord(b.wish); n > 0 {
		most = n
	}
	var beats []any
	for _, f := range b.story(min(most, 6), take) {
		beats = append(beats, record{"text": f.text, "why": "From here on the two of them stand differently.", "messages": []any{f.number}})
	}
	return record{"beats": beats}, len(beats) > 0
}

// numberWord is a small number in a text, 0 for none.
func numberWord(text string) int {
	for i, w := range []string{"one", "two", "three", "four", "five", "six"} {
		for _, f := range strings.Fields(strings.ToLower(text)) {
			if f == w || f == strconv.Itoa(i+1) {
				return i + 1
			}
		}
	}
	return 0
}

// fillerStrategy chooses by the director's words, or else by whether the scene
// hurries.
func fillerStrategy(messages []storage.Node) (record, bool) {
	b := readBoard(messages)
	text := ""
	for _, n := range b.notes {
		text += " " + strings.ToLower(n.text)
	}
	amount, jobs := "medium", []any{"reaction", "atmosphere"}
	if hasAny(text, " run", "running", "chase", "flee", "hurr", "shots ring") {
		amount, jobs = "light", []any{"geography", "physical_detail"}
	}
	switch wish := strings.ToLower(b.wish); {
	case hasAny(wish, "no filler", "none", "without filler"):
		amount, jobs = "none", nil
	case hasAny(wish, "less", "few", "light", "lean"):
		amount = "light"
	case hasAny(wish, "more", "rich", "many", "room to breathe"):
		amount = "rich"
	}
	return record{"amount": amount, "jobs": jobs, "where": "Around the beat on which the scene turns.",
		"why": "What is said there needs a look that answers it."}, true
}

// beatBudgets gives most to the last beat but one and the last.
func beatBudgets(messages []storage.Node) (record, bool) {
	b := readBoard(messages)
	fillers := map[string]int{"none": 0, "rich": 2}
	var list []any
	for i, beat := range b.beats {
		key := 1
		if i >= len(b.beats)-2 {
			key = 2
		}
		filler, ok := fillers[b.filler]
		if !ok {
			filler = 1
		}
		if b.filler == "light" && i%2 == 1 {
			filler = 0
		}
		list = append(list, record{"beat": beat.id, "key": key, "filler": filler, "seconds": 3*(key+filler) + 1})
	}
	return record{"why": "The scene turns most at its end, and only moves on before that.", "budget": list}, len(list) > 0
}

// Which way the shots of a beat are looked at, one after the other.
var (
	shotSizes  = []string{"medium", "close_up", "medium_close_up", "medium_wide"}
	shotAngles = []string{"eye_level", "over_the_shoulder", "low"}
	shotMoves  = []string{"static", "push_in", "static"}
)

// theBeat is how a request names the beat that it wants the shots of.
var theBeat = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Write the shots of beat (b\d{1,6})`) })

// beatPackage writes the shots of one beat: what happens and is said in its
// messages, and between them somebody who listens, or the room.
func beatPackage(messages []storage.Node, take int) (record, bool) {
	b := readBoard(messages)
	m := theBeat().FindStringSubmatch(b.rest)
	if m == nil {
		return nil, false
	}
	at := slices.IndexFunc(b.beats, func(x boardBeat) bool { return x.id == m[1] })
	if at < 0 || len(b.notes) == 0 {
		return nil, false
	}
	beat := b.beats[at]
	if beat.key+beat.filler == 0 {
		beat.key, beat.filler, beat.seconds = 1, 1, 6
	}
	facts, dialogue := b.of(beat)
	seconds := float64(max(1, beat.seconds/max(1, beat.key+beat.filler)))
	var shots []any
	for i := range max(beat.key, beat.filler) {
		f := facts[(i+take)%len(facts)]
		if i >= len(facts) {
			f.text = or(f.speaker, "Everybody") + " at that moment, seen from somewhere else."
		}
		if i < beat.key {
			shot := b.keyShot(f, at+i)
			if i == 0 && dialogue.quote != "" {
				shot["dialogue"] = clip(dialogue.quote, 0, 160)
			}
			shot["seconds"] = seconds
			shots = append(shots, shot)
		}
		if i < beat.filler {
			shot := b.fillerShot(at+i, f)
			shot["seconds"] = seconds
			shots = append(shots, shot)
		}
	}
	return record{"beat": beat.id, "shots": shots}, true
}

// of are the facts of a beat, at least one, and what is said in it.
func (b board) of(beat boardBeat) (facts []fact, dialogue fact) {
	for i, n := range b.notes {
		if slices.Contains(beat.messages, n.number) {
			facts = append(facts, b.acts[i]...)
			if len(b.words[i]) > 0 && dialogue.quote == "" {
				dialogue = b.words[i][0]
			}
		}
	}
	if len(facts) == 0 && dialogue.quote != "" {
		facts = []fact{{number: dialogue.number, speaker: dialogue.speaker, text: or(dialogue.speaker, "Somebody") + " says it face to face."}}
	}
	if len(facts) == 0 {
		facts = b.story(1, 0)
	}
	if len(facts) == 0 {
		facts = []fact{{text: "The room, with everybody in it."}}
	}
	return facts, dialogue
}

func (b board) keyShot(f fact, turn int) record {
	job := "action"
	if turn%2 == 1 {
		job = "reaction"
	}
	return record{"kind": "key", "size": shotSizes[turn%len(shotSizes)], "angle": shotAngles[turn%len(shotAngles)], "movement": shotMoves[turn%len(shotMoves)],
		"job": job, "subject": or(f.speaker, "the scene"), "description": f.text}
}

func (b board) fillerShot(turn int, f fact) record {
	shot := record{"kind": "filler", "size": "wide", "angle": "eye_level", "movement": "static", "job": "atmosphere",
		"subject": "the room", "description": "The room as it is at this moment, nobody speaking."}
	others := slices.DeleteFunc(b.speakers(), func(s string) bool { return s == f.speaker })
	if len(others) > 0 && turn%2 == 0 {
		shot["size"], shot["job"], shot["subject"], shot["description"] = "close_up", "reaction", others[0], others[0]+" listens and does not look away."
	}
	if len(b.jobs) > 0 && !slices.Contains(b.jobs, shot["job"].(string)) {
		shot["job"] = b.jobs[turn%len(b.jobs)]
	}
	return shot
}

// writtenShots is how a request names the shots that it wants in order.
var writtenShots = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`are written: ([s\d, ]+)\.`) })

// sceneShots keeps the shots in the order in which they were written, and puts one
// between two beats.
func sceneShots(messages []storage.Node) (record, bool) {
	b := readBoard(messages)
	m := writtenShots().FindStringSubmatch(b.rest)
	if m == nil {
		return nil, false
	}
	var order []any
	for _, id := range strings.Split(m[1], ", ") {
		order = append(order, strings.TrimSpace(id))
	}
	fillers := []any{}
	for i, s := range b.fresh {
		if i+1 < len(b.fresh) && b.fresh[i+1].beat != s.beat && (b.filler != "light" || len(fillers) == 0) && b.filler != "none" {
			fillers = append(fillers, record{"after": s.id, "size": "wide", "angle": "high", "movement": "static", "job": "transition", "subject": "the room",
				"description": "The room between two moments, seen from above.", "seconds": 2.0})
		}
	}
	return record{"order": order, "fillers": fillers}, true
}
