package scene

import (
	"fmt"
	"strings"
)

// Verdict is what the table says of a message.
type Verdict struct {
	Break bool // there is one
	// After puts it after the message, because the scene ends with it; else it
	// is in front, and the mark goes on the message before.
	After     bool
	Kind      string // Separator, Heading or Mark
	Cue       string // what shows it, out of the message
	Rationale string // in words for the user
}

// Table looks for an explicit scene break at either end of m without asking a model:
// a separator, a heading such as "Chapter 3", or a remark out of character such as
// "((new scene))". Leaps in time and new places are the model's to find.
// previous are the messages before m, oldest first; three are enough. They tell
// what is new from what every message of the chat carries, and without any
// there is nothing that a break in front of m could end. In doubt there is no
// break.
//
// The work does not grow with the length of the messages.
func Table(previous []Message, m Message) Verdict {
	k := look{previous: previous, m: m}
	k.lines = firstLines(m.Text, maxFirst)
	if len(k.lines) == 0 {
		return Verdict{}
	}
	k.last, k.before = lastLines(m.Text)
	if len(previous) > 0 {
		if h := k.front(); h != nil {
			return h.verdict()
		}
	}
	if h := k.back(); h != nil {
		h.after, h.where = true, "ends with"
		return h.verdict()
	}
	return Verdict{}
}

// look is one message under the table's eyes.
type look struct {
	previous     []Message
	m            Message
	lines        []rawLine // at the beginning
	last, before rawLine   // at the end
}

// hit is a cue that was found.
type hit struct {
	kind, means string
	cue         string
	where       string // "begins with"
	closes      bool   // it says that a scene ends here rather than begins
	after       bool
}

func (h *hit) verdict() Verdict {
	cue := clip(h.cue, maxCue)
	return Verdict{Break: true, After: h.after, Kind: h.kind, Cue: cue,
		Rationale: fmt.Sprintf("The message %s %s: “%s”.", h.where, h.means, cue)}
}

// front looks for a cue that what follows is a new scene.
func (k *look) front() *hit {
	if isFence(k.lines[0].text) {
		return nil
	}
	for i, raw := range k.lines {
		if i > 0 && raw.at-k.lines[0].at > maxLead {
			break
		}
		if i == 0 {
			raw.text = k.unlabelled(raw.text)
		}
		if isQuote(firstRune(raw.text)) {
			continue
		}
		if isSeparator(raw.text) && !raw.cut {
			if h, stop := k.frontSeparator(i); h != nil || stop {
				return h
			}
			continue
		}
		if h := k.frontLine(peel(raw), i); h != nil {
			return h.at(i)
		}
	}
	return nil
}

// frontLine judges line i of the message.
func (k *look) frontLine(l line, i int) *hit {
	if !l.cut && (i == 0 || !l.last) {
		if h := ownMark(l); h != nil {
			h.after = h.closes && k.nothingFollows(i)
			return h
		}
		if h := k.heading(l); h != nil {
			return h
		}
	}
	if i == 0 {
		return leadingMark(l)
	}
	return nil
}

func (h *hit) at(i int) *hit {
	h.where = "has near its beginning"
	if i == 0 {
		h.where = "begins with"
	}
	return h
}

// back looks for a cue that the scene ends with the message.
func (k *look) back() *hit {
	alone := k.before.text == ""
	if isSeparator(k.last.text) {
		if alone || k.last.cut || k.isStatus(k.before.text) || isSeparator(k.lines[0].text) || k.habit(false) {
			return nil
		}
		return &hit{kind: Separator, means: ruleLine, cue: k.last.text}
	}
	if l := peel(k.last); !l.cut {
		if h := ownMark(l); h != nil && (!alone || h.closes) {
			return h
		}
	}
	return k.trailingMark()
}

const ruleLine = "a separator line"

func isFence(s string) bool {
	return strings.HasPrefix(s, "```")
}

// unlabelled takes the speaker's name off the beginning of a line.
func (k *look) unlabelled(s string) string {
	if k.m.Name == "" {
		return s
	}
	for _, mark := range []string{k.m.Name + ":", "**" + k.m.Name + ":**", "**" + k.m.Name + "**:"} {
		if rest, ok := strings.CutPrefix(s, mark); ok && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// frontSeparator judges a rule on line i. With stop nothing else is looked for.
func (k *look) frontSeparator(i int) (h *hit, stop bool) {
	h = &hit{kind: Separator, means: ruleLine, cue: k.lines[i].text}
	if i > 0 {
		if k.cueFollows(i) {
			return h.at(i), false
		}
		return nil, false
	}
	doubtful := i+1 < len(k.lines) && k.isStatus(k.lines[i+1].text) ||
		strings.HasPrefix(k.lines[0].text, "~~~") && fenced(k.lines, k.last) ||
		len(k.lines) > 1 && isSeparator(k.last.text) || // a frame
		k.habit(true)
	if doubtful && !k.cueFollows(i) {
		return nil, true
	}
	return h.at(i), false
}

// fenced reports whether a line of tildes is the beginning of a code block.
func fenced(lines []rawLine, last rawLine) bool {
	for _, l := range lines[1:] {
		if strings.HasPrefix(l.text, "~~~") {
			return true
		}
	}
	return strings.HasPrefix(last.text, "~~~")
}

// cueFollows reports whether the line after line i is a cue by itself.
func (k *look) cueFollows(i int) bool {
	if i+1 >= len(k.lines) {
		return false
	}
	l := peel(k.lines[i+1])
	if l.cut {
		return false
	}
	return ownMark(l) != nil || k.heading(l) != nil
}

// habit reports whether the last message of the same speaker has a rule at the
// same end: then it is how that speaker writes.
func (k *look) habit(atTop bool) bool {
	for i := len(k.previous) - 1; i >= 0; i-- {
		p := k.previous[i]
		if p.Role != k.m.Role {
			continue
		}
		if atTop {
			lines := firstLines(p.Text, 1)
			return len(lines) > 0 && isSeparator(lines[0].text)
		}
		last, _ := lastLines(p.Text)
		return last.text != "" && isSeparator(last.text)
	}
	return false
}

// nothingFollows reports whether only remarks out of character come after line i.
func (k *look) nothingFollows(i int) bool {
	if i+1 == len(k.lines) {
		return k.lines[i].last
	}
	for _, raw := range k.lines[i+1:] {
		if !peel(raw).boxed {
			return false
		}
	}
	return k.lines[len(k.lines)-1].last
}

// isStatus reports whether a line looks like one of a status block: "HP: 3/10",
// "Mood: calm | Outfit: …", but not what somebody says.
func (k *look) isStatus(s string) bool {
	if strings.Count(s, "|") >= 2 || strings.ContainsAny(s, "█▓▒░") {
		return true
	}
	key, value, ok := strings.Cut(peel(rawLine{text: s}).core, ":")
	n := len(wordsOf(key, 5))
	if !ok || len(key) > 40 || n == 0 || n > 4 || k.speaks(strings.Trim(key, "*_ ")) {
		return false
	}
	value = strings.Trim(value, "*_ ")
	return value != "" && !isQuote(firstRune(value))
}

// speaks reports whether s is the name of somebody who speaks.
func (k *look) speaks(s string) bool {
	if strings.EqualFold(s, k.m.Name) {
		return true
	}
	for _, p := range k.previous {
		if strings.EqualFold(s, p.Name) {
			return true
		}
	}
	return false
}
