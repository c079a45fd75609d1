package clock

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stand reads the time that words say, as the user would.
func stand(t *testing.T, words string) storage.StoryTime {
	t.Helper()
	if words == "" {
		return storage.StoryTime{}
	}
	m, ok := Read(words, Word)
	if !ok {
		t.Fatalf("%q is not read", words)
	}
	return m.Move(storage.StoryTime{}, Set)
}

func TestRead_Headers(t *testing.T) {
	for said, want := range map[string]string{
		"Thursday, 3 March, evening":        "Thu 3 March, evening",
		"Thursday, March 3rd, 1887, 7:30pm": "Thu 3 March 1887, 19:30",
		"The Old Mill — Midnight":           "midnight",
		"The Midnight Café — evening":       "evening",
		"Day 4, dusk":                       "day 4, dusk",
		"Day Three":                         "day 3",
		"10 PM":                             "22:00",
		"2031-03-03 19:40":                  "Mon 3 March 2031, 19:40",
		"3.3.2031, abends":                  "Mon 3 March 2031, evening",
		"Donnerstagabend":                   "",
		"Donnerstag, 3. März, 18 Uhr":       "Thu 3 March, 18:00",
		"jeudi 3 mars, soir":                "Thu 3 March, evening",
		"jueves, 3 de marzo, por la noche":  "Thu 3 March, night",
		"late at night":                     "night",
		"10 o'clock at night":               "22:00",
		"half past seven in the evening":    "19:30",
		"Saturday market":                   "",
		"April":                             "",
		"the sun":                           "",
		"31 February":                       "",
		"3/4/2031":                          "",
		"last Thursday":                     "",
		"yesterday evening":                 "",
		"three days":                        "",
		"Kitchen":                           "",
		"25:70":                             "",
	} {
		m, ok := Read(said, Header)
		if got := Words(m.Move(storage.StoryTime{}, Told)); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v, want %q", said, got, ok, want)
		}
	}
}

func TestReadSetting(t *testing.T) {
	for said, want := range map[string]string{
		"the boathouse on Thursday evening":      "Thu, evening",
		"Thursday evening at the old mill":       "Thu, evening",
		"The old mill, late at night":            "night",
		"kitchen of Clara's flat, early morning": "morning",
		"the harbour at dusk":                    "dusk",
		"Küche, am Abend":                        "evening",
		"the Saturday market":                    "",
		"Café Midnight":                          "",
		"a bench in the park":                    "",
		"":                                       "",
	} {
		m, ok := ReadSetting(said)
		if got := Words(m.Move(storage.StoryTime{}, Seen)); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v, want %q", said, got, ok, want)
		}
	}
}

func TestMove(t *testing.T) {
	for _, c := range []struct {
		from, said string
		kind       Kind
		how        How
		want       string
		days       int
	}{
		{"Tuesday 1 March", "Thursday", Header, Told, "Thu 3 March", 2},
		{"Thursday evening", "morning", Header, Told, "Fri, morning", 1},
		{"Thursday evening", "dusk", Header, Told, "Thu, dusk", 0},
		{"Thursday, 11 pm", "1:12 AM", Header, Told, "Fri, 01:12", 1},
		{"Friday, 01:12", "the next morning", Skip, Told, "Fri, morning", 0},
		{"Thursday evening", "the next morning", Skip, Told, "Fri, morning", 1},
		{"Thursday evening", "three days later", Skip, Told, "Sun", 3},
		{"Thursday evening", "Three days later, at dusk", Skip, Told, "Sun, dusk", 3},
		{"Thursday 3 March", "a week later", Skip, Told, "Thu 10 March", 7},
		{"Thursday 31 December 1887", "the next day", Skip, Told, "Fri 1 January 1888", 1},
		{"Thursday 3 March", "two months later", Skip, Told, "Tue 3 May", 61},
		{"Thursday 3 March", "a few days later", Skip, Told, "", 2},
		{"Thursday 3 March", "almost a week later", Skip, Told, "", 7},
		{"day 4, evening", "Day 6", Header, Told, "day 6", 2},
		{"Thursday evening", "two hours later", Skip, Told, "Thu, evening", 0},
		{"Thursday, 22:30", "two hours later", Skip, Told, "Fri, 00:30", 1},
		{"Thursday, 22:30", "half an hour later", Skip, Told, "Thu, 23:00", 0},
		{"Thursday evening", "later that night", Skip, Told, "Thu, night", 0},
		{"Thursday evening", "later that morning", Skip, Told, "Thu, morning", 0},
		{"Thursday evening", "time skip three days", Skip, Told, "Sun", 3},
		{"Thursday evening", "skip to the next morning", Skip, Told, "Fri, morning", 1},
		{"Thursday evening", "am nächsten Morgen", Skip, Told, "Fri, morning", 1},
		{"Thursday evening", "drei Tage später", Skip, Told, "Sun", 3},
		{"Thursday evening", "le lendemain matin", Skip, Told, "Fri, morning", 1},
		{"Thursday evening", "trois jours plus tard", Skip, Told, "Sun", 3},
		{"Thursday evening", "tres días después", Skip, Told, "Sun", 3},
		{"Thursday, 7 pm", "8:15", Header, Told, "Thu, 20:15", 0},
		{"Friday", "Thursday", Header, Told, "Thu", 6},

		{"Friday", "Thursday", Word, Set, "Thu", -1},
		{"Thursday evening", "morning", Word, Set, "Thu, morning", 0},
		{"Thursday 3 March", "unknown", Word, Set, "", 0},
		{"Thursday 3 March", "1 March", Word, Set, "Tue 1 March", -2},

		{"Thursday morning", "evening", Header, Seen, "Thu, evening", 0},
		{"Thursday evening", "afternoon", Header, Seen, "Thu, evening", 0},
		{"Thursday night", "morning", Header, Seen, "Fri, morning", 1},
		{"Thursday", "Monday", Header, Seen, "Thu", 0},
		{"Thursday, 19:40", "night", Header, Seen, "Thu, 19:40", 0},
		{"", "Thursday evening", Header, Seen, "Thu, evening", 0},
		{"3 March", "1 March", Header, Seen, "3 March", 0},
	} {
		m, ok := Read(c.said, c.kind)
		if !ok {
			t.Errorf("%q is not read", c.said)
			continue
		}
		got := m.Move(stand(t, c.from), c.how)
		if Words(got) != c.want || got.Passed != c.days {
			t.Errorf("%q, %q: %q after %d days, want %q after %d", c.from, c.said, Words(got), got.Passed, c.want, c.days)
		}
	}
}

func TestRead_WhatMovesNothing(t *testing.T) {
	for _, said := range []string{"three days ago", "years ago", "last night", "the day before", "the day", "night falls", "a moment", "some time later", "much later",
		"three", "later", "one evening long ago", strings.Repeat("Thursday ", 40)} {
		if m, ok := Read(said, Skip); ok && m.Move(storage.StoryTime{Weekday: 4}, Told) != (storage.StoryTime{Weekday: 4}) {
			t.Errorf("%q is read as %+v", said, m)
		}
	}
}

func TestDue(t *testing.T) {
	for _, c := range []struct {
		words, from, skip, now string // how the story gets from one to the other
		want                   State
	}{
		{"in three days", "Thursday", "two days later", "", Ahead},
		{"in three days", "Thursday", "three days later", "", Come},
		{"in three days", "", "three days later", "", Come},
		{"in three days", "", "", "", Unknown},
		{"three days from now", "Thursday", "a week later", "", Come},
		{"within 2 hours", "Thursday, 18:00", "", "Thursday, 19:59", Ahead},
		{"in 2 hours", "Thursday, 18:00", "", "Thursday, 20:00", Come},
		{"in 2 hours", "Thursday", "", "Thursday, 20:00", Unknown},
		{"tomorrow", "Thursday night", "the next morning", "", Come},
		{"tomorrow evening", "Thursday night", "the next morning", "", Ahead},
		{"morgen Abend", "Thursday night", "", "Friday evening", Come},
		{"Thursday", "Tuesday", "the next day", "", Ahead},
		{"Thursday", "Tuesday", "", "Thursday", Come},
		{"by Thursday", "Tuesday", "", "Friday", Come},
		{"Thursday", "Thursday", "", "Thursday evening", Ahead},
		{"Thursday", "Thursday", "a week later", "", Come},
		{"Thursday evening", "Thursday morning", "", "Thursday afternoon", Ahead},
		{"Thursday evening", "Thursday morning", "", "Thursday, 20:00", Come},
		{"Thursday evening", "Tuesday", "", "Thursday", Unknown},
		{"Thursday", "", "", "Thursday", Come},
		{"Thursday", "", "", "evening", Unknown},
		{"on 3 March", "1 March", "", "2 March", Ahead},
		{"on 3 March", "1 March", "", "4 March", Come},
		{"on 3 March", "28 December", "", "2 January", Ahead},
		{"3. März", "", "", "Tuesday, 4 March", Come},
		{"on 3 March", "Tuesday", "two days later", "", Unknown},
		{"at dusk", "Thursday morning", "", "Thursday afternoon", Ahead},
		{"at dusk", "Thursday morning", "", "Thursday evening", Come},
		{"at dusk", "Thursday evening", "", "Thursday night", Ahead},
		{"at dusk", "Thursday evening", "", "Friday night", Come},
		{"tonight", "Thursday afternoon", "", "Thursday night", Come},
		{"at midnight", "Thursday evening", "", "Thursday night", Ahead},
		{"at midnight", "Thursday evening", "", "Friday, 00:30", Come},
		{"day 5", "day 3", "", "day 4", Ahead},
		{"day 5", "day 3", "", "day 5, dawn", Come},
		{"when the ship comes", "Thursday", "", "Friday", Unknown},
		{"next week", "Thursday", "a week later", "", Come},
	} {
		from := stand(t, c.from)
		now := from
		if c.skip != "" {
			m, ok := Read(c.skip, Skip)
			if !ok {
				t.Fatalf("%q is not read", c.skip)
			}
			now = m.Move(now, Told)
		}
		if c.now != "" {
			m, _ := Read(c.now, Header)
			now = m.Move(now, Told)
		}
		if got := Due(c.words, from, now, true); got != c.want {
			t.Errorf("%q, set at %q, at %q (day %d): %d, want %d", c.words, c.from, Words(now), now.Passed, got, c.want)
		}
	}
	if got := Due("in three days", stand(t, "Monday"), stand(t, "Friday"), false); got != Unknown {
		t.Errorf("a length of time counted in another chat: %d", got)
	}
	if got := Due("by Friday", stand(t, "Monday"), stand(t, "Friday"), false); got != Come {
		t.Errorf("the weekday in another chat: %d", got)
	}
}

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"Clara has to pay the harbour master by Thursday evening.": "by Thursday evening",
		"Robin's exam is **in three days**, and nobody knows":      "in three days",
		"They meet at dusk at the old mill":                        "at dusk",
		"The ship leaves on 3 March, with or without her":          "on 3 March",
		"Who was in the boat?":                                     "",
		"She sings at night":                                       "",
		"the letter of last Thursday":                              "",
		"Muss bis Donnerstag zahlen":                               "bis Donnerstag",
	} {
		if got := Find(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A deadline that has come stays so for as long as the story goes on.
func TestDue_Stays(t *testing.T) {
	deadlines := []string{"in three days", "Thursday", "at dusk", "on 3 March", "day 5", "tomorrow evening", "in 2 hours", "tonight"}
	skips := []string{"three hours later", "the next morning", "two days later", "at dusk", "later that night", "a week later", "a few days later"}
	rapid.Check(t, func(t *rapid.T) {
		m, _ := Read(rapid.SampledFrom([]string{"Tuesday, 1 March, morning", "Thursday", "day 3, dusk", "evening"}).Draw(t, "from"), Header)
		from := m.Move(storage.StoryTime{}, Told)
		now, words, come := from, rapid.SampledFrom(deadlines).Draw(t, "deadline"), false
		for range 6 {
			s, ok := Read(rapid.SampledFrom(skips).Draw(t, "skip"), Skip)
			if !ok {
				t.Fatal("a skip is not read")
			}
			before := now
			if now = s.Move(now, Told); now.Passed < before.Passed {
				t.Fatalf("time goes back from %+v to %+v", before, now)
			}
			got := Due(words, from, now, true)
			if come && got != Come && now.Passed > before.Passed {
				t.Fatalf("%q had come and has not at %+v", words, now)
			}
			come = got == Come
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"Thursday, 3 March, evening", "three days later", "in 2 hours", "3.3.2031 19:40", "half past seven", "9999-12-31", "le lendemain matin", "\x1b[2J", "day 9999", "1000 years later"} {
		f.Add(s, byte(1))
	}
	f.Fuzz(func(t *testing.T, s string, kind byte) {
		m, ok := Read(s, Kind(kind%4))
		now := storage.StoryTime{Year: 1887, Month: 2, Day: 28, Weekday: 1, Count: 3, Minute: 1}
		for _, how := range []How{Told, Seen, Set} {
			got := now
			for range 3 {
				got = m.Move(got, how)
			}
			if !ok {
				continue
			}
			words := Words(got)
			if len(words) > 60 || !utf8.ValidString(words) || got.Month < 0 || got.Month > 12 || got.Day < 0 || got.Day > 31 || got.Weekday < 0 || got.Weekday > 7 || got.Minute < 0 || got.Minute > dayMinutes {
				t.Fatalf("%q: %+v %q", s, got, words)
			}
		}
		if state := Due(s, now, m.Move(now, Told), true); state < Unknown || state > Come {
			t.Fatal(state)
		}
		if found := Find(s); found != "" && !IsDeadline(found) {
			t.Fatalf("%q is found in %q and is no deadline", found, s)
		}
	})
}
