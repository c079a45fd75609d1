package lessons

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Material is what belongs to one story, and so to no card: the names of its cast and
// lorebook entries, and what its texts say word for word.
type Material struct {
	Names []string
	Texts []string // bounded by the caller
}

// minQuotedWords is how many words a quotation has that no two stories share by chance.
const minQuotedWords = 2

// In returns what of a text belongs to the story: a name, in its own capitals, or
// quoted words that stand in the story's texts. It is "" where there is nothing.
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
