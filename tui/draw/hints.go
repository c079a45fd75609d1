package draw

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Hints returns a line of hints, each between dots and the most useful first, in w cells: as
// many whole ones as there is room for. The last one always stays; it names the key that
// shows all of them.
func Hints(line string, w int) string { return HintRows(line, w, 1)[0] }

// HintRows are Hints in as few rows as hold them all, and in at most so many.
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

// fitHints puts what fits of hints into rows, with one behind them that has its place in
// the last row, and reports whether all do.
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

// Parts returns a line of words between dots, cut to the whole ones that w cells hold.
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
