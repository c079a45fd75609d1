package storyboard

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestSubtitles(t *testing.T) {
	t.Parallel()
	cues := append(Cues(0, 2*time.Second, [][]string{{"You came."}}), Cues(3661*time.Second, 3*time.Second, [][]string{{"One --> two", "<b> & more"}, {" ", "Four"}})...)
	wantSRT := "1\n00:00:00,000 --> 00:00:02,000\nYou came.\n\n2\n01:01:01,000 --> 01:01:03,071\nOne → two\n<b> & more\n\n3\n01:01:03,071 --> 01:01:04,000\nFour\n\n"
	if got := SRT(cues); got != wantSRT {
		t.Errorf("%q", got)
	}
	want := strings.NewReplacer(",", ".", "<b> & more", "&lt;b&gt; &amp; more", "1\n00", "00", "\n2\n", "\n", "\n3\n", "\n").Replace(wantSRT)
	if got := VTT(cues); got != "WEBVTT\n\n"+want {
		t.Errorf("%q", got)
	}
}

// Cues fill the time of their shot: none overlaps another, and none is lost.
func TestCues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.String(), 1, 2), 0, 9).Draw(t, "parts")
		from := time.Duration(rapid.Int64Range(0, 1e13).Draw(t, "from")).Round(time.Millisecond)
		s := storage.Shot{Seconds: rapid.Float64Range(-1, 700).Draw(t, "seconds")}
		cues := Cues(from, ShotDuration(s), parts)
		if len(cues) != len(parts) {
			t.Fatalf("%d of %d", len(cues), len(parts))
		}
		at := from
		for _, c := range cues {
			if c.From != at || c.To < c.From {
				t.Fatalf("%v after %v", c, at)
			}
			at = c.To
		}
		if len(cues) > 0 && (at-from-ShotDuration(s)).Abs() > time.Millisecond {
			t.Fatalf("%v of %v", at-from, ShotDuration(s))
		}
	})
	if ShotDuration(storage.Shot{}) != 3*time.Second || ShotDuration(storage.Shot{Seconds: 1e9}) != 600*time.Second || TotalDuration([]storage.Shot{{Seconds: 0.5}, {}}) != 3500*time.Millisecond {
		t.Error("how long shots stand")
	}
}
