package memory

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// dueLayouts are the ways to write a date, with a time of day or without.
var dueLayouts = []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02", time.RFC3339}

// dueText formats a time for ParseDue, "" for none.
func dueText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(dueLayouts[0])
}

var errDue = errors.New("a date (2031-12-24, 2031-12-24 18:00), a time of day (18:00), or how long from now (30min, " +
	"3h, 2d, 1w, 1d 12h), within a hundred years")

// maxWait is the longest time until a hook is due.
const maxWait = 100 * 365 * 24 * time.Hour

// dueUnits are the units of a wait.
var dueUnits = map[string]time.Duration{"m": time.Minute, "min": time.Minute, "mins": time.Minute,
	"minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour, "d": 24 * time.Hour,
	"day": 24 * time.Hour, "days": 24 * time.Hour,
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour}

// ParseDue parses when something is due, relative to at: a duration, a time of day, which is the
// next one, or a date. "" and "none" are the zero time.
func ParseDue(text string, at time.Time) (time.Time, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" || text == "none" {
		return time.Time{}, nil
	}
	if len(text) > 100 {
		return time.Time{}, errDue
	}
	for _, layout := range dueLayouts {
		if t, err := time.ParseInLocation(layout, strings.ToUpper(text), at.Location()); err == nil {
			if t.Sub(at) > maxWait || at.Sub(t) > maxWait {
				return time.Time{}, errDue
			}
			return t, nil
		}
	}
	if t, err := time.Parse("15:04", text); err == nil {
		y, m, d := at.Date()
		due := time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, at.Location())
		if !due.After(at) {
			due = time.Date(y, m, d+1, t.Hour(), t.Minute(), 0, 0, at.Location())
		}
		return due, nil
	}
	wait, err := parseWait(strings.TrimSpace(strings.TrimPrefix(text, "in ")))
	if err != nil {
		return time.Time{}, err
	}
	return at.Add(wait), nil
}

// parseWait reads a length of time such as 2d, 1d 12h or 45 minutes.
func parseWait(text string) (time.Duration, error) {
	var all time.Duration
	for text != "" {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.Atoi(text[:digits])
		if err != nil {
			return 0, errDue
		}
		rest := strings.TrimLeft(text[digits:], " ")
		letters := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))
		unit, ok := dueUnits[rest[:letters]]
		if !ok || time.Duration(n) > maxWait/unit {
			return 0, errDue
		}
		if all += time.Duration(n) * unit; all > maxWait {
			return 0, errDue
		}
		text = strings.TrimLeft(rest[letters:], " ,")
	}
	if all == 0 {
		return 0, errDue
	}
	return all, nil
}
