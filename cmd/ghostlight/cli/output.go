package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Page is plain output. All text written to it is made safe for a terminal.
type Page struct {
	safe io.WriteCloser
	buf  *bufio.Writer
}

// NewPage returns a page that is written to w. It has to be closed.
func NewPage(w io.Writer) *Page {
	safe := safetext.Writer(w)
	return &Page{safe: safe, buf: bufio.NewWriter(safe)}
}

// Text writes a text unchanged. An error is kept and returned by Flush or Close.
func (p *Page) Text(s string) { _, _ = p.buf.WriteString(s) } // buf keeps an error and returns it on close

// Line writes a line.
func (p *Page) Line(s string) { p.Text(s + "\n") }

// Linef writes a line that is formatted as by fmt.Sprintf.
func (p *Page) Linef(format string, args ...any) { p.Line(fmt.Sprintf(format, args...)) }

// Table writes rows in columns. Cells are one line each.
func (p *Page) Table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = safetext.Line(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
			}
		}
		p.Line(strings.TrimRight(b.String(), " "))
	}
}

// Flush writes the buffered text, and returns the first error of the page.
func (p *Page) Flush() error { return p.buf.Flush() }

// Close ends the page, and returns its first fault.
func (p *Page) Close() error {
	err := p.buf.Flush()
	if e := p.safe.Close(); err == nil {
		err = e
	}
	return err
}

// Print prints a command's result: doc with --json, else what plain writes.
func (app *App) Print(doc any, plain func(p *Page)) error {
	if app.JSON {
		text, err := encodeJSON(doc)
		if err != nil {
			return err // Exit prints it as a JSON document
		}
		return app.Write(text)
	}
	app.Printed = true
	p := NewPage(app.Out)
	plain(p)
	return p.Close()
}

// PrintParts prints a result that may be too long to be held. head is its document with an empty
// list for its last key; each passes the list to give in parts, with a function that writes the
// part as plain text. What was printed before an error stays printed.
func PrintParts[D any](app *App, head any, each func(give func(part []D, plain func(p *Page)) error) error) error {
	if !app.JSON {
		app.Printed = true
		p := NewPage(app.Out)
		err := each(func(_ []D, plain func(p *Page)) error {
			plain(p)
			return p.Flush()
		})
		return cmp.Or(err, p.Close())
	}
	text, err := encodeJSON(head)
	if err != nil {
		return err
	}
	at := bytes.LastIndex(text, []byte("[]"))
	if at < 0 {
		return fmt.Errorf("write the result: %T has no empty list", head)
	}
	tail := slices.Clone(text[at+2:])
	const indent = "\n    " // of a list in a document
	text, between := append(text[:at], '['), indent
	err = each(func(part []D, _ func(p *Page)) error {
		for _, d := range part {
			one, err := encodeJSON(d)
			if err != nil {
				return err
			}
			text = append(text, between...)
			text = append(text, bytes.ReplaceAll(bytes.TrimSuffix(one, []byte("\n")), []byte("\n"), []byte(indent))...)
			between = "," + indent
		}
		err := app.Write(text)
		text = text[:0]
		return err
	})
	if err != nil {
		return err
	}
	if between != indent {
		text = append(text, "\n  "...)
	}
	return app.Write(append(append(text, ']'), tail...))
}

// PrintList prints a list: with --json the documents of its elements, else a table
// of their rows.
func PrintList[T, D any](app *App, list []T, doc func(T) D, row func(T) []string) error {
	rows := Docs(list, row)
	return app.Print(Docs(list, doc), func(p *Page) { p.Table(rows) })
}

// PrintViews prints a list of views. The views themselves are the JSON documents.
func PrintViews[T any](app *App, list []T, row func(T) []string) error {
	return app.Print(list, func(p *Page) { p.Table(Docs(list, row)) })
}

// Write writes data to standard output unchanged.
func (app *App) Write(data []byte) error {
	app.Printed = true
	_, err := app.Out.Write(data)
	return err
}

// Note prints a message for the user on standard error, separate from the result.
func (app *App) Note(format string, args ...any) {
	_, _ = fmt.Fprintln(app.Err, safetext.Block(fmt.Sprintf(format, args...))) // nowhere to report a failure
}

// Notes prints several messages for the user, each as a note.
func (app *App) Notes(list []string) {
	for _, s := range list {
		app.Note("note: %s", s)
	}
}

// WarnUnencrypted prints a note if an export is not encrypted although the data is. The functions
// in this package that write exports call it.
func (app *App) WarnUnencrypted() {
	if app.encrypted {
		app.Note("note: the export is not encrypted, although your data is")
	}
}

// PrintText prints a text of the program's own that is not for reading only, such
// as a script; with --json as the document {"text"}.
func (app *App) PrintText(text string) error {
	if app.JSON {
		return app.Print(map[string]string{"text": text}, nil)
	}
	return app.Write([]byte(text))
}

// writeJSON writes one document.
func writeJSON(w io.Writer, doc any) error {
	text, err := encodeJSON(doc)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// documentOptions write a document as encoding/json does, with two exceptions: a nil list or map is
// written as an empty one instead of null, and a zero time as null instead of the year 1. So an
// engine's view can be used as a document unchanged.
var documentOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.FormatNilSliceAsNull(false),
	json.FormatNilMapAsNull(false),
	json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
		if t.IsZero() {
			return enc.WriteToken(jsontext.Null)
		}
		return json.SkipFunc
	})),
	jsontext.EscapeForHTML(false),
	jsontext.WithIndent("  "),
)

// encodeJSON returns a document in the form that is printed.
func encodeJSON(doc any) ([]byte, error) {
	text, err := json.Marshal(doc, documentOptions)
	if err != nil {
		return nil, fmt.Errorf("write the result: %w", err)
	}
	return escapeJSON(append(text, '\n')), nil
}

// escapeJSON writes everything that a terminal might obey as an escape of JSON:
// the document means the same, and is safe to look at.
func escapeJSON(doc []byte) []byte {
	at := 0
	for at < len(doc) && doc[at] < 0x7f {
		at++
	}
	if at == len(doc) {
		return doc
	}
	out := append(make([]byte, 0, len(doc)+64), doc[:at]...)
	for at < len(doc) {
		if doc[at] < 0x7f {
			out = append(out, doc[at])
			at++
			continue
		}
		r, n := utf8.DecodeRune(doc[at:])
		if s := string(r); safetext.Line(s) == s {
			out = append(out, s...)
		} else if r > 0xffff {
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		at += n
	}
	return out
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	if far, ok := stream.(remoteTerminal); ok {
		return far.isTerminal()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// Progress shows how far long work is, on standard error: one line that
// rewrites itself on a terminal, else a line whenever the words change.
type Progress struct {
	w     io.Writer
	live  bool
	words string
}

// Progress returns a line on standard error that shows how far work has come.
func (app *App) Progress() *Progress { return &Progress{w: app.Err, live: IsTerminal(app.Err)} }

// Show updates the progress. words change seldom; detail changes often, and is left out if the
// output cannot rewrite its line.
func (p *Progress) Show(words, detail string) {
	words, detail = safetext.Line(words), safetext.Line(detail)
	if p.live {
		_, _ = fmt.Fprint(p.w, "\r"+ansi.EraseLineRight+ansi.Truncate(strings.TrimSpace(words+" "+detail), 78, "…"))
	} else if words != "" && words != p.words {
		_, _ = fmt.Fprintln(p.w, words)
	}
	p.words = words
}

// Done takes the line away.
func (p *Progress) Done() {
	if p.live {
		_, _ = fmt.Fprint(p.w, "\r"+ansi.EraseLineRight)
	}
}
