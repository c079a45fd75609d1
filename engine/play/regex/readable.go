package regex

import (
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Readable returns the visible text of a message that contains HTML for a browser: status bars and
// pages become text, and hidden parts are removed. Words in angle brackets that are not elements,
// code, and the text's line breaks stay. A message without HTML is returned unchanged.
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
		return text // a page without words
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

// unpaged removes HTML elements from a text and keeps its line breaks. A tag or a hidden element
// without an end counts as text.
func unpaged(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var out strings.Builder
	var hide hiding
	at, hidden := 0, 0 // positions in text: of the next token, and of the hidden part's beginning
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(MaxMade)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := string(z.Raw()) // copied first: reading tag names changes it
		at += len(raw)
		switch kind {
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			was := hide.in
			unpagedTag(&out, &hide, z, kind, raw)
			if was == 0 && hide.in != 0 {
				hidden = at - len(raw)
			}
		case html.DoctypeToken:
		case html.CommentToken:
			if !strings.HasPrefix(raw, "<!--") || !strings.HasSuffix(raw, "-->") { // such as </3
				out.WriteString(raw)
			}
		default:
			if hide.in == 0 {
				out.WriteString(raw)
			}
		}
	}
	if hide.in != 0 {
		at = hidden
	}
	return out.String() + text[at:]
}

// unpagedTag writes the visible part of a tag.
func unpagedTag(out *strings.Builder, hide *hiding, z *html.Tokenizer, kind html.TokenType, raw string) {
	name, attributes := z.TagName()
	a := atom.Lookup(name)
	known := a != 0 && (unseen[a] || element().MatchString(raw)) && strings.HasSuffix(raw, ">")
	switch {
	case hide.in == 0 && !known:
		out.WriteString(raw)
	case hide.skips(z, kind, a, attributes):
	case a == atom.Br:
		out.WriteByte('\n')
	case lined[a]:
		if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") {
			out.WriteByte('\n')
		}
	case cellFollows(out, kind, a):
		out.WriteByte(' ')
	case marked[a] != "" && kind != html.SelfClosingTagToken:
		out.WriteString(marked[a])
	}
}
