package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// printer writes lines. It makes all text safe first. Text after a prompt or a sentence begins its
// own line, unless it continues that line.
type printer struct {
	w   io.Writer
	mid bool // the last line has not ended
	err error
}

func (o *printer) write(text string) {
	if o.err == nil && text != "" {
		_, o.err = io.WriteString(o.w, text)
	}
}

// line prints one or more lines. "" only ends the open one.
func (o *printer) line(text string) {
	o.end()
	if text = strings.TrimRight(safetext.Block(text), " \n"); text != "" {
		o.write(text + "\n")
	}
}

// open writes the beginning of a line.
func (o *printer) open(text string) {
	o.end()
	o.write(safetext.Line(text) + " ")
	o.mid = true
}

// more continues the open line.
func (o *printer) more(text string) {
	o.write(safetext.Line(text))
	o.mid = true
}

// end ends the open line.
func (o *printer) end() {
	if o.mid {
		o.write("\n")
	}
	o.mid = false
}

// closed records that the user's enter has ended the line.
func (o *printer) closed() { o.mid = false }

// sayMessage prints the speaker, and then the text.
func (s *session) sayMessage(m chats.Message) {
	who := m.Name
	if m.Role == storage.SceneCapture {
		who = "Picture"
	}
	text := m.Text()
	switch {
	case m.Picture != nil:
		text = m.Picture.Prompt + " The file is " + m.Picture.ImagePath + "."
	case m.Siblings > 1:
		who += fmt.Sprintf(", swipe %d of %d", m.At+1, m.Siblings)
	}
	s.out.line(fmt.Sprintf("%d. %s: %s", m.Depth+1, who, paragraphs(text)))
	if m.Fault != "" {
		s.out.line("Note: " + m.Fault)
	}
}

// paragraphs returns the paragraphs of a text, each on a line, without empty ones.
func paragraphs(text string) string {
	var out []string
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// list prints numbered lines. #1, #2 and so on refer to their ids in the commands that follow.
func (s *session) list(title string, ids, lines []string) {
	s.listed = ids
	s.out.line(title)
	for i, l := range lines {
		s.out.line(fmt.Sprintf("%d. %s", i+1, safetext.Line(l)))
	}
}

// numberedList numbers the lines that a command of the program prints. If a line has an id, the id
// is removed, recorded, and replaced by a number in front.
type numberedList struct {
	s    *session
	rest []byte
	any  bool // something was printed
}

func (n *numberedList) Write(p []byte) (int, error) {
	n.rest = append(n.rest, p...)
	for {
		at := strings.IndexByte(string(n.rest), '\n')
		if at < 0 {
			return len(p), n.s.out.err
		}
		n.line(string(n.rest[:at]))
		n.rest = n.rest[at+1:]
	}
}

// close prints a last line without a line end.
func (n *numberedList) close() {
	if len(n.rest) > 0 {
		n.line(string(n.rest))
	}
	n.rest = nil
}

func (n *numberedList) line(l string) {
	n.any = true
	indent := l[:len(l)-len(strings.TrimLeft(l, " "))]
	id := idIn(l)
	if id == "" {
		n.s.out.line(indent + columns(l))
		return
	}
	at := slices.Index(n.s.listed, id)
	if at < 0 {
		n.s.listed = append(n.s.listed, id)
		at = len(n.s.listed) - 1
	}
	rest := columns(strings.Replace(l, id, "", 1))
	if rest == "" {
		rest = "follows."
	}
	n.s.out.line(fmt.Sprintf("%s%d. %s", indent, at+1, rest))
}

// columns returns a row of a table as it is read aloud: commas separate its columns.
func columns(l string) string {
	var out []string
	for part := range strings.SplitSeq(strings.TrimSpace(l), "  ") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return strings.Join(out, ", ")
}

// idLength is the length of an id, idEnd the length of its end that a list may show instead, and
// idRunes the characters of an id.
const (
	idLength = 26
	idEnd    = 8
	idRunes  = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)

// idIn returns the first id in a line, "" for none. At the beginning of a line an id may be short,
// and may name a part, as in MWGS33G3/1. A short id may consist of letters only. Its part, or the
// end of a column after it, then distinguishes it from a word in capitals.
func idIn(l string) string {
	for i, w := range strings.Fields(l) {
		column := i == 0 && strings.HasPrefix(strings.TrimLeft(l, " ")[len(w):], "  ")
		if w = strings.Trim(w, "#,:;()"); len(w) == idLength && strings.Trim(w, idRunes) == "" {
			return w
		}
		name, part, parted := strings.Cut(w, "/")
		if i != 0 || len(name) != idEnd || strings.Trim(name, idRunes) != "" || strings.Trim(part, "0123456789") != "" {
			continue
		}
		if column || parted || strings.ContainsAny(name, "0123456789") {
			return w
		}
	}
	return ""
}
