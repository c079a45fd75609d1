package memory

import (
	"testing"
	"time"
)

func TestHook_Due(t *testing.T) {
	at := time.Date(2031, 5, 14, 17, 30, 20, 0, time.UTC)
	day := func(d, h, m int) time.Time { return time.Date(2031, 5, d, h, m, 0, 0, time.UTC) }
	for text, want := range map[string]time.Time{
		"":                     {},
		"  ":                   {},
		"none":                 {},
		"2031-05-20T08:15:00Z": day(20, 8, 15),
		"30min":                at.Add(30 * time.Minute),
		"in 45 minutes":        at.Add(45 * time.Minute),
		"3h":                   at.Add(3 * time.Hour),
		"2d":                   at.Add(48 * time.Hour),
		"1d 12h":               at.Add(36 * time.Hour),
		"1 week, 1 day":        at.Add(8 * 24 * time.Hour),
		"2D":                   at.Add(48 * time.Hour),
		"18:00":                day(14, 18, 0),
		"17:30":                day(15, 17, 30),
		"2031-05-20":           day(20, 0, 0),
		"2031-05-20 08:15":     day(20, 8, 15),
		" 2031-05-20T08:15 ":   day(20, 8, 15),
	} {
		if got, err := ParseDue(text, at); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v (%v), not %v", text, got, err, want)
		}
	}
	for _, text := range []string{"soon", "2", "d", "-2d", "2 fortnights", "999999999999999999d", "101 years", "60000d", "0d", "25:00", "2031-13-01", "9999-01-01", "0001-01-01", "1d2", "٣d"} {
		if got, err := ParseDue(text, at); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// Whatever is typed, a moment is near, and what the form shows of it is read as
// the same minute.
func FuzzHookDue(f *testing.F) {
	for _, s := range []string{"", "2d", "1d 12h", "18:00", "2031-05-20 08:15", "in 3 weeks", "99999999999h", "2031-02-30", "1\xff"} {
		f.Add(s)
	}
	at := time.Date(2031, 5, 14, 17, 30, 20, 0, time.Local)
	f.Fuzz(func(t *testing.T, text string) {
		due, err := ParseDue(text, at)
		if err != nil || due.IsZero() {
			return
		}
		if d := due.Sub(at); d > maxWait || d < -maxWait {
			t.Fatalf("%q is %v", text, due)
		}
		again, err := ParseDue(dueText(due), at)
		if gap := due.Sub(again); err != nil || gap < 0 || gap >= time.Minute && !due.Before(at.Add(-maxWait+time.Minute)) {
			t.Fatalf("%q is %v, shown as %q, read as %v (%v)", text, due, dueText(due), again, err)
		}
	})
}
