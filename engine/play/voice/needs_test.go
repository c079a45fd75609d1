package voice_test

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
)

// matching is a text that an expression matches, another one each time.
func matching(r *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		var b strings.Builder
		for _, c := range re.Rune {
			for range r.IntN(4) { // any letter that is taken for it
				c = unicode.SimpleFold(c)
			}
			b.WriteRune(c)
		}
		return b.String()
	case syntax.OpCharClass:
		at := 2 * r.IntN(len(re.Rune)/2)
		return string(re.Rune[at])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture:
		return matching(r, re.Sub[0])
	case syntax.OpConcat:
		text := ""
		for _, sub := range re.Sub {
			text += matching(r, sub)
		}
		return text
	case syntax.OpAlternate:
		return matching(r, re.Sub[r.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least, most := 0, 3
		switch re.Op {
		case syntax.OpPlus:
			least = 1
		case syntax.OpQuest:
			most = 1
		case syntax.OpRepeat:
			least, most = re.Min, max(re.Max, re.Min)
		}
		text := ""
		for range least + r.IntN(most-least+1) {
			text += matching(r, re.Sub[0])
		}
		return text
	}
	return ""
}

// However a text is written that an expression matches, the expression is run over it: what
// it needs stands there. The letters of their own, as the long s, come as others too.
func TestWatch_ExpressionsAreRunWhereTheyMatch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	list := []string{`/(stock|phrase)s? (number|of) \d+/`, `/s+o s{2}k/`, `/(?:ab|cd)+ever/`, `/x?y?long(?: ago)?/`, `/[aeiou]{3}/`, `/straße|gasse/`}
	for _, lang := range []string{"de", "en", "es", "fr"} {
		for line := range strings.Lines(string(phrases.Bundled(lang))) {
			if strings.HasPrefix(line, "/") {
				list = append(list, strings.TrimSpace(line))
			}
		}
	}
	found := func(rule, text string) bool {
		set, faults := voice.Compile([]voice.Rule{{Text: rule}}, nil)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		w, found := voice.New(voice.Rules{Set: set}, ""), false
		for _, piece := range strings.SplitAfter(text, " ") {
			found = found || w.Add(piece) != nil
		}
		return found
	}
	matched := 0
	for _, rule := range list {
		body := strings.Trim(rule, "/")
		re, err := syntax.Parse("(?i:"+body+")", syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			text := "The lamp burns, and then " + matching(r, re) + " . It is late."
			always := found("/"+body+"|[0-9]{9}/", text) // no word is needed for that
			if got := found(rule, text); got != always {
				t.Errorf("%s: found %t, and not %t, in %q", rule, got, always, text)
			}
			if always {
				matched++
			}
		}
	}
	if matched < 3000 {
		t.Errorf("only %d texts matched", matched)
	}
}
