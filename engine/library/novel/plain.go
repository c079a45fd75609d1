package novel

import (
	"bufio"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// writePlain writes a story as Markdown or plain text. Pictures are only mentioned.
func writePlain(w io.Writer, marked bool, s Story, pieces iter.Seq2[Piece, error]) (r Report, err error) {
	out := plainWriter{Writer: bufio.NewWriterSize(w, 64<<10), marked: marked}
	out.heading(1, s.Title)
	for _, l := range s.castLines() {
		out.paragraph(out.note(l))
	}
	if days := s.dateRange(); days != "" {
		out.paragraph(out.note(days))
	}
	err = r.count(pieces, func(p Piece) error { out.piece(&s, &r, p); return nil })
	if err != nil {
		return r, err
	}
	return r, out.Flush()
}

type plainWriter struct {
	*bufio.Writer // Flush returns the error
	marked        bool
	last          string
}

// paragraph writes a paragraph.
func (w *plainWriter) paragraph(text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		_, _ = w.WriteString(text + "\n\n")
	}
}

// note returns a line beside the story.
func (w *plainWriter) note(text string) string {
	if w.marked {
		return "*" + escapeLiteral(text) + "*"
	}
	return text
}

func (w *plainWriter) heading(level int, text string) {
	switch under := map[int]string{1: "=", 2: "-"}[level]; {
	case w.marked:
		w.paragraph(strings.Repeat("#", level) + " " + escapeLiteral(text))
	default:
		w.paragraph(text + "\n" + strings.Repeat(under, min(72, utf8.RuneCountInString(text))))
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
		w.paragraph(w.note(strings.TrimSuffix("[picture: "+p.Caption, ": ") + "]"))
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
		for i, t := range p.Swipes {
			w.label("Another swipe" + number(i, len(p.Swipes)))
			w.body(clean(t))
		}
		if len(p.Swipes) > 0 {
			w.last = ""
		}
	}
}

// label writes whose text, or what, follows.
func (w *plainWriter) label(text string) {
	if w.marked {
		w.paragraph("**" + escapeLiteral(text) + "**")
	} else {
		w.paragraph(text + ":")
	}
}

func (w *plainWriter) body(text string) {
	if w.marked {
		text = escapeMarkdown(text)
	}
	w.paragraph(text)
}

// escapeLiteral escapes all Markdown in a line.
func escapeLiteral(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#|~&", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// escapeMarkdown prepares a message's Markdown for a larger document: headings are below those of
// the chapters, HTML is text, fences are closed, and a line under another does not make it a
// heading. Line breaks are kept.
func escapeMarkdown(text string) string {
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
			l = escapeMarkdownLine(l, bare, before)
			if i+1 < len(lines) && strings.TrimSpace(l) != "" && strings.TrimSpace(lines[i+1]) != "" &&
				!strings.HasPrefix(bare, "|") {
				l = strings.TrimRight(l, " ") + "  " // a hard line break
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

func escapeMarkdownLine(l, bare, before string) string {
	if n := len(bare) - len(strings.TrimLeft(bare, "#")); n > 0 && n <= 6 && (len(bare) == n || bare[n] == ' ') {
		l = strings.Repeat("#", min(6, n+2)) + bare[n:]
	}
	if ruled := strings.TrimSpace(bare); before != "" && ruled != "" &&
		(strings.Trim(ruled, "-") == "" || strings.Trim(ruled, "=") == "") {
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

// fenceOf returns the fence of a code block that a line begins with, "" for none.
func fenceOf(bare string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(bare) - len(strings.TrimLeft(bare, mark)); n >= 3 && !strings.Contains(bare[n:], "`") {
			return bare[:n]
		}
	}
	return ""
}
