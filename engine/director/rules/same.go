package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is compared word by word; beyond it, texts are the same only
// where their words are, in their order.
const (
	maxCompared = 1200 // bytes
	maxWords    = 200
)

// leastAlike is how much the letters of two texts must have in common to be
// compared at all, from 0 to 1.
const leastAlike = 0.6

// oneMoreIn is among how many common words a text may have one that the other
// lacks.
const oneMoreIn = 7

// SameMemory tells whether two memories say the same: in the same words, but for
// case, punctuation, small words, forms of a word, a part of the sentence that
// stands elsewhere, or in a long one a word more. It is careful: a number, a
// negation or a word that stands where the other has another makes two of them,
// for a memory that is there twice costs less than one that is lost.
func SameMemory(a, b string) bool { return ToCompare(a).Same(ToCompare(b)) }

// Compared is a text and what it is compared by, which is found once, where it is needed
// at all. It is for one goroutine.
type Compared struct {
	text   string
	read   bool
	tokens []string
	dense  bool // it has words of a script that writes none apart
	groups map[[3]rune]int
	all    int // groups
}

// ToCompare is for who compares a text with several: see SameMemory.
func ToCompare(text string) *Compared { return &Compared{text: text} }

// words reads the text.
func (c *Compared) words() []string {
	if !c.read {
		c.read, c.tokens = true, tokensOf(c.text)
		c.dense = slices.ContainsFunc(c.tokens, isDenseWord)
	}
	return c.tokens
}

// trigrams are the groups of three letters of the text's words, and how many there are.
func (c *Compared) trigrams() (map[[3]rune]int, int) {
	if c.groups == nil {
		c.groups, c.all = trigrams(c.words())
	}
	return c.groups, c.all
}

// Same tells whether both texts say the same: see SameMemory.
func (c *Compared) Same(d *Compared) bool {
	a, b := c.text, d.text
	if a == b {
		return strings.TrimSpace(a) != ""
	}
	if len(a) > maxCompared || len(b) > maxCompared {
		said := letters(a)
		return said != "" && said == letters(b)
	}
	if strings.ContainsAny(a, "?？") != strings.ContainsAny(b, "?？") {
		return false
	}
	ta, tb := c.words(), d.words()
	if len(ta) == 0 || len(tb) == 0 || len(ta) > maxWords || len(tb) > maxWords {
		return false
	}
	if slices.Equal(ta, tb) {
		return true
	}
	return !c.dense && !d.dense && alike(c, d) >= leastAlike && sameTokens(ta, tb)
}

// SameHook tells whether two hooks are about the same, as SameMemory does.
func SameHook(a, b string) bool { return SameMemory(a, b) }

// tokensOf are the words of a text that tell what it says, in the form that they
// are compared in.
func tokensOf(s string) []string {
	s = oneSpelling.Replace(strings.ToLower(s))
	s = below().ReplaceAllString(s, " minus $1")
	var out []string
	add := func(w string) {
		switch t := tokenForms()[w]; {
		case w == "" || t == dropped:
		case t != "":
			out = append(out, t)
		default:
			out = append(out, stem(w))
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !isWordRune(r) && r != '\'' }) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if full, ok := negated[w]; ok {
			w = full + "n't"
		}
		w, no := strings.CutSuffix(w, "n't")
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'re"), "'m")
		add(strings.ReplaceAll(w, "'", ""))
		if no {
			add(negation)
		}
	}
	return inOrder(out)
}

// oneSpelling writes in one way what is written in several, and in words the
// signs that tell what a number counts.
var oneSpelling = strings.NewReplacer("’", "'", "ʼ", "'", "`", "'", "´", "'", "%", " percent ", "$", " dollar ", "€", " euro ", "£", " pound ", "+", " plus ",
	"colour", "color", "honour", "honor", "favour", "favor", "flavour", "flavor", "neighbour", "neighbor", "rumour", "rumor", "humour", "humor", "labour", "labor",
	"harbour", "harbor", "armour", "armor", "behaviour", "behavior", "endeavour", "endeavor", "parlour", "parlor", "travell", "travel", "grey", "gray",
	"theatre", "theater", "centre", "center", "realis", "realiz", "recognis", "recogniz", "organis", "organiz", "apologis", "apologiz", "jewellery", "jewelry")

// below is a number that is less than nothing.
var below = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\s)[-−]([0-9])`) })

// negated are the words that a negation is part of in a way of its own.
var negated = map[string]string{"can't": "can", "cant": "can", "cannot": "can", "won't": "will", "wont": "will", "shan't": "shall",
	"dont": "do", "doesnt": "does", "didnt": "did", "isnt": "is"}

// What words become that are not compared as they are.
const (
	negation = "not"
	dropped  = "-"
)

// tokenForms are the words that mean another, or nothing.
var tokenForms = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	put := func(form, words string) {
		for w := range strings.FieldsSeq(words) {
			m[w] = form
		}
	}
	put(dropped, `a an the is are am be been being has have that which who really very quite also so just indeed do does
		der die das ein eine ist sind hat le la les un une est el los las una es`)
	put(negation, `not no never neither nor none nobody without nothing nicht kein keine keinen keiner nie niemals
		pas jamais sans nunca jamás sin`)
	for i, w := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve") {
		m[w] = string([]rune{'0' + rune(i/10), '0' + rune(i%10)})
	}
	for i := range 13 {
		m[strings.TrimLeft(string([]rune{'0' + rune(i/10), '0' + rune(i%10)}), "0")] = string([]rune{'0' + rune(i/10), '0' + rune(i%10)})
	}
	m["0"] = "00"
	delete(m, "")
	return m
})

// turning are words that turn what is said into something else: no text has one
// of them more than the other.
var turning = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{negation: true}
	for w := range strings.FieldsSeq(`almost nearly barely hardly scarcely seldom rarely sometimes often always maybe perhaps possibly might may could would should
		if unless only except until refuse refuses refused pretend pretends pretended stop stops stopped quit used former formerly ex fake false
		want wants wanted wish wishes hope hopes hoped fear fears feared try tries tried fail fails failed claim claims claimed deny denies denied
		think thinks thought believe believes believed dream dreams dreamed was were had will ago later before after since again longer
		yet still anymore half step god grand great mother father brother sister son daughter wife husband friend enemy`) {
		m[stem(w)] = true
	}
	return m
})

// stem takes the ends off a word that its plural and its forms in the present
// have.
func stem(w string) string {
	n := utf8.RuneCountInString(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ies"):
		return strings.TrimSuffix(w, "ies") + "y"
	case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes")):
		return strings.TrimSuffix(w, "es")
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// inOrder drops the "and" between two words at either end of a text, which may
// stand either way round.
func inOrder(t []string) []string {
	for _, i := range []int{1, len(t) - 2} {
		if i > 0 && i < len(t)-1 && t[i] == "and" && t[i-1] > t[i+1] {
			t[i-1], t[i+1] = t[i+1], t[i-1]
		}
	}
	return slices.DeleteFunc(t, func(w string) bool { return w == "and" })
}

func isDenseWord(w string) bool { return strings.ContainsFunc(w, isDense) }

// sameTokens compares what is left when words that both have are paired.
func sameTokens(a, b []string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	used := make([]bool, len(a))
	var order []int // of b's words, where a has them
	for _, w := range b {
		at := -1
		for i := range a {
			if !used[i] && a[i] == w {
				at = i
				break
			}
		}
		if at < 0 {
			return false
		}
		used[at] = true
		order = append(order, at)
	}
	more := 0
	for i, u := range used {
		if !u {
			more++
			if turning()[a[i]] || strings.ContainsFunc(a[i], unicode.IsNumber) {
				return false
			}
		}
	}
	return more*oneMoreIn <= len(b) && turned(order)
}

// turned tells whether words stand in their order, or in that of a sentence
// whose end has come to its beginning.
func turned(order []int) bool {
	breaks := 0
	for i := range order {
		if i > 0 && order[i] < order[i-1] {
			breaks++
		}
	}
	return breaks == 0 || breaks == 1 && order[len(order)-1] < order[0]
}

// alike is how much two texts have in common, from 0 to 1, by groups of three
// letters within their words. There are words in both.
func alike(a, b *Compared) float64 {
	ga, na := a.trigrams()
	gb, nb := b.trigrams()
	common := 0
	for g, n := range ga {
		common += min(n, gb[g])
	}
	return 2 * float64(common) / float64(na+nb)
}

// trigrams counts the groups of three letters, with a blank around each word.
func trigrams(words []string) (groups map[[3]rune]int, n int) {
	groups = map[[3]rune]int{}
	for _, w := range words {
		window := [3]rune{' ', ' ', ' '}
		for _, r := range w + " " {
			window[0], window[1], window[2] = window[1], window[2], r
			groups[window]++
			n++
		}
	}
	return groups, n
}
