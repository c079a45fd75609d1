package movein

import (
	"fmt"
	"path"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fewTold is how many files may have the same said of them before it is said once.
const fewTold = 3

// Told are the lines of a report as they are read, in their order: what is said of many
// files alike stands once, with all of them. Their words may hold names from outside.
func Told(lines []storage.MoveRemark) []string {
	type saying struct{ kind, why string }
	of := map[saying][]string{}
	for _, l := range lines {
		key := saying{l.Kind, l.Why}
		of[key] = append(of[key], l.Path)
	}
	var out []string
	for _, l := range lines {
		key := saying{l.Kind, l.Why}
		switch files := of[key]; {
		case len(files) == 0: // told with the first of them
		case len(files) <= fewTold:
			out = append(out, l.Path+": "+l.Why)
		default:
			out = append(out, fmt.Sprintf("%d files: %s (%s)", len(files), l.Why, joined(files)))
			delete(of, key)
		}
	}
	return out
}

// joined are paths in a row, each folder named once.
func joined(files []string) string {
	var words strings.Builder
	dir := ""
	for i, name := range files {
		if i > 0 {
			words.WriteString(", ")
		}
		if d := path.Dir(name); i == 0 || d != dir {
			words.WriteString(name)
			dir = d
			continue
		}
		words.WriteString(path.Base(name))
	}
	return words.String()
}
