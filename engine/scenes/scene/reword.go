package scene

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Reword is a recap with other words in the place of some of its bullets, which are
// counted from 0; with "" a bullet goes. What stands there came from the messages that
// the old bullet came from, and is marked as by's doing.
func Reword(r storage.Recap, words map[int]string, by storage.Hand) storage.Recap {
	bullets := Bullets(r.Text)
	was := r
	r.Sources = slices.Clone(r.Sources)
	lines := strings.Split(r.Text, "\n")
	gone := map[int]bool{}
	for i, b := range bullets {
		now, ok := words[i]
		if !ok {
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
		same := func(s storage.Source) bool { return plainText(s.Bullet) == plainText(b.Text) }
		from, memories := SourcesOf(was, b.Text), MemoriesOf(was, b.Text)
		r.Sources = slices.DeleteFunc(r.Sources, same)
		if now == "" {
			continue
		}
		gone[b.Line] = false
		lines[b.Line] = markOf(lines[b.Line]) + strings.Join(strings.Fields(now), " ")
		r.Sources = append(r.Sources, storage.Source{Bullet: now, Messages: from, Hand: by, Memories: memories})
	}
	for at, g := range gone {
		if !g {
			delete(gone, at)
		}
	}
	r.Text = strings.TrimSpace(filled(lines, gone))
	return r
}

// markOf is what stands before the words of a line of a list.
func markOf(line string) string {
	s := strings.TrimSpace(line)
	cut := cutItem(s)
	at := strings.Index(line, s)
	return line[:at] + s[:len(s)-len(cut)]
}

// Bring is a recap with a bullet added under a heading, marked as brought back by the
// user. What told how things stood in a scene that has passed goes to what has happened.
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

// HandOf is what the user has done to a bullet of a recap, "" for nothing.
func HandOf(r storage.Recap, bullet string) storage.Hand {
	for _, s := range r.Sources {
		if s.Hand != "" && plainText(s.Bullet) == plainText(bullet) {
			return s.Hand
		}
	}
	return ""
}
