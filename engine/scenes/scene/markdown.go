package scene

import (
	"slices"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bullet is one fact of a recap's text.
type Bullet struct {
	Heading string // one of headings5, "" for bullets under none of them
	Text    string // without the mark in front, on one line
	Line    int    // its first line, counted from 0
}

// Bounds of the result of Bullets: recaps are far below, but a text may be a user's.
const (
	maxFacts = 2000
	maxFact  = 4 << 10 // bytes, give or take a line
)

// Bullets lists the facts of a recap: the items of its lists, whatever their indent, and its
// paragraphs. If a text has more than 2,000 of them, and so is no recap any more, it returns the
// first 2,000.
func Bullets(md string) []Bullet {
	var out []Bullet
	heading, open := "", false
	for i, raw := range strings.Split(md, "\n") {
		s := strings.TrimSpace(raw)
		if !strings.ContainsFunc(s, isWordRune) {
			open = false
			continue
		}
		if at := headingLine(s); at >= 0 {
			heading, open = headings[at], false
			continue
		}
		if _, level := headingMark(s); level > 0 {
			heading, open = "", false
			continue
		}
		text := cutItem(s)
		if text != s || !open {
			if len(out) == maxFacts {
				return out
			}
			out = append(out, Bullet{Heading: heading, Text: prompts.Bounded(prompts.OneLine(text), maxFact), Line: i})
			open = true
			continue
		}
		if b := &out[len(out)-1]; len(b.Text) < maxFact {
			b.Text += " " + prompts.Bounded(prompts.OneLine(text), maxFact)
		}
	}
	return out
}

var headings = [...]string{CurrentSituation, "Key Developments", "Dialogue Highlights", "Tone & Style", PendingThreads}

// The places of headings5.
const (
	situation = iota
	developments
	highlights
	tone
	threads
)

// The headings of the situation and of open threads.
const (
	CurrentSituation = "Current Situation"
	PendingThreads   = "Pending Threads"
)

// headingOf returns the index of the heading, among the five, that words name, whatever their case,
// punctuation and spelling, as "tone_style" or "Tone and Style:"; -1 for none.
func headingOf(s string) int {
	if len(s) > 60 {
		return -1
	}
	at, ok := headingNames[strings.Map(func(r rune) rune {
		if isWordRune(r) && (r < '0' || r > '9') {
			return unicode.ToLower(r)
		}
		return -1
	}, s)]
	if !ok {
		return -1
	}
	return at
}

var headingNames = map[string]int{
	"currentsituation": situation, "keydevelopments": developments, "dialoguehighlights": highlights,
	"dialoghighlights": highlights, "tonestyle": tone, "toneandstyle": tone, "pendingthreads": threads}

// headingLine is headingOf for a line that looks like a heading, not like an
// item of a list.
func headingLine(s string) int {
	if cutItem(s) != s && !strings.HasPrefix(s, "#") && (s[0] < '0' || s[0] > '9') {
		return -1
	}
	return headingOf(s)
}

// SourcesOf returns the messages that a bullet of r, or a part of a bullet, came from; nil if
// unknown.
func SourcesOf(r storage.Recap, bullet string) []storage.NodeID {
	if s := sourceOf(r, bullet); s != nil {
		return s.Messages
	}
	return nil
}

// MemoriesOf returns the memories that a bullet of r, or the bullet that it is part of, also
// states.
func MemoriesOf(r storage.Recap, bullet string) []storage.MemoryID {
	if s := sourceOf(r, bullet); s != nil {
		return s.Memories
	}
	return nil
}

// sourceOf finds the source of a bullet: by its text, by the bullet that it is part of, or, if the
// recap was edited and has as many bullets as before, by its position.
func sourceOf(r storage.Recap, bullet string) *storage.Source {
	want := plainText(bullet)
	if want == "" {
		return nil
	}
	if s := sourceWith(r.Sources, bullet, want); s != nil {
		return s
	}
	if at := partOf(r.Sources, bullet); at >= 0 {
		return &r.Sources[at]
	}
	if !r.Edited() {
		return nil
	}
	now, was := Bullets(r.Text), Bullets(r.Original)
	at := slices.IndexFunc(now, func(b Bullet) bool { return plainText(b.Text) == want })
	if at < 0 || len(now) != len(was) {
		return nil
	}
	return sourceWith(r.Sources, was[at].Text, plainText(was[at].Text))
}

// sourceWith finds the source of a bullet. It nearly always has the same wording.
func sourceWith(list []storage.Source, bullet, plain string) *storage.Source {
	at := slices.IndexFunc(list, func(s storage.Source) bool { return s.Bullet == bullet })
	if at < 0 {
		at = slices.IndexFunc(list, func(s storage.Source) bool { return plainText(s.Bullet) == plain })
	}
	if at < 0 {
		return nil
	}
	return &list[at]
}

// partOf finds the bullet that holds all statements of a text, -1 for none.
func partOf(list []storage.Source, text string) int {
	words := func(s string) string {
		return " " + strings.Join(strings.FieldsFunc(plainText(s), func(r rune) bool { return !isWordRune(r) }), " ") +
			" "
	}
	var parts []string
	for _, s := range Statements(text) {
		parts = append(parts, words(s))
	}
	return slices.IndexFunc(list, func(s storage.Source) bool {
		whole := words(s.Bullet)
		return len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(whole, p) })
	})
}

var unmarked = strings.NewReplacer("*", "", "_", "", "`", "")

// plainText returns a normalized text: it is equal for texts that differ only in markup, blanks and
// letter case.
func plainText(s string) string {
	s = unmarked.Replace(cutItem(prompts.OneLine(s)))
	return strings.ToLower(strings.TrimRight(s, ". "))
}

// section is a heading's part of a text.
type section struct {
	lines []string
}

// Tidy puts a recap's text in order: the five headings in their order and spelling, each once,
// added if missing. All other text stays under its heading, or above the first.
func Tidy(md string) string {
	var above section
	var under [len(headings)]section
	at := &above
	for _, l := range strings.Split(paragraphs(md), "\n") {
		if i := headingLine(strings.TrimSpace(l)); l != "" && i >= 0 {
			at = &under[i]
			if len(at.lines) > 0 {
				at.lines = append(at.lines, "")
			}
			continue
		}
		at.lines = append(at.lines, l)
	}
	var b strings.Builder
	above.write(&b)
	for i, h := range headings {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("## " + h + "\n")
		if body := under[i].body(); body != "" {
			b.WriteString("\n" + body + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (s section) write(b *strings.Builder) {
	if body := s.body(); body != "" {
		b.WriteString(body + "\n")
	}
}

// body returns the section's text without blank lines at its ends, and never two of them in a row.
func (s section) body() string {
	lines := slices.CompactFunc(slices.Clone(s.lines), func(a, b string) bool { return a == "" && b == "" })
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// headingMark cuts a Markdown heading's mark off a line.
func headingMark(s string) (string, int) {
	level := len(s) - len(strings.TrimLeft(s, "#"))
	if level == 0 || level > 6 || level == len(s) || s[level] != ' ' && s[level] != '\t' {
		return s, 0
	}
	return strings.TrimRight(strings.TrimSpace(s[level:]), "# \t"), level
}

// DiffLine is a line of a comparison.
type DiffLine struct {
	Op   DiffOp `json:"op"`
	Text string `json:"text"`
}

// DiffOp says in which text a line occurs: in both (' '), only in the new one ('+') or only in the
// old one ('-').
type DiffOp byte

// MarshalText returns the sign.
func (o DiffOp) MarshalText() ([]byte, error) { return []byte{byte(o)}, nil }

// maxDiff is the maximum length of either text that is compared, in bytes.
const maxDiff = 512 << 10

// Diff compares two texts line by line. The result contains all lines, including unchanged ones.
func Diff(a, b string) []DiffLine {
	a, b = endLine(a), endLine(b)
	var out []DiffLine
	add := func(op DiffOp, text string) {
		for l := range strings.Lines(text) {
			out = append(out, DiffLine{Op: op, Text: strings.TrimRight(l, "\r\n")})
		}
	}
	eachEdit(a, b, add)
	return out
}

// eachEdit calls add with the lines that two texts have in common and the lines that only one has,
// in their order.
func eachEdit(a, b string, add func(op DiffOp, lines string)) {
	at := 0
	for _, e := range udiff.Lines(a, b) {
		add(' ', a[at:e.Start])
		add('-', a[e.Start:e.End])
		add('+', e.New)
		at = e.End
	}
	add(' ', a[at:])
}

// endLine sees to it that a text ends with its last line, so that a line more
// does not change the one before it.
func endLine(s string) string {
	if len(s) > maxDiff {
		s = strings.ToValidUTF8(s[:maxDiff], "")
	}
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
