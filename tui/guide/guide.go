// Package guide is the user's guide: a Markdown page for each part of the program.
package guide

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed *.md frames/*.txt
var files embed.FS

// Page is a page of the guide.
type Page struct {
	Name  string // as used in commands, "first-evening"
	Title string
	Text  string // Markdown, without the title
}

// order is the order of the pages. Other pages come last.
const order = "first-evening keys editing search " +
	"scenes memory facts lore stage cast steering prompt voice samplers regex " +
	"pictures workflows storyboards taste looks plain plain-commands commands scripts " +
	"settings settings-model settings-story data passphrase export sillytavern trouble " +
	"keys-general keys-chat keys-panes keys-story keys-pictures"

// Pages returns all pages, in their order.
func Pages() []Page {
	list, _ := files.ReadDir(".") // it is part of the program
	var out []Page
	for _, f := range list {
		if f.IsDir() {
			continue
		}
		text, _ := files.ReadFile(f.Name())
		title, body, _ := strings.Cut(string(text), "\n")
		out = append(out, Page{Name: strings.TrimSuffix(f.Name(), ".md"), Title: strings.TrimPrefix(title, "# "),
			Text: strings.TrimSpace(body)})
	}
	names := strings.Fields(order)
	place := func(p Page) int {
		if i := slices.Index(names, p.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(out, func(a, b Page) int { return place(a) - place(b) })
	return out
}

// Find returns the page with a name, or the only one whose name or title contains the word.
func Find(word string) (p Page, ok bool) {
	word = strings.ToLower(word)
	n := 0
	for _, have := range Pages() {
		if have.Name == word {
			return have, true
		}
		if word != "" && strings.Contains(have.Name+" "+strings.ToLower(have.Title), word) {
			p, n = have, n+1
		}
	}
	return p, n == 1
}

// ConfigFile returns the TOML blocks of the settings pages: a config file that names every
// setting, with a comment on each.
func ConfigFile() string {
	var out strings.Builder
	for _, p := range Pages() {
		if p.Name != "settings" && !strings.HasPrefix(p.Name, "settings-") {
			continue
		}
		_, block, _ := strings.Cut(p.Text, "```toml\n")
		block, _, _ = strings.Cut(block, "```")
		out.WriteString(block + "\n")
	}
	return out.String()
}

// PlainText returns the text of a page like Markdown, with the rows of tables as list items.
func (p Page) PlainText(w int) string { return p.text(w, false) }

// Markdown returns the text of a page for the terminal: links are reduced to their text, a
// paragraph or a list item is one line, and a picture is replaced by its text frame if no row of
// that is wider than w cells.
func (p Page) Markdown(w int) string { return p.text(w, true) }

func (p Page) text(w int, tables bool) string {
	var out []string
	fenced, head, open := false, true, false
	for l := range strings.Lines(p.Text) {
		l = strings.TrimRight(l, "\n")
		row := !fenced && strings.HasPrefix(l, "|")
		if strings.HasPrefix(l, "```") {
			fenced, open = !fenced, false
			out = append(out, l)
			continue
		}
		switch {
		case fenced:
			out = append(out, l)
		case strings.HasPrefix(l, "!["):
			open = false
			if f := frame(l, w); f != nil {
				out = append(append(append(out, "```"), f...), "```")
			} else if len(out) > 0 && out[len(out)-1] == "" { // with the empty line before it
				out = out[:len(out)-1]
			}
		case row && tables:
			out, open = append(out, withoutLinks(l)), false
		case row:
			if row := cells(l); !head && !isTableRule(row) {
				out = append(out, "- "+withoutLinks(strings.Join(row, ": ")))
			}
		case l == "" || strings.HasPrefix(l, "#"):
			out, open = append(out, l), false
		case open && !point().MatchString(l):
			out[len(out)-1] += " " + strings.TrimSpace(withoutLinks(l))
		default:
			out, open = append(out, withoutLinks(l)), true
		}
		head = !row
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// frame returns the text frame of a picture, nil if there is none or it is wider than w cells.
func frame(line string, w int) []string {
	m := picture().FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	text, err := files.ReadFile("frames/" + m[1] + ".txt")
	if err != nil {
		return nil
	}
	rows := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for _, r := range rows {
		if utf8.RuneCountInString(r) > w {
			return nil
		}
	}
	return rows
}

// picture matches a picture of the guide, and its name.
var picture = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^!\[[^\]]*\]\(pictures/([a-z-]+)\.png\)$`)
})

// point matches the beginning of a list item.
var point = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(- |[0-9]+\. )`) })

// Point returns the mark of a list item at the beginning of a line, "" if there is none.
func Point(line string) string { return point().FindString(line) }

// cells returns the non-empty cells of a table row.
func cells(row string) (out []string) {
	const bar = "\x00"
	row = strings.Trim(strings.ReplaceAll(row, `\|`, bar), "| ")
	for c := range strings.SplitSeq(row, "|") {
		if c = strings.TrimSpace(strings.ReplaceAll(c, bar, "|")); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// isTableRule reports whether a row is the line under a table's head.
func isTableRule(row []string) bool {
	return strings.Trim(strings.Join(row, ""), "-:") == ""
}

// withoutLinks replaces links by their text.
func withoutLinks(l string) string { return link().ReplaceAllString(l, "$1") }

var link = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`) })
