package regex

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Readable returns what a reader sees of a message that holds HTML for a browser: status bars
// and pages as their text, nothing of what is hidden. Words in angle brackets that are no
// elements, code, and the lines of the text stay. A message without HTML is returned as it is.
func Readable(text string) string {
	if !hasElements(text) && !strings.Contains(text, "<!--") {
		return text
	}
	var out strings.Builder
	at := 0
	for _, m := range codes().FindAllStringIndex(text, -1) {
		out.WriteString(unpaged(text[at:m[0]]))
		code := text[m[0]:m[1]]
		if body := unfenced(code); body != code && isPage(body) {
			code, _, _ = withoutElements(body, "")
		}
		out.WriteString(code)
		at = m[1]
	}
	out.WriteString(unpaged(text[at:]))
	seen := strings.TrimSpace(blankLines().ReplaceAllString(out.String(), "\n\n"))
	if seen == "" {
		return text // a page that draws without words
	}
	return seen
}

var (
	// codes finds fenced blocks and spans of code.
	codes      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```.*?```|`[^`\n]+`") })
	blankLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*(\n[ \t]*)+\n`) })
)

// isPage reports whether the code of a fenced block is a page to be shown, and not code to be read.
func isPage(body string) bool {
	s := strings.ToLower(strings.TrimSpace(body))
	return strings.HasPrefix(s, "<") && hasElements(s)
}

// unpaged takes the elements of HTML out of a text, whose own lines stay.
func unpaged(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var out strings.Builder
	var hidden atom.Atom // the element in which nothing is read, and how deep in its like
	depth := 0
	line := func() {
		if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") {
			out.WriteByte('\n')
		}
	}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(MaxMade)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := string(z.Raw()) // before the names of tags are read, which changes it
		if kind == html.TextToken {
			if hidden == 0 {
				out.WriteString(raw)
			}
			continue
		}
		if kind == html.CommentToken {
			continue
		}
		name, more := z.TagName()
		a := atom.Lookup(name)
		known := a != 0 && element().MatchString(raw) || unseen[a]
		switch {
		case hidden != 0:
			if a == hidden && kind == html.StartTagToken {
				depth++
			} else if a == hidden && kind == html.EndTagToken {
				if depth--; depth == 0 {
					hidden = 0
				}
			}
		case !known:
			out.WriteString(raw)
		case kind == html.StartTagToken && !void[a] && (unseen[a] || more && invisible(z)):
			hidden, depth = a, 1
		case a == atom.Br:
			out.WriteByte('\n')
		case lined[a]:
			line()
		case (a == atom.Td || a == atom.Th) && kind == html.StartTagToken && out.Len() > 0 && !strings.HasSuffix(out.String(), "\n"):
			out.WriteByte(' ')
		case marked[a] != "" && kind != html.SelfClosingTagToken:
			out.WriteString(marked[a])
		}
	}
	return out.String()
}

// void are elements that have no end.
var void = map[atom.Atom]bool{atom.Br: true, atom.Hr: true, atom.Img: true, atom.Input: true}

// invisible reports whether the attributes of a tag hide its element.
func invisible(z *html.Tokenizer) bool {
	for {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "hidden":
			return true
		case "style":
			style := strings.ToLower(strings.Join(strings.Fields(string(bytes.Clone(value))), ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
		if !more {
			return false
		}
	}
}
