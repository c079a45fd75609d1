package scene

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// editBullets returns a recap's text with each bullet, counted from 0, replaced by the result of f;
// "" removes it. If anything changes, headings without bullets are removed.
func editBullets(md string, f func(i int, b Bullet) string) string {
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
		for at := b.Line; at < end &&
			(at == b.Line || strings.TrimSpace(lines[at]) != "" && !isHeading(lines[at])); at++ {
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
	heading := -1 // index in out of a heading without bullets so far
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

// itemMark returns the list mark at the beginning of a line.
func itemMark(line string) string {
	s := strings.TrimSpace(line)
	return line[:strings.Index(line, s)] + s[:len(s)-len(cutItem(s))]
}

func isHeading(l string) bool {
	s := strings.TrimSpace(l)
	_, level := headingMark(s)
	return level > 0 || s != "" && headingLine(s) >= 0
}

// WithoutEnded returns a recap's text without the bullets that over reports, and without such statements
// of the others.
func WithoutEnded(md string, over func(statement string) bool) string {
	return editBullets(md, func(_ int, b Bullet) string {
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

// WithoutBullets returns a recap's text without the bullets that drop reports.
func WithoutBullets(md string, drop func(b Bullet) bool) string {
	return editBullets(md, func(_ int, b Bullet) string {
		if drop(b) {
			return ""
		}
		return b.Text
	})
}

// FilterBySource returns the bullets of a recap's text whose source messages all satisfy keep.
// Bullets without known sources are dropped.
func FilterBySource(r storage.Recap, keep func(storage.NodeID) bool) string {
	return WithoutBullets(r.Text, func(b Bullet) bool {
		from := SourcesOf(r, b.Text)
		return len(from) == 0 || slices.ContainsFunc(from, func(id storage.NodeID) bool { return !keep(id) })
	})
}

// SourceMessages returns the messages that the bullets of a recap's text rest on.
func SourceMessages(r storage.Recap, text string) map[storage.NodeID]bool {
	on := map[storage.NodeID]bool{}
	for _, b := range Bullets(text) {
		for _, id := range SourcesOf(r, b.Text) {
			on[id] = true
		}
	}
	return on
}

// MarkEnded returns a recap's text with "(over)" behind the bullets for which over returns true.
func MarkEnded(md string, over func(bullet string) bool) string {
	return editBullets(md, func(_ int, b Bullet) string {
		if over(b.Text) {
			return b.Text + endedMark
		}
		return b.Text
	})
}

// The note behind a bullet that has ended in part is between these.
const noteOpen, noteClose = " (no longer so: ", ")"

// WithNotes returns a recap's text with a note behind each bullet for which ended returns one.
// WithoutNote removes it.
func WithNotes(md string, ended func(bullet string) string) string {
	return editBullets(md, func(_ int, b Bullet) string {
		if note := ended(b.Text); note != "" {
			return b.Text + noteOpen + prompts.OneLine(note) + noteClose
		}
		return b.Text
	})
}

// WithoutNote returns a bullet without the note that WithNotes has added.
func WithoutNote(bullet string) string {
	before, _, _ := strings.Cut(bullet, noteOpen)
	return before
}

// HasSituation reports whether a recap's text describes the current situation.
func HasSituation(md string) bool {
	return slices.ContainsFunc(Bullets(md), func(b Bullet) bool { return headingOf(b.Heading) == situation })
}

// AsPastSituation returns a recap's text with its situation heading changed to say that it is from
// before the scene that is being played.
func AsPastSituation(md string) string {
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

// BulletKey returns the normalized text of a bullet. It is equal for bullets for which SameBullet
// is true.
func BulletKey(s string) string { return text.Normalize(s) }

// Reword returns a recap with new text for some bullets; words maps their indexes, from 0, to the
// new text. "" removes a bullet. Replaced bullets keep their sources and are marked as edited by
// by.
func Reword(r storage.Recap, words map[int]string, by storage.BulletEdit) storage.Recap {
	was := r
	r.Sources = slices.Clone(r.Sources)
	r.Text = editBullets(r.Text, func(i int, b Bullet) string {
		now, ok := words[i]
		if !ok {
			return b.Text
		}
		now = strings.Join(strings.Fields(now), " ")
		r.Sources = slices.DeleteFunc(r.Sources, func(s storage.Source) bool { return SameBullet(s.Bullet, b.Text) })
		if now != "" {
			r.Sources = append(r.Sources, storage.Source{Bullet: now, Messages: SourcesOf(was, b.Text), UserEdit: by,
				Memories: MemoriesOf(was, b.Text)})
		}
		return now
	})
	return r
}

// RestoreBullet returns a recap with a bullet added under a heading and marked as brought back by the
// user. Facts about a past situation go under developments.
func RestoreBullet(r storage.Recap, heading, bullet string, from []storage.NodeID) storage.Recap {
	at := headingOf(heading)
	if at < 0 || at == situation {
		at = developments
	}
	bullet = strings.Join(strings.Fields(bullet), " ")
	r.Text = Tidy(strings.TrimRight(r.Text, "\n") + "\n\n## " + headings[at] + "\n- " + bullet + "\n")
	r.Sources = append(slices.Clone(r.Sources),
		storage.Source{Bullet: bullet, Messages: from, UserEdit: storage.BulletRestored})
	return r
}

// UserMark returns the user's edit of a bullet of a recap, "" for none.
func UserMark(r storage.Recap, bullet string) storage.BulletEdit {
	for _, s := range r.Sources {
		if s.UserEdit != "" && SameBullet(s.Bullet, bullet) {
			return s.UserEdit
		}
	}
	return ""
}
