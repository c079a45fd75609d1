package clock

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MaxSaid is how many bytes the words of a mention may have.
const MaxSaid = 200

// maxWords is how many words of a mention are read.
const maxWords = 24

// Kind says what kind of words a mention stands in.
type Kind int

const (
	// Header words stand above what is played: "Thursday, 3 March, evening". What
	// is no time in them is a place.
	Header Kind = iota
	// Skip words tell that time has passed: "three days later".
	Skip
	// Deadline words tell when something is to be: "in three days", "by Thursday".
	Deadline
	// Word is what the user says that the time is.
	Word
)

// Mention is what some words say of a time: which one it is, or how long after
// another.
type Mention struct {
	at storage.StoryTime

	relative      bool // it is so long after another time:
	minutes, days int
	months, years int
	vague         bool // at least so long
	next          bool // of the weekday: not today
	same          bool // of the time of day: of the same day
	exact, halves bool // the minute counts; it may be meant in either half of the day
	unknown       bool // the time is not known any more
}

// Read reads a mention; ok is false where there is none, or where the words may say
// something else. In a header it reads what it understands, of everything else all
// words have to be about time.
func Read(text string, k Kind) (m Mention, ok bool) {
	if len(text) > MaxSaid {
		return m, false
	}
	if m, ok = readWords(split(text), k); ok || k != Header {
		return m, ok
	}
	for _, s := range segments(text) {
		part, understood := readWords(split(s), k)
		if !understood {
			continue
		}
		if ok && part.relative {
			return Mention{}, false
		}
		m, ok = m.with(part), true
	}
	return m, ok
}

// around are words between a place and the time at which somebody is there.
var around = map[string]bool{"at": true, "on": true, "in": true, "by": true, "near": true, "around": true, "during": true, "outside": true, "inside": true, "aboard": true,
	"behind": true, "under": true, "late": true, "early": true, "am": true, "im": true, "an": true, "auf": true, "bei": true, "à": true, "au": true, "dans": true,
	"sur": true, "en": true, "por": true, "a": true}

// ReadSetting reads the time out of a description of where and when a scene plays:
// "the boathouse on Thursday evening".
func ReadSetting(text string) (m Mention, ok bool) {
	if len(text) > MaxSaid {
		return m, false
	}
	for _, s := range segments(text) {
		ws := split(s)
		part, understood := readWords(ws, Header)
		for i := 1; i < len(ws) && !understood; i++ {
			if !around[ws[i]] {
				continue
			}
			if part, understood = readWords(ws[i:], Header); !understood {
				part, understood = readWords(ws[:i], Header)
			}
		}
		if understood {
			m, ok = m.with(part), true
		}
	}
	return m, ok
}

// with is a mention together with what another one adds.
func (m Mention) with(o Mention) Mention {
	if o.absolute() {
		at := o.at
		if m.at.Day > 0 && at.Day == 0 {
			at.Year, at.Month, at.Day = m.at.Year, m.at.Month, m.at.Day
		}
		at.Weekday, at.Count = max(at.Weekday, m.at.Weekday), max(at.Count, m.at.Count)
		if at.Part == "" && at.Minute == 0 {
			at.Part, at.Minute = m.at.Part, m.at.Minute
			o.exact, o.halves = m.exact, m.halves
		}
		o.at = at
		return o
	}
	o.at.Year, o.at.Month, o.at.Day, o.at.Weekday, o.at.Count = m.at.Year, m.at.Month, m.at.Day, m.at.Weekday, m.at.Count
	if o.at.Part == "" {
		o.at.Part = m.at.Part
	}
	if !o.exact && m.exact {
		o.exact, o.halves, o.at.Minute = true, m.halves, m.at.Minute
	}
	o.relative, o.minutes, o.days, o.months, o.years, o.vague, o.next = m.relative, m.minutes, m.days, m.months, m.years, m.vague, m.next
	o.same = o.same || m.same
	return o
}

var (
	bars        = strings.NewReplacer(" - ", "|", " – ", "|", "—", "|", ",", "|", ";", "|", "·", "|", "•", "|", "/", "|", "(", "|", ")", "|")
	oneSpelling = strings.NewReplacer("’", "'", "a.m.", "am", "p.m.", "pm", "A.M.", "am", "P.M.", "pm")
)

// segments are the parts of a header.
func segments(text string) []string {
	text = bars.Replace(text)
	parts := strings.Split(text, "|")
	return parts[:min(len(parts), 12)]
}

// split are the words of a mention in small letters. What is written with digits is
// one word.
func split(text string) []string {
	var out []string
	text = oneSpelling.Replace(text)
	add := func(w string) {
		w = strings.ToLower(strings.Trim(w, "'-/:"))
		if strings.HasPrefix(w, "l'") || strings.HasPrefix(w, "d'") {
			w = w[2:]
		}
		if w = strings.TrimRight(w, "."); w == "" {
			return
		}
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsDigit(r) && lexicon()[w] == nil && strings.Contains(w, "-") {
			out = append(out, strings.FieldsFunc(w, func(r rune) bool { return r == '-' })...)
			return
		}
		out = append(out, w)
	}
	start := -1
	for i, r := range text {
		digits := start >= 0 && text[start] >= '0' && text[start] <= '9'
		in := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '?' && start < 0 ||
			start >= 0 && (r == '\'' || r == '-' || digits && (r == ':' || r == '.' || r == '/'))
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			add(text[start:i])
			start = -1
		}
		if len(out) > maxWords {
			return out
		}
	}
	if start >= 0 {
		add(text[start:])
	}
	return out
}
