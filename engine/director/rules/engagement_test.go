package rules

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestSince(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-day: "today", 0: "today", 23 * time.Hour: "today", day: "1 day", 5 * day: "5 days", 6 * day: "6 days", 7 * day: "1 week", 14 * day: "2 weeks", 29 * day: "4 weeks",
		30 * day: "1 month", 95 * day: "3 months", 364 * day: "11 months", 365 * day: "1 year", 800 * day: "2 years", math.MaxInt64: "292 years",
	} {
		if got := Since(d); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
}

func TestStanding_Text(t *testing.T) {
	for name, c := range map[string]struct {
		s    Relationship
		want string
	}{
		"nothing":            {Relationship{}, ""},
		"time goes back":     {Relationship{Days: -3}, ""},
		"one episode":        {Relationship{Episodes: 1}, "The character and the user have finished 1 episode together. They have reached their first episode."},
		"a day":              {Relationship{Days: 1}, "1 day has passed in the story so far."},
		"days":               {Relationship{Days: 6}, "6 days have passed in the story so far."},
		"a week":             {Relationship{Days: 8}, "1 week has passed in the story so far. They have reached a week in the story."},
		"tone alone":         {Relationship{Dynamic: storage.Dynamic{Tone: " warm. "}}, "The tone between them is warm. The scene is calm."},
		"tension alone":      {Relationship{Dynamic: storage.Dynamic{Tension: 34}}, "The scene is tense."},
		"more than there is": {Relationship{Dynamic: storage.Dynamic{Tension: 140}}, "The scene is very tense."},
		"beats alone":        {Relationship{Dynamic: storage.Dynamic{Beats: []string{"0", "a", "They\nfought.", "They made up"}, Tension: 33}}, "The scene is calm. What happened last: a; They fought; They made up."},
		"all": {Relationship{Char: "Mara", User: "Robin", Episodes: 12, Days: 400, Dynamic: storage.Dynamic{Tone: "wary", Tension: 67, Beats: []string{"They fought"}}},
			"Mara and Robin have finished 12 episodes together. 1 year has passed in the story so far. They have reached their tenth episode and a year in the story. " +
				"The tone between them is wary. The scene is very tense. What happened last: They fought."},
	} {
		if got := c.s.Text(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
	evil := strings.Repeat("x\n\x00 ", 30_000)
	s := Relationship{Char: evil, User: evil, Episodes: math.MaxInt, Days: math.MaxInt, Dynamic: storage.Dynamic{Tone: evil, Beats: []string{evil, evil, evil, evil, evil, evil}}}
	if got := s.Text(); len(got) > 2000 || strings.ContainsAny(got, "\n\x00") {
		t.Errorf("%d bytes", len(got))
	}
}

// What sessions and clocks on the wall say is for the user alone.
func TestSessionText(t *testing.T) {
	e := storage.Engagement{Sessions: 3, FirstMet: noon.Add(-15 * day), Dynamic: storage.Dynamic{Tone: "warm", Tension: 40, Beats: []string{"a"}},
		Milestone: []string{"1st session", "a day together", "a week together", "the first kiss"}}
	want := "Mara and Robin have had 3 sessions together. They first met 2 weeks ago. Milestones: a day together; a week together; the first kiss."
	if diff := cmp.Diff(want, SessionText(e, "Mara", "Robin", noon)); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]struct {
		e    storage.Engagement
		want string
	}{
		"nothing":   {storage.Engagement{}, ""},
		"only open": {storage.Engagement{FirstMet: noon, Open: &storage.Session{Turns: 4}, Dynamic: storage.Dynamic{Tension: 50}}, ""},
		"same day":  {storage.Engagement{Sessions: 1, FirstMet: noon}, "The character and the user have had 1 session together. They first met today."},
		"no date":   {storage.Engagement{Sessions: 2}, "The character and the user have had 2 sessions together."},
	} {
		if got := SessionText(c.e, "", " \n", noon); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	evil := strings.Repeat("x\n\x00 ", 30_000)
	e = storage.Engagement{Sessions: 1, Milestone: []string{evil, evil, evil, evil}}
	if got := SessionText(e, evil, evil, noon); len(got) > 4000 || strings.ContainsAny(got, "\n\x00") {
		t.Errorf("%d bytes", len(got))
	}
}

func beat(tone, said string, tension int) storage.TurnRecord {
	return storage.TurnRecord{Seen: &storage.Evaluation{Tone: tone, Beat: said, Tension: tension}}
}

func TestEndSession(t *testing.T) {
	began := noon.Add(-time.Hour)
	first := EndSession(storage.Engagement{Scope: "s", Open: &storage.Session{Began: began}},
		[]storage.TurnRecord{beat("cold", "They meet", 10), beat("warm", "They talk", 20), {Fault: "no answer"}, beat("", "They\nlaugh", 31), beat("", "They talk", 40)}, noon)
	want := storage.Engagement{Scope: "s", Sessions: 1, FirstMet: began, LastEnd: noon, Milestone: []string{"1st session"},
		Dynamic: storage.Dynamic{Tone: "warm", Tension: 30, Beats: []string{"They meet", "They laugh", "They talk"}}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	quiet := EndSession(first, nil, noon.Add(time.Hour))
	want.Sessions, want.LastEnd = 2, noon.Add(time.Hour)
	if diff := cmp.Diff(want, quiet); diff != "" {
		t.Errorf("a session without beats: %s", diff)
	}
	e := first
	for i := range 99 {
		e = EndSession(e, []storage.TurnRecord{beat("calm", fmt.Sprint("beat ", i), 500)}, noon.Add(time.Duration(i)*4*day))
	}
	if diff := cmp.Diff([]string{"1st session", "a day together", "a week together", "10th session", "a month together", "25th session", "50th session", "a year together", "100th session"}, e.Milestone); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(storage.Dynamic{Tone: "calm", Tension: 100, Beats: []string{"beat 94", "beat 95", "beat 96", "beat 97", "beat 98"}}, e.Dynamic); diff != "" {
		t.Error(diff)
	}
	late := EndSession(storage.Engagement{Sessions: 1, FirstMet: noon}, nil, noon.Add(400*day))
	late = EndSession(late, nil, noon.Add(401*day))
	if diff := cmp.Diff([]string{"a year together"}, late.Milestone); diff != "" {
		t.Errorf("what was passed by: %s", diff)
	}
}

func TestEndSession_Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := storage.Engagement{Sessions: rapid.IntRange(0, 200).Draw(t, "sessions"), Milestone: make([]string, 1, 8), Dynamic: storage.Dynamic{Beats: make([]string, 2, 9)}}
		before := fmt.Sprintf("%+v", e)
		var beats []storage.TurnRecord
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			beats = append(beats, beat(rapid.String().Draw(t, "tone"), rapid.String().Draw(t, "beat"), rapid.Int().Draw(t, "tension")))
		}
		got := EndSession(e, beats, noon)
		if d := got.Dynamic; d.Tension < 0 || d.Tension > 100 || len(d.Beats) > maxKeptBeats || got.Sessions != e.Sessions+1 || got.Open != nil {
			t.Fatalf("%+v", got)
		}
		if fmt.Sprintf("%+v", e) != before || cap(e.Milestone) > 1 && e.Milestone[:2][1] != "" || e.Dynamic.Beats[:3][2] != "" {
			t.Fatal("the record was changed")
		}
	})
}

func TestMoment(t *testing.T) {
	for name, c := range map[string]struct{ open, setting, want string }{
		"all":            {"whose lantern it is.", "boathouse, night", "Here and now: boathouse, night. Unresolved: whose lantern it is."},
		"nothing known":  {"", " \n", ""},
		"setting alone":  {"", "boathouse", "Here and now: boathouse."},
		"open, one line": {"the\ndebt", "", "Unresolved: the debt."},
		"a question":     {"who lit it?", "", "Unresolved: who lit it?"},
	} {
		if got := Moment(c.open, c.setting); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{strings.Repeat("word ", 5000), strings.Repeat("猫", 4000), strings.Repeat("\xff\x00", 3000), strings.Repeat("x", 100<<10)}))
		open, setting := text.Draw(t, "open"), text.Draw(t, "setting")
		got := Moment(open, setting)
		if len(got) > maxAnchor+maxOpen+60 || strings.ContainsAny(got, "\n\r\x00") || got != Moment(open, setting) {
			t.Fatalf("%d bytes: %q", len(got), got)
		}
	})
}
