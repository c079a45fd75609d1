package scene

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// edit returns a recap's text with what f makes of each bullet, counted from 0; "" is nothing.
// Where that changes anything, headings that nothing stands under go.
func edit(md string, f func(i int, b Bullet) string) string {
	bullets, lines := Bullets(md), strings.Split(md, "\n")
	gone, changed := map[int]bool{}, false
	for i, b := range bullets {
		now := f(i, b)
		if now == b.Text {
			continue
		}
		changed = true
		end := len(lines)
		if i+1 < len(bullets) {
			end = bullets[i+1].Line
		}
		for at := b.Line; at < end && (at == b.Line || strings.TrimSpace(lines[at]) != "" && !isHeading(lines[at])); at++ {
			gone[at] = true
		}
		if now != "" {
			gone[b.Line] = false
			lines[b.Line] = itemMark(lines[b.Line]) + now
		}
	}
	if !changed {
		return md
	}
	var out []string
	heading := -1 // in out, of one with nothing under it yet
	for i, l := range lines {
		switch {
		case gone[i]:
			continue
		case isHeading(l):
			if heading >= 0 {
				out = out[:heading]
			}
			heading = len(out)
		case strings.TrimSpace(l) != "":
			heading = -1
		}
		out = append(out, l)
	}
	if heading >= 0 {
		out = out[:heading]
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// itemMark returns what stands before the words of a line of a list.
func itemMark(line string) string {
	s := strings.TrimSpace(line)
	return line[:strings.Index(line, s)] + s[:len(s)-len(cutItem(s))]
}

func isHeading(l string) bool {
	s := strings.TrimSpace(l)
	_, level := headingMark(s)
	return level > 0 || s != "" && headingLine(s) >= 0
}

// Without returns a recap's text without the bullets that over reports, and without such statements
// of the others.
func Without(md string, over func(statement string) bool) string {
	return edit(md, func(_ int, b Bullet) string {
		if over(b.Text) {
			return ""
		}
		list := Statements(b.Text)
		if left := slices.DeleteFunc(slices.Clone(list), over); len(left) < len(list) {
			return strings.Join(left, " ")
		}
		return b.Text
	})
}

// Beside returns a recap's text without the bullets that drop reports.
func Beside(md string, drop func(b Bullet) bool) string {
	return edit(md, func(_ int, b Bullet) string {
		if drop(b) {
			return ""
		}
		return b.Text
	})
}

// Only returns a recap's text as far as keep reports the messages that a bullet rests on. What
// rests on none that is known is kept by nobody.
func Only(r storage.Recap, keep func(storage.NodeID) bool) string {
	return Beside(r.Text, func(b Bullet) bool {
		from := SourcesOf(r, b.Text)
		return len(from) == 0 || slices.ContainsFunc(from, func(id storage.NodeID) bool { return !keep(id) })
	})
}

// Rests returns the messages that the bullets of a text rest on, which is of a recap.
func Rests(r storage.Recap, text string) map[storage.NodeID]bool {
	on := map[storage.NodeID]bool{}
	for _, b := range Bullets(text) {
		for _, id := range SourcesOf(r, b.Text) {
			on[id] = true
		}
	}
	return on
}

// Marked returns a recap's text in which "(over)" stands behind the bullets that over reports.
func Marked(md string, over func(bullet string) bool) string {
	return edit(md, func(_ int, b Bullet) string {
		if over(b.Text) {
			return b.Text + overMark
		}
		return b.Text
	})
}

// What stands around the note behind a bullet of which something has ended.
const noteOpen, noteClose = " (no longer so: ", ")"

// Noted returns a recap's text in which it stands behind bullets what of them is no longer so; ""
// is nothing. WithoutNote is such a bullet as it was.
func Noted(md string, ended func(bullet string) string) string {
	return edit(md, func(_ int, b Bullet) string {
		if note := ended(b.Text); note != "" {
			return b.Text + noteOpen + prompts.OneLine(note) + noteClose
		}
		return b.Text
	})
}

// WithoutNote returns a bullet without what Noted has put behind it.
func WithoutNote(bullet string) string {
	before, _, _ := strings.Cut(bullet, noteOpen)
	return before
}

// Stands reports whether a recap's text says how things stand.
func Stands(md string) bool {
	return slices.ContainsFunc(Bullets(md), func(b Bullet) bool { return headingOf(b.Heading) == situation })
}

// StoodBefore returns a recap's text whose heading of how things stand says that it is of before
// the scene that is being played.
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

// Reword returns a recap with other words in the place of some of its bullets, which are counted
// from 0; with "" a bullet goes. What stands there came from the messages that the old bullet came
// from, and is marked as by's doing.
func Reword(r storage.Recap, words map[int]string, by storage.BulletEdit) storage.Recap {
	was := r
	r.Sources = slices.Clone(r.Sources)
	r.Text = edit(r.Text, func(i int, b Bullet) string {
		now, ok := words[i]
		if !ok {
			return b.Text
		}
		now = strings.Join(strings.Fields(now), " ")
		r.Sources = slices.DeleteFunc(r.Sources, func(s storage.Source) bool { return SameBullet(s.Bullet, b.Text) })
		if now != "" {
			r.Sources = append(r.Sources, storage.Source{Bullet: now, Messages: SourcesOf(was, b.Text), Hand: by, Memories: MemoriesOf(was, b.Text)})
		}
		return now
	})
	return r
}

// Bring returns a recap with a bullet added under a heading, marked as brought back by the user.
// What told how things stood in a scene that has passed goes to what has happened.
func Bring(r storage.Recap, heading, bullet string, from []storage.NodeID) storage.Recap {
	at := headingOf(heading)
	if at < 0 || at == situation {
		at = developments
	}
	bullet = strings.Join(strings.Fields(bullet), " ")
	r.Text = Tidy(strings.TrimRight(r.Text, "\n") + "\n\n## " + headings5[at] + "\n- " + bullet + "\n")
	r.Sources = append(slices.Clone(r.Sources), storage.Source{Bullet: bullet, Messages: from, Hand: storage.BroughtBack})
	return r
}

// HandOf returns what the user has done to a bullet of a recap, "" for nothing.
func HandOf(r storage.Recap, bullet string) storage.BulletEdit {
	for _, s := range r.Sources {
		if s.Hand != "" && SameBullet(s.Bullet, bullet) {
			return s.Hand
		}
	}
	return ""
}
