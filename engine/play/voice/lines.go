package voice

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// minName is the shortest part of a name, in bytes, that identifies somebody: a shorter one is too
// often a word.
const minName = 3

// Names returns the names that identify somebody, without those of the speaker: the full name, and
// its capitalized parts.
func Names(name, speaker string) (names []string) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" || text.Equal(name, speaker) {
		return nil
	}
	taken := map[string]bool{text.Fold(name): true}
	for _, w := range text.Words(speaker) {
		taken[text.Fold(w)] = true
	}
	names = []string{name}
	for at, w := range text.Words(name) {
		r, _ := utf8.DecodeRuneInString(w)
		short := len(w) < minName || !unicode.IsUpper(r) || strings.HasPrefix(name[at+len(w):], ".")
		if !short && !taken[text.Fold(w)] {
			names = append(names, w)
			taken[text.Fold(w)] = true
		}
	}
	return names
}

// UserLabels returns the names that models give the user at the beginning of a line, whatever the
// user's name is.
func UserLabels() []string { return []string{"{{user}}", "User", "You"} }

// IsWord reports whether a name is also a word, such as Will and Rose: in contains it in lower
// case. A name in a script without case counts as a word.
func IsWord(name, in string) bool {
	low := strings.ToLower(name)
	return low == name || strings.Contains(" "+strings.Join(strings.FieldsFunc(in, notInWord), " ")+" ", " "+low+" ")
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !isApostrophe(r) }

// maxHead is the length of a line's beginning, in bytes, that is judged.
const maxHead = 120

// verdict is the judgment of a line: yes if it is unwanted, 0 if not known yet.
type verdict int

const (
	no  verdict = -1
	yes verdict = 1
)

// head judges the beginning of a line: a name and a colon, or the user's name and, in lower case,
// what the user does. over means that the line is complete.
func (r *Rules) head(line string, over bool) (Kind, verdict) {
	if len(line) > maxHead {
		line, over = text.Truncate(line, maxHead), true
	}
	bare := strings.TrimLeft(line, "*_~`>#-•[({< \t")
	if first, _ := utf8.DecodeRuneInString(bare); bare != "" &&
		(isQuote(first) || strings.ContainsRune("'‘‚「『", first)) {
		return "", no
	}
	kind, result := Kind(""), no
	see := func(k Kind, v verdict) { // a name that may still become longer is not judged
		if v == 0 && !over || v == yes && result == no {
			kind, result = k, v
		}
	}
	for _, name := range r.User {
		see(User, spoken(bare, name, false))
	}
	for _, name := range r.Acts {
		see(User, spoken(bare, name, true))
	}
	for _, name := range r.Others {
		see(Speaker, spoken(bare, name, false))
	}
	return kind, result
}

// spoken judges whether a line is somebody's: it begins with the name and a colon or, with does,
// with the name and an action.
func spoken(line, name string, does bool) verdict {
	rest, v := behind(line, name)
	if v != yes {
		return v
	}
	tagged := strings.HasPrefix(rest, ">")
	rest = strings.TrimLeft(rest, "*_~`])}>")
	after := strings.TrimLeft(rest, " \t")
	first, _ := utf8.DecodeRuneInString(after)
	switch {
	case after == "":
		return 0
	case tagged, rest[0] == ':', strings.HasPrefix(rest, "："):
		return yes
	case after == rest:
		return no
	case first == '(':
		_, aside, closed := strings.Cut(after, ")")
		if aside = strings.TrimLeft(aside, "*_~` "); aside == "" {
			return 0
		}
		return is(closed && strings.ContainsRune(":：", []rune(aside)[0]))
	}
	return is(does && unicode.IsLower(first))
}

func is(b bool) verdict {
	if b {
		return yes
	}
	return no
}

// behind returns the text after a name that a line begins with: yes if the whole name is there, 0
// if the line ends within it.
func behind(line, name string) (string, verdict) {
	want := tokens(name, 0)
	have := tokens(line, 0)
	end := 0
	for i, w := range want {
		switch {
		case i >= len(have):
			return "", 0
		case have[i].text == w.text && (i > 0 || have[i].from == strings.IndexFunc(line, isLetter)):
			end = have[i].to
		case have[i].to >= len(strings.TrimRight(line, "'’.")) && strings.HasPrefix(w.text, have[i].text):
			return "", 0
		default:
			return "", no
		}
	}
	return line[end:], yes
}

// heads judges the lines that have begun.
func (w *Filter) heads(over bool) {
	w.opens = false
	if len(w.rules.User)+len(w.rules.Others)+len(w.rules.Acts) == 0 {
		return
	}
	for w.line < len(w.text) {
		if w.judged { // the rest of a line is not judged
			next := bytes.IndexByte(w.text[w.line:], '\n')
			if next < 0 {
				w.line = len(w.text)
				return
			}
			w.line, w.judged = w.line+next+1, false
			continue
		}
		line, _, ended := strings.Cut(string(w.text[w.line:min(len(w.text), w.line+2*maxHead)]), "\n")
		kind, v := w.rules.head(line, over || ended || w.line+len(line) < len(w.text))
		if v == 0 {
			w.opens = strings.TrimSpace(line) != ""
			return
		}
		if v == yes {
			stays := trimmed(w.text, w.line, w.floor) > w.floor
			w.find(Found{Kind: kind, At: w.line, Ends: stays && (kind != User || strings.Contains(line, ":"))},
				w.line+len(line))
		}
		w.judged = true
	}
}

// maxApart is the most lines between two points of a list.
const maxApart = 1

// items counts the list points in complete lines.
func (w *Filter) items() {
	if w.rules.Items == 0 {
		return
	}
	for {
		size := bytes.IndexByte(w.text[w.listed:], '\n')
		if size < 0 {
			return
		}
		line := string(w.text[w.listed : w.listed+size])
		switch {
		case strings.TrimSpace(line) == "":
		case isItem(line):
			w.points, w.apart = w.points+1, 0
		case w.apart >= maxApart:
			w.points = 0
		default:
			w.apart++
		}
		if w.points > w.rules.Items {
			w.find(Found{Kind: List, At: w.listed, Ends: true}, w.listed+size)
		}
		w.listed += size + 1
	}
}

func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	if bullet, _ := utf8.DecodeRuneInString(line); strings.ContainsRune("-*•+", bullet) &&
		strings.HasPrefix(line[utf8.RuneLen(bullet):], " ") {
		return true
	}
	line = strings.TrimLeft(line, "*_")
	rest := strings.TrimLeft(line, "0123456789")
	digits := len(line) - len(rest)
	return digits > 0 && digits < 4 && rest != "" && strings.ContainsRune(".):", rune(rest[0])) &&
		strings.HasPrefix(strings.TrimLeft(rest[1:], "*_"), " ")
}
