package scene

import (
	"slices"
	"strings"

	"ghostlight/storage"
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
