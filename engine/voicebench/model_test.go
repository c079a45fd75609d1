package voicebench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The bench's lists: phrases and expressions of made-up words, so that nothing else has them.
const (
	phraseCount = 300
	regexCount  = 30
)

var syllables = strings.Fields("va lu mer tor sil en dra kor phi nax oli ber quin sto mal rei zan hul")

// word returns the n-th made-up word.
func word(n int) string {
	a, b, c := syllables[n%len(syllables)], syllables[n/len(syllables)%len(syllables)], syllables[(n*7+3)%len(syllables)]
	return a + b + c
}

// lists returns what is banned, and for each of it one text that it matches.
func lists() (rules, says []string) {
	for i := range phraseCount {
		p := fmt.Sprintf("%s the %s of her %s", word(i), word(i+1000), word(i+2000))
		rules, says = append(rules, p), append(says, p)
	}
	for i := range regexCount {
		w := word(i + 5000)
		rules = append(rules, fmt.Sprintf(`/%s(?:s|ed)? (?:\pL+ )?through (?:his|her) %s/`, w, word(i+6000)))
		says = append(says, fmt.Sprintf("%sed slowly through her %s", w, word(i+6000)))
	}
	return rules, says
}

var plainWords = strings.Fields("lamp door rope stage rain board curtain page stair window velvet letter kettle river coat glove mirror candle")

// model says something banned in every other sentence and tries to speak for the user in
// every reply. It goes on from what stands there, as a real one does.
type model struct {
	says []string
	user string
}

func (m model) write(messages []storage.Node, take int) string {
	kept := ""
	if n := len(messages); n > 0 && messages[n-1].Role == storage.Assistant {
		kept = messages[n-1].Content
	}
	var seed uint64 = uint64(take)
	for _, msg := range messages {
		if msg.Role == storage.System { // the program's words, which it may change
			continue
		}
		for _, r := range msg.Content {
			seed = seed*1099511628211 + uint64(r)
		}
	}
	rnd := rand.New(rand.NewPCG(seed, 7))
	done := strings.Count(kept, ".") + strings.Count(kept, "!")
	length := 8
	var b strings.Builder
	for i := done; i < length; i++ {
		open := i == done && kept != "" && !strings.ContainsRune(".!\"*", lastRune(kept))
		if !open && (kept != "" || i > done) {
			b.WriteString([]string{" ", " ", "\n\n"}[rnd.IntN(3)])
		}
		if !open {
			fmt.Fprintf(&b, "The %s stands by the %s", plainWords[rnd.IntN(len(plainWords))], plainWords[rnd.IntN(len(plainWords))])
		}
		switch again := i == done && kept != "" && rnd.IntN(5) > 0; {
		case i == 5 && !open && !again:
			return b.String() + ".\n\n" + m.user + ": I take it and go. I say nothing more."
		case i%2 == 1 && !again:
			bad := m.says[rnd.IntN(len(m.says))]
			switch rnd.IntN(4) {
			case 0:
				bad = strings.ToUpper(bad[:1]) + bad[1:]
			case 1:
				bad = strings.Replace(bad, " ", "\n", 1)
			case 2:
				bad = "*" + strings.Replace(bad, " ", "* ", 1)
			}
			fmt.Fprintf(&b, " and %s again.", bad)
		default:
			fmt.Fprintf(&b, " and the %s is quiet.", plainWords[rnd.IntN(len(plainWords))])
		}
	}
	return b.String()
}

func lastRune(s string) (last rune) {
	for _, r := range strings.TrimRightFunc(s, unicode.IsSpace) {
		last = r
	}
	return last
}
