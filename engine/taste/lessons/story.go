package lessons

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Material holds everything that belongs to one story and must not be in a card: the names of its
// cast and lorebook entries, and its texts.
type Material struct {
	Names []string
	Texts []string // bounded by the caller
}

// minQuotedWords is the minimum number of equal words that count as a quotation from a story.
const minQuotedWords = 2

// In returns the part of a text that belongs to the story: a name with its own capitals, or quoted
// words that occur in the story's texts. It is "" if there is none.
func (m Material) In(s string) string {
	for _, name := range m.Names {
		if name = strings.TrimSpace(name); text.HasWord(s, name) {
			return name
		}
	}
	for _, q := range text.Quotations(s) {
		if q = text.Normalize(q); len(strings.Fields(q)) < minQuotedWords {
			continue
		}
		for _, told := range m.Texts {
			if strings.Contains(text.Normalize(told), q) {
				return q
			}
		}
	}
	return ""
}
