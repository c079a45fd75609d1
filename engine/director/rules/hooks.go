package rules

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MaxHooks is the maximum number of due hooks in a prompt.
const MaxHooks = 5

// HookDue reports whether a hook is due: its turns have passed, its moment has, or its story time
// has come (came), whichever is first. A closed or dropped hook is never due. Whether a reply has
// taken it up is not checked: that depends on the path.
func HookDue(h storage.Hook, turn int, now time.Time, came bool) bool {
	if h.Closed || h.Dropped {
		return false
	}
	turns, at, when := h.Due.Turns > 0, !h.Due.At.IsZero(), h.Due.When != ""
	switch {
	case when && came, at && !now.Before(h.Due.At):
		return true
	case turns:
		return turn-h.Turn >= h.Due.Turns
	}
	return !at && !when
}

// ChooseHooks chooses the hooks for a prompt among those that are due: at most MaxHooks, the most
// urgent first, then by due time, then the newest.
func ChooseHooks(list []storage.Hook) []storage.Hook {
	sorted := slices.DeleteFunc(slices.Clone(list), func(h storage.Hook) bool {
		return strings.TrimSpace(h.Content) == ""
	})
	slices.SortStableFunc(sorted, func(a, b storage.Hook) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Turn+a.Due.Turns, b.Turn+b.Due.Turns),
			a.Due.At.Compare(b.Due.At),
			b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID), cmp.Compare(a.Content, b.Content))
	})
	return sorted[:min(len(sorted), MaxHooks)]
}

// HookText returns a hook on one line, with its opener if it has one.
func HookText(h storage.Hook) string {
	text := prompts.Bounded(prompts.OneLine(h.Content), maxMemoryRunes)
	if opener := prompts.Bounded(strings.Trim(prompts.OneLine(h.Opener), `"“” `), maxMemoryRunes); opener != "" &&
		text != "" {
		text += bringUp + opener + "”)"
	}
	return text
}

const bringUp = " (to bring it up, for instance: “"

// HookContent returns a HookText without the opener.
func HookContent(text string) string {
	says, _, _ := strings.Cut(text, bringUp)
	return says
}

// HooksText returns hooks, one per line, "" for none.
func HooksText(list []storage.Hook) string {
	var b strings.Builder
	for _, h := range list {
		if text := HookText(h); text != "" {
			b.WriteString("- " + text + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// DueWords returns when a hook is due, in words: "due now", "in 4 turns", "since 2 days", "by
// Thursday". came reports that its story time has come.
func DueWords(h storage.Hook, turn int, now time.Time, came bool) string {
	when := prompts.Bounded(prompts.OneLine(h.Due.When), maxTone)
	at := !h.Due.At.IsZero()
	switch {
	case when == "" || at && !now.Before(h.Due.At):
	case came:
		return "due: " + when
	case h.Due.Turns <= 0 && !at:
		return when
	case h.Due.Turns <= 0 || turn-h.Turn < h.Due.Turns:
		return when + ", or " + dueWords(h, turn, now)
	}
	return dueWords(h, turn, now)
}

// dueWords is DueWords without the story's own time.
func dueWords(h storage.Hook, turn int, now time.Time) string {
	turns, at := h.Due.Turns > 0, !h.Due.At.IsZero()
	ago := turn - h.Turn - max(h.Due.Turns, 0)
	wait := h.Due.At.Sub(now)
	switch {
	case at && wait <= 0 && (!turns || ago < 0):
		if wait > -time.Minute {
			return "due now"
		}
		return "since " + span(-wait)
	case turns && ago >= 0 || !turns && !at:
		if ago <= 0 {
			return "due now"
		}
		return "since " + counted(ago, "turn")
	case turns && at:
		return "in " + counted(-ago, "turn") + " or " + span(wait)
	case turns:
		return "in " + counted(-ago, "turn")
	}
	return "in " + span(wait)
}
