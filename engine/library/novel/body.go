package novel

import (
	"strconv"
	"strings"
)

// bodyWriter writes pieces as XHTML. It keeps the last speaker, because a name is only written
// where the speaker changes.
type bodyWriter struct {
	story *Story
	last  string // the last speaker, with a mark of the kind
}

// begin starts a chapter: the next speaker is named.
func (b *bodyWriter) begin() { b.last = "" }

// piece writes a piece that is neither a picture nor the beginning of a chapter.
func (b *bodyWriter) piece(out *strings.Builder, p Piece) {
	switch p.Kind {
	case Spoken, Narrated:
		b.message(out, p)
	case Recap:
		b.last = ""
		out.WriteString(`<aside class="recap"` + b.story.dirOf(p.Text) + ">\n" + `<p class="label">What happened</p>` +
			"\n" + prose(p.Text) + "</aside>\n")
	}
}

// message writes a message with its other swipes.
func (b *bodyWriter) message(out *strings.Builder, p Piece) {
	class := "said"
	switch {
	case p.Kind == Narrated:
		class = "told"
	case p.User:
		class = "said user"
	}
	if p.Whisper {
		class += " whisper"
	}
	out.WriteString(`<div class="` + class + `"` + b.story.dirOf(p.Text) + ">\n")
	who := class + "\x00" + p.Name
	if p.Kind == Narrated {
		who = ""
	}
	if who != "" && who != b.last && p.Name != "" {
		aside := ""
		if p.Whisper {
			aside = ` <span class="how">whispers</span>`
		}
		out.WriteString(`<p class="speaker"><bdi>` + escape(p.Name) + "</bdi>" + aside + "</p>\n")
	}
	b.last = who
	out.WriteString(prose(p.Text))
	for i, t := range p.Swipes {
		t = clean(t)
		out.WriteString(`<aside class="take"` + b.story.dirOf(t) + ">\n" + `<p class="label">Another swipe` +
			number(i, len(p.Swipes)) + "</p>\n" + prose(t) + "</aside>\n")
	}
	out.WriteString("</div>\n")
}

func number(i, of int) string {
	if of < 2 {
		return ""
	}
	return " (" + strconv.Itoa(i+1) + " of " + strconv.Itoa(of) + ")"
}

// picture writes a picture at an address of this document; "" means that it is missing.
func (b *bodyWriter) picture(out *strings.Builder, p Piece, at string, img Image) {
	caption := ""
	if p.Caption != "" {
		caption = "<figcaption" + b.story.dirOf(p.Caption) + ">" + escape(p.Caption) + "</figcaption>"
	}
	if at == "" {
		out.WriteString("<figure>\n<p class=\"missing\">A picture stood here. Its file is gone.</p>\n" + caption +
			"</figure>\n")
		return
	}
	size := ""
	if img.Width > 0 && img.Height > 0 {
		size = ` width="` + strconv.Itoa(img.Width) + `" height="` + strconv.Itoa(img.Height) + `"`
	}
	alt := p.Caption
	if alt == "" {
		alt = "A picture of this moment"
	}
	out.WriteString("<figure>\n<img src=\"" + at + `" alt="` + escape(alt) + `"` + size + " />\n" + caption +
		"</figure>\n")
}

// title returns the title page.
func (s *Story) title() string {
	var out strings.Builder
	out.WriteString("<h1" + s.dirOf(s.Title) + ">" + escape(s.Title) + "</h1>\n")
	for _, l := range s.castLines() {
		out.WriteString(`<p class="people"><bdi>` + escape(l) + "</bdi></p>\n")
	}
	if days := s.dateRange(); days != "" {
		out.WriteString(`<p class="days">` + escape(days) + "</p>\n")
	}
	return out.String()
}

// mediaType returns the media type of a picture format.
func mediaType(format string) string {
	if format == "jpg" {
		format = "jpeg"
	}
	return "image/" + format
}
