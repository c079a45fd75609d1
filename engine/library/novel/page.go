package novel

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"io"
	"iter"
	"strconv"
	"strings"
)

//go:embed style.css
var style string

// policy allows a page its own pictures and styles, and nothing else.
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

// writePage writes one self-contained HTML page.
func writePage(w io.Writer, s Story, pieces iter.Seq2[Piece, error],
	image func(string) (Image, error)) (r Report, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
	put := func(text string) { _, _ = out.WriteString(text) } // Flush returns the error
	put("<!DOCTYPE html>\n<html lang=\"" + s.Language + `" dir="` + s.dir() +
		"\">\n<head>\n<meta charset=\"utf-8\" />\n" +
		`<meta name="viewport" content="width=device-width, initial-scale=1" />` + "\n" +
		`<meta http-equiv="Content-Security-Policy" content="` + policy + "\" />\n" +
		"<title>" + escape(s.Title) + "</title>\n<style>\n" + style +
		"</style>\n</head>\n<body>\n<header class=\"title\">\n" + s.title() + "</header>\n")
	if len(s.Chapters) > 1 {
		put("<nav>\n<h2>Contents</h2>\n<ol>\n")
		for i := range s.Chapters {
			put(`<li><a href="#chapter` + strconv.Itoa(i+1) + `">` + escape(s.label(i+1)) + "</a></li>\n")
		}
		put("</ol>\n</nav>\n")
	}
	put("<main>\n")
	b := bodyWriter{story: &s}
	var part strings.Builder
	err = r.count(pieces, func(p Piece) error {
		part.Reset()
		switch p.Kind {
		case Chapter:
			b.begin()
			if r.Chapters > 1 {
				part.WriteString("</section>\n")
			}
			part.WriteString(s.open(r.Chapters, r.Chapters))
		case Picture:
			return pagePicture(out, &b, p, &r, image)
		default:
			b.piece(&part, p)
		}
		_, err := out.WriteString(part.String())
		return err
	})
	if err != nil {
		return r, err
	}
	if r.Chapters > 0 {
		put("</section>\n")
	}
	put("</main>\n</body>\n</html>\n")
	return r, out.Flush()
}

// open begins the section of a chapter.
func (s *Story) open(n, id int) string {
	out := `<section class="chapter" id="chapter` + strconv.Itoa(id) + "\">\n"
	if h := s.heading(n); h != "" {
		out += "<h2" + s.dirOf(h) + ">" + escape(h) + "</h2>\n"
	}
	return out
}

// pagePicture writes a picture into the page, without a copy of it in memory as text.
func pagePicture(out *bufio.Writer, b *bodyWriter, p Piece, r *Report, image func(string) (Image, error)) error {
	img, err := image(p.Picture)
	var part strings.Builder
	if err != nil {
		r.Missing++
		b.picture(&part, p, "", img)
		_, err = out.WriteString(part.String())
		return err
	}
	r.Pictures++
	const here = "\x00"
	b.picture(&part, p, here, img)
	before, after, _ := strings.Cut(part.String(), here)
	_, _ = out.WriteString(before + "data:" + mediaType(img.Format) + ";base64,")
	enc := base64.NewEncoder(base64.StdEncoding, out)
	_, _ = enc.Write(img.Data)
	_ = enc.Close()
	_, err = out.WriteString(after)
	return err
}
