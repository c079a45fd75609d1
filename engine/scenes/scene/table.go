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
	After bool
	// Explicit cues leave no doubt: separators, headings, marks. Time skips and
	// headers of places do.
	Explicit  bool
	Kind      string // Separator, Heading, Mark, Time or Place
	Cue       string // what shows it, out of the message
	Rationale string // in words for the user
}

// Table looks for a scene break at either end of m without asking a model.
// previous are the messages before m, oldest first; three are enough. They tell
// what is new from what every message of the chat carries, and without any
// there is nothing that a break in front of m could end. In doubt there is no
// break.
//
// The work does not grow with the length of the messages.
func Table(previous []Message, m Message) Verdict {
	v, _ := find(previous, m)
	return v
}

// look is one message under the table's eyes.
type look struct {
	previous     []Message
	m            Message
	lines        []rawLine // at the beginning
	last, before rawLine   // at the end
}

// hit is a row of the table and what it was found in.
type hit struct {
	*rule
	cue   string
	where string // "begins with"
	note  string // added to the rationale
	after bool
}

func find(previous []Message, m Message) (Verdict, *rule) {
	k := look{previous: previous, m: m}
	k.lines = firstLines(m.Text, maxFirst)
	if len(k.lines) == 0 {
		return Verdict{}, nil
	}
	k.last, k.before = lastLines(m.Text)
	var front *hit
	if len(previous) > 0 {
		front = k.front()
	}
	if front != nil && front.explicit {
		return front.verdict(), front.rule
	}
	if back := k.back(); back != nil {
		back.after = true
		return back.verdict(), back.rule
	}
	if front != nil {
		return front.verdict(), front.rule
	}
	return Verdict{}, nil
}

func (h *hit) verdict() Verdict {
	cue := clip(h.cue, maxCue)
	return Verdict{Break: true, After: h.after, Explicit: h.explicit, Kind: h.kind, Cue: cue,
		Rationale: fmt.Sprintf("The message %s %s: “%s”%s.", h.where, h.means, cue, h.note)}
}

const (
	atFront = "begins with"
	inFront = "has near its beginning"
	atBack  = "ends with"
)

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
		if !promising(raw.text) {
			continue
		}
		if r := ruleOfSeparator(raw.text); r != nil && !raw.cut {
			if h, stop := k.frontSeparator(r, i); h != nil || stop {
				return h
			}
			continue
		}
		if h := k.frontLine(peel(raw), i); h != nil {
			return h
		}
	}
	return k.newPlace()
}

// frontLine judges line i of the message.
func (k *look) frontLine(l line, i int) *hit {
	own := !l.cut && (i == 0 || !l.last)
	if own {
		if h := k.ownMark(l); h != nil {
			h.after = h.closes && k.nothingFollows(i)
			return h.at(i)
		}
		if h := k.heading(l, i); h != nil {
			return h.at(i)
		}
	}
	if i == 0 {
		if h := k.leadingMark(l); h != nil {
			return h.at(i)
		}
		return k.openingTime(l).at(i)
	}
	if own {
		return k.ownTime(l, 8, 3).at(i)
	}
	return nil
}

func (h *hit) at(i int) *hit {
	if h != nil {
		h.where = inFront
		if i == 0 {
			h.where = atFront
		}
	}
	return h
}

// back looks for a cue that the scene ends with the message.
func (k *look) back() *hit {
	if !promising(k.last.text) && !closesGroup(k.last.text) {
		return nil
	}
	alone := k.before.text == ""
	if r := ruleOfSeparator(k.last.text); r != nil {
		if alone || k.last.cut || isStatus(k.before.text) || ruleOfSeparator(k.lines[0].text) != nil || k.habit(false) {
			return nil
		}
		return &hit{rule: r, cue: k.last.text, where: atBack}
	}
	l := peel(k.last)
	if !l.cut {
		if h := k.ownMark(l); h != nil && (!alone || h.closes) {
			h.where = atBack
			return h
		}
		if h := k.ownTime(l, 0, 0); h != nil && !alone {
			h.where = atBack
			return h
		}
	}
	return k.trailingMark()
}

// promising is a cheap look at a line: most prose cannot be a cue.
func promising(s string) bool {
	r := firstRune(s)
	if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0xC0 && r < 0x250 {
		return mayStart(s) || slugLine(s) || strings.Contains(s[:min(len(s), 60)], ":")
	}
	return !isQuote(r)
}

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

// ruleOfSeparator is the row for a line that is nothing but a rule.
func ruleOfSeparator(s string) *rule {
	if len(s) > 400 {
		return nil
	}
	if r := firstRune(s); isWordRune(r) || r == '"' {
		return nil
	}
	if strings.HasPrefix(s, "<") {
		tag := strings.ToLower(strings.Trim(s, "<>/ "))
		if tag == "hr" && strings.HasSuffix(s, ">") {
			return separator("hr", 0)
		}
		return nil
	}
	var glyph rune
	n := 0
	for _, r := range s {
		switch {
		case r == ' ' || r == '\t' || r == '\\' || r == '\ufe0f' || r == '\u00a0':
			continue
		case '─' <= r && r <= '╿':
			r = '─'
		}
		if glyph == 0 {
			glyph = r
		}
		if r != glyph {
			return nil
		}
		n++
	}
	return separator(string(glyph), n)
}

func separator(glyph string, n int) *rule {
	for i := range separators {
		r := &separators[i]
		name, least, _ := strings.Cut(r.pattern, " ")
		if name == glyph && (least == "" || n >= int(least[0]-'0')) {
			return r
		}
	}
	return nil
}

// frontSeparator judges a rule on line i. With stop nothing else is looked for.
func (k *look) frontSeparator(r *rule, i int) (h *hit, stop bool) {
	h = &hit{rule: r, cue: k.lines[i].text}
	if i > 0 {
		if k.cueFollows(i) {
			return h.at(i), false
		}
		return nil, false
	}
	doubtful := i+1 < len(k.lines) && isStatus(k.lines[i+1].text) ||
		strings.HasPrefix(k.lines[0].text, "~~~") && fenced(k.lines, k.last) ||
		len(k.lines) > 1 && ruleOfSeparator(k.last.text) != nil || // a frame
		k.habit(true)
	if doubtful && !k.cueFollows(i) {
		return nil, true
	}
	return h.at(i), false
}

// fenced tells whether a line of tildes is the beginning of a code block.
func fenced(lines []rawLine, last rawLine) bool {
	for _, l := range lines[1:] {
		if strings.HasPrefix(l.text, "~~~") {
			return true
		}
	}
	return strings.HasPrefix(last.text, "~~~")
}

// cueFollows tells whether the line after line i is a cue by itself.
func (k *look) cueFollows(i int) bool {
	if i+1 >= len(k.lines) {
		return false
	}
	l := peel(k.lines[i+1])
	if l.cut {
		return false
	}
	return k.ownMark(l) != nil || k.heading(l, i+1) != nil || k.openingTime(l) != nil || k.placeFrom(i+1) != nil
}

// habit tells whether the last message of the same speaker has a rule at the
// same end: then it is how that speaker writes.
func (k *look) habit(atTop bool) bool {
	for i := len(k.previous) - 1; i >= 0; i-- {
		p := k.previous[i]
		if p.Role != k.m.Role {
			continue
		}
		if atTop {
			lines := firstLines(p.Text, 1)
			return len(lines) > 0 && ruleOfSeparator(lines[0].text) != nil
		}
		last, _ := lastLines(p.Text)
		return last.text != "" && ruleOfSeparator(last.text) != nil
	}
	return false
}

// nothingFollows tells whether only remarks out of character come after line i.
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

// isStatus knows a line of a status block: "HP: 3/10", "Mood: calm | Outfit: …".
func isStatus(s string) bool {
	if strings.Count(s, "|") >= 2 || strings.ContainsAny(s, "█▓▒░") {
		return true
	}
	core := peel(rawLine{text: s}).core
	key, value, ok := strings.Cut(core, ":")
	if !ok || len(key) > 40 {
		ws := wordsOf(core, 4)
		return len(ws) > 0 && len(ws) < 4 && lexicon()[ws[0].text]&statusWord != 0
	}
	ws := wordsOf(key, 5)
	if len(ws) == 0 || len(ws) > 4 {
		return false
	}
	for _, w := range ws {
		if lexicon()[w.text]&statusWord != 0 {
			return true
		}
	}
	return strings.ContainsAny(value, "/%") && strings.ContainsAny(value, "0123456789")
}
