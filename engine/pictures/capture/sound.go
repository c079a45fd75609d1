package capture

import (
	"strings"
	"unicode"
)

// checkSound finds an answer that broke off, that says the same again and again, or
// that is written in another script than English, which is what image models read.
func checkSound(prompt string) []Fault {
	switch {
	case isForeignScript(prompt):
		return []Fault{
			{
				Message:    "The prompt is not in English, which is what picture models read.",
				Correction: "The prompt is not in English. Write it in English.",
			},
		}
	case isRepetitive(prompt):
		return []Fault{
			{
				Message:    "The prompt says the same thing again and again.",
				Correction: "The prompt repeats itself. Say each thing once.",
			},
		}
	case isCutOff(prompt):
		return []Fault{
			{
				Message:    "The prompt breaks off in the middle of a sentence.",
				Correction: "The prompt breaks off in the middle of a sentence. Write it shorter, to its end.",
			},
		}
	}
	return nil
}

// isCutOff reports whether a long text ends without an end.
func isCutOff(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	if CountWords(prompt) < 60 || strings.ContainsRune(".!?…\"”)", last(prompt)) {
		return false
	}
	return strings.ContainsRune(",;:–—-", last(prompt)) || len(prompt) > 1200
}

// isRepetitive reports whether a run of ten words comes three times.
func isRepetitive(prompt string) bool {
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

// isForeignScript reports whether most letters of a text are of no script that English is written in.
func isForeignScript(prompt string) bool {
	letters, other := 0, 0
	for _, r := range prompt {
		if unicode.IsLetter(r) {
			letters++
			if !unicode.Is(unicode.Latin, r) {
				other++
			}
		}
	}
	return letters > 40 && 3*other > letters
}
