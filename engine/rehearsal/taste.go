package rehearsal

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// tasteTags part what a request about the director's taste shows from what it
// says.
var tasteTags = []string{"recap", "edits", "result", "scenes", "numbers", "before", "cards"}

// tasteBlocks are the tagged parts of a request, and its other words.
func tasteBlocks(messages []storage.Node) (map[string]string, string) {
	var all strings.Builder
	for _, m := range messages {
		if m.Role == storage.User {
			all.WriteString(m.Content + "\n")
		}
	}
	return between(all.String(), tasteTags)
}

// habit is something that edits can show, and what is learnt of it. shows are
// patterns that an edit's words match.
type habit struct {
	shows                           func() *regexp.Regexp
	learning, appliesTo, avoid, did string
}

// lazily is a pattern that is compiled when it is first asked for.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var habits = []habit{
	{lazily(`removed .*filler|filler removed|amount of filler from \w+ to (?:light|none)`),
		"Fillers that only wait are left out.", "scenes that press forward", "quiet scenes that live on waiting", "fillers were taken out"},
	{lazily(`(?:added|split) .*filler|amount of filler from \w+ to (?:medium|rich)`),
		"A filler on a look or a hand stands between two key shots.", "confrontations between two people", "chases and other fast action", "fillers were added"},
	{lazily(`size from (?:extreme wide|wide|full|medium wide|medium|medium close up) to (?:medium close up|close up|extreme close up)|size to (?:extreme )?close up`),
		"The framing goes closer when pressure rises.", "moments of pressure between people", "moments in which the place has to be understood", "sizes became closer"},
	{lazily(`size from .* to (?:wide|full|medium wide|extreme wide)`),
		"The framing opens so that the distance between people can be seen.", "moments in which people drift apart", "intimate reactions", "sizes became wider"},
	{lazily(`\bmerged `),
		"One longer shot takes the place of several short ones.", "dialogue that builds slowly", "quick exchanges of action", "shots were merged"},
	{lazily(`\bmoved .*reaction`),
		"A reaction comes early, before what causes it is shown whole.", "revelations", "plain movement from place to place", "reactions were moved"},
	{lazily(`angle from .* to (?:low|high|dutch|tilted|overhead)`),
		"The angle leaves eye level where power is uneven.", "scenes with uneven power", "talk between equals", "angles were changed"},
}

var (
	editLine     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^E(\d+) \(([a-z_]+)(, \w+)?\) (.*)$`) })
	changedTimes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`seconds from ([\d.]+) to ([\d.]+)`) })
)

// holding is learnt where shots become longer, pace where they become shorter.
var (
	holding = habit{lazily(`words: “[^”]*(?:slower|longer|linger)`), "Shots that carry a feeling stand longer.", "quiet moments in which a feeling is shown", "fast action", "times became longer"}
	pace    = habit{lazily(`words: “[^”]*(?:faster|shorter|quicker)`), "Shots are cut shorter to keep the pace.", "scenes that press forward", "quiet moments in which a feeling is shown", "times became shorter"}
)

// shown tells whether an edit shows a habit.
func (h habit) shown(words string) bool {
	if h.shows().MatchString(words) {
		return true
	}
	for _, m := range changedTimes().FindAllStringSubmatch(words, -1) {
		was, _ := strconv.ParseFloat(m[1], 64)
		is, _ := strconv.ParseFloat(m[2], 64)
		if is > was && h.did == holding.did || is < was && h.did == pace.did {
			return true
		}
	}
	return false
}

// learn distils lessons from the edits that a request lists. What mends a mistake
// teaches nothing.
func learn(messages []storage.Node) (record, bool) {
	blocks, _ := tasteBlocks(messages)
	edits := editLine().FindAllStringSubmatch(blocks["edits"], -1)
	count, mended := map[string]int{}, 0
	for _, e := range edits {
		if strings.HasPrefix(e[4], "mended a mistake") {
			mended++
			continue
		}
		count[e[2]]++
	}
	lessons := []any{}
	for _, h := range append(slices.Clone(habits), holding, pace) {
		var seen []string
		sure := false
		for _, e := range edits {
			if e[2] != "initial_generation" && e[2] != "acceptance" && !strings.HasPrefix(e[4], "mended a mistake") && h.shown(strings.ToLower(e[4])) {
				seen = append(seen, "E"+e[1])
				sure = sure || strings.Contains(e[4], "The user's words:")
			}
		}
		if len(seen) == 0 {
			continue
		}
		confidence := "medium"
		if sure || len(seen) > 2 {
			confidence = "high"
		}
		lessons = append(lessons, record{"learning": h.learning, "appliesTo": h.appliesTo, "avoidApplyingTo": h.avoid,
			"evidence": strings.Join(seen[:min(len(seen), 6)], ", ") + ": " + h.did + ".", "confidence": confidence})
	}
	return record{
		"sceneContextSummary": "Two people face each other, and neither says all. The pace follows what is held back.",
		"editSummary":         editSummary(count, mended, lessons),
		"sceneLearnings":      lessons,
	}, len(edits) > 0
}

func editSummary(count map[string]int, mended int, lessons []any) string {
	var did []string
	for _, kind := range []struct{ event, words string }{
		{"modify", "shots were changed"}, {"insert", "shots were added"}, {"remove", "shots were taken out"},
		{"reorder", "shots were moved"}, {"merge", "shots were merged"}, {"bulk_edit", "the plan was changed as a whole"},
	} {
		if count[kind.event] > 0 {
			did = append(did, kind.words)
		}
	}
	first := "The plan was taken as it was."
	if len(did) > 0 {
		first = "After the plan " + joined(did) + "."
	}
	second := "Little of it shows more than a passing choice."
	if len(lessons) > 0 {
		second = "What was changed goes in one direction rather than many."
	}
	third := "Nothing else was touched."
	if mended > 0 {
		third = "Besides, mistakes of the plan were mended, which says nothing of taste."
	}
	return first + " " + second + " " + third
}

var (
	sceneHead  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Scene (\d+)$`) })
	lessonLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^- (.+?) \| applies to: (.+?) \| not for: (.+?) \| (low|medium|high)$`)
	})
)

// lesson is what scenes have taught, with the numbers of those that have.
type lesson struct {
	preference, appliesTo, avoid, confidence string
	scenes                                   []any
}

// profile makes cards of the lessons of all scenes. Those that are worded alike are
// one; what one scene alone shows, and doubts, is left out.
func profile(messages []storage.Node) (record, bool) {
	blocks, _ := tasteBlocks(messages)
	var lessons []*lesson
	scene := 0
	for _, l := range trimmed(blocks["scenes"]) {
		if m := sceneHead().FindStringSubmatch(l); m != nil {
			scene, _ = strconv.Atoi(m[1])
		}
		m := lessonLine().FindStringSubmatch(l)
		if m == nil || scene == 0 {
			continue
		}
		at := slices.IndexFunc(lessons, func(x *lesson) bool { return alike(x.preference, m[1]) })
		if at < 0 {
			at = len(lessons)
			lessons = append(lessons, &lesson{preference: m[1], appliesTo: m[2], avoid: m[3], confidence: m[4]})
		}
		if x := lessons[at]; !slices.Contains(x.scenes, any(scene)) {
			x.scenes = append(x.scenes, scene)
		}
	}
	if scene == 0 {
		return nil, false
	}
	slices.SortStableFunc(lessons, func(a, b *lesson) int { return len(b.scenes) - len(a.scenes) })
	cards := []any{}
	var told []string
	for _, x := range lessons {
		confidence := "medium"
		switch {
		case len(x.scenes) > 2:
			confidence = "high"
		case len(x.scenes) == 1 && x.confidence == "low":
			continue
		}
		cards = append(cards, record{"preference": x.preference, "appliesTo": x.appliesTo, "avoidApplyingTo": x.avoid, "scenes": x.scenes,
			"evidence": "The director changed plans in this way more than by chance.", "confidence": confidence})
		if len(told) < 4 {
			told = append(told, "In "+x.appliesTo+" this holds: "+strings.TrimRight(x.preference, ". ")+".")
		}
	}
	told = append(told, "Where no condition fits, the plan stays as the scene asks for it.")
	for _, more := range []string{"What is shown serves the scene before any habit.", "The director's word now counts more than all of this."} {
		if len(told) < 3 {
			told = append(told, more)
		}
	}
	return record{"preferenceCards": cards, "profileSummary": strings.Join(told, " ")}, true
}

// alike tells whether two lessons are worded much the same.
func alike(a, b string) bool {
	x, y := content(a), content(b)
	shared := overlap(x, setOf(y))
	return strings.EqualFold(a, b) || shared >= 3 && 3*shared >= 2*max(len(x), len(y))
}

var (
	noteLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+)\. (.+)$`) })
	ofOne    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:she|he|his|her|him)\b|\bthe (?:\w+ed|\w+en) \w+`)
	})
)

// judge says of each card whether it fits any story: one that speaks of somebody or
// of a certain thing does not.
func judge(messages []storage.Node) (record, bool) {
	blocks, _ := tasteBlocks(messages)
	cards := []any{}
	for _, l := range trimmed(blocks["cards"]) {
		m := noteLine().FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		a := record{"card": n, "why": "It speaks of people and moments that any story has.", "detail": "", "fits": "any story"}
		if of := ofOne().FindString(m[2]); of != "" {
			a["why"], a["detail"], a["fits"] = "It means somebody or something that this story has.", of, "one story"
		}
		cards = append(cards, a)
	}
	return record{"cards": cards}, len(cards) > 0
}
