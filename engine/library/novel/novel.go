// Package novel is pure: it writes a played story as something to read, which is plain
// text, Markdown, one page of HTML, or a book (EPUB 3). It is given the story piece by
// piece and holds no more of it than the document that it is writing.
//
// What it writes refers to nothing outside of itself and runs nothing. All text is taken
// for hostile: it is Markdown at best, and what looks like HTML in it is shown as it was
// typed.
//
// EPUB is written after the recommendations EPUB 3.3 and EPUB Open Container Format 3.3
// of the W3C, with the NCX of EPUB 2 for older readers.
package novel

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Format is how a story is written.
type Format string

const (
	Text     Format = "text"
	Markdown Format = "markdown"
	HTML     Format = "html"
	EPUB     Format = "epub"
)

// Formats are all of them.
var Formats = []Format{Text, Markdown, HTML, EPUB}

// Endings are the endings of files by which a format is known, the usual one first.
var Endings = []struct {
	Ending string
	Format Format
}{{".epub", EPUB}, {".html", HTML}, {".htm", HTML}, {".md", Markdown}, {".markdown", Markdown}, {".txt", Text}}

// FormatOf is the format that a file's ending means; false for none of these.
func FormatOf(path string) (Format, bool) {
	ext := strings.ToLower(filepath.Ext(path))
	for _, e := range Endings {
		if e.Ending == ext {
			return e.Format, true
		}
	}
	return "", false
}

// Ending is the usual ending of a format's files.
func (f Format) Ending() string {
	for _, e := range Endings {
		if e.Format == f {
			return e.Ending
		}
	}
	return ""
}

// Pictured reports whether a format has pictures in it.
func (f Format) Pictured() bool { return f == HTML || f == EPUB }

// Story is what a title page tells.
type Story struct {
	ID       string // a URN that is that of this story for ever
	Title    string
	Cast     []string // by name, the main one first
	Persona  string   // whom the user played, "" for nobody
	From, To time.Time
	Modified time.Time
	Language string   // a tag of BCP 47; "" is not known
	RTL      bool     // most of it is written from right to left
	Chapters []string // their headings in order; one of "" is a story without chapters
}

// Kind is what a piece of a story is.
type Kind int

const (
	Chapter  Kind = iota // begins the next one of Story.Chapters
	Spoken               // by somebody
	Narrated             // by nobody: a narrator's words
	Picture
	Recap // of the chapter that ends here
)

// Piece is a part of a story, in its order. Text is Markdown of roleplay prose.
type Piece struct {
	Kind    Kind
	Name    string // who said it
	User    bool   // the user said it
	Whisper bool   // only some heard it
	Text    string
	Takes   []string // other versions of it
	Picture string   // by which Image is asked
	Caption string   // "" for none
}

// Image is a picture as a file: png, jpeg or gif.
type Image struct {
	Format        string
	Data          []byte
	Width, Height int
}

// Report is what came of writing.
type Report struct {
	Chapters int
	Pieces   int
	Pictures int
	Missing  int // pictures that could not be had
}

// Write writes a story. Pieces come in order; an error among them ends it. Of each picture
// image is asked once, in their order; where it has none, the story says that there was
// one. Whatever is written when an error ends it is worth nothing.
func Write(w io.Writer, f Format, s Story, pieces iter.Seq2[Piece, error], image func(key string) (Image, error)) (Report, error) {
	s.tidy()
	switch f {
	case Text, Markdown:
		return writePlain(w, f == Markdown, s, pieces)
	case HTML:
		return writePage(w, s, pieces, image)
	case EPUB:
		return writeBook(w, s, pieces, image)
	}
	return Report{}, fmt.Errorf("a story is not written as %q", f)
}

// tidy makes the names of a story fit for a title page.
func (s *Story) tidy() {
	if s.Title = line(s.Title); s.Title == "" {
		s.Title = "A story"
	}
	s.Persona = line(s.Persona)
	s.Cast = slices.Clone(s.Cast)
	for i := range s.Cast {
		s.Cast[i] = line(s.Cast[i])
	}
	s.Cast = slices.DeleteFunc(s.Cast, func(n string) bool { return n == "" })
	s.Chapters = slices.Clone(s.Chapters)
	for i := range s.Chapters {
		s.Chapters[i] = line(s.Chapters[i])
	}
	if s.Language = tag(s.Language); s.Language == "" {
		s.Language = "und"
	}
}

// tag is a language's tag where it has the form of one, else "".
func tag(t string) string {
	for i, part := range strings.Split(t, "-") {
		if len(part) < 1 || len(part) > 8 || i == 0 && len(part) < 2 {
			return ""
		}
		for _, r := range part {
			if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
				return ""
			}
		}
	}
	return t
}

// ValidLanguage reports whether a text has the form of a language's tag, as "en" and
// "pt-BR" have.
func ValidLanguage(t string) bool { return tag(t) != "" }

// heading is the heading of a chapter by its number from 1, "" for none.
func (s *Story) heading(n int) string {
	if n < 1 || n > len(s.Chapters) {
		return ""
	}
	return s.Chapters[n-1]
}

// label is what a table of contents calls a chapter.
func (s *Story) label(n int) string {
	if h := s.heading(n); h != "" {
		return h
	}
	return s.Title
}

// days are when the story was played, "" where that is not known.
func (s *Story) days() string {
	const form = "2 January 2006"
	switch from, to := s.From.Format(form), s.To.Format(form); {
	case s.From.IsZero():
		return ""
	case s.To.IsZero() || from == to:
		return from
	default:
		return from + " – " + to
	}
}

// people says who plays, in plain words; "" for nobody.
func (s *Story) people() []string {
	var out []string
	if len(s.Cast) > 0 {
		out = append(out, "With "+join(s.Cast))
	}
	if s.Persona != "" {
		out = append(out, s.Persona+" was played by the user")
	}
	return out
}

func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// pace goes through the pieces and counts them.
func (r *Report) pace(pieces iter.Seq2[Piece, error], each func(Piece) error) error {
	for p, err := range pieces {
		if err != nil {
			return err
		}
		if p.Kind == Chapter {
			r.Chapters++
		}
		r.Pieces++
		p.Name, p.Caption, p.Text = line(p.Name), line(p.Caption), clean(p.Text)
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}
