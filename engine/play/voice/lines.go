package voice

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// speaks is how a sentence begins that says what the user says.
var speaks = phrasesOf(
	"you", "say reply answer ask whisper murmur mutter shout respond exclaim",
	"du", "sagst antwortest fragst flüsterst murmelst rufst erwiderst",
	"tu", "dis réponds demandes murmures chuchotes cries",
	"vous", "dites répondez demandez murmurez chuchotez",
	"tú", "dices respondes preguntas susurras murmuras",
	"", "dices respondes preguntas susurras murmuras",
)

func phrasesOf(table ...string) (list []string) {
	for i := 0; i < len(table); i += 2 {
		for _, verb := range strings.Fields(table[i+1]) {
			list = append(list, strings.TrimSpace(table[i]+" "+verb))
		}
	}
	return list
}

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
	s = strings.TrimLeft(s, "*_~`>#-•[( \t")
	if s == "" {
		return "", 0
	}
	if r, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("\"“„«'‘", r) || w.inSpeech() {
		return "", no
	}
	var kind Kind
	result := no
	see := func(k Kind, v verdict) { // what may be a longer name yet is not judged
		if v == 0 || v == yes && result == no {
			kind, result = k, v
		}
	}
	if line {
		for _, name := range w.rules.User {
			see(User, named(s, name, true))
		}
		for _, name := range w.rules.Others {
			see(Speaker, named(s, name, false))
		}
	}
	if len(w.rules.User) > 0 {
		for _, p := range speaks {
			see(User, saying(s, p))
		}
	}
	return kind, result
}

// inSpeech tells whether a quote is open where the sentence begins.
func (w *Watch) inSpeech() bool {
	return w.scan.sent > w.scan.line && strings.ContainsAny(closers(string(w.text[w.scan.line:w.scan.sent])), "\"”“»")
}

// named tells whether a line is one of somebody's: of its name and a colon, or with acts of
// its name and what it does.
func named(s, name string, acts bool) verdict {
	rest, v := after(s, name)
	if v != yes {
		return v
	}
	rest = strings.TrimLeft(rest, "*_~`])")
	if rest == "" {
		return 0
	}
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case r == ':' || r == '：':
		return yes
	case !acts || !unicode.IsSpace(r):
		return no
	}
	rest = strings.TrimLeftFunc(rest[n:], unicode.IsSpace)
	if rest == "" {
		return 0
	}
	r, _ = utf8.DecodeRuneInString(strings.TrimLeft(rest, "*_"))
	if unicode.IsLetter(r) {
		return yes
	}
	return no
}

// saying tells whether a sentence begins with a phrase.
func saying(s, phrase string) verdict {
	rest, v := after(s, phrase)
	if v != yes {
		return v
	}
	if rest == "" {
		return 0
	}
	if r, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(r) {
		return no
	}
	return yes
}

// after is what follows a beginning, in whatever case: yes where all of it is there, unknown
// where s ends before it.
func after(s, begin string) (string, verdict) {
	for _, want := range begin {
		if s == "" {
			return "", 0
		}
		r, n := utf8.DecodeRuneInString(s)
		if unicode.ToLower(r) != unicode.ToLower(want) {
			return "", no
		}
		s = s[n:]
	}
	return s, yes
}

// items counts the points of a list where a line begins.
func (w *Watch) items() {
	if w.scan.sent != w.scan.line || w.rules.Items == 0 {
		return
	}
	at := w.scan.before()
	if before := w.text[at:w.scan.sent]; isItem(string(before)) {
		w.points++
	} else if strings.ContainsRune(string(w.text[:w.scan.sent]), '\n') {
		w.points = 0
	}
	if w.points > w.rules.Items {
		w.judge(Found{Kind: List, At: at, Ends: true}, w.scan.sent)
	}
}

func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	switch rest := line[digits:]; {
	case digits > 0 && digits < 4:
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	case digits == 0:
		return strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "* ") || strings.HasPrefix(rest, "• ")
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
	if n < want || n < want*3/2 && w.scan.sent != w.scan.line || closers(string(w.text[:w.scan.endAt])) != "" {
		return
	}
	w.judge(Found{Kind: Length, At: w.scan.sent, Ends: true}, len(w.text))
}
