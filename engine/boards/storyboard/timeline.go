package storyboard

import (
	"fmt"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// unknownSeconds is how long a shot stands that does not say it, minSeconds the shortest time that counts as said.
const (
	unknownSeconds = 3
	minSeconds     = 0.1
)

// ShotDuration is how long a shot stands when a storyboard is played.
func ShotDuration(s storage.Shot) time.Duration {
	if !(s.Seconds >= minSeconds) {
		return unknownSeconds * time.Second
	}
	return time.Duration(min(s.Seconds, maxSeconds) * float64(time.Second))
}

// TotalDuration is how long all shots take, one after the other.
func TotalDuration(shots []storage.Shot) (all time.Duration) {
	for _, s := range shots {
		all += ShotDuration(s)
	}
	return all
}

// Cue is a subtitle: what is said, and from when to when.
type Cue struct {
	From, To time.Duration
	Lines    []string
}

// Cues share the time of a shot, which begins at from, among the parts of what is said
// in it: a longer part stands longer.
func Cues(from, stands time.Duration, parts [][]string) []Cue {
	weigh := func(part []string) (n int) {
		for _, l := range part {
			n += len([]rune(l))
		}
		return n + 8 // also a short one is to be read
	}
	total := 0
	for _, p := range parts {
		total += weigh(p)
	}
	var cues []Cue
	said := 0
	at := from
	for _, p := range parts {
		said += weigh(p)
		to := from + (stands * time.Duration(said) / time.Duration(total)).Round(time.Millisecond)
		cues = append(cues, Cue{From: at, To: to, Lines: p})
		at = to
	}
	return cues
}

// SRT writes cues as SubRip does.
func SRT(cues []Cue) string {
	var b strings.Builder
	for i, c := range cues {
		fmt.Fprintf(&b, "%d\n%s --> %s\n%s\n\n", i+1, timestamp(c.From, ","), timestamp(c.To, ","), cueText(c.Lines))
	}
	return b.String()
}

// VTT writes cues as WebVTT.
func VTT(cues []Cue) string {
	var b strings.Builder
	b.WriteString("WEBVTT\n\n")
	for _, c := range cues {
		text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(cueText(c.Lines))
		fmt.Fprintf(&b, "%s --> %s\n%s\n\n", timestamp(c.From, "."), timestamp(c.To, "."), text)
	}
	return b.String()
}

// cueText are lines that end neither a cue nor look like the head of one.
func cueText(lines []string) string {
	var kept []string
	for _, l := range lines {
		if l = strings.ReplaceAll(strings.Join(strings.Fields(cleanLine(l)), " "), "-->", "→"); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

func timestamp(d time.Duration, point string) string {
	ms := d.Round(time.Millisecond).Milliseconds()
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, point, ms%1000)
}
