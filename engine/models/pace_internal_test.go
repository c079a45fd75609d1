package models

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestPace(t *testing.T) {
	type reading struct {
		read int
		ms   int64
	}
	for name, test := range map[string]struct {
		readings []reading
		want     float64
	}{
		"nothing":                       {nil, 0},
		"one":                           {[]reading{{400, 1000}}, 2.5},
		"too short says nothing":        {[]reading{{199, 1000}}, 0},
		"just long enough":              {[]reading{{200, 1000}}, 5},
		"no time says nothing":          {[]reading{{400, 0}}, 0},
		"nor a negative one":            {[]reading{{400, -5}}, 0},
		"nor one that cannot be":        {[]reading{{200, 1 << 40}}, 0},
		"the mean of two":               {[]reading{{1000, 1000}, {1000, 3000}}, 2},
		"one that was wrong is not met": {[]reading{{1000, 2000}, {1000, 90_000}, {1000, 2000}, {1000, 2000}, {1000, 10}}, 2},
	} {
		var p readingSpeed
		for _, r := range test.readings {
			p, _ = p.add(r.read, r.ms)
		}
		if got := p.token(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestPace_Any(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := readingSpeed{rapid.SliceOf(rapid.Float64()).Draw(t, "stored")}
		for range rapid.IntRange(0, 60).Draw(t, "readings") {
			next, ok := p.add(rapid.IntRange(-5, 9000).Draw(t, "read"), rapid.Int64().Draw(t, "ms"))
			if ok && len(next.MS) > paceKept {
				t.Fatalf("%d are kept", len(next.MS))
			}
			p = next
		}
		if ms := p.token(); ms < 0 || ms > slowestPace || math.IsNaN(ms) {
			t.Fatalf("%v ms", ms)
		}
	})
}

func TestReadOf(t *testing.T) {
	for _, test := range []struct {
		tokenMS float64
		ms      int64
		prompt  int
		want    int
	}{
		{0, 100, 4000, -1}, {2, 0, 4000, 0}, {2, 100, 4000, 50}, {2, 101, 4000, 51}, {2, 1 << 40, 4000, 4000}, {2, -1, 4000, -1}, {0.5, 10, 0, 0},
	} {
		if got := EstimateRead(test.tokenMS, test.ms, test.prompt); got != test.want {
			t.Errorf("readOf(%v, %d, %d) = %d, want %d", test.tokenMS, test.ms, test.prompt, got, test.want)
		}
	}
}
