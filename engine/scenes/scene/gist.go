package scene

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gist is what recaps, oldest first, tell in no more than so many tokens: all of them
// where there is room; else who and what is named in them, how things stand, and of the
// rest the newest.
func Gist(texts, names []string, room int, count func(string) int) string {
	whole := blocks(texts)
	named := ""
	if list := append(slices.Clone(names), Names(whole)...); len(list) > 0 {
		named = namedLine(list, room/4, count)
	}
	if count(whole)+count(named) <= room {
		if len(names) == 0 {
			return whole
		}
		return strings.TrimSpace(named + "\n\n" + whole)
	}
	all := Bullets(whole)
	now := 0 // where the newest situation begins
	for i, b := range all {
		if headingOf(b.Heading) == situation && (i == 0 || headingOf(all[i-1].Heading) != situation) {
			now = i
		}
	}
	keep := make([]bool, len(all))
	left := room - count(named)
	for _, wanted := range []int{situation, len(headings5) - 1, developments, 2} {
		for i, b := range slices.Backward(all) {
			at := headingOf(b.Heading)
			if at < 0 {
				at = developments
			}
			if cost := count(b.Text) + 4; at == wanted && (at != situation || i >= now) && cost <= left {
				keep[i] = true
				left -= cost
			}
		}
	}
	var out strings.Builder
	out.WriteString(named + "\n")
	for i, h := range headings5 {
		first := true
		for n, b := range all {
			if at := headingOf(b.Heading); keep[n] && (at == i || at < 0 && i == developments) {
				if first {
					out.WriteString("\n" + h + ":\n")
					first = false
				}
				out.WriteString("- " + b.Text + "\n")
			}
		}
	}
	return strings.TrimSpace(out.String())
}

// namedLine says in no more than so many tokens who and what was named.
func namedLine(names []string, room int, count func(string) int) string {
	var list []string
	for _, n := range names {
		n = defuse(strings.Join(strings.Fields(n), " "))
		if n == "" || slices.ContainsFunc(list, func(o string) bool { return strings.EqualFold(o, n) }) {
			continue
		}
		if count(strings.Join(list, ", ")+n)+6 > room {
			break
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		return ""
	}
	return "Named so far: " + strings.Join(list, ", ") + "."
}

// mostNamed bounds what Names finds.
const mostNamed = 40

// Names are words and runs of words in a text that look like names, the most frequent
// first: such as begin with a capital within a sentence.
func Names(text string) []string {
	seen := map[string]int{}
	var order []string
	for _, b := range Bullets(text) {
		var run []string
		end := func() {
			if name := strings.Join(run, " "); name != "" {
				if seen[name] == 0 {
					order = append(order, name)
				}
				seen[name]++
			}
			run = nil
		}
		begins := true // of a sentence, where everything has a capital
		for _, raw := range strings.Fields(b.Text) {
			w := strings.TrimFunc(raw, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
			r, _ := utf8.DecodeRuneInString(w)
			if !unicode.IsUpper(r) || utf8.RuneCountInString(w) < 2 || begins && emptyWords()[strings.ToLower(w)] {
				end()
			} else if !begins || seen[w] > 0 || len(run) == 0 && looksNamed(b.Text, w) {
				run = append(run, w)
			}
			if last, _ := utf8.DecodeLastRuneInString(raw); !unicode.IsLetter(last) && !unicode.IsDigit(last) {
				end()
			}
			last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(raw, `"”'’)]`))
			begins = strings.ContainsRune(".!?:", last)
		}
		end()
	}
	slices.SortStableFunc(order, func(a, b string) int { return seen[b] - seen[a] })
	return order[:min(len(order), mostNamed)]
}

// looksNamed tells whether the word that a sentence begins with is somebody's name:
// no usual word, and not one that has a small twin in the text.
func looksNamed(text, w string) bool {
	low := strings.ToLower(w)
	return !shortWords[low] && !emptyWords()[low] && !strings.Contains(text, " "+low)
}
