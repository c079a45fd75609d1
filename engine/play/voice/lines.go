package voice

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// mostOpening is how far into a sentence it is judged by how it begins.
const mostOpening = 120

// verdict is whether a sentence is what is not wanted: not yet known is 0.
type verdict int

const (
	no  verdict = -1
	yes verdict = 1
)

// opening judges what the sentence begins with.
func (w *Watch) opening() {
	if w.decided || w.replay || w.cut != nil || !w.scan.some || len(w.rules.User)+len(w.rules.Others) == 0 {
		return
	}
	begin := string(w.text[w.scan.sent:min(len(w.text), w.scan.sent+mostOpening)])
	if !utf8.ValidString(begin) { // it ends within a letter
		begin = strings.ToValidUTF8(begin, "")
	}
	kind, v := w.beginning(begin, w.scan.sent == w.scan.line)
	if v == 0 && len(begin) >= mostOpening {
		v = no
	}
	w.decided, w.opens = v != 0, v == 0
	if v == yes {
		f := Found{Kind: kind, At: w.scan.sent}
		f.Ends = kind != User && trimmed(w.text, f.At, w.floor) > w.floor || kind == User && strings.Contains(begin, ":") && w.sentences() > 0
		w.judge(f, len(w.text))
	}
}

// sentences is how many full ones stand before this one that were not there before.
func (w *Watch) sentences() (n int) {
	for _, at := range w.scan.starts {
		if at >= w.floor && at < w.scan.sent {
			n++
		}
	}
	return n
}

func (w *Watch) beginning(s string, line bool) (Kind, verdict) {
	marked := s
	s = strings.TrimLeft(s, "*_~`>#-•[(< \t")
	if s == "" {
		return "", 0
	}
	if r, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("\"“„«»'‘‚「『", r) || w.inSpeech() {
		return "", no
	}
	var kind Kind
	result := no
	see := func(k Kind, v verdict) { // what may be a longer name yet is not judged
		if v == 0 || v == yes && result == no {
			kind, result = k, v
		}
	}
	whole := strings.ContainsRune(marked, '\n')
	if marked = marked[:len(marked)-len(s)]; line {
		for _, name := range w.rules.User {
			see(User, named(s, name, !labels()[strings.ToLower(name)], strings.HasSuffix(marked, "<")))
		}
		for _, name := range w.rules.Others {
			see(Speaker, named(s, name, false, strings.HasSuffix(marked, "<")))
		}
	}
	if len(w.rules.User) > 0 {
		told := func() bool {
			return strings.ContainsAny(marked, "*_") || w.quotes() || openIn(string(w.text[w.scan.line:w.scan.sent])).closing() != ""
		}
		for _, p := range speaks() {
			see(User, saying(s, p, told, whole))
		}
	}
	return kind, result
}

// quotes tells whether speech stands in quotes in this reply: what stands in none is told then.
func (w *Watch) quotes() bool {
	return bytes.ContainsAny(w.text[:w.scan.sent], "\"“„«»「")
}

// inSpeech tells whether a quote is open where the sentence begins.
func (w *Watch) inSpeech() bool {
	return w.scan.sent > w.scan.line && openIn(string(w.text[w.scan.line:w.scan.sent])).speech() >= 0
}

// mostApart is how many lines may stand between two points of a list.
const mostApart = 1

// items counts the points of a list where a line begins.
func (w *Watch) items() {
	if w.scan.sent != w.scan.line || w.rules.Items == 0 {
		return
	}
	at := w.lineAt
	w.lineAt = w.scan.line
	switch {
	case isItem(string(w.text[at:w.scan.line])):
		w.points, w.apart = w.points+1, 0
	case w.apart >= mostApart:
		w.points = 0
	default:
		w.apart++
	}
	if w.points > w.rules.Items {
		w.judge(Found{Kind: List, At: at, Ends: true}, w.scan.sent)
	}
}

func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	if bare := strings.TrimLeft(line, "*_"); bare != "" && bare[0] >= '0' && bare[0] <= '9' {
		line = bare
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	switch rest := line[digits:]; {
	case digits > 0 && digits < 4:
		if rest == "" || !strings.ContainsRune(".):", rune(rest[0])) {
			return false
		}
		return strings.HasPrefix(strings.TrimLeft(rest[1:], "*_"), " ")
	case digits == 0:
		return strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "* ") || strings.HasPrefix(rest, "• ") || strings.HasPrefix(rest, "+ ")
	}
	return false
}

// length ends a reply that has as many words as were wanted: with a paragraph soon, with a
// sentence in the end.
func (w *Watch) length() {
	want := w.rules.Words
	if want == 0 || w.replay || w.cut != nil {
		return
	}
	n := w.said.all / 4
	if n < want || n < want*3/2 && w.scan.sent != w.scan.line || Open(string(w.text[:w.scan.endAt])) != "" {
		return
	}
	w.judge(Found{Kind: Length, At: w.scan.sent, Ends: true}, len(w.text))
}
