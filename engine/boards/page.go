package boards

import (
	"fmt"
	"io"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// writeBoardPage writes a storyboard with its sketches as a self-contained HTML page.
func (svc *Service) writeBoardPage(b boardExport, w io.Writer) error {
	p := pictures.NewPage(svc.pictures.Gallery, w)
	p.Head(b.title, b.about())
	titles := b.beatTitles()
	open := ""
	for i, s := range b.Shots {
		if t := titles[s.Beat]; t != "" && t != open {
			if open != "" {
				p.Raw("</section>\n")
			}
			p.Raw("<section>\n<h2 dir=\"auto\">", pictures.EscapeHTML(t), "</h2>\n")
			open = t
		}
		writeShot(p, i, s, b.Sketches[s.ID])
	}
	if open != "" {
		p.Raw("</section>\n")
	}
	if len(b.Shots) == 0 {
		p.Raw("<p>There are no shots yet.</p>\n")
	}
	p.Raw("</main>\n</body>\n</html>\n")
	return p.Flush()
}

// writeShot writes a shot with its sketch.
func writeShot(p *pictures.Page, i int, s storage.Shot, sketch storage.Capture) {
	p.Raw(`<article class="other">`, "\n<h3 dir=\"auto\">", pictures.EscapeHTML(shotTitle(i, s)), "</h3>")
	writeParagraph(p, "", s.Description)
	writeParagraph(p, "user", s.Dialogue)
	writeParagraph(p, "note", failure.JoinWords(string(s.Kind), storyboard.Label(storyboard.FieldJob, s.Job),
		storyboard.Label(storyboard.FieldAngle, s.Angle),
		storyboard.Label(storyboard.FieldMovement, s.Movement), s.Subject))
	p.Raw("\n</article>\n")
	if sketch.ImagePath != "" {
		p.Raw("<figure>\n")
		p.Picture(sketch)
		p.Raw("\n</figure>\n")
	}
}

// writeParagraph writes a non-empty text.
func writeParagraph(p *pictures.Page, class, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.Raw(fmt.Sprintf("\n<p class=%q dir=\"auto\">", class),
		strings.ReplaceAll(pictures.EscapeHTML(text), "\n", "<br>\n"), "</p>")
}
