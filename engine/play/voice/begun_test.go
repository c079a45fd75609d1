package voice_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
)

// Text that may become a match of an expression is held back, like the beginning of a phrase. Other
// text is shown with its next word.
func TestWatch_HoldsBackWhatAnExpressionBegins(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ rule, text, shown string }{
		{"/eyes (?:sparkl|gleam)(?:e|es|ed|ing) with (?:\\pL+ )?mischief/", "Her eyes sparkling with sudden", "Her "},
		{"/eyes (?:sparkl|gleam)(?:e|es|ed|ing) with (?:\\pL+ )?mischief/", "Her eyes sparkling in", "Her eyes sparkling in"},
		{"/(?:a|the) shiver (?:ran|runs)/", "And *the* shiv", "And "},
		{"/(?:a|the) shiver (?:ran|runs)/", "And the shed", "And the shed"},
		{"/(?:a|the) shiver (?:ran|runs)/", "Panthe shiver", "Panthe shiver"},
		{"/l['’]air cré/", "Et l’air c", "Et "},
		{"/\\pL+ shiver ran/", "A cold shiver", "A cold shiver"},
		{"/the .* end/", "Then the " + strings.Repeat("lamp burns and ", 10) + "so", "Then the " + strings.Repeat("lamp burns and ", 10) + "so"},
	} {
		for _, n := range []int{1, 3, 100} {
			w := voice.New(voice.Rules{Set: compile(t, tc.rule)}, "")
			for i := 0; i < len(tc.text); {
				k := min(n, len(tc.text)-i)
				for i+k < len(tc.text) && tc.text[i+k]&0xC0 == 0x80 {
					k++
				}
				w.Add(tc.text[i : i+k])
				i += k
			}
			if got := w.Text()[:w.Show()]; got != tc.shown {
				t.Errorf("%s by %d: %q shows %q, want %q", tc.rule, n, tc.text, got, tc.shown)
			}
			if w.Certain() > w.Show() {
				t.Errorf("certain %d, shown %d", w.Certain(), w.Show())
			}
		}
	}
}

// Of most stock phrases nothing is seen but their first word; of ordinary text nothing is held
// back for more than a word or two.
func TestWatch_StockPhrasesAreNotSeenToGo(t *testing.T) {
	t.Parallel()
	var rules []voice.Rule
	for _, lang := range phrases.Languages() {
		rules = append(rules, voice.Listed(lang, phrases.Bundled(lang))...)
	}
	set, faults := voice.Compile(rules, nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, lang := range phrases.Languages() {
		cut, seen := 0, 0
		for _, text := range read(t, "stock", lang) {
			w, shown := voice.New(voice.Rules{Set: set}, ""), 0
			for _, piece := range strings.SplitAfter(text, " ") {
				if f := w.Add(piece); f != nil {
					cut++
					if shown > f.At && len(strings.Fields(text[f.At:shown])) > 1 {
						seen++
						t.Logf("%s: of %q %q is seen", lang, f.Text, text[f.At:shown])
					}
					break
				}
				shown = max(shown, w.Show())
			}
		}
		if cut == 0 || seen*2 > cut {
			t.Errorf("%s: of %d that were cut more than a word was seen of %d", lang, cut, seen)
		}
		held, all := 0, 0
		for _, text := range read(t, "ordinary", lang) {
			w := voice.New(voice.Rules{Set: set}, "")
			for _, piece := range strings.SplitAfter(text, " ") {
				w.Add(piece)
				if all++; len(strings.Fields(w.Text()[w.Show():])) > 2 {
					held++
				}
			}
		}
		if held*20 > all {
			t.Errorf("%s: at %d of %d words of ordinary text more than two are held back", lang, held, all)
		}
		t.Logf("%s: %d cut, more than a word seen of %d; %d of %d ordinary words hold back more than two", lang, cut, seen, held, all)
	}
}

func read(t *testing.T, kind, lang string) []string {
	t.Helper()
	return phraseLines(t, "phrases/testdata/"+kind+"."+lang+".txt")
}

func phraseLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
