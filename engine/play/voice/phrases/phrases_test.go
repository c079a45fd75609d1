package phrases_test

import (
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
)

// fold folds a text as the package comment describes.
func fold(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	return strings.Join(strings.Fields(strings.NewReplacer("*", "", "_", "").Replace(text)), " ")
}

// entry is a line of a set; match finds it in folded text.
type entry struct {
	line  int
	text  string
	regex *regexp.Regexp // nil for a phrase
	why   string
}

func (e entry) match(folded string) bool {
	if e.regex != nil {
		return e.regex.MatchString(folded)
	}
	return strings.Contains(folded, e.text)
}

func parse(t *testing.T, lang string) (list []entry) {
	t.Helper()
	why := ""
	for i, line := range strings.Split(string(phrases.Bundled(lang)), "\n") {
		switch {
		case line == "":
			why = ""
			continue
		case strings.HasPrefix(line, "# "):
			why += strings.TrimPrefix(line, "# ")
			continue
		}
		e := entry{line: i + 1, text: line, why: why}
		if len(line) > 2 && line[0] == '/' && line[len(line)-1] == '/' {
			var err error
			if e.regex, err = regexp.Compile(line[1 : len(line)-1]); err != nil {
				t.Errorf("%s.txt:%d: %v", lang, e.line, err)
				continue
			}
		}
		list = append(list, e)
	}
	return list
}

func lines(t *testing.T, kind, lang string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", kind+"."+lang+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestBundled_EverySetIsWellFormed(t *testing.T) {
	for _, lang := range phrases.Languages() {
		list := parse(t, lang)
		if n := len(list); n < 60 || n > 120 {
			t.Errorf("%s has %d entries; a set is short, and worth having", lang, n)
		}
		seen := map[string]int{}
		for _, e := range list {
			if e.why == "" {
				t.Errorf("%s.txt:%d: nothing says why %q is there", lang, e.line, e.text)
			}
			if at := seen[fold(e.text)]; at != 0 {
				t.Errorf("%s.txt:%d: %q stands in line %d already", lang, e.line, e.text, at)
			}
			seen[fold(e.text)] = e.line
			most := 80
			if e.regex != nil {
				most = 320
			}
			if len(e.text) < 4 || len(e.text) > most {
				t.Errorf("%s.txt:%d: %d bytes", lang, e.line, len(e.text))
			}
			if e.regex == nil && fold(e.text) != e.text {
				t.Errorf("%s.txt:%d: %q is not folded, so it is never found", lang, e.line, e.text)
			}
		}
	}
}

// If one phrase contains another, a finding counts twice.
func TestBundled_NoPhraseStandsInAnother(t *testing.T) {
	for _, lang := range phrases.Languages() {
		list := parse(t, lang)
		for _, e := range list {
			for _, other := range list {
				if e.regex == nil && e.line != other.line && other.regex == nil && strings.Contains(other.text, e.text) {
					t.Errorf("%s.txt:%d: %q holds %q", lang, other.line, other.text, e.text)
				}
			}
		}
	}
}

// Regular expressions must be able to match folded text.
func TestBundled_EveryRegexCanMatchFoldedText(t *testing.T) {
	for _, lang := range phrases.Languages() {
		for _, e := range parse(t, lang) {
			if e.regex == nil {
				continue
			}
			tree, err := syntax.Parse(e.regex.String(), syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			for _, last := range []bool{false, true} {
				said := example(tree, last)
				if !e.match(fold("so " + said + " so")) {
					t.Errorf("%s.txt:%d: %s does not find %q once it is folded", lang, e.line, e.text, said)
				}
				if n := utf8.RuneCountInString(said); n < 6 {
					t.Errorf("%s.txt:%d: %s finds %q, which is hardly a phrase", lang, e.line, e.text, said)
				}
			}
		}
	}
}

// example returns a text that an expression matches: with the first alternatives and nothing
// optional, or with the last and everything optional.
func example(re *syntax.Regexp, last bool) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= 'e' && 'e' <= re.Rune[i+1] {
				return "e"
			}
		}
		return string(re.Rune[0])
	case syntax.OpCapture, syntax.OpPlus:
		return example(re.Sub[0], last)
	case syntax.OpStar, syntax.OpQuest:
		if last {
			return example(re.Sub[0], last)
		}
	case syntax.OpRepeat:
		n := re.Min
		if last {
			n = max(n, 1)
		}
		return strings.Repeat(example(re.Sub[0], last), n)
	case syntax.OpConcat:
		text := ""
		for _, sub := range re.Sub {
			text += example(sub, last)
		}
		return text
	case syntax.OpAlternate:
		at := 0
		if last {
			at = len(re.Sub) - 1
		}
		return example(re.Sub[at], last)
	}
	return ""
}

func TestBundled_FindsWhatIsStockAndNothingElse(t *testing.T) {
	for _, lang := range phrases.Languages() {
		list := parse(t, lang)
		find := func(text string) (found []string) {
			for _, e := range list {
				if e.match(fold(text)) {
					found = append(found, e.text)
				}
			}
			return found
		}
		for _, text := range lines(t, "ordinary", lang) {
			if found := find(text); len(found) > 0 {
				t.Errorf("%s: %q is found in the ordinary sentence %q", lang, found, text)
			}
		}
		for _, text := range lines(t, "stock", lang) {
			if len(find(text)) == 0 {
				t.Errorf("%s: nothing is found in the stock sentence %q", lang, text)
			}
		}
		for _, other := range phrases.Languages() {
			if other == lang {
				continue
			}
			for _, text := range lines(t, "ordinary", other) {
				if found := find(text); len(found) > 0 {
					t.Errorf("%s: %q is found in %q", lang, found, text)
				}
			}
		}
	}
}

func TestBundled_KnowsItsLanguages(t *testing.T) {
	for _, lang := range []string{"", "xx", "../phrases", "EN"} {
		if phrases.Bundled(lang) != nil {
			t.Errorf("there is a set %q", lang)
		}
	}
	list := phrases.Languages()
	if !slices.IsSorted(list) || len(list) != 4 {
		t.Errorf("languages are %q", list)
	}
	list[0] = "xx"
	if phrases.Languages()[0] == "xx" {
		t.Error("a caller changed the list")
	}
}
