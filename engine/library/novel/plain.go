package novel

import (
	"bufio"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// writePlain writes a story as Markdown or as plain text. Of pictures it says that there
// are some.
func writePlain(w io.Writer, marked bool, s Story, pieces iter.Seq2[Piece, error]) (r Report, err error) {
	out := plainWriter{Writer: bufio.NewWriterSize(w, 64<<10), marked: marked}
	out.heading(1, s.Title)
	for _, l := range s.people() {
		out.par(out.quiet(l))
	}
	if days := s.days(); days != "" {
		out.par(out.quiet(days))
	}
	err = r.pace(pieces, func(p Piece) error { out.piece(&s, &r, p); return nil })
	if err != nil {
		return r, err
	}
	return r, out.Flush()
}

type plainWriter struct {
	*bufio.Writer // a fault stays until Flush tells of it
	marked        bool
	last          string
}

// par writes a paragraph.
func (w *plainWriter) par(text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		_, _ = w.WriteString(text + "\n\n")
	}
}

// quiet is a line beside the story.
func (w *plainWriter) quiet(text string) string {
	if w.marked {
		return "*" + literal(text) + "*"
	}
	return text
}

func (w *plainWriter) heading(level int, text string) {
	switch under := map[int]string{1: "=", 2: "-"}[level]; {
	case w.marked:
		w.par(strings.Repeat("#", level) + " " + literal(text))
	default:
		w.par(text + "\n" + strings.Repeat(under, min(72, utf8.RuneCountInString(text))))
	}
}

func (w *plainWriter) piece(s *Story, r *Report, p Piece) {
	switch p.Kind {
	case Chapter:
		w.last = ""
		if h := s.heading(r.Chapters); h != "" {
			_, _ = w.WriteString("\n")
			w.heading(2, h)
		}
	case Picture:
		r.Pictures++
		w.par(w.quiet(strings.TrimSuffix("[picture: "+p.Caption, ": ") + "]"))
	case Recap:
		w.last = ""
		w.label("What happened")
		w.body(p.Text)
	case Spoken, Narrated:
		if name := p.Name; p.Kind == Narrated || name != w.last {
			if w.last = name; p.Kind == Narrated {
				w.last = ""
			} else if name != "" {
				w.label(name + map[bool]string{true: " (whispers)"}[p.Whisper])
			}
		}
		w.body(p.Text)
		for i, t := range p.Takes {
			w.label("Another swipe" + number(i, len(p.Takes)))
			w.body(clean(t))
		}
		if len(p.Takes) > 0 {
			w.last = ""
		}
	}
}

// label says whose or what comes next.
func (w *plainWriter) label(text string) {
	if w.marked {
		w.par("**" + literal(text) + "**")
	} else {
		w.par(text + ":")
	}
}

func (w *plainWriter) body(text string) {
	if w.marked {
		text = tame(text)
	}
	w.par(text)
}

// literal is a line in which Markdown finds nothing.
func literal(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#|~&", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// tame is a message's Markdown as a part of a larger document: headings stand below those
// of the chapters, what looks like HTML is text, fences are closed, and a line below
// another makes no heading of it. Line breaks are kept.
func tame(text string) string {
	var out strings.Builder
	fence, before := "", ""
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, l := range lines {
		bare := strings.TrimLeft(l, " ")
		mark := fenceOf(bare)
		switch {
		case fence != "":
			if mark != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(bare) == mark {
				fence = ""
			}
		case mark != "":
			fence = mark
		default:
			l = tameLine(l, bare, before)
			if i+1 < len(lines) && strings.TrimSpace(l) != "" && strings.TrimSpace(lines[i+1]) != "" && !strings.HasPrefix(bare, "|") {
				l = strings.TrimRight(l, " ") + "  " // the line ends here
			}
		}
		before = strings.TrimSpace(l)
		out.WriteString(l + "\n")
	}
	if fence != "" {
		out.WriteString(fence + "\n")
	}
	return out.String()
}

func tameLine(l, bare, before string) string {
	if n := len(bare) - len(strings.TrimLeft(bare, "#")); n > 0 && n <= 6 && (len(bare) == n || bare[n] == ' ') {
		l = strings.Repeat("#", min(6, n+2)) + bare[n:]
	}
	if ruled := strings.TrimSpace(bare); before != "" && ruled != "" && (strings.Trim(ruled, "-") == "" || strings.Trim(ruled, "=") == "") {
		return "\n" + strings.ReplaceAll(ruled, "=", `\=`) // an end of something, not a heading
	}
	if !strings.Contains(l, "<") {
		return l
	}
	var out strings.Builder
	for i := 0; i < len(l); i++ {
		if l[i] == '<' && (i == 0 || l[i-1] != '\\') {
			out.WriteByte('\\')
		}
		out.WriteByte(l[i])
	}
	return out.String()
}

// fenceOf is the fence of a block of code that a line begins with, "" for none.
func fenceOf(bare string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(bare) - len(strings.TrimLeft(bare, mark)); n >= 3 && !strings.Contains(bare[n:], "`") {
			return bare[:n]
		}
	}
	return ""
}
