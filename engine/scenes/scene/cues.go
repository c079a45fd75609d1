package scene

import (
	"strings"
	"unicode"
)

// ownMark finds a mark that is all that a line says.
func (k *look) ownMark(l line) *hit {
	if l.quoted || !mayStart(l.core) {
		return nil
	}
	ws := wordsOf(l.core, 20)
	for i := 0; i < len(ws) && i < 4; i++ {
		p, n := books().marks.find(ws[i:])
		if p != nil {
			if !markHolds(l, p, l.core[ws[i].start:ws[i+n-1].end], tailOf(l.core, ws[i+n-1].end)) {
				return nil
			}
			return &hit{rule: p.rule, cue: l.text}
		}
		if !leadIns[ws[i].text] {
			break
		}
	}
	return nil
}

// markHolds judges a mark by its look and by what follows it.
func markHolds(l line, p *phrase, found string, t tail) bool {
	colon := strings.HasPrefix(t.rest, ":")
	shouted := found == strings.ToUpper(found)
	boxed := l.boxed || l.ruled != 0 || l.level > 0
	switch {
	case t.hedged(), p.framed && !boxed && !colon && !shouted:
		return false
	case p.closes:
		return t.only() || boxed && t.ended || len(t.words) == 1 && (t.words[0].text == "here" || t.words[0].text == "now")
	case boxed:
		return len(t.words) <= 12
	case l.strong || l.soft:
		return len(t.words) <= 6
	}
	return t.only() || colon || shouted && len(t.words) <= 8 || len(t.words) <= 8 && t.words[0].text == "to"
}

// leadingMark finds a mark in brackets or asterisks that a line begins with.
func (k *look) leadingMark(l line) *hit {
	group := leadingGroup(l.text)
	if group == "" || group == l.text {
		return nil
	}
	return k.ownMark(peel(rawLine{text: group}))
}

// maxGroup is how long, in bytes, a mark within a line may be.
const maxGroup = 200

var groups = []struct{ open, shut string }{
	{"((", "))"}, {"[[", "]]"}, {"**", "**"}, {"(", ")"}, {"[", "]"}, {"{", "}"}, {"*", "*"}, {"【", "】"},
}

func leadingGroup(s string) string {
	for _, g := range groups {
		if !strings.HasPrefix(s, g.open) {
			continue
		}
		inner := s[len(g.open):min(len(s), maxGroup)]
		if i := strings.Index(inner, g.shut); i > 0 {
			return s[:len(g.open)+i+len(g.shut)]
		}
		return ""
	}
	return ""
}

// trailingMark finds a mark in brackets or asterisks at the end of the message.
func (k *look) trailingMark() *hit {
	s := k.last.text
	for _, g := range groups {
		if !strings.HasSuffix(s, g.shut) {
			continue
		}
		head := s[:len(s)-len(g.shut)]
		from := max(0, len(head)-maxGroup)
		i := strings.LastIndex(head[from:], g.open)
		if i < 0 || from+i == 0 && k.before.text == "" {
			return nil
		}
		h := k.ownMark(peel(rawLine{text: s[from+i:]}))
		if h != nil {
			h.where = atBack
		}
		return h
	}
	return nil
}

func closesGroup(s string) bool {
	return strings.ContainsAny(s[len(s)-1:], ")]}*") || strings.HasSuffix(s, "】")
}

// heading finds a heading that the messages before do not carry as well.
func (k *look) heading(l line, i int) *hit {
	r := headingIn(l)
	if r == nil && i == 0 {
		r = k.freeHeading(l)
	}
	if r == nil {
		r = k.ruledTitle(l)
	}
	if r == nil {
		return nil
	}
	digits := r.pattern != "#" && r.pattern != "title"
	name, others := sameHeading(l.core, digits), 0
	for j := len(k.previous) - 1; j >= 0; j-- {
		old, ok := headingBefore(k.previous[j], r)
		if !ok {
			continue
		}
		if sameHeading(old.core, digits) == name {
			return nil
		}
		if others++; digits {
			break
		}
	}
	if others > 1 { // every message has one
		return nil
	}
	return &hit{rule: r, cue: l.core}
}

// headingIn is the row for a heading that counts chapters, scenes or days.
func headingIn(l line) *rule {
	if l.quoted || l.cut || !mayStart(l.core) {
		return nil
	}
	p, n := books().headings.find(wordsOf(l.core, 8))
	if p == nil {
		return nil
	}
	ws := wordsOf(l.core, n)
	t := tailOf(l.core, ws[n-1].end)
	ending := strings.ContainsRune(".!?,;", lastRune(l.core))
	switch {
	case t.asks:
		return nil
	case len(t.words) == 0:
		if l.plain && lastRune(l.core) == '!' {
			return nil
		}
		return p.rule
	case (l.plain || !t.ended) && !capital(t):
		return nil
	case t.titled():
		return p.rule // whatever follows on the same line
	case l.plain && (ending || len(t.words) > 8) || len(t.words) > 12:
		return nil
	case !t.ended && (ending || len(t.words) > 6):
		return nil
	}
	return p.rule
}

// titled tells whether a colon or a dash leads from the number to a title.
func (t tail) titled() bool {
	rest := strings.TrimLeft(t.rest, " \t")
	return strings.ContainsRune(":–—", firstRune(rest)) || strings.HasPrefix(rest, "- ")
}

// capital tells whether what follows looks like a title.
func capital(t tail) bool {
	r := firstRune(strings.TrimLeft(t.rest, " \t\"'“‘*_:.,;—–-"))
	return unicode.IsUpper(r) || unicode.IsDigit(r) || isDense(r)
}

// freeHeading is the row for any other Markdown heading at the beginning.
func (k *look) freeHeading(l line) *rule {
	if l.level == 0 {
		return nil
	}
	ws := wordsOf(l.core, 14)
	if l.level > 4 || l.quoted || l.cut || len(ws) == 0 || len(ws) > 12 || lastRune(l.core) == '?' {
		return nil
	}
	if lexicon()[ws[0].text]&statusWord != 0 || k.speaks(l.core) {
		return nil
	}
	if _, ok := spotOf(l); ok {
		return nil
	}
	for i, other := range k.lines[1:] { // a document, not a story
		if strings.HasPrefix(other.text, "#") || i == 0 && (isItem(other.text) || isStatus(other.text) || isFence(other.text)) {
			return nil
		}
	}
	return &headings[indexOf(headings, "#")]
}

// ruledTitle is the row for words between two rules.
func (k *look) ruledTitle(l line) *rule {
	if l.ruled == 0 || l.ruled == '*' || l.quoted || l.cut || strings.HasSuffix(l.core, "?") {
		return nil
	}
	ws := wordsOf(l.core, 10)
	if len(ws) == 0 || len(ws) > 8 || lexicon()[ws[0].text]&statusWord != 0 || k.speaks(l.core) {
		return nil
	}
	return &separators[indexOf(separators, "title")]
}

func indexOf(rows []rule, pattern string) int {
	for i := range rows {
		if rows[i].pattern == pattern {
			return i
		}
	}
	panic("scene: no row " + pattern)
}

// headingBefore is the line of an older message that carries a heading like r.
func headingBefore(m Message, r *rule) (line, bool) {
	for i, raw := range firstLines(m.Text, 3) {
		l := peel(raw)
		switch {
		case r.pattern == "#":
			if i == 0 && l.level > 0 {
				return l, true
			}
		case r.pattern == "title":
			if l.ruled != 0 {
				return l, true
			}
		default:
			if old := headingIn(l); old != nil && old.kind == r.kind {
				return l, true
			}
		}
	}
	return line{}, false
}

// sameHeading is what two headings have in common that say the same.
func sameHeading(s string, digits bool) string {
	var parts []string
	for _, w := range wordsOf(s, 20) {
		if digits || !isDigits(w.text) {
			parts = append(parts, w.text)
		}
	}
	return strings.Join(parts, " ")
}

// speaks tells whether s is the name of somebody who speaks.
func (k *look) speaks(s string) bool {
	s = strings.TrimSuffix(s, ":")
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

// openingTime finds a time skip that a message begins with.
func (k *look) openingTime(l line) *hit {
	s := l.core
	if s == l.text {
		s = strings.TrimLeft(strings.TrimLeftFunc(l.text, isOrnament), "*_~([{<… \t.")
	}
	if s == "" || isQuote(firstRune(s)) || isDash(firstRune(s)) || isItem(l.text) {
		return nil
	}
	p, cue, _ := skipIn(s)
	if p == nil {
		return nil
	}
	return &hit{rule: p.rule, cue: cue}
}

// ownTime finds a time skip on a line of its own, with at most so many words
// after it: as many as dressed for a line that does not look like prose.
func (k *look) ownTime(l line, dressed, plain int) *hit {
	if l.quoted {
		return nil
	}
	p, cue, t := skipIn(l.core)
	limit := dressed
	if l.plain {
		limit = plain
	}
	if p == nil || len(t.words) > limit || l.plain && !t.ended {
		return nil
	}
	return &hit{rule: p.rule, cue: cue}
}

// mayFollow are words that may carry on a clause about time that has passed.
var mayFollow = map[string]bool{
	"and": true, "before": true, "until": true, "without": true, "with": true, "by": true, "in": true, "like": true, "quietly": true,
	"und": true, "ohne": true, "bis": true, "et": true, "sans": true, "avant": true, "y": true, "sin": true, "hasta": true,
}

// skipIn finds the time skip that s begins with, the words of it, and what
// comes after.
func skipIn(s string) (p *phrase, cue string, t tail) {
	if !mayStart(s) {
		return nil, "", t
	}
	ws := wordsOf(s, 14)
	p, n := books().times.find(ws)
	if p == nil {
		return nil, "", t
	}
	end := ws[n-1].end
	t = tailOf(s, end)
	if t.asks || t.denies() || p.ends && !t.ended && (len(t.words) == 0 || !mayFollow[t.words[0].text]) {
		return nil, "", t
	}
	return p, s[ws[0].start:end], t
}

func lastRune(s string) rune {
	r := []rune(s[max(0, len(s)-4):])
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1]
}
