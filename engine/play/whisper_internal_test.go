package play

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
)

// However a reply comes in pieces, the mark of a whisper at its beginning is taken off, and
// nothing else.
func TestWithoutMark(t *testing.T) {
	const mark = "[whispered to Cy and Ben only; nobody else heard it]"
	p := preparedRequest{
		prompt: prompt.Prompt{Messages: []prompt.Message{{Content: "Rules."}, {Content: mark + "\nBen: Psst."}}}}
	for reply, want := range map[string]string{
		"":                                "",
		"Yes.":                            "Yes.",
		" \nYes.":                         " \nYes.",
		mark + "\nYes.":                   "Yes.",
		"\n" + mark + " Yes. " + mark:     "Yes. " + mark,
		mark + "\n\n" + mark + "\n*nods*": "*nods*",
		mark:                              "",
		"[whisp":                          "[whisp",
		"[whispered to":                   "[whispered to",
		"[whispered to nobody\nYes.":      "[whispered to nobody\nYes.",
		"[softly] Yes.":                   "[softly] Yes.",
		"[whispered to " + strings.Repeat("x", 500) + "] Yes.": "[whispered to " + strings.Repeat("x", 500) + "] Yes.",
	} {
		rapid.Check(t, func(t *rapid.T) {
			got := ""
			take, end := p.withoutMark(func(d ollama.Delta) { got += d.Content })
			for rest := reply; rest != ""; {
				n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
				take(ollama.Delta{Content: rest[:n]})
				rest = rest[n:]
			}
			end()
			if got != want {
				t.Fatalf("%q became %q, want %q", reply, got, want)
			}
		})
	}
	if (preparedRequest{
		prompt: prompt.Prompt{Messages: []prompt.Message{{Content: "He [whispered to her]."}}}}).marked() {
		t.Error("a prompt without a mark is marked")
	}
}
