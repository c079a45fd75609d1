package cli

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestTimeArg(t *testing.T) {
	now := time.Date(2026, 11, 21, 18, 0, 0, 0, time.FixedZone("east", 3600))
	for _, c := range []struct {
		arg  string
		want time.Time
	}{
		{"none", time.Time{}},
		{"2d", now.Add(48 * time.Hour)},
		{" 3h ", now.Add(3 * time.Hour)},
		{"1w2d3h4m", now.Add(9*24*time.Hour + 3*time.Hour + 4*time.Minute)},
		{"3h 30min", now.Add(210 * time.Minute)},
		{"18:00", now.AddDate(0, 0, 1)},
		{"18:01", now.Add(time.Minute)},
		{"2031-05-01", time.Date(2031, 5, 1, 0, 0, 0, 0, now.Location())},
		{"2031-05-01 18:30", time.Date(2031, 5, 1, 18, 30, 0, 0, now.Location())},
		{"2031-05-01T18:30", time.Date(2031, 5, 1, 18, 30, 0, 0, now.Location())},
		{"2031-05-01T18:30:00Z", time.Date(2031, 5, 1, 18, 30, 0, 0, time.UTC)},
		{"2001-01-01", time.Date(2001, 1, 1, 0, 0, 0, 0, now.Location())},
	} {
		if got, err := TimeArg(c.arg, now); err != nil || !got.Equal(c.want) {
			t.Errorf("%q is %v, %v; want %v", c.arg, got, err, c.want)
		}
	}
	for _, arg := range []string{"", "soon", "d", "2", "2x", "-2d", "0h", "25:00", "999999999w", "99999999999d", "36500d36500d", "2031-13-01", "0001-01-01", "9031-01-01", "1.5h"} {
		if got, err := TimeArg(arg, now); err == nil {
			t.Errorf("%q is %v, and should be refused", arg, got)
		}
	}
}

func FuzzTimeArg(f *testing.F) {
	for _, arg := range []string{"2d", "1w2d", "2031-05-01", "none", "999999999w", "1m"} {
		f.Add(arg)
	}
	now := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, arg string) {
		at, err := TimeArg(arg, now)
		if err == nil && at.After(now.Add(farthest)) {
			t.Errorf("%q lies too far ahead: %v", arg, at)
		}
		if err == nil && at.IsZero() != (strings.TrimSpace(arg) == "none") {
			t.Errorf("%q is no time at all", arg)
		}
	})
}

func TestPartArg(t *testing.T) {
	for arg, want := range map[string]float64{"0": 0, "1": 1, " .5 ": 0.5, "1e-3": 0.001} {
		if got, err := FractionArg(arg); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%q is %v, %v; want %v", arg, got, err, want)
		}
	}
	for _, arg := range []string{"", "NaN", "inf", "-0.1", "1.01", "half"} {
		if got, err := FractionArg(arg); err == nil {
			t.Errorf("%q is %v, and should be refused", arg, got)
		}
	}
}
