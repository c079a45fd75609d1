package scene

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// citedText is a numbered text of the prompt that a model's numbers refer to.
type citedText struct {
	text  string
	nodes []storage.NodeID
	// For a bullet: the memories that it also states, and the user's edit of it.
	memories []storage.MemoryID
	hand     storage.BulletEdit
}

// sources turns the numbers of a bullet into the messages they mean. A number that points nowhere
// is dropped.
func sources(numbers []int, material []citedText) (out []storage.NodeID) {
	for _, n := range numbers {
		if n < 1 || n > len(material) {
			continue
		}
		for _, id := range material[n-1].nodes {
			if id != "" && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}
