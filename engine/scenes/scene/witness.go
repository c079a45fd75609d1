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

// Rest adds to the sources of a recap's bullets the messages among hidden, which not
// everybody has heard, whose words they hold, whether the model has named these or not:
// in doubt a fact rests on what is secret. The names in skip do not count.
func Rest(r *storage.Recap, hidden []Message, skip ...string) {
	if len(hidden) == 0 {
		return
	}
	names := nameWords(skip...)
	var secret []map[string]bool
	for _, m := range hidden {
		secret = append(secret, stems(m.Text, names))
	}
	for _, bullet := range Bullets(r.Text) {
		words := stems(bullet.Text, names)
		for i, m := range hidden {
			common := 0
			for w := range words {
				if secret[i][w] {
					common++
				}
			}
			if common > 1 || common == 1 && len(words) == 1 {
				addSource(r, bullet.Text, m.ID)
			}
		}
	}
}

// Inferred adds to the sources of a recap's bullets the messages of what secret tells,
// which not everybody knows, where a bullet has a name or two other words of it that the
// scene itself never says: the model took them from what it was shown of the play before.
// It returns these messages.
func Inferred(r *storage.Recap, secret, said []Message) (from []storage.NodeID) {
	if len(secret) == 0 {
		return nil
	}
	open := map[string]bool{}
	for _, m := range said {
		for w := range stems(m.Name+" "+m.Text, nil) {
			open[w] = true
		}
	}
	for _, bullet := range Bullets(r.Text) {
		words, names := stems(bullet.Text, nil), stems(strings.Join(Names("- "+bullet.Text), " "), nil)
		for _, m := range secret {
			common := 0
			for w := range stems(m.Text, nil) {
				if words[w] && !open[w] {
					common++
					if names[w] {
						common++
					}
				}
			}
			if common > 1 {
				addSource(r, bullet.Text, m.ID)
				from = append(from, m.ID)
			}
		}
	}
	return from
}

func addSource(r *storage.Recap, bullet string, id storage.NodeID) {
	at := slices.IndexFunc(r.Sources, func(s storage.Source) bool { return plainText(s.Bullet) == plainText(bullet) })
	if at < 0 {
		r.Sources = append(r.Sources, storage.Source{Bullet: bullet, Messages: []storage.NodeID{id}})
		return
	}
	if !slices.Contains(r.Sources[at].Messages, id) {
		r.Sources[at].Messages = append(slices.Clone(r.Sources[at].Messages), id)
	}
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
