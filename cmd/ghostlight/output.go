package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"ghostlight/tui/safetext"
)

// page is plain output. All that is written to it is made safe on its way.
type page struct {
	safe io.WriteCloser
	buf  *bufio.Writer
}

func newPage(w io.Writer) *page {
	safe := safetext.Writer(w)
	return &page{safe: safe, buf: bufio.NewWriter(safe)}
}

func (p *page) text(s string) { _, _ = p.buf.WriteString(s) } // a fault stays with buf and comes with close

func (p *page) line(s string) { p.text(s + "\n") }

func (p *page) linef(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

// table writes rows in columns. Cells are one line each.
func (p *page) table(rows [][]string) {
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
		p.line(strings.TrimRight(b.String(), " "))
	}
}

func (p *page) flush() error { return p.buf.Flush() }

func (p *page) close() error {
	err := p.buf.Flush()
	if e := p.safe.Close(); err == nil {
		err = e
	}
	return err
}

// tell prints a command's result: doc with --json, else what plain writes.
func (d *door) tell(doc any, plain func(p *page)) error {
	if d.json {
		text, err := encodeJSON(doc)
		if err != nil {
			return err // which leave tells as a document
		}
		d.said = true
		_, err = d.out.Write(text)
		return err
	}
	d.said = true
	p := newPage(d.out)
	plain(p)
	return p.close()
}

// note tells the user something beside the result.
func (d *door) note(format string, args ...any) {
	_, _ = fmt.Fprintln(d.errs, safetext.Block(fmt.Sprintf(format, args...))) // nobody left to tell
}

func (d *door) notes(list []string) {
	for _, s := range list {
		d.note("note: %s", s)
	}
}

// print prints a text of the program's own that is not for reading only, such
// as a script; with --json as the document {"text"}.
func (d *door) print(text string) error {
	if d.json {
		return d.tell(map[string]string{"text": text}, nil)
	}
	d.said = true
	_, err := io.WriteString(d.out, text)
	return err
}

// writeJSON writes one document.
func writeJSON(w io.Writer, doc any) error {
	text, err := encodeJSON(doc)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// encodeJSON is a document as it is printed.
func encodeJSON(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("write the result: %w", err)
	}
	return escapeJSON(b.Bytes()), nil
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

// isTerminal tells whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// progress shows how far long work is, on standard error: one line that
// rewrites itself on a terminal, else a line whenever the words change.
type progress struct {
	w     io.Writer
	live  bool
	words string
}

func (d *door) progress() *progress { return &progress{w: d.errs, live: isTerminal(d.errs)} }

// show tells where the work stands: words that change seldom, and detail that
// changes often and is left out where lines cannot be rewritten.
func (p *progress) show(words, detail string) {
	words, detail = safetext.Line(words), safetext.Line(detail)
	if p.live {
		_, _ = fmt.Fprint(p.w, "\r"+ansi.EraseLineRight+ansi.Truncate(strings.TrimSpace(words+" "+detail), 78, "…"))
	} else if words != "" && words != p.words {
		_, _ = fmt.Fprintln(p.w, words)
	}
	p.words = words
}

// done takes the line away.
func (p *progress) done() {
	if p.live {
		_, _ = fmt.Fprint(p.w, "\r"+ansi.EraseLineRight)
	}
}
