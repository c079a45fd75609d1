package capture

import (
	"strings"
	"unicode"
)

// checkSound finds an answer that broke off, that says the same again and again, or
// that is written in another script than English, which is what image models read.
func checkSound(prompt string) []Fault {
	switch {
	case foreign(prompt):
		return []Fault{
			{
				Words: "The prompt is not in English, which is what picture models read.",
				Reask: "The prompt is not in English. Write it in English.",
			},
		}
	case repeats(prompt):
		return []Fault{
			{
				Words: "The prompt says the same thing again and again.",
				Reask: "The prompt repeats itself. Say each thing once.",
			},
		}
	case brokenOff(prompt):
		return []Fault{
			{
				Words: "The prompt breaks off in the middle of a sentence.",
				Reask: "The prompt breaks off in the middle of a sentence. Write it shorter, to its end.",
			},
		}
	}
	return nil
}

// brokenOff reports whether a long text ends without an end.
func brokenOff(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	if Words(prompt) < 60 || strings.ContainsRune(".!?…\"”)", last(prompt)) {
		return false
	}
	return strings.ContainsRune(",;:–—-", last(prompt)) || len(prompt) > 1200
}

// repeats reports whether a run of ten words comes three times.
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

// foreign reports whether most letters of a text are of no script that English is written in.
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
	return letters > 40 && 3*other > letters
}
