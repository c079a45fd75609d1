package scene

import (
	"slices"
	"strings"

	"ghostlight/storage"
)

// Without is a recap's text without the bullets that over tells of, whole lines as they
// stand; its headings stay. It is the very text where there are none.
func Without(md string, over func(bullet string) bool) string {
	list := Bullets(md)
	gone := map[int]bool{}
	for i, b := range list {
		if over(b.Text) {
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return md
	}
	at := map[int]int{} // bullets by the line on which they begin
	for i, b := range list {
		at[b.Line] = i
	}
	var out []string
	cut := false
	for i, raw := range strings.Split(md, "\n") {
		s := strings.TrimSpace(raw)
		_, level := headingMark(s)
		if n, begins := at[i]; begins {
			cut = gone[n]
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
	list := Bullets(md)
	lines := strings.Split(md, "\n")
	for i, b := range list {
		if !over(b.Text) {
			continue
		}
		last := b.Line
		for at := b.Line + 1; at < len(lines) && strings.TrimSpace(lines[at]) != "" && !isHeading(lines[at]); at++ {
			if i+1 < len(list) && at >= list[i+1].Line {
				break
			}
			last = at
		}
		lines[last] = strings.TrimRight(lines[last], " \t\r") + overMark
	}
	return strings.Join(lines, "\n")
}

// Stands tells whether a recap's text says how things stand.
func Stands(md string) bool {
	return slices.ContainsFunc(Bullets(md), func(b Bullet) bool { return headingOf(b.Heading) == situation })
}

// BeforeNow is a text of a recap without how things stood, but for what keep says, and
// how many bullets are gone.
func BeforeNow(r storage.Recap, md string, keep func(Bullet) bool) (text string, gone int) {
	text = Beside(r, md, func(b Bullet, _ []storage.NodeID) bool {
		if headingOf(b.Heading) != situation || keep(b) {
			return false
		}
		gone++
		return true
	})
	return text, gone
}

// SameBullet tells whether two bullets are of the same words, whatever their marks.
func SameBullet(a, b string) bool { return plainText(a) == plainText(b) }

// BulletKey is the same for bullets that SameBullet.
func BulletKey(s string) string { return plainText(s) }
