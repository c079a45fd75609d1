// Package clock is the time that a story plays in: it reads mentions of time,
// moves a story's time by them, and tells whether a deadline has come. It is pure,
// and knows only as much as was said: "Thursday" without a date, "day 4", "dusk".
package clock

import (
	"fmt"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	dayMinutes = 24 * 60
	// slack is how far back a time of day may go without meaning the next day.
	slack = 3 * 60
	// mostDays bounds how far one mention moves a story.
	mostDays = 1_000_000
)

// begins is when a part of the day begins, in minutes since midnight.
var begins = map[storage.DayPart]int{
	storage.Dawn: 5*60 + 30, storage.Morning: 8 * 60, storage.Noon: 12 * 60, storage.Afternoon: 14 * 60,
	storage.Dusk: 18 * 60, storage.Evening: 19 * 60, storage.Night: 22 * 60, storage.Midnight: dayMinutes,
}

// Known tells whether there is anything to show of a time.
func Known(t storage.StoryTime) bool {
	t.Passed = 0
	return t != storage.StoryTime{}
}

// minuteOf is the time of day in minutes; ok is false where it is not known.
func minuteOf(t storage.StoryTime) (minute int, ok bool) {
	if t.Minute > 0 {
		return t.Minute - 1, true
	}
	m, ok := begins[t.Part]
	return m, ok
}

// partAt is the part of the day that a minute lies in.
func partAt(minute int) storage.DayPart {
	switch {
	case minute < 5*60:
		return storage.Night
	case minute < 7*60:
		return storage.Dawn
	case minute < 12*60:
		return storage.Morning
	case minute < 13*60:
		return storage.Noon
	case minute < 18*60:
		return storage.Afternoon
	case minute < 19*60:
		return storage.Dusk
	case minute < 22*60:
		return storage.Evening
	}
	return storage.Night
}

var (
	shortDays = []string{"", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
	months    = []string{"", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
)

// Words are a time in short: "Thu 3 March, evening", "day 4, dusk". They are ""
// where nothing is known.
func Words(t storage.StoryTime) string {
	var day []string
	if t.Weekday > 0 && t.Weekday < len(shortDays) {
		day = append(day, shortDays[t.Weekday])
	}
	if t.Month > 0 && t.Month < len(months) {
		if t.Day > 0 {
			day = append(day, fmt.Sprint(t.Day))
		}
		day = append(day, months[t.Month])
		if t.Year > 0 {
			day = append(day, fmt.Sprint(t.Year))
		}
	} else if t.Year > 0 {
		day = append(day, fmt.Sprint(t.Year))
	}
	if t.Count > 0 {
		if len(day) > 0 {
			day[len(day)-1] += ","
		}
		day = append(day, fmt.Sprintf("day %d", t.Count))
	}
	parts := []string{}
	if len(day) > 0 {
		parts = append(parts, strings.Join(day, " "))
	}
	switch {
	case t.Minute > 0:
		parts = append(parts, fmt.Sprintf("%02d:%02d", (t.Minute-1)/60%24, (t.Minute-1)%60))
	case t.Part != "":
		parts = append(parts, string(t.Part))
	}
	return strings.Join(parts, ", ")
}

// How says how a mention moves a story's time.
type How int

const (
	// Told is what a message says of the present: time goes on.
	Told How = iota
	// Seen is what somebody made of it who may be careless: in doubt it moves nothing.
	Seen
	// Set is the user's word, which may go back as well.
	Set
)

// Move is a story's time after a mention.
func (m Mention) Move(t storage.StoryTime, how How) storage.StoryTime {
	if how == Seen && !m.likely(t) {
		return t
	}
	if m.unknown {
		return storage.StoryTime{Passed: t.Passed}
	}
	n, moved := t, m.relative
	if m.relative {
		m.shift(&n)
	}
	if m.absolute() {
		days := m.daysFrom(n, how == Set)
		move(&n, days)
		moved = moved || days != 0
		m.name(&n)
	}
	at, ok := m.minute(n)
	switch {
	case !ok:
		if moved && m.minutes == 0 {
			n.Part, n.Minute = "", 0
		}
		return n
	case !moved && !m.absolute() && !m.same && how != Set:
		if was, known := minuteOf(n); known && at < was-slack {
			move(&n, 1)
		}
	}
	if n.Part, n.Minute = m.at.Part, 0; m.exact {
		n.Minute = at + 1
	}
	return n
}

// shift goes as far on as the mention says.
func (m Mention) shift(n *storage.StoryTime) {
	days := m.days
	minute, known := minuteOf(*n)
	switch {
	case m.minutes == 0:
		if days == 1 && m.at.Part != "" && n.Minute > 0 && minute < 5*60 && begins[m.at.Part] > minute && begins[m.at.Part] < 18*60 {
			days = 0 // the next morning, seen from one o'clock at night
		}
	case !known:
		days += m.minutes / dayMinutes
	default:
		to := minute + m.minutes
		days += to / dayMinutes
		to %= dayMinutes
		if n.Minute > 0 && !m.vague {
			n.Minute, n.Part = to+1, ""
		} else {
			n.Minute, n.Part = 0, partAt(to)
		}
	}
	month, year := n.Month, n.Year
	exact := !m.vague && month > 0 && n.Day > 0
	if m.months+m.years > 0 && exact {
		to := date(year, month, n.Day).AddDate(m.years, m.months, 0)
		days += int(to.Sub(date(year, month, n.Day)).Hours() / 24)
	} else {
		days += 30*m.months + 365*m.years
	}
	move(n, days)
	if m.vague && days > 0 || m.months+m.years > 0 && !exact {
		n.Weekday, n.Month, n.Day, n.Count = 0, 0, 0, 0
		if n.Year > 0 && (m.vague || m.months > 0) {
			n.Year = 0
		}
	}
	if m.years > 0 && !m.vague && m.months == 0 && !exact && year > 0 {
		n.Year = year + m.years
	}
}

// date is a day of the calendar; without a year one with all days in it.
func date(year, month, day int) time.Time {
	if year <= 0 {
		year = 2000
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// move goes some days on, or back.
func move(n *storage.StoryTime, days int) {
	days = min(max(days, -mostDays), mostDays)
	if days == 0 {
		return
	}
	n.Passed = min(max(n.Passed+days, -mostDays), mostDays)
	if n.Weekday > 0 {
		n.Weekday = (n.Weekday-1+days%7+7)%7 + 1
	}
	if n.Count > 0 {
		n.Count = max(0, n.Count+days)
	}
	if n.Month > 0 && n.Day > 0 {
		to := date(n.Year, n.Month, n.Day).AddDate(0, 0, days)
		n.Month, n.Day = int(to.Month()), to.Day()
		if n.Year > 0 {
			n.Year = to.Year()
		}
		if n.Year < 0 || n.Year > 9999 {
			n.Year = 0
		}
	}
}

// absolute tells whether the mention names a day.
func (m Mention) absolute() bool { return m.at.Day > 0 || m.at.Weekday > 0 || m.at.Count > 0 }

// daysFrom is how many days lie between a time and the day that the mention names,
// 0 where that cannot be known. back: it may be the one before.
func (m Mention) daysFrom(t storage.StoryTime, back bool) int {
	switch {
	case m.at.Day > 0 && t.Month > 0 && t.Day > 0:
		return between(t, m.at)
	case m.at.Count > 0 && t.Count > 0:
		return m.at.Count - t.Count
	case m.at.Weekday > 0 && t.Weekday > 0:
		d := (m.at.Weekday - t.Weekday + 7) % 7
		switch {
		case back && d > 3:
			d -= 7
		case d == 0 && m.next:
			d = 7
		}
		return d
	}
	return 0
}

// between is how many days lie between two days of the calendar: in the nearer
// direction where a year is missing.
func between(from, to storage.StoryTime) int {
	if from.Year > 0 && to.Year > 0 {
		return min(max(int(date(to.Year, to.Month, to.Day).Sub(date(from.Year, from.Month, from.Day)).Hours()/24), -mostDays), mostDays)
	}
	d := date(from.Year, to.Month, to.Day).YearDay() - date(from.Year, from.Month, from.Day).YearDay()
	switch {
	case d > 183:
		d -= 365
	case d < -182:
		d += 365
	}
	return d
}

// name gives a day the names that the mention has for it.
func (m Mention) name(n *storage.StoryTime) {
	if m.at.Day > 0 {
		n.Month, n.Day = m.at.Month, m.at.Day
		if m.at.Year > 0 {
			n.Year = m.at.Year
		}
		if m.at.Weekday == 0 && n.Weekday == 0 && n.Year > 1582 {
			n.Weekday = (int(date(n.Year, n.Month, n.Day).Weekday())+6)%7 + 1
		}
	}
	if m.at.Weekday > 0 {
		n.Weekday = m.at.Weekday
	}
	if m.at.Count > 0 {
		n.Count = m.at.Count
	}
}

// minute is the time of day that the mention names, in minutes. An hour of which it
// is not said which half of the day it belongs to is the one that comes next.
func (m Mention) minute(t storage.StoryTime) (minute int, ok bool) {
	if !m.exact {
		minute, ok = begins[m.at.Part]
		return minute, ok
	}
	minute = m.at.Minute - 1
	if !m.halves {
		return minute, true
	}
	later := (minute + dayMinutes/2) % dayMinutes
	if part, ok := begins[m.at.Part]; ok {
		if gap(minute, part) <= gap(later, part) {
			return minute, true
		}
		return later, true
	}
	now, known := minuteOf(t)
	if !known || m.absolute() || m.relative {
		return minute, true
	}
	if (minute-now+2*dayMinutes)%dayMinutes <= (later-now+2*dayMinutes)%dayMinutes {
		return minute, true
	}
	return later, true
}

// gap is how far two times of day lie apart.
func gap(a, b int) int {
	d := (a - b + 2*dayMinutes) % dayMinutes
	return min(d, dayMinutes-d)
}

// likely tells whether a careless witness of the present may be believed: that it is
// later on the same day, or one of the next days.
func (m Mention) likely(t storage.StoryTime) bool {
	const soon = 3
	if m.relative || m.unknown || m.at.Count > 0 && t.Count == 0 && Known(t) {
		return false
	}
	if !Known(t) {
		return true
	}
	if m.absolute() {
		if days := m.daysFrom(t, false); days != 0 {
			return days > 0 && days <= soon
		}
	}
	at, ok := m.minute(t)
	was, known := minuteOf(t)
	if !ok || !known || at >= was {
		return !ok || t.Minute == 0 || m.exact // a part of the day says less than a clock
	}
	return !m.absolute() && was >= begins[storage.Dusk] && at <= begins[storage.Noon]
}
