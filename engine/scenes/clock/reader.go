package clock

import (
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// reader reads the words of one mention.
type reader struct {
	Mention
	k         Kind
	ws        []string
	at        int
	found     bool // words that are a time
	went      bool // words that say that it has passed
	lasts     bool // a length of time
	following bool // not used up yet
	roughly   bool
	short     bool // a weekday only by an abbreviation that may be another word
}

func readWords(ws []string, k Kind) (Mention, bool) {
	if len(ws) == 0 || len(ws) > maxWords {
		return Mention{}, false
	}
	r := reader{k: k, ws: ws}
	for r.at < len(ws) {
		if !r.step() {
			return Mention{}, false
		}
	}
	return r.done()
}

// done is the mention, once all words are read.
func (r *reader) done() (Mention, bool) {
	m := &r.Mention
	if r.following {
		switch {
		case m.at.Weekday > 0:
			m.next = true
		case m.at.Part != "":
			m.relative, m.days = true, m.days+1
		default:
			return Mention{}, false
		}
	}
	timed := m.at.Part != "" || m.exact
	switch {
	case m.unknown:
		return *m, len(r.ws) == 1 && r.k == Word
	case !r.found, r.lasts && !r.went && r.k != Skip && r.k != Deadline,
		r.short && r.k != Word && m.at.Day == 0 && !timed,
		m.at.Month > 0 && m.at.Day == 0, m.at.Year > 0 && m.at.Day == 0,
		m.at.Day > 0 && date(m.at.Year, m.at.Month, m.at.Day).Day() != m.at.Day:
		return Mention{}, false
	}
	if r.k == Skip && r.went && timed && !m.relative && !m.absolute() {
		m.same = true // "later that night"
	}
	m.vague = m.vague || r.roughly && r.lasts
	return *m, true
}

func (r *reader) word(i int) string {
	if r.at+i < 0 || r.at+i >= len(r.ws) {
		return ""
	}
	return r.ws[r.at+i]
}

// step reads the next words; it is false where they are not about time.
func (r *reader) step() bool {
	w := r.word(0)
	if r.digits(w) {
		return true
	}
	if (w == "half" || w == "quarter") && (r.word(1) == "past" || r.word(1) == "to") {
		return r.pastHour(w)
	}
	if _, ok := is(w, number); ok {
		return r.counted()
	}
	if _, ok := numeral(w); ok {
		return r.counted()
	}
	r.at++
	if r.tomorrow(w) {
		r.relative, r.found, r.days = true, true, r.days+1
		return true
	}
	if m, ok := is(w, weekday, month, part, tonight, day, unit, calendar, following, within, roughly, wordless); ok && !r.idle(w, m) {
		return r.take(w, m)
	}
	if m, ok := is(w, goes, filler); ok {
		r.went = r.went || m.kind == goes && !endings[w]
		r.same = r.same || w == "same"
		return true
	}
	return false
}

// endings may follow a time, and say nothing of a length by themselves.
var endings = map[string]bool{"to": true, "until": true, "till": true, "bis": true, "hasta": true, "time": true, "is": true, "ist": true, "by": true}

// idle tells of words that mean nothing where something else is expected: the French
// and Spanish "plus tard", "más tarde".
func (r *reader) idle(w string, m meaning) bool {
	before := r.word(-2)
	return w == "tarde" && (before == "más" || before == "mas") || m.kind == within && r.k != Deadline
}

// tomorrow tells whether a word names the next day. In German and Spanish it is the
// word for the morning as well.
func (r *reader) tomorrow(w string) bool {
	if _, ok := is(w, tomorrow); ok {
		return r.k == Deadline || w == "lendemain" || r.k == Skip
	}
	if r.k != Deadline || w != "morgen" && w != "mañana" {
		return false
	}
	before := r.word(-2)
	_, follows := is(before, following)
	return !follows && before != "am" && before != "la" && before != "diesem"
}

// take takes a word of which one knows what it means.
func (r *reader) take(w string, m meaning) bool {
	next := r.word(0)
	switch m.kind {
	case weekday:
		if r.Mention.at.Weekday > 0 && r.Mention.at.Weekday != m.value {
			return false
		}
		r.Mention.at.Weekday, r.found, r.short = m.value, true, r.short || m.short
	case month:
		return r.month(m.value)
	case part, tonight:
		r.Mention.at.Part, r.found = m.part, true
		if m.kind == tonight || r.word(-2) == "this" || r.word(-2) == "that" {
			r.same = true
		}
		if next == "after" || next == "darauf" || next == "danach" {
			r.relative, r.days = true, r.days+1
		}
	case day:
		return r.day(next)
	case unit, calendar:
		return r.bare(w, m)
	case following:
		r.following = true
	case roughly:
		r.roughly = true
	case wordless:
		r.unknown, r.found = true, true
	}
	return true
}

// month reads "March 3rd" or "March the 3rd", after the word for the month.
func (r *reader) month(value int) bool {
	at := &r.Mention.at
	if at.Month > 0 && at.Month != value {
		return false
	}
	at.Month, r.found = value, true
	if at.Day == 0 {
		if r.word(0) == "the" {
			r.at++
		}
		n, ok := numeral(r.word(0))
		if !ok || n < 1 || n > 31 {
			return false
		}
		at.Day = n
		r.at++
	}
	if n, ok := numeral(r.word(0)); ok && n > 99 && len(r.word(0)) == len(strconv.Itoa(n)) {
		at.Year = n
		r.at++
	}
	return true
}

// day reads what follows "day".
func (r *reader) day(next string) bool {
	n, ok := numeral(next)
	if !ok {
		m, word := is(next, number)
		n, ok = m.value, word && m.value > 0
	}
	switch {
	case r.following:
		r.following, r.relative, r.found, r.days = false, true, true, r.days+1
	case next == "after" || next == "darauf" || next == "danach":
		r.relative, r.found, r.days = true, true, r.days+1
	case ok && n > 0 && !strings.HasPrefix(next, "0"):
		r.at++
		r.Mention.at.Count, r.found = n, true
	case r.same:
	default:
		return false
	}
	return true
}

// bare reads a unit without a number: "next week", "days".
func (r *reader) bare(w string, m meaning) bool {
	if r.following {
		r.following = false
		return r.add(1, m)
	}
	if plurals[w] {
		r.vague = true
		return r.add(2, m)
	}
	return r.same // "later the same week"
}

var plurals = map[string]bool{"hours": true, "days": true, "nights": true, "weeks": true, "months": true, "years": true, "stunden": true, "tage": true,
	"wochen": true, "monate": true, "jahre": true, "heures": true, "jours": true, "semaines": true, "ans": true, "horas": true, "días": true, "dias": true,
	"semanas": true, "meses": true, "años": true, "moments": true, "minutes": true}

// counted reads what begins with a number.
func (r *reader) counted() bool {
	n, half, some := -1, false, false
	start := r.at
	for {
		w := r.word(0)
		if v, ok := numeral(w); ok {
			n = v
		} else if m, ok := is(w, number); ok {
			switch {
			case m.value < 0:
				half = true
			case m.value == 0:
				some, n = true, 2
			case !some && !(half && m.value == 1):
				n = m.value
			}
		} else if _, ok := is(w, roughly); ok {
			r.roughly = true
		} else if w != "of" && w != "full" && w != "long" && w != "short" && w != "whole" || r.at == start {
			break
		}
		r.at++
	}
	r.vague = r.vague || some
	w := r.word(0)
	if half && n < 0 {
		n = 1
	}
	if m, ok := is(w, unit, calendar); ok {
		return r.length(n, half, m)
	}
	if m, ok := is(w, day, part); ok && n > 0 && (m.kind == day || m.part == storage.Night) && !some || ok && some {
		return r.length(n, half, meaning{kind: unit, value: oneDay})
	}
	if half || some || n < 0 {
		return false
	}
	return r.numbered(n, w)
}

// length reads the unit of a length of time.
func (r *reader) length(n int, half bool, m meaning) bool {
	r.at++
	r.lasts, r.following = true, false
	if half {
		if m.kind == calendar {
			r.vague = true
			return r.add(max(1, 15*m.value*n), meaning{kind: unit, value: oneDay})
		}
		m.value /= 2
	}
	return r.add(n, m)
}

// add makes the mention so much later.
func (r *reader) add(n int, m meaning) bool {
	r.relative, r.found = true, true
	switch {
	case m.kind == calendar && m.value == 12:
		r.years += n
	case m.kind == calendar:
		r.months += n
	case m.value >= oneDay:
		r.days += n * (m.value / oneDay)
	default:
		r.minutes += n * m.value
	}
	if r.minutes > 100*oneDay || r.days > mostDays/10 || r.months > 1200 || r.years > 1000 {
		return false
	}
	return true
}

// numbered reads what a plain number is the number of: a day of the month, an hour or
// a year.
func (r *reader) numbered(n int, next string) bool {
	at := &r.Mention.at
	if next == "of" || next == "de" {
		if _, ok := is(r.word(1), month); ok {
			r.at++
			next = r.word(0)
		}
	}
	if m, ok := is(next, month); ok && n >= 1 && n <= 31 && at.Day == 0 {
		at.Day = n
		r.at++
		return r.month(m.value)
	}
	if m, ok := is(next, halfDay); ok && n >= 1 && n <= 12 {
		r.at++
		return r.hourIs((n%12+m.value)*60, false)
	}
	if (next == "o'clock" || next == "uhr" || next == "heures" || next == "h") && n >= 0 && n <= 24 {
		r.at++
		return r.hourIs(n%24*60, n > 0 && n <= 12 && next == "o'clock")
	}
	if at.Month > 0 && at.Year == 0 && n > 99 {
		at.Year = n
		return true
	}
	return false
}

// pastHour reads "half past seven", "quarter to seven".
func (r *reader) pastHour(w string) bool {
	minutes := 30
	if w == "quarter" {
		minutes = 15
	}
	if r.word(1) == "to" {
		minutes = -minutes
	}
	n, ok := numeral(r.word(2))
	if m, word := is(r.word(2), number); word {
		n, ok = m.value, true
	}
	if !ok || n < 1 || n > 12 {
		return false
	}
	r.at += 3
	at := (n%12*60 + minutes + oneDay) % oneDay
	if m, ok := is(r.word(0), halfDay); ok {
		r.at++
		return r.hourIs((at+m.value*60)%oneDay, false)
	}
	return r.hourIs(at, true)
}

func (r *reader) hourIs(minute int, halves bool) bool {
	r.Mention.at.Minute, r.exact, r.halves, r.found = minute+1, true, halves, true
	return true
}

// digits reads what is written with digits and what stands between them: "19:40",
// "7:30pm", "2031-03-03", "3.3.2031".
func (r *reader) digits(w string) bool {
	if w == "" || w[0] < '0' || w[0] > '9' {
		return false
	}
	if r.dated(w) || r.hour(w) {
		r.at++
		return true
	}
	return false
}

// dated reads a date in digits, the year first or last.
func (r *reader) dated(w string) bool {
	for _, sep := range []string{"-", ".", "/"} {
		f := strings.Split(w, sep)
		if len(f) != 3 && (len(f) != 2 || sep != ".") || sep == "." && strings.Contains(w, ":") {
			continue
		}
		var n [3]int
		for i, s := range f {
			v, err := strconv.Atoi(s)
			if err != nil || len(s) > 4 || v < 0 {
				return false
			}
			n[i] = v
		}
		year, month, day := n[2], n[1], n[0]
		switch {
		case len(f[0]) == 4:
			year, month, day = n[0], n[1], n[2]
		case sep == "/" && n[1] > 12 && n[0] <= 12:
			month, day = n[0], n[1]
		case sep == "/" && n[0] <= 12 && n[0] != n[1]:
			return false // either may be the month
		}
		if month < 1 || month > 12 || day < 1 || day > 31 || len(f) == 3 && year < 100 {
			return false
		}
		r.Mention.at.Year, r.Mention.at.Month, r.Mention.at.Day, r.found = year, month, day, true
		return true
	}
	return false
}

// hour reads a time of day in digits.
func (r *reader) hour(w string) bool {
	clock, half := w, ""
	for _, end := range []string{"am", "pm", "h"} {
		if s, ok := strings.CutSuffix(w, end); ok {
			clock, half = s, end
			break
		}
	}
	hours, rest, colon := strings.Cut(clock, ":")
	if !colon {
		hours, rest, colon = strings.Cut(clock, "h")
	}
	if !colon && half == "" || len(hours) > 2 || colon && len(rest) < 2 || len(rest) > 5 {
		return false
	}
	h, err := strconv.Atoi(hours)
	if err != nil {
		return false
	}
	minute := 0
	if colon {
		if rest, _, _ = strings.Cut(rest, ":"); len(rest) != 2 {
			return false
		}
		if minute, err = strconv.Atoi(rest); err != nil {
			return false
		}
	}
	if half == "" {
		if m, ok := is(r.word(1), halfDay); ok && h >= 1 && h <= 12 {
			r.at++
			half = map[bool]string{true: "pm", false: "am"}[m.value > 0]
		}
	}
	if half == "am" || half == "pm" {
		if h < 1 || h > 12 {
			return false
		}
		if h %= 12; half == "pm" {
			h += 12
		}
	}
	if h > 24 || minute > 59 || minute < 0 || h < 0 {
		return false
	}
	return r.hourIs((h%24)*60+minute, half == "" && h > 0 && h <= 12 && hours[0] != '0')
}
