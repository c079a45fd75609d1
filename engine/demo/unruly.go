package demo

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// unrulyWord in a line of the user's has the model misbehave, in the ways that are named
// behind it: "misbehave phrases user". Without one it does so in several. "stubborn" behind it
// has the model try everything three times, "hopeless" always.
const unrulyWord = "misbehave"

// The kinds of unruly behaviour of a model.
const (
	unrulyPhrases  = "phrases"  // a stock phrase in every other sentence
	unrulyUser     = "user"     // lines for the user
	unrulySpeaker  = "speaker"  // lines of another character
	unrulyRepeat   = "repeat"   // a sentence that it has written before
	unrulyLanguage = "language" // goes on in another script
	unrulyTemplate = "template" // signs of its template, and the user's turn
	unrulyList     = "list"     // a list without an end
	unrulyCut      = "cut"      // so long that the limit cuts it
	stubbornly     = "stubborn"
	hopelessly     = "hopeless"
)

// calm are the sentences of a model that behaves; each is whole in two pieces, so that it can
// be finished from its middle.
var calm = [][2]string{
	{"Tove sets the lamp on the edge of the stage,", " and the dust settles around it."},
	{"She counts the ropes once more,", " the way other people count sheep."},
	{"Somewhere above them a pulley turns,", " though nobody has touched it."},
	{"\"The third board,\" she says,", " \"was laid the year the river froze.\""},
	{"Rain walks over the roof from east to west,", " in no hurry at all."},
	{"She finds the page by its stain,", " and holds it to the light."},
	{"The velvet smells of camphor,", " as it has since the spring."},
	{"\"Ask me something easier,\" she says,", " and pours the tea."},
	{"A moth circles twice,", " then thinks better of it."},
	{"She closes the book,", " and leaves one finger in it."},
}

// stock are phrases that the program's own lists have.
var stock = []string{
	" a shiver runs up her spine.",
	" barely above a whisper.",
	" eyes sparkling with mischief.",
	" unshed tears in her eyes.",
}

// unruly writes the reply of a misbehaving model; ok is false if no message asks for one. Like a
// real one it continues the assistant's message that ends a request.
func unruly(messages []storage.Node, take int) (reply string, ok bool) {
	ways, ok := unrulyWays(messages)
	if !ok {
		return "", false
	}
	kept := ""
	if n := len(messages); messages[n-1].Role == storage.Assistant {
		kept = messages[n-1].Content
	}
	done, open := sentencesIn(kept)
	tries := 0 // tries before its continuation behaves
	switch {
	case slices.Contains(ways, hopelessly):
		tries = 1 << 20
	case slices.Contains(ways, stubbornly):
		tries = 2
	}
	calmNow := (kept != "" || take > 0) && take >= tries
	var b strings.Builder
	length := len(calm)
	if slices.Contains(ways, unrulyCut) {
		length = 400
	}
	for i := done; i < length; i++ {
		first := i == done
		if kept != "" || !first {
			if !(first && open) {
				b.WriteString(" ")
			}
		}
		s := calm[i%len(calm)]
		if i >= len(calm) {
			s[1] = fmt.Sprintf(" for the %d. time tonight.", i/len(calm)+1)
		}
		switch {
		case first && open:
			b.WriteString(ending(ways, s, i, calmNow, unfinished(kept)))
		case first && calmNow || i%2 == 0:
			b.WriteString(s[0] + s[1])
		default:
			b.WriteString(badly(ways, s, i))
		}
	}
	return b.String(), true
}

// ending returns the rest of a sentence that has begun with begun.
func ending(ways []string, s [2]string, i int, calmNow bool, begun string) string {
	bad := s[0] + stock[i/2%len(stock)]
	if s[0][0] == '"' && !strings.HasPrefix(begun, `"`) {
		begun = `"` + begun
	}
	switch {
	case strings.HasPrefix(s[0]+s[1], begun) && len(begun) != len(s[0]):
		rest := (s[0] + s[1])[len(begun):]
		// This is the article of the text that was cut, not the beginning of a word.
		if len(begun) > len(s[0]) && rest != "" && unicode.IsLetter(rune(rest[0])) {
			return " moment later," + s[1]
		}
		return rest
	case strings.HasPrefix(bad, begun) && len(begun) > len(s[0]):
		return bad[len(begun):]
	case !calmNow && slices.Contains(ways, unrulyPhrases):
		return stock[i/2%len(stock)]
	}
	return s[1]
}

// unfinished returns the sentence that a text ends in the middle of.
func unfinished(text string) string {
	for at := len(text); at > 0; at-- {
		if _, open := sentencesIn(text[:at]); open {
			continue
		}
		if n, _ := sentencesIn(text[at:]); n == 0 {
			return strings.TrimLeftFunc(text[at:], func(r rune) bool {
				return unicode.IsSpace(r) || strings.ContainsRune("\"*", r) && at > 0 && text[at] != '"'
			})
		}
	}
	return strings.TrimSpace(text)
}

// badly returns a sentence that misbehaves in one of the ways.
func badly(ways []string, s [2]string, i int) string {
	var kinds []string
	for _, w := range ways {
		if w != stubbornly && w != hopelessly && w != unrulyCut {
			kinds = append(kinds, w)
		}
	}
	if len(kinds) == 0 {
		return s[0] + s[1]
	}
	switch kinds[i/2%len(kinds)] {
	case unrulyPhrases:
		return s[0] + stock[i/2%len(stock)]
	case unrulyUser:
		return "\n\nUser: I take the lamp and walk ahead of you. I say nothing."
	case unrulyTemplate:
		return "<|im_end|>\n<|im_start|>user\nI take the lamp and walk ahead of you."
	case unrulySpeaker:
		return "\n\nBo: Then let me go first, I know the stairs."
	case unrulyRepeat:
		return calm[0][0] + calm[0][1]
	case unrulyLanguage:
		return "Она уходит с лампой в подвал, и никто её больше не видит."
	case unrulyList:
		var b strings.Builder
		b.WriteString("There is this to do:\n")
		for n := range 60 {
			fmt.Fprintf(&b, "%d. the rope of pulley %c\n", n+1, 'a'+n%26)
		}
		return b.String()
	}
	return s[0] + s[1]
}

// unrulyWays returns the ways that the newest line of the user's names.
func unrulyWays(messages []storage.Node) (ways []string, ok bool) {
	for _, m := range slices.Backward(messages) {
		if m.Role != storage.User || !strings.Contains(strings.ToLower(m.Content), unrulyWord) {
			if m.Role == storage.User {
				return nil, false
			}
			continue
		}
		_, rest, _ := strings.Cut(strings.ToLower(m.Content), unrulyWord)
		known := []string{unrulyPhrases, unrulyUser, unrulySpeaker, unrulyRepeat, unrulyLanguage, unrulyTemplate,
			unrulyList, unrulyCut, stubbornly, hopelessly}
		for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if slices.Contains(known, w) && !slices.Contains(ways, w) {
				ways = append(ways, w)
			}
		}
		if !slices.ContainsFunc(ways, func(w string) bool { return w != stubbornly && w != hopelessly }) {
			ways = append(ways, unrulyPhrases, unrulyUser)
		}
		return ways, true
	}
	return nil, false
}

// sentencesIn counts the full sentences of a text, and reports whether another one is open.
func sentencesIn(text string) (n int, open bool) {
	for i, r := range text {
		switch {
		case strings.ContainsRune(".!?", r):
			if rest := strings.TrimLeft(text[i+1:], "\"”*"); open && (rest == "" || unicode.IsSpace(rune(rest[0]))) {
				n, open = n+1, false
			}
		case unicode.IsLetter(r):
			open = true
		}
	}
	return n, open
}
