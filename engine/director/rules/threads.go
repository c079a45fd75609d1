package rules

import (
	"slices"
	"strings"
)

// Bounds of what is read of a recap.
const (
	maxRecap   = 256 << 10 // bytes
	maxThreads = 40
	maxThread  = 400 // runes
	maxHeading = 80  // bytes
)

// Threads lists what a recap says is still open: the items, or the paragraphs,
// under each heading that names pending or open threads, in their order and each
// once. Items that are ticked off are left out.
func Threads(markdown string) []string {
	r := threadReader{}
	for l := range strings.Lines(head(markdown, maxRecap)) {
		for part := range strings.SplitSeq(l, "\r") {
			r.line(part)
		}
		if len(r.out) == maxThreads {
			break
		}
	}
	r.end()
	return r.out
}

// threadReader reads a recap line by line.
type threadReader struct {
	out   []string
	level int    // of the heading whose threads are read, 0 for none
	text  string // of the item that goes on
	done  bool   // it is ticked off
}

func (r *threadReader) line(l string) {
	l = strings.TrimSpace(strings.ToValidUTF8(l, ""))
	if l == "" {
		r.end()
		return
	}
	if name, level := headingOf(l); level > 0 {
		r.end()
		switch {
		case isOpen(name):
			r.level = level
		case level <= r.level:
			r.level = 0
		}
		return
	}
	if r.level == 0 {
		return
	}
	item, ok := cutItem(l)
	if ok || r.text == "" && !r.done {
		r.end()
		r.text, r.done = ticked(item)
		return
	}
	if len(r.text) < 4*maxThread {
		r.text += " " + l
	}
}

// end takes the item in that has come to its end.
func (r *threadReader) end() {
	text := phrase(r.text, maxThread)
	if text != "" && !r.done && len(r.out) < maxThreads && !slices.Contains(r.out, text) {
		r.out = append(r.out, text)
	}
	r.text, r.done = "", false
}

// boldLevel is the level of a heading that is one by its bold type alone: below
// all that have marks.
const boldLevel = 7

// headingOf reads a heading: one with marks, or a line that is all bold. The
// level is 0 where it is none.
func headingOf(l string) (name string, level int) {
	if len(l) > 2*maxHeading {
		return "", 0
	}
	rest := strings.TrimLeft(l, "#")
	if n := len(l) - len(rest); n > 0 && n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
		return strings.Trim(rest, "# \t*_:"), n
	}
	for _, mark := range []string{"**", "__"} {
		if inner, ok := strings.CutPrefix(strings.TrimSuffix(l, ":"), mark); ok {
			if inner, ok = strings.CutSuffix(inner, mark); ok && !strings.Contains(inner, mark) {
				return strings.Trim(inner, " \t*_:"), boldLevel
			}
		}
	}
	return "", 0
}

// isOpen tells whether a heading is about what is still open.
func isOpen(name string) bool {
	words := plainWords(head(name, maxHeading))
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case has("closed", "resolved", "finished", "solved", "done", "no", "completed"):
		return false
	case has("thread", "threads", "storylines"):
		return true
	case has("pending", "open", "unresolved", "unanswered"):
		return len(words) == 1 || has("questions", "issues", "matters", "conflicts", "points", "plots", "plot", "promises", "business", "ends")
	}
	return has("loose") && has("ends")
}

// cutItem takes the mark of a list's item away.
func cutItem(l string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "– ", "— ", "· "} {
		if rest, ok := strings.CutPrefix(l, mark); ok {
			return strings.TrimSpace(rest), true
		}
	}
	digits := len(l) - len(strings.TrimLeft(l, "0123456789"))
	if digits > 0 && digits < 4 && len(l) > digits+1 && (l[digits] == '.' || l[digits] == ')') && l[digits+1] == ' ' {
		return strings.TrimSpace(l[digits+2:]), true
	}
	return l, false
}

// ticked takes the box of a task away and tells whether it is done.
func ticked(item string) (string, bool) {
	for _, box := range []struct {
		mark string
		done bool
	}{{"[ ]", false}, {"[x]", true}, {"[X]", true}} {
		if rest, ok := strings.CutPrefix(item, box.mark); ok {
			return strings.TrimSpace(rest), box.done
		}
	}
	return item, len(item) > 4 && strings.HasPrefix(item, "~~") && strings.HasSuffix(item, "~~")
}
