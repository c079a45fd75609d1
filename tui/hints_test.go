package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// No line with keys is cut: a hint that does not fit is left out, and the key of the help comes
// last. Checked in the frames of all parts, at common sizes.
func TestHints_AreWholeInAllFrames(t *testing.T) {
	t.Parallel()
	rows, cut := 0, 0
	for _, f := range goldenFrames(t) {
		for _, row := range hintRows(f.rows) {
			rows++
			if strings.HasSuffix(row, "…") {
				cut++
				t.Errorf("%s: a line of hints is cut: %q", f.name, row)
			}
		}
	}
	if t.Logf("%d of %d lines of hints are cut", cut, rows); rows < 300 {
		t.Errorf("only %d lines of hints were found", rows)
	}
}

// What several panes and dialogs have has the same key in each of them.
func TestHints_HaveOneGrammar(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, f := range goldenFrames(t) {
		for _, row := range hintRows(f.rows) {
			for _, hint := range strings.Split(row, draw.Separator) {
				key, words := splitHint(hint)
				want := grammarKey(words)
				if seen[want]++; want != "" && len(key) == 1 || want == "space" {
					if key != want {
						t.Errorf("%s: %q, and its key is %q elsewhere", f.name, hint, want)
					}
				}
				if key == "q" && words != "close" {
					t.Errorf("%s: %q, and q closes", f.name, hint)
				}
				if of, ok := typedKeys[key]; ok && !slices.Contains(of, words) {
					t.Errorf("%s: %q, and elsewhere this key means %q", f.name, hint, of)
				}
			}
		}
	}
	for _, key := range []string{"n", "e", "d", "u", "r", "space", "/"} {
		if seen[key] == 0 {
			t.Errorf("no hint was found whose key is %q", key)
		}
	}
}

// typedKeys are keys of dialogs with text input, and their possible meanings: something new; a list
// or a file to take something from; which of several.
var typedKeys = map[string][]string{
	"^N": {"new", "new episode", "new preset", "new: download"},
	"^O": {"import", "type a path", "models", "characters", "all characters", "series and episodes", "reference images", "book", "order", "workflows"},
}

// grammarKey is the key that words of a hint go with in all panes, "" for others.
func grammarKey(words string) string {
	verb, _, _ := strings.Cut(words, " ")
	switch {
	case verb == "new":
		return "n"
	case words == "edit":
		return "e"
	case verb == "delete", verb == "remove":
		return "d"
	case verb == "undo":
		return "u"
	case words == "another", words != "holds again" && strings.HasSuffix(words, "again"):
		return "r"
	case words == "select":
		return "space"
	case words == "filter", words == "search":
		return "/"
	}
	return ""
}

// splitHint splits a hint into its keys and words. Several keys may precede the words if all but
// the last are arrows, or tab.
func splitHint(h string) (key, words string) {
	for {
		k, rest, _ := strings.Cut(strings.TrimSpace(h), " ")
		key = strings.TrimSpace(key + " " + k)
		h = rest
		if next, _, _ := strings.Cut(rest, " "); !strings.ContainsAny(next, "←→↑↓") {
			return key, rest
		}
	}
}

// goldenFrame is a frame of a golden file, of a size that people work in.
type goldenFrame struct {
	name string
	rows []string
}

func goldenFrames(t *testing.T) []goldenFrame {
	t.Helper()
	var files []string
	var out []goldenFrame
	for _, pattern := range []string{"testdata/golden/*.txt", "*/testdata/golden/*.txt"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".styled.txt") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			head, body, _ := strings.Cut(frame, "\n")
			var w, h int
			if _, err := fmt.Sscanf(head, "%d×%d", &w, &h); err != nil || w < 80 || h < 24 {
				continue
			}
			out = append(out, goldenFrame{file + ", " + head, strings.Split(body, "\n")})
		}
	}
	return out
}

var (
	dialogFoot   = regexp.MustCompile(`╰─ ([^╯]*?) ─*╯`)
	composerRule = regexp.MustCompile(`^─.*─ (.+) ─`)
)

// hintRows are the lines of a frame that name keys: the lower edges of dialogs, the line
// above the composer, and the one below the pane.
func hintRows(frame []string) []string {
	var out []string
	over := strings.HasPrefix(frame[0], "─")
	for y, row := range frame {
		for _, m := range dialogFoot.FindAllStringSubmatch(row, -1) {
			out = append(out, strings.TrimSpace(m[1]))
		}
		left, pane, beside := strings.Cut(row, "│")
		if m := composerRule.FindStringSubmatch(left); m != nil && y > 0 {
			out = append(out, strings.TrimSpace(m[1]))
			if over {
				out, over = append(out, strings.TrimSpace(frame[y-1])), false
			}
		}
		if beside && strings.Contains(frame[0], "│─ ") && y == len(frame)-3 {
			out = append(out, strings.TrimSpace(pane))
		}
	}
	return out
}
