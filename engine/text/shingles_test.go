package text_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// isCopy is how much copies have in common in these tests, notCopy what others have at most.
const isCopy, notCopy = 0.8, 0.5

func TestShingles(t *testing.T) {
	for _, tt := range pairs {
		t.Run(tt.name, func(t *testing.T) {
			a, b := text.NewShingles(tt.a), text.NewShingles(tt.b)
			got, back := a.Resemblance(b), b.Resemblance(a)
			if got != back || got < 0 || got > 1 {
				t.Errorf("resemblance %v, the other way %v", got, back)
			}
			if tt.copy && got < isCopy || !tt.copy && got > notCopy {
				t.Errorf("%q and %q resemble each other by %.2f; copies: %v", tt.a, tt.b, got, tt.copy)
			}
		})
	}
}

func TestShingles_Parts(t *testing.T) {
	const part = "The lantern swings in the draught and goes out."
	whole := "She waits. " + part + " Nobody says a word for a long time."
	long := strings.Repeat("A line that comes again in each of the rooms. ", 3) + whole
	for _, tt := range []struct {
		name                    string
		a, b                    string
		contained, least, below float64
	}{
		{"a part of it", part, whole, 1, 0.3, 0.5},
		{"the whole in a part", whole, part, 0.4, 0.3, 0.5},
		{"a near copy", whole, strings.Replace(whole, "Nobody", "no one", 1), 0.8, 0.6, 1},
		{"what comes again counts once", long, strings.Replace(long, "A line", "A line that comes again in each of the rooms. A line", 1), 1, 1, 1.1},
		{"too short for a run", "Mara left", "Then Mara left.", 0, 0, 0.1},
		{"nothing", "", whole, 0, 0, 0.1},
		{"nothing and nothing", "", "…", 0, 0, 0.1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := text.NewShingles(tt.a), text.NewShingles(tt.b)
			if got := a.Containment(b); got < tt.contained || tt.contained == 0 && got != 0 {
				t.Errorf("contained by %.2f, want %.2f", got, tt.contained)
			}
			if got := a.Resemblance(b); got < tt.least || got >= tt.below {
				t.Errorf("resembles by %.2f, want %.2f to %.2f", got, tt.least, tt.below)
			}
		})
	}
}

func FuzzShingles(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+3)%len(seeds)])
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := text.NewShingles(x), text.NewShingles(y)
		if r := a.Resemblance(a); len(a) > 0 && r != 1 {
			t.Errorf("%q resembles itself by %v", x, r)
		}
		for _, n := range []float64{a.Resemblance(b), a.Containment(b), b.Containment(a)} {
			if n < 0 || n > 1 {
				t.Errorf("%q and %q: %v", x, y, n)
			}
		}
		if a.Resemblance(b) != b.Resemblance(a) || a.Resemblance(b) > min(a.Containment(b), b.Containment(a)) {
			t.Errorf("%q and %q: resemblance %v, contained %v and %v", x, y, a.Resemblance(b), a.Containment(b), b.Containment(a))
		}
	})
}
