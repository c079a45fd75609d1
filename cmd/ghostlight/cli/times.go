package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// farthest is how far ahead a time may lie.
const farthest = 100 * 366 * 24 * time.Hour

// earliest is the first year that a time may be of: slips of the pen lie before.
const earliest = 1900

// timeLayouts are the ways in which a time may be written, in the time of the
// place where they say none.
var timeLayouts = []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

// TimeArg reads a time: a moment, the next time that the clock says so, or how
// long from now, such as 2d or 3h 30min; none is the zero time.
func TimeArg(arg string, now time.Time) (time.Time, error) {
	arg = strings.TrimSpace(arg)
	if arg == "none" {
		return time.Time{}, nil
	}
	for _, layout := range timeLayouts {
		if at, err := time.ParseInLocation(layout, arg, now.Location()); err == nil && at.Year() >= earliest {
			if at.After(now.Add(farthest)) {
				return at, fmt.Errorf("within a hundred years, not %s", Quote(arg))
			}
			return at, nil
		}
	}
	if at, err := time.ParseInLocation("15:04", arg, now.Location()); err == nil {
		next := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
		if !next.After(now) {
			next = next.AddDate(0, 0, 1)
		}
		return next, nil
	}
	if wait, ok := durationArg(strings.ReplaceAll(strings.ReplaceAll(arg, " ", ""), "min", "m")); ok {
		return now.Add(wait), nil
	}
	return time.Time{}, fmt.Errorf("a time such as 2031-05-01 or \"2031-05-01 18:30\" or 18:30, or one from now such as 2d, 3h or 1w, not %s", Quote(arg))
}

// durationArg reads how long something is off: numbers with units from minutes to
// weeks.
func durationArg(arg string) (wait time.Duration, ok bool) {
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	for arg != "" {
		end := 0
		for end < len(arg) && arg[end] >= '0' && arg[end] <= '9' {
			end++
		}
		if end == 0 || end > 9 || end == len(arg) {
			return 0, false
		}
		n, err := strconv.ParseInt(arg[:end], 10, 64)
		unit, known := units[arg[end]]
		if err != nil || !known || n > int64(farthest/unit) {
			return 0, false
		}
		wait += time.Duration(n) * unit
		if wait > farthest {
			return 0, false
		}
		arg = arg[end+1:]
	}
	return wait, wait > 0
}
