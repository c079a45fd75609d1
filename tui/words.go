package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/safetext"
)

// plural is a count with its noun: "1 word", "2 words".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// heading is the line above a message: who speaks, and what is special.
func (p *play) heading(it *item) string {
	m := it.msg
	name, st := safetext.Line(m.Name), p.lk.character
	switch m.Role {
	case storage.User:
		st = p.lk.user
		if name == "" {
			name = "You"
		}
	case storage.Assistant:
		st = p.voice(m.Speaker)
	case storage.SceneCapture:
		name, st = "Scene Capture", p.lk.accent
		if c := m.Picture; c != nil && (c.Asked || c.Requested != "") {
			name, st = p.sender(it)
		}
	case storage.System:
		name, st = "Note", p.lk.dim
	}
	if name == "" {
		name = "Character"
	}
	if it.key.faded {
		st.Fg = p.lk.fade(st.Fg)
	}
	line := st.Styled(clip(name, max(1, p.width-12)))
	var notes []string
	if m.Siblings > 1 {
		notes = append(notes, fmt.Sprintf("‹%d/%d›", m.At+1, m.Siblings))
	}
	if m.State == storage.Draft && m.Role == storage.Assistant {
		notes = append(notes, "…")
	}
	if !m.EditedAt.IsZero() {
		notes = append(notes, "edited")
	}
	if m.Stale {
		notes = append(notes, "stale")
	}
	if words := p.whispered(&m); words != "" {
		notes = append(notes, words)
	}
	if len(notes) > 0 {
		line += " " + p.lk.dim.Styled(clip(strings.Join(notes, " "), p.width-1-ansi.StringWidth(line)))
	}
	return line
}

// sender is who sends a picture that was asked for in the talk: who spoke last
// before it.
func (p *play) sender(it *item) (name string, st uv.Style) {
	return p.spokeLast(p.find(it.msg.ID))
}

// spokeLast is which character spoke last among the first n messages.
func (p *play) spokeLast(n int) (name string, st uv.Style) {
	for i := min(n, len(p.items)) - 1; i >= 0; i-- {
		if m := p.items[i].msg; m.Role == storage.Assistant && m.Name != "" {
			return safetext.Line(m.Name), p.voice(m.Speaker)
		}
	}
	return "", p.lk.character
}

// ending says in words what is odd about the end of a message, "" when nothing
// is.
func (p *play) ending(m engine.Message) string {
	words := m.Fault
	switch m.State {
	case storage.Stopped:
		if words == "" {
			words = "stopped"
		}
	case storage.Cut:
		if words == "" {
			words = "cut by the reply limit"
		}
	case storage.Broken:
	default:
		return ""
	}
	words = "— " + strings.TrimRight(words, ".")
	var hints []string
	if k := p.keys.Key(keys.Continue, keys.Browse); k != "" {
		hints = append(hints, k+" continue")
	}
	if k := p.keys.Key(keys.Regenerate, keys.Browse); k != "" && m.State == storage.Broken {
		hints = append(hints, k+" another")
	}
	if len(hints) == 0 {
		return words
	}
	return words + " (browse: " + strings.Join(hints, ", ") + ")"
}

// clip cuts text to n cells.
func clip(text string, n int) string {
	return ansi.Truncate(safetext.Line(text), max(0, n), "…")
}

// ago is how long before now something was, in one word or two.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	}
	return t.Format("2006-01-02")
}

// elapsed is a running time as a clock shows it.
func elapsed(d time.Duration) string {
	s := int(d.Seconds())
	if s < 60 {
		return fmt.Sprintf("%ds", s)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// meter is a bar of w cells, filled to a share between 0 and 1.
func meter(share float64, w int) string {
	full := int(share*float64(w) + 0.5)
	full = max(0, min(full, w))
	return strings.Repeat("▰", full) + strings.Repeat("▱", w-full)
}

// bytesOf is a size as people read it.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d kB", n>>10)
}
