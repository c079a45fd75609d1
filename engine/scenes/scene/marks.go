package scene

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Kinds of marks that begin or end a scene.
const (
	Separator = "separator" // a line that is nothing but a rule
	Heading   = "heading"   // "Chapter 3"
	Mark      = "mark"      // out of character: "((new scene))"
)

// Verdict is an explicit break in a message. The zero value is none.
type Verdict struct {
	Break bool
	// After is set if the scene ends with the message. Otherwise the break is in front of it, and
	// the mark is set on the message before.
	After     bool
	Kind      string // Separator, Heading or Mark
	Cue       string // its evidence, quoted from the message
	Rationale string // in words for the user
}

// Marks are searched within these bounds, at the beginning and the end of a message.
const (
	maxEdge  = 2 << 10 // bytes from either end
	maxFirst = 5       // lines at the beginning
	maxCue   = 120     // runes
)

// ExplicitBreak looks at both ends of m for a scene break that needs no model: a separator, a
// heading such as "Chapter 3", or an out-of-character mark such as "((new scene))". Leaps in time
// and new places are the model's to find. previous are the messages before m, oldest first; three
// are enough. They show the marks that every message of the chat has, which are no breaks. Without
// previous messages there is no scene that a break in front of m could end.
func ExplicitBreak(previous []Message, m Message) Verdict {
	lines, last, before := edges(m)
	if len(previous) > 0 && len(lines) > 0 && !strings.HasPrefix(lines[0], "```") {
		if v := frontBreak(previous, m, lines, last); v.Break {
			return v
		}
	}
	alone := strings.TrimSpace(m.Text) == last
	if isSeparator(last) {
		framed := len(lines) > 0 && isSeparator(lines[0])
		if alone || framed || isStatus(before, m, previous) || isHabit(previous, m, false) {
			return Verdict{}
		}
		return newVerdict(Separator, "ends with a separator line", last, true)
	}
	if ok, closes := isMark(last); ok && (closes || !alone) {
		return newVerdict(Mark, "ends with an out-of-character mark that ends the scene", last, true)
	}
	return Verdict{}
}

// frontBreak looks for a break in front of a message.
func frontBreak(previous []Message, m Message, lines []string, last string) Verdict {
	if isSeparator(lines[0]) {
		framed := len(lines) > 1 && isSeparator(last)
		status := len(lines) > 1 && isStatus(lines[1], m, previous)
		if !framed && !status && !isHabit(previous, m, true) {
			return newVerdict(Separator, "begins with a separator line", lines[0], false)
		}
	}
	for i, l := range lines {
		where := "begins with"
		if i > 0 {
			where = "has near its beginning"
		}
		if i > 0 && l == last && i == len(lines)-1 {
			break // it is at the end
		}
		mark := l
		if m := markInFront().FindStringSubmatch(l); m != nil && i == 0 {
			mark = m[1]
		}
		if ok, closes := isMark(mark); ok {
			return newVerdict(Mark, where+" an out-of-character mark for a new scene", l, closes && len(lines) == 1)
		}
		if heading := headingIn(l); heading != "" && !hasHeading(previous, heading) {
			return newVerdict(Heading, where+" a chapter or scene heading", heading, false)
		}
	}
	return Verdict{}
}

func newVerdict(kind, what, cue string, after bool) Verdict {
	cue = clip(cue, maxCue)
	return Verdict{Break: true, After: after, Kind: kind, Cue: cue,
		Rationale: fmt.Sprintf("The message %s: “%s”.", what, cue)}
}

// edges returns the first non-blank lines of a message without the speaker's name, its last line
// and the line before that. A line that is longer than the bound is ignored.
func edges(m Message) (first []string, last, before string) {
	head, tail := m.Text[:min(len(m.Text), maxEdge)], m.Text[max(0, len(m.Text)-maxEdge):]
	first = linesIn(head)
	if len(head) < len(m.Text) && len(first) > 0 && !strings.HasSuffix(head, "\n") {
		first = first[:len(first)-1]
	}
	first = first[:min(len(first), maxFirst)]
	if len(first) > 0 && m.Name != "" {
		for _, label := range []string{m.Name + ":", "**" + m.Name + ":**", "**" + m.Name + "**:"} {
			if rest, ok := strings.CutPrefix(first[0], label); ok && strings.TrimSpace(rest) != "" {
				first[0] = strings.TrimSpace(rest)
			}
		}
	}
	all := linesIn(tail)
	if len(tail) < len(m.Text) && len(all) > 0 {
		all = all[1:]
	}
	if n := len(all); n > 0 {
		last = all[n-1]
		if n > 1 {
			before = all[n-2]
		}
	}
	return first, last, before
}

func linesIn(s string) (out []string) {
	for l := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// separators holds the minimum number of times that a glyph is repeated in a rule. "─" represents
// any box-drawing line.
var separators = map[rune]int{
	'-': 3, '*': 3, '=': 3, '~': 3, '_': 3, '#': 3, '+': 3, '–': 3, '—': 2,
	'⸻': 1, '⁂': 1, '※': 1, '❦': 1, '☙': 1, '❧': 1,
	'─': 3, '⎯': 3, '•': 3, '✦': 3, '❖': 3, '◆': 3, '◇': 3,
}

// isSeparator reports whether a line is nothing but a rule.
func isSeparator(s string) bool {
	if inner, ok := strings.CutPrefix(strings.ToLower(s), "<hr"); ok {
		return strings.Trim(inner, " /") == ">"
	}
	var glyph rune
	n := 0
	for _, r := range s {
		if unicode.IsSpace(r) || r == '\\' || r == '\ufe0f' {
			continue
		}
		if '─' <= r && r <= '╿' {
			r = '─'
		}
		if glyph == 0 {
			glyph = r
		}
		if r != glyph {
			return false
		}
		n++
	}
	least, ok := separators[glyph]
	return ok && n >= least
}

// isHabit reports whether the last message of the same speaker has a rule at the same end.
func isHabit(previous []Message, m Message, atTop bool) bool {
	for _, p := range slices.Backward(previous) {
		if p.Role != m.Role {
			continue
		}
		lines, last, _ := edges(p)
		if atTop {
			return len(lines) > 0 && isSeparator(lines[0])
		}
		return isSeparator(last)
	}
	return false
}

// isStatus reports whether a line looks like part of a status block, as "HP: 3/10", and not like
// speech.
func isStatus(s string, m Message, previous []Message) bool {
	if strings.Count(s, "|") >= 2 || strings.ContainsAny(s, "█▓▒░") {
		return true
	}
	key, value, ok := strings.Cut(strings.Trim(s, "*_[] "), ":")
	key, value = strings.Trim(key, "*_ "), strings.Trim(value, "*_ ")
	speaks := func(o Message) bool { return strings.EqualFold(o.Name, key) }
	return ok && value != "" && len(key) <= 40 && len(strings.Fields(key)) <= 4 && key != "" &&
		!speaks(m) && !slices.ContainsFunc(previous, speaks) && !strings.ContainsAny(value[:1], "\"'“”„«»")
}

// numberedHeading matches a heading that counts chapters or scenes, with its decoration; the text
// after the number is a title. bareHeading needs no number.
var (
	numberedHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^` + decoration +
			`((?:chapter|act|scene|part|episode|book|volume|kapitel|akt|szene|teil|folge|chapitre|acte|` +
			`scène|partie|capítulo|acto|escena|parte)[ ` +
			`\t-]+(?:\d{1,4}|[ivxl]{1,7}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(.*))$`)
	})
	bareHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^` + decoration +
			`((?:prologue|epilogue|interlude|prolog|epilog|épilogue|prólogo|epílogo)(` + closing + `|:.*))$`)
	})
	// A title begins with a capital or a number, or after a colon or a dash.
	titleAfter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:` + closing + `$|[ \t]*[:–—]|[ \t]+-|[.,]?[ \t]+["“*_]*[\p{Lu}\p{N}\p{Han}])`)
	})
)

const (
	decoration = `(?:#{1,6}[ \t]+|[*_]{1,3}|[\[(]{1,2}|[-=~─-╿]{2,}[ \t]+)*`
	closing    = `[-–—*_~=\])#. \t─-╿]*`
)

// headingIn returns the words of a heading line, "" if line is none.
func headingIn(line string) string {
	m := numberedHeading().FindStringSubmatch(line)
	if m == nil || !titleAfter().MatchString(m[2]) || strings.Contains(m[2], "?") {
		m = bareHeading().FindStringSubmatch(line)
	}
	if m == nil {
		return ""
	}
	return strings.TrimRight(m[1], "-–—*_~=])#. \t")
}

// hasHeading reports whether the newest heading in some messages has the same words.
func hasHeading(messages []Message, heading string) bool {
	for _, m := range slices.Backward(messages) {
		lines, _, _ := edges(m)
		for _, l := range lines {
			if h := headingIn(l); h != "" {
				return text.Equal(h, heading)
			}
		}
	}
	return false
}

// marks are the out-of-character remarks that mark a scene break, in lower case, and whether the
// scene ends with the message.
var marks = map[string]bool{
	"new scene": false, "next scene": false, "scene break": false, "scene change": false, "change of scene": false,
	"end scene": true, "end of scene": true, "end of the scene": true, "scene end": true,
	"scene ends": true, "scene ends here": true,
	"neue szene": false, "szenenwechsel": false, "szenenende": true, "ende der szene": true,
	"nouvelle scène": false, "changement de scène": false, "fin de scène": true, "fin de la scène": true,
	"nueva escena": false, "cambio de escena": false, "fin de escena": true, "fin de la escena": true,
}

var outOfCharacter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)^[*_]*(?:\(\(|\[\[|[(\[{【]|ooc\b)[ \t]*(?:ooc\b[ \t:,–—-]*|[:,–—-]*)(.*?)[)\]}】*_]*$`)
})

// markInFront is a remark in brackets that a line begins with.
var markInFront = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\(\([^)]*\)\)|\[\[[^\]]*\]\]|\([^)]*\)|\[[^\]]*\])[ \t]+\S`)
})

// isMark reports whether a line is an out-of-character mark, and whether the scene ends with it. A
// title may follow a new scene's after a colon.
func isMark(line string) (ok, closes bool) {
	m := outOfCharacter().FindStringSubmatch(line)
	if m == nil {
		return false, false
	}
	says, title, titled := strings.Cut(m[1], ":")
	closes, ok = marks[strings.Trim(strings.ToLower(strings.Join(strings.Fields(says), " ")), " .!…")]
	return ok && !(titled && (closes || strings.HasSuffix(title, "?"))), closes
}
