package engine

import (
	"fmt"
	"io"
	"strings"

	"ghostlight/engine/boards/storyboard"
	"ghostlight/storage"
)

// writeBoardPage writes a storyboard with its sketches as HTML: a file of its own,
// like the page of a gallery.
func (e *Engine) writeBoardPage(b writtenBoard, w io.Writer) error {
	p := newPage(e, w)
	p.head(b.title, b.about())
	titles := b.beatTitles()
	open := ""
	for i, s := range b.Shots {
		if t := titles[s.Beat]; t != "" && t != open {
			if open != "" {
				p.raw("</section>\n")
			}
			p.raw("<section>\n<h2 dir=\"auto\">", escaped(t), "</h2>\n")
			open = t
		}
		writeShot(p, i, s, b.Sketches[s.ID])
	}
	if open != "" {
		p.raw("</section>\n")
	}
	if len(b.Shots) == 0 {
		p.raw("<p>There are no shots yet.</p>\n")
	}
	p.raw("</main>\n</body>\n</html>\n")
	return p.flush()
}

// writeShot writes a shot with its sketch.
func writeShot(p *page, i int, s storage.Shot, sketch storage.Capture) {
	p.raw(`<article class="other">`, "\n<h3 dir=\"auto\">", escaped(shotTitle(i, s)), "</h3>")
	writeParagraph(p, "", s.Description)
	writeParagraph(p, "user", s.Dialogue)
	writeParagraph(p, "note", joinWords(string(s.Kind), storyboard.Label(storyboard.FieldJob, s.Job), storyboard.Label(storyboard.FieldAngle, s.Angle),
		storyboard.Label(storyboard.FieldMovement, s.Movement), s.Subject))
	p.raw("\n</article>\n")
	if sketch.ImagePath != "" {
		p.raw("<figure>\n")
		p.picture(sketch)
		p.raw("\n</figure>\n")
	}
}

// writeParagraph writes text, if there is any.
func writeParagraph(p *page, class, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.raw(fmt.Sprintf("\n<p class=%q dir=\"auto\">", class), strings.ReplaceAll(escaped(text), "\n", "<br>\n"), "</p>")
}
