package rehearsal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// exchange is what a look back after a turn is about: the newest words of the
// user's, the reply to them, and what was said before.
type exchange struct {
	notes       []note // all of them, oldest first
	user, reply note
	asking      string // the request's own words
}

// The bounds of what one look back finds.
const (
	mostMemories = 3
	mostHooks    = 2
	recentNotes  = 6 // that the director looks at
)

// lookBack answers the work that follows a turn, or any part of it: whether a
// scene began, what the director saw, what is to be remembered and to be brought
// up, and which of the things listed the reply took up. Where nothing was said,
// nothing has happened.
func lookBack(messages []storage.Node) (record, bool) {
	x := readExchange(messages)
	return record{
		"scene":    x.scene(),
		"director": x.direct(),
		"memories": x.memories(),
		"hooks":    x.hooks(),
		"taken":    x.taken(),
		"why":      "",
		"outdated": x.over("no longer", "not any more", "anymore"),
		"settled":  x.over("at last", "is done", "finally"),
	}, true
}

// readExchange finds the exchange in the chat's own messages above the request,
// or else in a transcript that the request shows. There the last to speak is the
// character, and whoever spoke before somebody else.
func readExchange(messages []storage.Node) exchange {
	at := asking(messages)
	var x exchange
	if at < 0 {
		return x
	}
	x.asking = messages[at].Content
	replied := false
	for _, m := range messages[:at] {
		n := note{number: len(x.notes) + 1, text: m.Content}
		switch m.Role {
		case storage.User:
			x.user = n
		case storage.Assistant:
			x.reply, replied = n, true
		default:
			continue
		}
		x.notes = append(x.notes, n)
	}
	if replied {
		return x
	}
	shown := read(messages)
	x = exchange{notes: shown.notes, asking: strings.Join(shown.rest, "\n")}
	for _, n := range slices.Backward(x.notes) {
		switch {
		case x.reply.text == "":
			x.reply = n
		case x.user.text == "" && n.speaker != x.reply.speaker:
			x.user = n
		}
	}
	return x
}

// corrects is how a request begins that says what was wrong with the answer to
// the one before.
const corrects = "This answer cannot be used"

// asking is the place of the message that asks for the job, -1 for none.
func asking(messages []storage.Node) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == storage.User && !strings.HasPrefix(m.Content, corrects) {
			return i
		}
	}
	return -1
}

// newest are the messages of the exchange, the newer first.
func (x exchange) newest() []note {
	out := slices.Clone(x.notes[max(0, len(x.notes)-2):])
	slices.Reverse(out)
	return out
}

func (x exchange) scene() record {
	for _, n := range x.newest() {
		if c, ok := findCue(n.text); ok {
			return record{"rationale": c.rationale(), "status": true}
		}
	}
	return record{"rationale": "The exchange goes on in the same place and hour.", "status": false}
}

// The words that tell how a play goes.
const (
	strikings = "suddenly lightning blood kiss kisses kissed explodes explosion shatters shattered bursts burst collapses collapsed scream screams " +
		"gasps unveils unveiled reveals revealed blazes blazing flames ablaze towering glitters glittering bares drops falls faints"
	tenses = "knife gun blood scream screams shout shouts run running threat threatens danger dangerous afraid fear dark darkness storm " +
		"thunder secret lie lies lied betray betrayed angry furious never die dead death kill trapped locked blade panic suddenly"
	calms = "smile smiles laughs gentle gently quiet quietly tea warm sleep rest calm kind soft softly peace together"
)

// How a play says that it ends, and that it is about to.
var (
	lastWords    = []string{"farewell", "this is the end", "goodbye", "good-bye", "the curtain falls", "never see you again"}
	closingWords = []string{"good night", "it is late", "time to go", "before you go", "closing time", "one last"}
)

// why says in a clause what the evaluation goes by.
func (x exchange) why() string {
	if kind, hint := x.peak(); kind != "none" && hint != "" {
		return "the reply shows " + clip(hint, 1, 60)
	}
	return "they talk on"
}

func (x exchange) direct() record {
	recent := tellAll(x.notes[max(0, len(x.notes)-recentNotes):])
	kind, hint := x.peak()
	r := record{
		"visual_type": kind, "visual_hint": hint, "status": x.status(), "tension": recent.tension(),
		"tone": recent.feel(), "beat": "", "open": x.open(), "setting": recent.setting(), "next": x.called(), "why": x.why(),
	}
	if acts, words := tell(x.reply); len(acts)+len(words) > 0 {
		r["beat"] = clip(append(acts, words...)[0].text, 1, 90)
	}
	return r
}

// peak is what a picture would show of the reply, and the sentence that says so;
// "none" where nothing in it is striking.
func (x exchange) peak() (kind, hint string) {
	striking, felt := setOf(strings.Fields(strikings)), setOf(strings.Fields(feelings+" kiss kisses kissed gasps faints scream screams"))
	aired := setOf(strings.Fields(airs + " lightning flames ablaze blazes blazing"))
	narration, _ := voices(x.reply.text)
	for _, s := range sentences(narration) {
		words := lowered(s)
		if overlap(words, striking) == 0 {
			continue
		}
		switch {
		case overlap(words, felt) > 0:
			return "character", s
		case overlap(words, aired) > 0:
			return "atmosphere", s
		}
		return "object", s
	}
	return "none", ""
}

func (x exchange) status() string {
	low := strings.ToLower(x.reply.text)
	switch {
	case slices.ContainsFunc(lastWords, func(w string) bool { return holds(low, w) }):
		return "done"
	case slices.ContainsFunc(closingWords, func(w string) bool { return holds(low, w) }):
		return "closing"
	}
	return "going"
}

// tension goes from 0 to 100 by the words of the last messages, the newest of
// which count most.
func (t tale) tension() int {
	tense, calm := setOf(strings.Fields(tenses)), setOf(strings.Fields(calms))
	level := 30
	for i, n := range t.notes {
		words := lowered(n.text)
		level += (overlap(words, tense)*3 - overlap(words, calm)*2) * (1 + i) / 2
	}
	return min(max(level, 0), 100)
}

// feel is the tone of the last messages in a word or two.
func (t tale) feel() string {
	if found := t.mentions(feelings); len(found) > 0 {
		return found[len(found)-1]
	}
	if found := t.mentions(airs); len(found) > 0 {
		return "hushed, with " + found[len(found)-1]
	}
	return "watchful"
}

func (t tale) setting() string {
	where, air := t.places(), t.mentions(airs)
	switch {
	case len(where) > 0 && len(air) > 0:
		return "the " + where[len(where)-1] + ", " + air[len(air)-1]
	case len(where) > 0:
		return "the " + where[len(where)-1]
	}
	return strings.Join(air[:min(len(air), 2)], ", ")
}

// open is the question that nobody has answered yet.
func (x exchange) open() string {
	for _, n := range x.newest() {
		for _, s := range slices.Backward(sentences(n.text)) {
			if strings.HasSuffix(s, "?") {
				return clip(s, 1, 120)
			}
		}
	}
	return ""
}

// called is who of those that the request names was named last in the exchange,
// "" for nobody.
func (x exchange) called() string {
	plain := setOf(strings.Fields(articles + " " + connecting + " " + referring))
	for _, n := range x.newest() {
		for _, name := range slices.Backward(strings.FieldsFunc(n.text, func(r rune) bool { return !unicode.IsLetter(r) })) {
			r, _ := utf8.DecodeRuneInString(name)
			low := strings.ToLower(name)
			if unicode.IsUpper(r) && len(name) > 2 && !plain[low] && !hollow[low] && holds(x.asking, name) && !holds(x.asking, low) {
				return name
			}
		}
	}
	return ""
}

// remembered are the ways in which people speak of themselves, and what kind of
// memory each makes. The first that fits counts.
var remembered = []struct {
	kind       string
	importance float64
	cues       []string
}{
	{"relationship", 0.7, []string{"my sister", "my brother", "my mother", "my father", "my wife", "my husband", "my daughter", "my son", "my friend", "my grandmother", "my grandfather"}},
	{"preference", 0.5, []string{"i like", "i love", "i hate", "i prefer", "i enjoy", "i cannot stand", "i can't stand", "my favourite", "my favorite"}},
	{"goal", 0.6, []string{"i want to", "i hope to", "i plan to", "i dream of", "i wish", "i am going to", "i'm going to", "i mean to"}},
	{"emotion", 0.4, []string{"i feel", "i am afraid", "i'm afraid", "i am scared", "i am happy", "i'm happy", "i am sad", "i'm sad", "i am lonely", "i'm lonely", "i am ashamed", "i miss"}},
	{"event", 0.5, []string{"i lost", "i found", "i moved", "i met", "i left", "yesterday i", "last week i", "last year i", "i was fired", "i got"}},
	{"fact", 0.5, []string{"i work", "i live", "my name", "i was born", "i have", "i am a", "i'm a", "i am an", "i'm an", "i come from", "i grew up", "i study"}},
}

func (x exchange) memories() []any {
	out := []any{}
	for _, s := range sentences(x.user.text) {
		low := strings.ToLower(strings.ReplaceAll(s, "’", "'"))
		for _, r := range remembered {
			if len(out) < mostMemories && !strings.HasSuffix(s, "?") && slices.ContainsFunc(r.cues, func(c string) bool { return holds(low, c) }) {
				out = append(out, record{"type": r.kind, "content": ofUser(s), "importance": r.importance})
				break
			}
		}
	}
	return out
}

// ofUser tells a sentence of the user's from outside.
func ofUser(s string) string {
	fields := strings.Fields(shorten(s))
	for i, w := range fields {
		core := strings.TrimRightFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		told, _ := retold(strings.ReplaceAll(core, "’", "'"), "the other", i == len(fields)-1)
		fields[i] = told + w[len(core):]
	}
	told := strings.Join(fields, " ")
	r, size := utf8.DecodeRuneInString(told)
	return string(unicode.ToUpper(r)) + told[size:]
}

// promised are the ways in which something is put off, and when it is due.
var promised = []struct {
	kind            string
	turns, hours    int
	priority        int
	cues            []string
	openingQuestion string
}{
	{"reminder", 3, 0, 4, []string{"remind me", "don't forget", "do not forget", "don't let me forget"}, "Was there not something to be remembered"},
	{"milestone", 8, 0, 3, []string{"anniversary", "birthday"}, "Is it not nearly the day"},
	{"scheduled", 6, 24, 3, []string{"tomorrow", "tonight", "next week", "at dawn", "on sunday"}, "Was it not to be by now"},
	{"follow_up", 5, 0, 2, []string{"next time", "i promise", "i'll come back", "i will come back", "some other time", "another day", "one day i will"}, "What became of it"},
}

func (x exchange) hooks() []any {
	out := []any{}
	for _, n := range []note{x.user, x.reply} {
		for _, s := range sentences(n.text) {
			low := strings.ToLower(strings.ReplaceAll(s, "’", "'"))
			for _, p := range promised {
				if len(out) == mostHooks || !slices.ContainsFunc(p.cues, func(c string) bool { return holds(low, c) }) {
					continue
				}
				r := record{"type": p.kind, "content": shorten(s), "opener": p.openingQuestion + ": " + clip(s, 1, 80) + "?", "turns": p.turns, "priority": p.priority}
				if p.hours > 0 {
					r["hours"] = p.hours
				}
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// taken are the numbers of the lines in the request that the reply takes up: it
// has at least two words of theirs, and half of them.
func (x exchange) taken() []any {
	out, said := []any{}, setOf(content(x.reply.text))
	for _, l := range trimmed(x.asking) {
		n, ok := numbered(l)
		if !ok || slices.Contains(out, any(n.number)) {
			continue
		}
		words := content(n.text)
		slices.Sort(words)
		words = slices.Compact(words)
		if same := overlap(words, said); same > 1 && same*2 >= len(words) {
			out = append(out, n.number)
		}
	}
	return out
}

// over are the numbers of the lines in the request of which a sentence of the exchange
// has at least two words, besides one of some cues.
func (x exchange) over(cues ...string) []any {
	out := []any{}
	for _, s := range append(sentences(x.user.text), sentences(x.reply.text)...) {
		low, said := strings.ToLower(s), setOf(content(s))
		if !slices.ContainsFunc(cues, func(c string) bool { return holds(low, c) }) {
			continue
		}
		for _, l := range trimmed(x.asking) {
			if n, ok := numbered(l); ok && !slices.Contains(out, any(n.number)) && overlap(content(n.text), said) > 1 {
				out = append(out, n.number)
			}
		}
	}
	return out
}

// holds tells whether a text has a phrase as whole words.
func holds(text, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(phrase):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
		from = i + len(phrase)
	}
}

func lowered(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}
