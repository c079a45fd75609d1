package prompts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// volatileName returns the name, for reports, of a macro whose value changes by itself, or "" for
// all others. name is in lower case.
func volatileName(name string) string {
	switch name {
	case "time", "date", "weekday", "isotime", "isodate", "random", "roll", "input":
		return name
	case "datetimeformat":
		return "datetimeformat"
	case "idleduration", "idle_duration":
		return "idleDuration"
	case "lastmessage":
		return "lastMessage"
	case "lastmessageid":
		return "lastMessageId"
	case "lastusermessage":
		return "lastUserMessage"
	case "lastcharmessage":
		return "lastCharMessage"
	case "lastgenerationtype":
		return "lastGenerationType"
	case "allchatrange":
		return "allChatRange"
	}
	if strings.HasPrefix(name, "time_utc") {
		return "time"
	}
	return ""
}

// clock handles the macros of time and date.
func (x *expander) clock(name string, args []string) bool {
	now := x.env.Now
	if zone, ok := strings.CutPrefix(name, "time_utc"); ok && len(args) == 0 {
		offset, err := utcOffset(zone)
		if err != nil {
			return false
		}
		x.met("time")
		x.write(now.In(offset).Format("3:04 PM"))
		return true
	}
	switch {
	case name == "time" && len(args) == 1:
		zone, ok := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(args[0])), "UTC")
		if offset, err := utcOffset(zone); ok && err == nil {
			now = now.In(offset)
		}
	case name == "datetimeformat" && len(args) > 0:
		x.met(name)
		x.write(moment(now, first(args)))
		return true
	case name == "timediff" && len(args) == 2:
		a, okA := readTime(args[0])
		b, okB := readTime(args[1])
		if okA && okB {
			x.write(ago(a.Sub(b)))
		}
		return true
	case len(args) > 0:
		return false
	}
	layout := ""
	switch name {
	case "time":
		layout = "3:04 PM"
	case "date":
		layout = "January 2, 2006"
	case "weekday":
		layout = "Monday"
	case "isotime":
		layout = "15:04"
	case "isodate":
		layout = "2006-01-02"
	case "idleduration", "idle_duration":
		x.met("idleDuration")
		x.write(x.idle())
		return true
	default:
		return false
	}
	x.met(name)
	x.write(now.Format(layout))
	return true
}

func (x *expander) idle() string {
	switch {
	case x.env.Frozen:
		return "a while"
	case x.env.LastActivity.IsZero() || x.env.Now.Before(x.env.LastActivity):
		return "just now"
	}
	return span(x.env.Now.Sub(x.env.LastActivity))
}

func utcOffset(s string) (*time.Location, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.UTC, nil
	}
	hours, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(hours) || math.Abs(hours) > 14 {
		return nil, fmt.Errorf("utc offset %q", clip(s))
	}
	return time.FixedZone("UTC"+s, int(hours*3600)), nil
}

func readTime(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04",
		"2006-01-02", "2006/01/02", "January 2, 2006 3:04 PM", "January 2, 2006", "15:04", "3:04 PM",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// ago returns the words for a difference, with its direction.
func ago(d time.Duration) string {
	if d < 0 {
		return span(-d) + " ago"
	}
	return "in " + span(d)
}

// span returns the words for a length of time, as SillyTavern does.
func span(d time.Duration) string {
	count := func(unit time.Duration, one, many string) string {
		if n := int((d + unit/2) / unit); n > 1 {
			return fmt.Sprintf("%d %s", n, many)
		}
		return one
	}
	const day = 24 * time.Hour
	switch {
	case d < 45*time.Second:
		return "a few seconds"
	case d < 45*time.Minute:
		return count(time.Minute, "a minute", "minutes")
	case d < 22*time.Hour:
		return count(time.Hour, "an hour", "hours")
	case d < 26*day:
		return count(day, "a day", "days")
	case d < 320*day:
		return count(30*day+10*time.Hour, "a month", "months")
	}
	return count(365*day, "a year", "years")
}

// moment formats t by the tokens that cards use: YYYY, MMMM, dddd, HH, mm, A and
// so on; text in [brackets] and everything else stays.
func moment(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); {
		if format[i] == '[' {
			if end := strings.IndexByte(format[i:], ']'); end > 0 {
				b.WriteString(format[i+1 : i+end])
				i += end + 1
				continue
			}
		}
		text, size := momentToken(t, format[i:])
		if size == 0 {
			text, size = format[i:i+1], 1
		}
		b.WriteString(text)
		i += size
	}
	return b.String()
}

// momentToken formats the longest token that s begins with; size is 0 if none.
func momentToken(t time.Time, s string) (text string, size int) {
	for _, k := range []struct{ token, layout string }{
		{"YYYY", "2006"}, {"YY", "06"},
		{"MMMM", "January"}, {"MMM", "Jan"}, {"MM", "01"}, {"M", "1"},
		{"Do", ""}, {"DD", "02"}, {"D", "2"},
		{"dddd", "Monday"}, {"ddd", "Mon"},
		{"HH", "15"}, {"H", ""}, {"hh", "03"}, {"h", "3"},
		{"mm", "04"}, {"m", "4"}, {"ss", "05"}, {"s", "5"}, {"SSS", ""},
		{"A", "PM"}, {"a", "pm"}, {"ZZ", "-0700"}, {"Z", "-07:00"}, {"X", ""},
		{"LTS", "3:04:05 PM"}, {"LT", "3:04 PM"}, {"LLLL", "Monday, January 2, 2006 3:04 PM"},
		{"LLL", "January 2, 2006 3:04 PM"}, {"LL", "January 2, 2006"}, {"L", "01/02/2006"},
	} {
		if !strings.HasPrefix(s, k.token) {
			continue
		}
		switch k.token {
		case "Do":
			return ordinal(t.Day()), len(k.token)
		case "H":
			return strconv.Itoa(t.Hour()), len(k.token)
		case "SSS":
			return fmt.Sprintf("%03d", t.Nanosecond()/1e6), len(k.token)
		case "X":
			return strconv.FormatInt(t.Unix(), 10), len(k.token)
		}
		return t.Format(k.layout), len(k.token)
	}
	return "", 0
}

func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
