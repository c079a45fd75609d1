package novel

import (
	"strconv"
	"strings"
)

// body sets pieces as XHTML. It knows who spoke last, so that a name stands only where
// the speaker changes.
type body struct {
	story *Story
	last  string // who spoke last, with a mark of the kind
}

// begin forgets who spoke: a chapter begins.
func (b *body) begin() { b.last = "" }

// piece sets one that is no picture and no beginning of a chapter.
func (b *body) piece(out *strings.Builder, p Piece) {
	switch p.Kind {
	case Spoken, Narrated:
		b.turn(out, p)
	case Recap:
		b.last = ""
		out.WriteString(`<aside class="recap"` + b.story.dirOf(p.Text) + ">\n" + `<p class="label">What happened</p>` + "\n" + prose(p.Text) + "</aside>\n")
	}
}

// turn sets what somebody said, with its other takes.
func (b *body) turn(out *strings.Builder, p Piece) {
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
	for i, t := range p.Takes {
		t = clean(t)
		out.WriteString(`<aside class="take"` + b.story.dirOf(t) + ">\n" + `<p class="label">Another swipe` + number(i, len(p.Takes)) + "</p>\n" + prose(t) + "</aside>\n")
	}
	out.WriteString("</div>\n")
}

func number(i, of int) string {
	if of < 2 {
		return ""
	}
	return " (" + strconv.Itoa(i+1) + " of " + strconv.Itoa(of) + ")"
}

// picture sets a picture that is found at an address of this document's own; "" is one
// that could not be had.
func (b *body) picture(out *strings.Builder, p Piece, at string, img Image) {
	caption := ""
	if p.Caption != "" {
		caption = "<figcaption" + b.story.dirOf(p.Caption) + ">" + escape(p.Caption) + "</figcaption>"
	}
	if at == "" {
		out.WriteString("<figure>\n<p class=\"missing\">A picture stood here. Its file is gone.</p>\n" + caption + "</figure>\n")
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
	out.WriteString("<figure>\n<img src=\"" + at + `" alt="` + escape(alt) + `"` + size + " />\n" + caption + "</figure>\n")
}

// title sets the title page.
func (s *Story) title() string {
	var out strings.Builder
	out.WriteString("<h1" + s.dirOf(s.Title) + ">" + escape(s.Title) + "</h1>\n")
	for _, l := range s.people() {
		out.WriteString(`<p class="people"><bdi>` + escape(l) + "</bdi></p>\n")
	}
	if days := s.days(); days != "" {
		out.WriteString(`<p class="days">` + escape(days) + "</p>\n")
	}
	return out.String()
}

// mediaType is that of a picture's format.
func mediaType(format string) string {
	if format == "jpg" {
		format = "jpeg"
	}
	return "image/" + format
}
