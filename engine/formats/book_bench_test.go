package formats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// bigBook returns a World Info file as programs write it, with all members.
func bigBook(entries int) []byte {
	var buf bytes.Buffer
	buf.WriteString(`{"entries":{`)
	content := strings.Repeat("The keeper of the lamp counts the ships that pass Hollow Point. ", 6)
	for i := range entries {
		if i > 0 {
			buf.WriteByte(',')
		}
		fmt.Fprintf(&buf, "\n    \"%d\": {\n      \"uid\": %d, \"key\": [\"key %d\", \"ship%d\", \"/lamp%d/i\"], \"keysecondary\": [\"storm\"], \"comment\": \"Entry %d\", \"content\": %q, ", i, i, i, i, i, i, content)
		buf.WriteString(`"constant": false, "vectorized": false, "selective": true, "selectiveLogic": 0, "addMemo": true, "order": 100, "position": 0, "disable": false,
      "ignoreBudget": false, "excludeRecursion": false, "preventRecursion": false, "matchPersonaDescription": false, "matchCharacterDescription": false,
      "matchCharacterPersonality": false, "matchCharacterDepthPrompt": false, "matchScenario": false, "matchCreatorNotes": false, "delayUntilRecursion": 0,
      "probability": 100, "useProbability": true, "depth": 4, "outletName": "", "group": "", "groupOverride": false, "groupWeight": 100, "scanDepth": null,
      "caseSensitive": null, "matchWholeWords": null, "useGroupScoring": null, "automationId": "", "role": 0, "sticky": null, "cooldown": null, "delay": null,
      "triggers": [], "displayIndex": 1, "characterFilter": {"isExclude": false, "names": [], "tags": []}}`)
	}
	buf.WriteString("\n  }\n}\n")
	return buf.Bytes()
}

func BenchmarkReadBook(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		data := bigBook(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				mustBook(b, "big.json", data)
			}
		})
	}
}

func BenchmarkWriteBook(b *testing.B) {
	in := mustBook(b, "big.json", bigBook(10_000))
	for _, format := range []string{FormatWorldInfo, FormatCharacterBook} {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustWriteBook(b, format, in.Book, in.Entries)
			}
		})
	}
}
