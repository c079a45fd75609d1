package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const day = 24 * time.Hour

// Since says how long something has lasted: "today", "5 days", "2 weeks".
func Since(d time.Duration) string {
	days := int(max(d, 0) / day)
	switch {
	case days < 1:
		return "today"
	case days < 7:
		return counted(days, "day")
	case days < 30:
		return counted(days/7, "week")
	case days < 365:
		return counted(min(days/30, 11), "month")
	}
	return counted(days/365, "year")
}

// span says how long a wait is, including minutes and hours.
func span(d time.Duration) string {
	switch {
	case d < time.Hour:
		return counted(max(1, int(d/time.Minute)), "minute")
	case d < day:
		return counted(int(d/time.Hour), "hour")
	}
	return Since(d)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// How many beats and milestones are stored and shown.
const (
	maxKeptBeats  = 5
	maxBeats      = 3
	maxMilestones = 3
)

// Relationship is the relationship between user and character at a point in the story.
type Relationship struct {
	Char, User string
	Episodes   int // of the series that they have finished together
	Days       int // that have passed in the story of the chat
	// Dynamic is the zero value if no record has an evaluation.
	Dynamic storage.Dynamic
}

// Text returns what a prompt says about the relationship, "" if nothing is known. It counts what
// the story counts, days and episodes, and no hours or sessions of the user: a card may say that
// the two have known each other for years.
func (s Relationship) Text() string {
	var sentences []string
	say := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	if s.Episodes > 0 {
		say("%s have finished %s together.", both(s.Char, s.User), counted(s.Episodes, "episode"))
	}
	if s.Days > 0 {
		say("%s passed in the story so far.", passed(s.Days))
	}
	if m := s.milestones(); len(m) > 0 {
		say("They have reached %s.", strings.Join(m, " and "))
	}
	d := s.Dynamic
	tone := strings.TrimRight(prompts.Bounded(prompts.OneLine(d.Tone), maxTone), ". ")
	if tone != "" {
		say("The tone between them is %s.", tone)
	}
	beats := lastOf(d.Beats, maxBeats)
	if tone != "" || beats != "" || d.Tension > 0 {
		say("The scene is %s.", tensionWord(d.Tension))
	}
	if beats != "" {
		say("What happened last: %s.", beats)
	}
	return strings.Join(sentences, " ")
}

// passed says how many days have passed, in the largest unit that fits.
func passed(days int) string {
	words := Since(time.Duration(min(days, maxStory)) * day)
	if strings.HasPrefix(words, "1 ") {
		return words + " has"
	}
	return words + " have"
}

// maxStory is the most days that a time.Duration is made of.
const maxStory = 100_000

// tensionWord returns a tension of 0 to 100 in a word of three.
func tensionWord(tension int) string {
	switch {
	case tension < tenseFrom:
		return "calm"
	case tension < veryTenseFrom:
		return "tense"
	}
	return "very tense"
}

// From which tension on a scene is called so.
const (
	tenseFrom     = 34
	veryTenseFrom = 67
)

// milestones returns the last one reached of episodes and the last one of days.
func (s Relationship) milestones() (out []string) {
	for _, m := range episodeMilestones {
		if s.Episodes >= m.after {
			out = append(out, m.name)
			break
		}
	}
	for _, m := range dayMilestones {
		if s.Days >= m.after {
			out = append(out, m.name)
			break
		}
	}
	return out
}

// The milestones of a story, the furthest first.
var (
	episodeMilestones = []storyMilestone{{100, "their hundredth episode"}, {50, "their fiftieth episode"},
		{25, "their twenty-fifth episode"}, {10, "their tenth episode"}, {1, "their first episode"}}
	dayMilestones = []storyMilestone{{365, "a year in the story"}, {30, "a month in the story"},
		{7, "a week in the story"}}
)

// storyMilestone is reached after some number of episodes or days.
type storyMilestone struct {
	after int
	name  string
}

func both(char, user string) string {
	return named(char, "The character") + " and " + named(user, "the user")
}

// SessionText describes to the user how often user and character have met and since when, in real
// time. began is the start of the last session. No prompt contains the text. It is "" before the
// first session has ended.
func SessionText(e storage.Engagement, char, user string, began time.Time) string {
	if e.Sessions <= 0 {
		return ""
	}
	words := fmt.Sprintf("%s have had %s together.", both(char, user), counted(e.Sessions, "session"))
	switch since := Since(began.Sub(e.FirstMet)); {
	case e.FirstMet.IsZero() || began.IsZero():
	case since == "today":
		words += " They first met today."
	default:
		words += " They first met " + since + " ago."
	}
	if m := lastOf(e.Milestone, maxMilestones); m != "" {
		words += " Milestones: " + m + "."
	}
	return words
}

// lastOf lists the last n of some texts, oldest first.
func lastOf(texts []string, n int) string {
	var out []string
	for _, t := range texts[max(0, len(texts)-n):] {
		if t = strings.TrimRight(prompts.Bounded(prompts.OneLine(t), maxBeat), ".;, "); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "; ")
}

// EndSession returns the engagement after a session with these records, oldest first. It does not
// change e.
func EndSession(e storage.Engagement, records []storage.TurnRecord, now time.Time) storage.Engagement {
	if e.FirstMet.IsZero() {
		e.FirstMet = now
		if e.Open != nil && !e.Open.Began.IsZero() {
			e.FirstMet = e.Open.Began
		}
	}
	e.Sessions++
	e.LastEnd = now
	e.Open = nil
	e.Dynamic = DynamicAfter(e.Dynamic, records)
	e.Milestone = slices.Clone(e.Milestone)
	if name := sessionMilestones[e.Sessions]; name != "" {
		e.Milestone = milestone(e.Milestone, name)
	}
	for _, t := range timeMilestones { // only the longest: earlier ones are no news
		if now.Sub(e.FirstMet) >= t.after {
			e.Milestone = milestone(e.Milestone, t.name)
			break
		}
	}
	return e
}

var sessionMilestones = map[int]string{1: "1st session", 10: "10th session", 25: "25th session", 50: "50th session",
	100: "100th session"}

var timeMilestones = []struct {
	after time.Duration
	name  string
}{{365 * day, "a year together"}, {30 * day, "a month together"}, {7 * day, "a week together"}, {day, "a day together"}}

func milestone(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// lastBeats is the number of a session's last evaluations whose mean is its tension.
const lastBeats = 3

// DynamicAfter returns the dynamic after records, which are sorted oldest first.
func DynamicAfter(d storage.Dynamic, records []storage.TurnRecord) storage.Dynamic {
	sum, n, tone := 0, 0, ""
	var newest []string
	for _, b := range slices.Backward(records) {
		if b.Seen == nil {
			continue
		}
		if n < lastBeats {
			sum, n = sum+min(max(b.Seen.Tension, 0), 100), n+1
		}
		if tone == "" {
			tone = prompts.Bounded(prompts.OneLine(b.Seen.Tone), maxTone)
		}
		if said := prompts.Bounded(prompts.OneLine(b.Seen.Beat), maxBeat); said != "" && len(newest) < maxKeptBeats &&
			!slices.Contains(newest, said) {
			newest = append(newest, said)
		}
		if n == lastBeats && tone != "" && len(newest) == maxKeptBeats {
			break
		}
	}
	if n > 0 {
		d.Tension = (sum + n/2) / n
	}
	if tone != "" {
		d.Tone = tone
	}
	slices.Reverse(newest)
	earlier := slices.DeleteFunc(slices.Clone(d.Beats), func(s string) bool { return slices.Contains(newest, s) })
	all := append(earlier, newest...)
	d.Beats = all[max(0, len(all)-maxKeptBeats):]
	return d
}
