package clock

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// State is whether a deadline of the story has come.
type State int

const (
	// Unknown: it cannot be told.
	Unknown State = iota
	// Ahead: not yet.
	Ahead
	// Come: it is now, or was before.
	Come
)

// IsDeadline tells whether words name a time of the story by which something can be
// due.
func IsDeadline(words string) bool {
	_, ok := Read(words, Deadline)
	return ok
}

// Due tells whether a deadline has come, that was set when the story stood at from.
// Without same, the two times are those of different chats: then only what the
// calendar says can be compared.
func Due(words string, from, now storage.StoryTime, same bool) State {
	m, ok := Read(words, Deadline)
	if !ok || m.unknown || now == (storage.StoryTime{}) {
		return Unknown
	}
	if !same {
		return m.byCalendar(now)
	}
	passed := now.Passed - from.Passed
	if m.relative {
		return m.afterwards(from, now, passed)
	}
	if nameless := m.at.Day > 0 && from.Day == 0 || m.at.Weekday > 0 && from.Weekday == 0 || m.at.Count > 0 && from.Count == 0; nameless && m.byCalendar(now) == Come {
		return Come
	}
	from = m.backfill(from, now, passed)
	switch {
	case m.at.Day > 0 && from.Day > 0:
		days := between(from, m.at)
		if days < 0 && (m.at.Year == 0 || from.Year == 0) {
			days += 365
		}
		return m.on(now, passed, days)
	case m.at.Count > 0 && from.Count > 0:
		return m.on(now, passed, m.at.Count-from.Count)
	case m.at.Day > 0 || m.at.Count > 0:
		return m.byCalendar(now)
	case m.at.Weekday > 0 && from.Weekday > 0:
		days := m.daysFrom(from, false)
		if was, known := minuteOf(from); days == 0 && !(known && m.timed() && was < m.minuteOn(from)) {
			days = 7
		}
		return m.on(now, passed, days)
	case m.at.Weekday > 0:
		if passed >= 7 {
			return Come
		}
		return m.byCalendar(now)
	}
	was, known := minuteOf(from)
	switch {
	case m.same:
		return m.on(now, passed, 0)
	case known && m.minuteOn(from) <= was:
		return m.on(now, passed, 1)
	}
	return m.on(now, passed, 0)
}

// backfill fills in what the names of the day where the deadline was set must have
// been, by those of today.
func (m Mention) backfill(from, now storage.StoryTime, passed int) storage.StoryTime {
	was := now
	move(&was, -passed)
	if from.Weekday == 0 {
		from.Weekday = was.Weekday
	}
	if from.Month == 0 || from.Day == 0 {
		from.Year, from.Month, from.Day = was.Year, was.Month, was.Day
	}
	if from.Count == 0 {
		from.Count = was.Count
	}
	return from
}

func (m Mention) timed() bool { return m.at.Part != "" || m.exact }

// minuteOn is the time of day that the mention names, seen from a time.
func (m Mention) minuteOn(t storage.StoryTime) int {
	minute, _ := m.minute(t)
	return minute
}

// on tells whether now is the day that comes so many days after the one from which
// passed have gone by, or later, and its time of day has come.
func (m Mention) on(now storage.StoryTime, passed, days int) State {
	switch {
	case passed > days:
		return Come
	case passed < days:
		return Ahead
	case !m.timed():
		return Come
	}
	minute, known := minuteOf(now)
	switch {
	case !known:
		return Unknown
	case minute >= m.minuteOn(storage.StoryTime{}):
		return Come
	}
	return Ahead
}

// afterwards is Due for a length of time.
func (m Mention) afterwards(from, now storage.StoryTime, passed int) State {
	days := m.days + 30*m.months + 365*m.years
	if m.minutes == 0 {
		return m.on(now, passed, days)
	}
	was, known := minuteOf(from)
	if !known {
		if passed > days+m.minutes/dayMinutes+1 {
			return Come
		}
		return Unknown
	}
	to := was + m.minutes
	days += to / dayMinutes
	then := Mention{exact: true, at: storage.StoryTime{Minute: to%dayMinutes + 1}}
	return then.on(now, passed, days)
}

// byCalendar is Due where nothing is known of the time at which it was set.
func (m Mention) byCalendar(now storage.StoryTime) State {
	switch {
	case m.relative:
		return Unknown
	case m.at.Day > 0 && now.Day > 0 && now.Month > 0:
		return m.on(now, -between(now, m.at), 0)
	case m.at.Day > 0:
		return Unknown
	case m.at.Count > 0 && now.Count > 0:
		return m.on(now, now.Count-m.at.Count, 0)
	case m.at.Weekday > 0 && now.Weekday == m.at.Weekday:
		return m.on(now, 0, 0)
	}
	return Unknown
}

// maxFound is how far a deadline is looked for in a text, in bytes.
const maxFound = 600

// opens are words that a deadline in a sentence begins with.
var opens = map[string]bool{"by": true, "before": true, "until": true, "till": true, "on": true, "at": true, "in": true, "within": true, "tomorrow": true, "tonight": true,
	"next": true, "this": true, "bis": true, "vor": true, "am": true, "um": true, "morgen": true, "spätestens": true, "avant": true, "dans": true, "demain": true,
	"antes": true, "dentro": true, "el": true}

// limits are those of them after which any time of day is a deadline.
var limits = map[string]bool{"by": true, "before": true, "until": true, "till": true, "this": true, "tonight": true, "bis": true, "vor": true, "avant": true, "antes": true}

// Find finds the words of a sentence that say when something is to be: "by
// Thursday", "in three days". It is "" where there are none.
func Find(sentence string) string {
	const most = 7 // words
	if len(sentence) > maxFound {
		sentence = strings.ToValidUTF8(sentence[:maxFound], "")
	}
	type at struct{ from, to int }
	var ws []at
	for i := 0; i < len(sentence); {
		if j := strings.IndexAny(sentence[i:], " \t\n"); j != 0 {
			if j < 0 {
				j = len(sentence) - i
			}
			ws = append(ws, at{i, i + j})
			i += j
			continue
		}
		i++
	}
	for i, w := range ws {
		first := strings.ToLower(strings.Trim(sentence[w.from:w.to], "*_([{,.;:\"“”'"))
		if !opens[first] {
			continue
		}
		end := i + 1
		for end < min(len(ws), i+most) && !strings.ContainsAny(sentence[ws[end-1].to-1:ws[end-1].to], ".,;:!?)]*_") {
			end++
		}
		for j := end; j > i; j-- {
			last := strings.ToLower(strings.Trim(sentence[ws[j-1].from:ws[j-1].to], "*_([{,.;:\"“”'"))
			if _, idle := is(last, filler, within); idle {
				continue
			}
			said := strings.Trim(sentence[w.from:ws[j-1].to], " *_()[]{},.;:!\"“”'")
			m, ok := Read(said, Deadline)
			if ok && (m.relative || m.absolute() || m.same || limits[first] || m.exact || m.at.Part == storage.Dawn || m.at.Part == storage.Dusk ||
				m.at.Part == storage.Noon || m.at.Part == storage.Midnight) {
				return said
			}
		}
	}
	return ""
}
