package regex

import (
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// element matches an HTML element.
var element = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)</?(a|abbr|article|aside|b|big|blockquote|body|br|button|center|code|details|div|em|font|footer|h[1-6]` +
			`|head|header|hr|html|i|img|input|label|li|main|mark|ol|p|pre|progress|q|s|script|section|small|span` +
			`|strike|strong|style|sub|summary|sup|svg|table|tbody|td|th|thead|tr|u|ul)\b[^<>]*>`)
})

// hasElements reports whether a text contains HTML for a browser.
func hasElements(text string) bool { return strings.Contains(text, "<") && element().MatchString(text) }

// unseen are elements whose text is not shown.
var unseen = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Head: true, atom.Title: true,
	atom.Template: true, atom.Noscript: true, atom.Svg: true, atom.Iframe: true}

// lined are elements that are on lines of their own. marked are those that Markdown has marks for.
var (
	lined = map[atom.Atom]bool{atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true,
		atom.Body: true, atom.Button: true, atom.Center: true,
		atom.Details: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Footer: true,
		atom.Form: true, atom.H1: true, atom.H2: true, atom.H3: true,
		atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Hr: true, atom.Html: true, atom.Li: true,
		atom.Main: true, atom.Ol: true, atom.P: true,
		atom.Pre: true, atom.Section: true, atom.Summary: true, atom.Table: true, atom.Tr: true, atom.Ul: true}
	marked = map[atom.Atom]string{atom.B: "**", atom.Strong: "**", atom.I: "*", atom.Em: "*"}
)

// withoutElements returns the visible text of HTML, in lines: a terminal shows no more of it. If
// nothing is left, because a page should have drawn it, it returns instead. before and after report
// whether the text begins and ends a line.
func withoutElements(text, instead string) (seen string, before, after bool) {
	var out strings.Builder
	drawn := false // there is more than line breaks
	var hide hiding
	line := func() {
		s := out.String()
		if before = before || strings.TrimSpace(s) == ""; s != "" && !strings.HasSuffix(s, "\n") {
			out.WriteByte('\n')
		}
	}
	z := html.NewTokenizer(strings.NewReader(unfenced(text)))
	z.SetMaxBuf(MaxMade)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind == html.TextToken {
			if hide.in == 0 {
				out.WriteString(trimmed(html.UnescapeString(string(z.Raw())), strings.HasSuffix(out.String(), "\n") ||
					out.Len() == 0))
			}
			continue
		}
		name, attributes := z.TagName()
		a := atom.Lookup(name)
		drawn = drawn || a != atom.Br && a != atom.Hr
		switch {
		case hide.skips(z, kind, a, attributes):
		case a == atom.Br:
			before = before || strings.TrimSpace(out.String()) == ""
			out.WriteByte('\n')
		case lined[a]:
			line()
		case cellFollows(&out, kind, a):
			out.WriteByte(' ')
		case marked[a] != "" && kind != html.SelfClosingTagToken:
			out.WriteString(marked[a])
		}
	}
	seen = strings.ReplaceAll(out.String(), " \n", "\n")
	switch {
	case strings.TrimSpace(strings.ReplaceAll(seen, "*", "")) != "":
		return strings.TrimRight(seen, " \n"), before, strings.HasSuffix(seen, "\n")
	case drawn:
		return instead, false, false
	}
	return "", before, before
}

// cellFollows reports whether a tag begins a table cell after another cell.
func cellFollows(out *strings.Builder, kind html.TokenType, a atom.Atom) bool {
	return (a == atom.Td || a == atom.Th) && kind == html.StartTagToken && out.Len() > 0 &&
		!strings.HasSuffix(out.String(), "\n")
}

// hiding tracks the hidden element: its name, 0 for none, and the nesting depth of elements with
// that name.
type hiding struct {
	in    atom.Atom
	depth int
}

// voidElements are elements without an end tag.
var voidElements = map[atom.Atom]bool{atom.Br: true, atom.Hr: true, atom.Img: true, atom.Input: true}

// skips reports whether a tag is in a hidden element, or begins one.
func (h *hiding) skips(z *html.Tokenizer, kind html.TokenType, a atom.Atom, attributes bool) bool {
	switch {
	case h.in == 0:
		if a != 0 && kind == html.StartTagToken && !voidElements[a] && (unseen[a] || attributes && invisible(z)) {
			h.in, h.depth = a, 1
		}
		return h.in != 0
	case a == h.in && kind == html.StartTagToken:
		h.depth++
	case a == h.in && kind == html.EndTagToken:
		if h.depth--; h.depth == 0 {
			h.in = 0
		}
	}
	return true
}

// invisible reports whether the attributes of a tag hide its element.
func invisible(z *html.Tokenizer) bool {
	for {
		key, value, more := z.TagAttr()
		style := ""
		if string(key) == "style" {
			style = strings.ToLower(strings.Join(strings.Fields(string(value)), ""))
		}
		if string(key) == "hidden" || strings.Contains(style, "display:none") ||
			strings.Contains(style, "visibility:hidden") {
			return true
		}
		if !more {
			return false
		}
	}
}

// trimmed collapses white space as a browser does, but keeps empty lines.
func trimmed(text string, first bool) string {
	var out strings.Builder
	for i, l := range strings.Split(text, "\n") {
		words := strings.Join(strings.Fields(l), " ")
		if i > 0 && words != "" && !(first && out.Len() == 0) {
			out.WriteByte('\n')
		}
		if words == "" {
			continue
		}
		if i == 0 && !first && l[0] == ' ' {
			out.WriteByte(' ')
		}
		out.WriteString(words)
		if strings.HasSuffix(l, " ") {
			out.WriteByte(' ')
		}
	}
	if out.Len() == 0 && !first && text != "" && strings.TrimSpace(text) == "" {
		return " "
	}
	return out.String()
}

// unfenced removes the code fence around a block of HTML.
func unfenced(text string) string {
	s := strings.TrimSpace(text)
	if !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") || len(s) < 7 {
		return text
	}
	first, rest, ok := strings.Cut(s[3:], "\n")
	if !ok || strings.ContainsAny(first, "<`") {
		return text
	}
	return strings.TrimSuffix(rest, "```")
}
