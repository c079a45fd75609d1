package rules

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Bounds of what is read out of character.
const (
	mostAsides   = 4
	longestAside = 400 // bytes
)

// asideForms are the ways in which something is said out of character: in two brackets,
// in one with OOC before it, and on a line that OOC begins.
var asideForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?s)\(\(\s*(?:(?i:ooc)\s*[:,-]?)?\s*(.+?)\s*\)\)`),
		regexp.MustCompile(`(?is)[\(\[]\s*ooc\b\s*[:,-]?\s*([^()\[\]]+?)\s*[\)\]]`),
		regexp.MustCompile(`(?im)^\s*ooc\s*[:,-]\s*(.+?)\s*$`),
	}
})

// Asides are what a message says out of character: "(OOC: her hand is healed)",
// "((her hand is healed))", "OOC: her hand is healed".
func Asides(message string) []string {
	message = head(message, maxMessage)
	var out []string
	for _, form := range asideForms() {
		for _, m := range form.FindAllStringSubmatch(message, mostAsides) {
			if said := strings.TrimSpace(text.Shorten(m[1], longestAside)); said != "" && len(out) < mostAsides {
				out = append(out, said)
			}
		}
		message = form.ReplaceAllString(message, " ")
	}
	return out
}

// Contradicts tells whether what the user has said out of character may mean something
// that is known: they have a subject and another word in common, and do not say the
// same.
func Contradicts(aside, known string) bool {
	if strings.Contains(aside, "?") || SameMemory(aside, known) {
		return false
	}
	x, y := roots(head(aside, maxCompared)), stemsOf(head(known, maxCompared))
	shared, names := map[string]bool{}, map[string]bool{}
	for _, r := range x {
		if y[r.stem] {
			shared[r.stem] = true
			if r.name {
				names[r.stem] = true
			}
		}
	}
	return len(shared) >= leastTold && len(shared) > len(names)
}
