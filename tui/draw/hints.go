package draw

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Hints returns a line of hints in w cells, the most useful first: as many whole ones as fit. The
// last one always stays; it names the key that shows all of them.
func Hints(line string, w int) string { return HintRows(line, w, 1)[0] }

// HintRows returns Hints in as few rows as possible, and no more than most rows.
func HintRows(line string, w, most int) []string {
	hints := strings.Split(line, Separator)
	n := len(hints) - 1
	last := hints[n]
	var rows []string
	for h := range max(1, most) {
		var whole bool
		if rows, whole = fitHints(hints[:n], last, w, h+1); whole {
			break
		}
	}
	return rows
}

// fitHints fills rows with the hints that fit; last always goes at the end of the last row. It
// reports whether all of them fit.
func fitHints(hints []string, last string, w, most int) (rows []string, whole bool) {
	rows, whole = make([]string, 1, most), true
	for _, h := range hints {
		avail := w
		if len(rows) == most {
			avail -= ansi.StringWidth(Separator + last)
		}
		at := len(rows) - 1
		switch n := ansi.StringWidth(h); {
		case rows[at] == "" && n <= avail, ansi.StringWidth(rows[at]+Separator)+n <= avail:
			rows[at] = Join(rows[at], h)
		case len(rows) < most && (len(rows)+1 < most && n <= w || n+ansi.StringWidth(Separator+last) <= w):
			rows = append(rows, h)
		default:
			whole = false
		}
	}
	at := len(rows) - 1
	if with := Join(rows[at], last); ansi.StringWidth(with) <= w || rows[at] == "" || len(rows) == most {
		rows[at] = with
	} else {
		rows = append(rows, last)
	}
	return rows, whole
}

// Parts returns a line of parts joined by Separator, cut to the whole parts that fit into w cells.
func Parts(line string, w int) string {
	if ansi.StringWidth(line) <= w {
		return line
	}
	for {
		i := strings.LastIndex(line, Separator)
		if i < 0 {
			return line
		}
		if line = line[:i]; ansi.StringWidth(line)+2 <= w {
			return line + " …"
		}
	}
}
