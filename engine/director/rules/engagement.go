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

// Since tells in words how long something has lasted: "today", "5 days",
// "2 weeks".
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

// span tells how long a wait is, minutes and hours included.
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

// How much of how things stand is kept and told.
const (
	keptBeats      = 5
	toldMilestones = 3
)

// EngagementText tells how things stand between user and character at the
// beginning of a session. It depends on nothing else, so that it stays the same
// all through the session. It is "" while there is nothing to tell.
func EngagementText(e storage.Engagement, char, user string, began time.Time) string {
	var b strings.Builder
	say := func(format string, args ...any) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, format, args...)
	}
	if e.Sessions > 0 {
		both := named(char, "The character") + " and " + named(user, "the user")
		met := ""
		switch since := Since(began.Sub(e.FirstMet)); {
		case e.FirstMet.IsZero() || began.IsZero():
		case since == "today":
			met = " They first met today."
		default:
			met = " They first met " + since + " ago."
		}
		say("%s have had %s together.%s", both, counted(e.Sessions, "session"), met)
	}
	d := e.Dynamic
	if tone := prompts.Bounded(prompts.OneLine(d.Tone), maxTone); tone != "" {
		say("Tone between them: %s, tension %d of 100.", strings.TrimRight(tone, ". "), min(max(d.Tension, 0), 100))
	}
	if beats := lastOf(d.Beats, keptBeats); beats != "" {
		say("Lately: %s.", beats)
	}
	if m := lastOf(e.Milestone, toldMilestones); m != "" {
		say("Milestones: %s.", m)
	}
	return b.String()
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

// EndSession is how things stand after a session with these beats, oldest first.
// The record given is not changed.
func EndSession(e storage.Engagement, beats []storage.Beat, now time.Time) storage.Engagement {
	if e.FirstMet.IsZero() {
		e.FirstMet = now
		if e.Open != nil && !e.Open.Began.IsZero() {
			e.FirstMet = e.Open.Began
		}
	}
	e.Sessions++
	e.LastEnd = now
	e.Open = nil
	e.Dynamic = after(e.Dynamic, beats)
	e.Milestone = slices.Clone(e.Milestone)
	if name := sessionMilestones[e.Sessions]; name != "" {
		e.Milestone = milestone(e.Milestone, name)
	}
	for _, t := range timeMilestones { // the longest alone: what it passed by is no news
		if now.Sub(e.FirstMet) >= t.after {
			e.Milestone = milestone(e.Milestone, t.name)
			break
		}
	}
	return e
}

var sessionMilestones = map[int]string{1: "1st session", 10: "10th session", 25: "25th session", 50: "50th session", 100: "100th session"}

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

// lastBeats is how many of a session's last evaluations its tension is the mean
// of.
const lastBeats = 3

// after is how things stand after beats.
func after(d storage.Dynamic, beats []storage.Beat) storage.Dynamic {
	sum, n, tone := 0, 0, ""
	var newest []string
	for _, b := range slices.Backward(beats) {
		if b.Seen == nil {
			continue
		}
		if n < lastBeats {
			sum, n = sum+min(max(b.Seen.Tension, 0), 100), n+1
		}
		if tone == "" {
			tone = prompts.Bounded(prompts.OneLine(b.Seen.Tone), maxTone)
		}
		if said := prompts.Bounded(prompts.OneLine(b.Seen.Beat), maxBeat); said != "" && len(newest) < keptBeats && !slices.Contains(newest, said) {
			newest = append(newest, said)
		}
		if n == lastBeats && tone != "" && len(newest) == keptBeats {
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
	d.Beats = all[max(0, len(all)-keptBeats):]
	return d
}
