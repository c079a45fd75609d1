package scene

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Only is of a recap what keep says of the messages that a bullet rests on; what rests
// on none that is known is kept by nobody. Headings without a bullet go too.
func Only(r storage.Recap, keep func(storage.NodeID) bool) string {
	var b strings.Builder
	heading := ""
	for _, bullet := range Bullets(r.Text) {
		from := SourcesOf(r, bullet.Text)
		if len(from) == 0 || slices.ContainsFunc(from, func(id storage.NodeID) bool { return !keep(id) }) {
			continue
		}
		if bullet.Heading != heading {
			heading = bullet.Heading
			b.WriteString("\n## " + heading + "\n\n")
		}
		b.WriteString("- " + bullet.Text + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Beside is a recap's text without the bullets that drop says of, and without headings that
// nothing stands under. from are the messages that a bullet came from.
func Beside(r storage.Recap, text string, drop func(b Bullet, from []storage.NodeID) bool) string {
	bullets := Bullets(text)
	gone := map[int]bool{} // lines
	lines := strings.Split(text, "\n")
	for i, b := range bullets {
		if !drop(b, SourcesOf(r, b.Text)) {
			continue
		}
		end := len(lines)
		if i+1 < len(bullets) {
			end = bullets[i+1].Line
		}
		for at := b.Line; at < end; at++ {
			if strings.TrimSpace(lines[at]) == "" || at > b.Line && isHeading(lines[at]) {
				break
			}
			gone[at] = true
		}
	}
	return strings.TrimSpace(filled(lines, gone))
}

// filled are the lines that are not gone, without headings that nothing stands under.
func filled(lines []string, gone map[int]bool) string {
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
	return strings.Join(out, "\n")
}

func isHeading(l string) bool {
	s := strings.TrimSpace(l)
	_, level := headingMark(s)
	return level > 0 || s != "" && headingLine(s) >= 0
}

// Rests are the messages that the bullets of a text rest on, which is of a recap.
func Rests(r storage.Recap, text string) map[storage.NodeID]bool {
	on := map[storage.NodeID]bool{}
	for _, b := range Bullets(text) {
		for _, id := range SourcesOf(r, b.Text) {
			on[id] = true
		}
	}
	return on
}
