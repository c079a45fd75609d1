package scene

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Detection is a model's answer to DetectPrompt or DetectInstruction.
type Detection struct {
	Status    bool   `json:"status"`
	Rationale string `json:"rationale"`
}

// quotation matches the text that a rationale quotes, with any kind of quotation marks.
var quotation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[\"“„«‹»「『][^\"“”„«»‹›「」『』]+[\"“”»›«」』]|(?:^|[\\s(])['‘‚`].+?['’`](?:$|[\\s).,;:!?])")
})

// minQuoted is the minimum length of a quotation that counts as evidence, in bytes.
const minQuoted = 6

// HasEvidence reports whether a model's rationale for a scene break quotes words of a candidate. at
// is the first candidate that contains them, cue the quotation.
func HasEvidence(d Detection, candidates []Message) (at int, cue string, ok bool) {
	if !d.Status {
		return 0, "", false
	}
	for _, q := range quotation().FindAllString(d.Rationale, -1) {
		q = strings.Trim(q, " \t\"“”„«»‹›「」『』'‘’‚`().,;:!?…")
		want := foldedWords(q)
		if len(q) < minQuoted || want == "  " {
			continue
		}
		for i, m := range candidates {
			if strings.Contains(foldedWords(m.Text), want) {
				return i, clip(q, maxCue), true
			}
		}
	}
	return 0, "", false
}

// foldedWords returns the words of a text, folded, with a blank around each.
func foldedWords(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range text.Words(s) {
		b.WriteString(text.Fold(w) + " ")
	}
	return b.String()
}

// clip makes words from outside fit for a rationale: one line, at most n runes.
func clip(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	s = prompts.OneLine(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimSpace(string(r[:n-1])) + "…"
}
