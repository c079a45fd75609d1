package plist

import (
	"strings"
	"unicode/utf8"
)

// Pronouns by language. The sure ones are words of no other language that is
// known here; the doubtful ones are, and count only where the text is evidently
// written in theirs.
var (
	sure = [...]func(string) bool{
		english: wordList(`he she him his hers himself herself they them their theirs themselves themself he's she's they're they've they'd they'll he'd she'd he'll she'll`),
		german:  wordList(`ihm ihn ihnen ihrem ihren ihrer ihres seine seinem seinen seiner seines`),
		french:  wordList(`ils elles eux leurs lui-même`),
		spanish: wordList(`él ellos ellas suyo suya suyos suyas`),
	}
	doubtful = [...]func(string) bool{
		english: wordList(`her`),
		german:  wordList(`er sie ihr ihre sein`),
		french:  wordList(`il elle lui leur son sa ses`),
		spanish: wordList(`ella su sus`),
	}
	// courtesies follow a pronoun in a title.
	courtesies = wordList(`majesty majesties highness highnesses grace excellency eminence lordship ladyship holiness honor honour worship
		majestät hoheit gnaden durchlaucht exzellenz eminenz heiligkeit majesté altesse excellence sainteté majestad alteza excelencia santidad`)
)

// pronouns finds the pronouns in the properties that stand for a name. Names are
// whose words are none.
func pronouns(text string, names []string, facts []span) []span {
	if len(facts) == 0 {
		return nil
	}
	body := span{facts[0].from, facts[len(facts)-1].to}
	own := map[string]bool{}
	for _, n := range names {
		Words(n[:min(len(n), maxName)], func(w string, _ int, _ bool) bool {
			own[w] = true
			return true
		})
	}
	words := wordsIn(text, body)
	tongue := tongueOf(words)
	var out []span
	for i, w := range words {
		if len(out) == maxProblems {
			break
		}
		if w.quoted || own[w.text] || !tongue.pronoun(w) || spoken(text, w) {
			continue
		}
		if w.text != w.lower && !w.first { // a name within a sentence
			continue
		}
		if i+1 < len(words) && courtesies(words[i+1].lower) {
			continue
		}
		out = append(out, w.span)
	}
	return append(out, its(words, own, maxProblems-len(out))...)
}

type word struct {
	span
	text, lower  string
	first, final bool // of a property, detail or sentence
	quoted       bool
}

// wordsIn lists the words of the properties.
func wordsIn(text string, in span) []word {
	var out []word
	quoted, last := false, in.from
	Words(text[in.from:in.to], func(w string, at int, _ bool) bool {
		at += in.from
		gap := text[last:at]
		first := len(out) == 0 || ends(gap)
		if first && len(out) > 0 {
			out[len(out)-1].final = true
		}
		if strings.ContainsAny(gap, ",;()") { // a quotation does not outlast its property
			quoted = quoted && !strings.ContainsAny(gap, "()")
		}
		for _, r := range gap {
			switch r {
			case '“', '«', '„', '”', '»', '"':
				quoted = !quoted
			}
		}
		out = append(out, word{span: span{at, at + len(w)}, text: w, lower: strings.ToLower(w), first: first, quoted: quoted})
		last = at + len(w)
		return true
	})
	if len(out) > 0 {
		out[len(out)-1].final = true
	}
	return out
}

// ends tells whether what stands between two words parts them.
func ends(gap string) bool { return strings.ContainsAny(gap, ",;:()[].!?，、；（）。！？\n") }

// spoken tells whether a word stands in a list of pronouns, as in "she/her".
func spoken(text string, w word) bool {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:w.from], " "))
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[w.to:min(len(text), w.to+8)], " "))
	return before == '/' || after == '/'
}

// tongue is how many small words of each language a text has.
type tongue [len(function)]int

func tongueOf(words []word) tongue {
	var t tongue
	for _, w := range words {
		for l := range function {
			if function[l](w.lower) {
				t[l]++
			}
		}
	}
	return t
}

func (t tongue) pronoun(w word) bool {
	best := max(t[0], t[1], t[2], t[3])
	for l := range sure {
		switch {
		case sure[l](w.lower):
			if best < 2 || t[l] > 0 {
				return true
			}
		case doubtful[l](w.lower):
			if t[l] == best && (l == english || t[english] < best) && !alsoName(w) {
				return true
			}
		}
	}
	return false
}

// alsoName tells whether a doubtful pronoun is more likely a name or a verb as
// it stands: "Ella", "Sein und Zeit", "will König sein".
func alsoName(w word) bool {
	switch w.lower {
	case "ella", "elle":
		return w.text != w.lower
	case "sein":
		return w.text != w.lower || w.final
	}
	return w.text != w.lower && !w.first
}

// its finds an "it" that stands for a name: one that ends a property ("guards
// it"), and one that begins a sentence other than "it rains" and "it is said".
func its(words []word, own map[string]bool, most int) []span {
	var out []span
	for i, w := range words {
		if len(out) >= most {
			break
		}
		if w.lower != "it" || w.quoted || own[w.text] || w.text == "IT" {
			continue
		}
		ending := w.final && !w.first && !idioms(words[i-1].lower)
		opening := w.first && !w.final && !impersonal(words[i+1].lower)
		if ending || opening {
			out = append(out, w.span)
		}
	}
	return out
}

var (
	idioms     = wordList(`make makes made making call calls called take takes taking as so with about of`)
	impersonal = wordList(`is was isn't wasn't rains rained snows snowed seems seemed takes took will would has had may might can could must should`)
)
