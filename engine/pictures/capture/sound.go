package capture

import (
	"strings"
	"unicode"
)

// checkSound finds an answer that broke off, that says the same again and again, or
// that is not in English, which is what image models read.
func checkSound(prompt string) []Fault {
	switch {
	case foreign(prompt):
		return []Fault{{"The prompt is not in English, which is what picture models read.", "Write the prompt in English."}}
	case repeats(prompt):
		return []Fault{{"The prompt says the same thing again and again.", "The prompt repeats itself. Say each thing once."}}
	case brokenOff(prompt):
		return []Fault{{"The prompt breaks off in the middle of a sentence.", "The prompt breaks off in the middle of a sentence. Write it shorter, to its end."}}
	}
	return nil
}

// brokenOff tells whether a long text ends without an end.
func brokenOff(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	if Words(prompt) < 60 || strings.ContainsRune(".!?…\"”)", last(prompt)) {
		return false
	}
	tail := strings.Fields(prompt)
	low := strings.ToLower(strings.Trim(tail[len(tail)-1], ",;:–—-"))
	return strings.ContainsRune(",;:–—-", last(prompt)) || articlesAll[low] || closers[low] || len(prompt) > 1200
}

// repeats tells whether a run of ten words comes three times.
func repeats(prompt string) bool {
	list := strings.Fields(strings.ToLower(prompt))
	seen := map[string]int{}
	for i := 0; i+10 <= len(list); i++ {
		key := strings.Join(list[i:i+10], " ")
		if seen[key]++; seen[key] >= 3 {
			return true
		}
	}
	return false
}

// Words that a language cannot do without, of English and of others that have Latin
// letters. What is said in several is in none of them.
var (
	plainEnglish = wordSet("the of and with is are at her his from as it its their into over behind by to")
	plainOther   = wordSet("der die das und ist mit ein eine einen dem den von auf im le les et est une dans avec sur du el los las una un con y es del en il gli che di della nel o os um uma com não da na het een van met i w z na jest się")
)

// foreign tells whether a text of some length is in another language.
func foreign(prompt string) bool {
	letters, other := 0, 0
	for _, r := range prompt {
		if unicode.IsLetter(r) {
			letters++
			if !unicode.Is(unicode.Latin, r) {
				other++
			}
		}
	}
	if letters > 40 && 3*other > letters {
		return true
	}
	list := words(strings.ToLower(prompt))
	ours, theirs := 0, 0
	for _, w := range list {
		if plainEnglish[w] {
			ours++
		}
		if plainOther[w] {
			theirs++
		}
	}
	return len(list) >= 30 && 10*theirs > len(list) && theirs > 2*ours
}
