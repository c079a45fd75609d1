package scene

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Without is a recap's text without what over tells of, bullets or statements of them:
// of these the others stay, on one line. Its headings stay. It is the very text where
// there are none.
func Without(md string, over func(statement string) bool) string {
	return holding(md, func(b Bullet) string {
		if over(b.Text) {
			return ""
		}
		return kept(b, func(statement string) bool { return !over(statement) })
	})
}

// Keeping is a recap's text with those statements of its bullets that keep lets through, in
// their order.
func Keeping(md string, keep func(b Bullet, statement string) bool) string {
	return holding(md, func(b Bullet) string { return kept(b, func(statement string) bool { return keep(b, statement) }) })
}

// kept is what is kept of a bullet.
func kept(b Bullet, keep func(string) bool) string {
	list := Statements(b.Text)
	var left []string
	for _, s := range list {
		if keep(s) {
			left = append(left, s)
		}
	}
	if len(left) == len(list) {
		return b.Text
	}
	return strings.Join(left, " ")
}

// holding is a recap's text with what is left of each bullet, "" for none of it.
func holding(md string, holds func(Bullet) string) string {
	left, begins, changed := map[int]string{}, map[int]bool{}, false // by the lines on which bullets begin
	for _, b := range Bullets(md) {
		begins[b.Line] = true
		if now := holds(b); now != b.Text {
			left[b.Line], changed = now, true
		}
	}
	if !changed {
		return md
	}
	var out []string
	cut := false
	for i, raw := range strings.Split(md, "\n") {
		s := strings.TrimSpace(raw)
		_, level := headingMark(s)
		if now, other := left[i]; begins[i] {
			if cut = other; other && now != "" {
				out = append(out, raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))]+s[:len(s)-len(cutItem(s))]+now)
			}
		} else if s == "" || level > 0 || headingLine(s) >= 0 {
			cut = false
		}
		if !cut {
			out = append(out, raw)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// Marked is a recap's text in which "(over)" stands behind the bullets that over tells of.
func Marked(md string, over func(bullet string) bool) string {
	return behind(md, func(bullet string) string {
		if over(bullet) {
			return overMark
		}
		return ""
	})
}

// What stands around the note behind a bullet of which something has ended.
const noteOpen, noteClose = " (no longer so: ", ")"

// Noted returns a recap's text in which it stands behind bullets what of them is no longer so; ""
// is nothing. WithoutNote is such a bullet as it was.
func Noted(md string, ended func(bullet string) string) string {
	return behind(md, func(bullet string) string {
		if note := ended(bullet); note != "" {
			return noteOpen + prompts.OneLine(note) + noteClose
		}
		return ""
	})
}

// WithoutNote returns a bullet without what Noted has put behind it.
func WithoutNote(bullet string) string {
	before, _, _ := strings.Cut(bullet, noteOpen)
	return before
}

// behind is a recap's text with marks behind its bullets, "" for none.
func behind(md string, mark func(bullet string) string) string {
	list := Bullets(md)
	lines := strings.Split(md, "\n")
	for i, b := range list {
		with := mark(b.Text)
		if with == "" {
			continue
		}
		last := b.Line
		for at := b.Line + 1; at < len(lines) && strings.TrimSpace(lines[at]) != "" && !isHeading(lines[at]); at++ {
			if i+1 < len(list) && at >= list[i+1].Line {
				break
			}
			last = at
		}
		lines[last] = strings.TrimRight(lines[last], " \t\r") + with
	}
	return strings.Join(lines, "\n")
}

// Stands tells whether a recap's text says how things stand.
func Stands(md string) bool {
	return slices.ContainsFunc(Bullets(md), func(b Bullet) bool { return headingOf(b.Heading) == situation })
}

// StoodBefore returns a recap's text whose heading of how things stand says that it is of
// before the scene that is being played.
func StoodBefore(md string) string {
	lines := strings.Split(md, "\n")
	for i, l := range lines {
		if headingLine(strings.TrimSpace(l)) == situation {
			lines[i] = "## Situation when this scene began"
		}
	}
	return strings.Join(lines, "\n")
}

// SameBullet reports whether two bullets are the same text after normalisation.
func SameBullet(a, b string) bool { return text.Equal(a, b) }

// BulletKey returns the normalised text of a bullet: the same for those that SameBullet.
func BulletKey(s string) string { return text.Normalize(s) }
