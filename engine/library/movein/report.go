package movein

import (
	"fmt"
	"path"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxListed limits the files with the same reason that get a line each. If there are more, the
// reason is printed once for all of them.
const maxListed = 3

// ReportLines returns the lines of a report in their order. A reason that many files share is
// printed once, with all of them. The lines may contain names from outside.
func ReportLines(lines []storage.MoveRemark) []string {
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
		case len(files) == 0: // printed with the first of them
		case len(files) <= maxListed:
			out = append(out, l.Path+": "+l.Why)
		default:
			out = append(out, fmt.Sprintf("%d files: %s (%s)", len(files), l.Why, joinPaths(files)))
			delete(of, key)
		}
	}
	return out
}

// joinPaths joins paths into one line and names each folder once.
func joinPaths(files []string) string {
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
