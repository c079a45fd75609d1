package scene

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Statements are the parts of a bullet that stand for themselves: its sentences, each
// with those after it that lean on it ("She regrets it."). What is quoted is not taken
// apart.
func Statements(bullet string) (out []string) {
	from, end, quoted := 0, 0, false
	for i, runes := 0, []rune(bullet); i < len(runes); i++ {
		// What is no rune counts one byte, though as a rune it would be three.
		r, size := utf8.DecodeRuneInString(bullet[end:])
		end += size
		switch r {
		case '"':
			quoted = !quoted
		case '“', '„', '«':
			quoted = true
		case '”', '»':
			quoted = false
		}
		if !quoted && stops(runes, i) && !shortened(bullet[from:end]) {
			out = addStatement(out, bullet[from:end])
			from = end
		}
	}
	return addStatement(out, bullet[from:])
}

// stops tells whether a sentence ends with the rune at i: a stop, before it or after it
// the end of what is quoted, and then what begins a sentence.
func stops(text []rune, i int) bool {
	switch text[i] {
	case '。', '！', '？':
		return true
	case '.', '!', '?', '…':
	case '"', '”', '“', '»', ')':
		if i == 0 || !strings.ContainsRune(".!?…", text[i-1]) {
			return false
		}
	default:
		return false
	}
	if i+2 >= len(text) || text[i+1] != ' ' {
		return false
	}
	next := text[i+2]
	return unicode.IsUpper(next) || unicode.IsNumber(next) || !unicode.IsLower(next) && unicode.IsLetter(next)
}

// shortened tells whether the stop at the end of a text is that of a short form, an
// initial or an ordinal number.
func shortened(text string) bool {
	w, ok := strings.CutSuffix(text, ".")
	if !ok {
		return false
	}
	w = strings.ToLower(w[strings.LastIndexAny(w, " (")+1:])
	number := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsNumber(r) }) < 0
	return utf8.RuneCountInString(w) == 1 && !number || number && len(w) < 3 || shortForms()[w]
}

// addStatement adds a sentence, to the one before it where it leans on that.
func addStatement(list []string, text string) []string {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(text, `"“„«(*_`)), " ")
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	switch {
	case !strings.ContainsFunc(text, isWordRune):
	case len(list) > 0 && leaning()[strings.TrimRight(first, ",.:;!?")]:
		list[len(list)-1] += " " + text
		return list
	default:
		return append(list, text)
	}
	return list
}

// shortForms are words that a stop shortens.
var shortForms = sync.OnceValue(func() map[string]bool {
	return setOf(`dr mr mrs ms st prof sr jr vs etc ca bzw usw nr hr fr frl sgt capt lt col gen mme mlle sra srta no vol`)
})

// leaning are the words by which a sentence leans on the one before it.
var leaning = sync.OnceValue(func() map[string]bool {
	return setOf(`he she it they his her hers its their theirs him them this that these those there then but so yet both neither because therefore afterwards later instead
		er sie es sein seine ihr ihre ihm ihn ihnen dies diese dieser dieses das dort da dann aber doch deshalb darum danach beide weil
		il elle ils elles on son sa ses leur leurs lui ce c cela ça cette ces ceci là puis mais donc alors ensuite car
		él ella ellos ellas su sus esto eso esta este allí luego pero entonces porque`)
})

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
