// Package novel writes a chat as a story to read: plain text, Markdown, one HTML page, or a book
// (EPUB 3). It is pure, gets the story piece by piece and keeps only the document in memory that
// it is writing.
//
// The output refers to nothing outside of itself and runs nothing. All text is untrusted: it is
// Markdown at best, and HTML in it is shown as it was typed.
//
// EPUB follows the recommendations EPUB 3.3 and EPUB Open Container Format 3.3 of the W3C, with
// the NCX of EPUB 2 for older readers.
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

// Format is a file format of a story.
type Format string

const (
	Text     Format = "text"
	Markdown Format = "markdown"
	HTML     Format = "html"
	EPUB     Format = "epub"
)

// Formats are all formats.
var Formats = []Format{Text, Markdown, HTML, EPUB}

// Endings are the file extensions of the formats, the usual one first.
var Endings = []struct {
	Ending string
	Format Format
}{{".epub", EPUB}, {".html", HTML}, {".htm", HTML}, {".md", Markdown}, {".markdown", Markdown}, {".txt", Text}}

// FormatOf returns the format of a file's extension; false for an unknown one.
func FormatOf(path string) (Format, bool) {
	ext := strings.ToLower(filepath.Ext(path))
	for _, e := range Endings {
		if e.Ending == ext {
			return e.Format, true
		}
	}
	return "", false
}

// Ending returns the usual extension of a format.
func (f Format) Ending() string {
	for _, e := range Endings {
		if e.Format == f {
			return e.Ending
		}
	}
	return ""
}

// HasPictures reports whether a format contains pictures.
func (f Format) HasPictures() bool { return f == HTML || f == EPUB }

// Story is the data of the title page.
type Story struct {
	ID       string // a permanent URN of this story
	Title    string
	Cast     []string // names, the main character first
	Persona  string   // whom the user played, "" for nobody
	From, To time.Time
	Modified time.Time
	Language string   // a BCP 47 tag, "" if unknown
	RTL      bool     // most of it is written from right to left
	Chapters []string // their headings in order; a single "" is a story without chapters
}

// Kind is the kind of a piece.
type Kind int

const (
	Chapter  Kind = iota // begins the next one of Story.Chapters
	Spoken               // by somebody
	Narrated             // by nobody: a narrator's words
	Picture
	Recap // of the chapter that ends
)

// Piece is a part of a story. Text is the Markdown of a message.
type Piece struct {
	Kind    Kind
	Name    string // the speaker
	User    bool   // the user is the speaker
	Whisper bool   // only some heard it
	Text    string
	Swipes  []string // other versions of it
	Picture string   // the key for the image function
	Caption string   // "" for none
}

// Image is a picture file: png, jpeg or gif.
type Image struct {
	Format        string
	Data          []byte
	Width, Height int
}

// Report counts what was written.
type Report struct {
	Chapters int
	Pieces   int
	Pictures int
	Missing  int // pictures that could not be read
}

// Write writes a story. An error among the pieces ends it. image is called once for each picture,
// in order; if it fails, the story notes the missing picture. The output is unusable after an
// error.
func Write(w io.Writer, f Format, s Story, pieces iter.Seq2[Piece, error],
	image func(key string) (Image, error)) (Report, error) {
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

// tidy cleans the names of a story for the title page.
func (s *Story) tidy() {
	if s.Title = cleanLine(s.Title); s.Title == "" {
		s.Title = "A story"
	}
	s.Persona = cleanLine(s.Persona)
	s.Cast = slices.Clone(s.Cast)
	for i := range s.Cast {
		s.Cast[i] = cleanLine(s.Cast[i])
	}
	s.Cast = slices.DeleteFunc(s.Cast, func(n string) bool { return n == "" })
	s.Chapters = slices.Clone(s.Chapters)
	for i := range s.Chapters {
		s.Chapters[i] = cleanLine(s.Chapters[i])
	}
	if s.Language = tag(s.Language); s.Language == "" {
		s.Language = "und"
	}
}

// tag returns a well-formed language tag, else "".
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

// ValidLanguage reports whether a text has the form of a language tag, such as "en" or "pt-BR".
func ValidLanguage(t string) bool { return tag(t) != "" }

// heading returns the heading of a chapter by its number from 1, "" for none.
func (s *Story) heading(n int) string {
	if n < 1 || n > len(s.Chapters) {
		return ""
	}
	return s.Chapters[n-1]
}

// label returns the name of a chapter in a table of contents.
func (s *Story) label(n int) string {
	if h := s.heading(n); h != "" {
		return h
	}
	return s.Title
}

// dateRange returns when the story was played, "" if unknown.
func (s *Story) dateRange() string {
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

// castLines returns who plays; empty for nobody.
func (s *Story) castLines() []string {
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

// count passes the pieces on and counts them.
func (r *Report) count(pieces iter.Seq2[Piece, error], each func(Piece) error) error {
	for p, err := range pieces {
		if err != nil {
			return err
		}
		if p.Kind == Chapter {
			r.Chapters++
		}
		r.Pieces++
		p.Name, p.Caption, p.Text = cleanLine(p.Name), cleanLine(p.Caption), clean(p.Text)
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}
