package ollama

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ollama/ollama/api"
)

// quickly holds what quickLine makes of a line against what encoding/json does, and tells
// whether it took it.
func quickly(t *testing.T, data []byte) bool {
	t.Helper()
	var got, want api.ChatResponse
	if !quickLine(data, &got) {
		return false
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatalf("%q was taken: %v", data, err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable()); diff != "" {
		t.Fatalf("%q:\n%s", data, diff)
	}
	return true
}

// tokenLine is a line as the server writes it.
const tokenLine = `{"model":"tiny","created_at":"2026-11-20T17:56:45.968203491Z","message":{"role":"assistant","content":" lamp"},"done":false}`

func TestQuickLine(t *testing.T) {
	t.Parallel()
	content := func(text string) string { return strings.Replace(tokenLine, " lamp", text, 1) }
	for line, want := range map[string]bool{
		tokenLine:                              true,
		content(""):                            true,
		content(`\"I see,\" he\n\tsaid\\.\/`):  true,
		content(`\u003cb\u003e \u00e9 \u2014`): true,
		content("é — 你好 🎭"):                    true,
		content(`a","thinking":"b\n`):          true,
		content(`\b\f\r`):                      true,
		content(`\ud83d\ude00`):                false, // two for one character
		content(`\u00`):                        false,
		content(`\x`):                          false,
		content("\n"):                          false,
		content("\xff"):                        false,
		content(`","content":"b`):              false,
		content(`","tool_calls":[],"x":"`):     false,
		`{"error":"no"}`:                       false,
		``:                                     false,
		tokenLine + " ":                        false,
		tokenLine[:len(tokenLine)-1]:           false,
		strings.Replace(tokenLine, "false", "true", 1):            false,
		strings.Replace(tokenLine, "2026-11-20T", "yesterday", 1): false,
		strings.Replace(tokenLine, "assistant", "Assistant", 1):   false,
	} {
		if got := quickly(t, []byte(line)); got != want {
			t.Errorf("%s: taken %t", line, got)
		}
	}
}

// What a real server wrote is taken, all but the last line of a reply.
func TestQuickLine_OfARealServer(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "chat_stream.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, line := range lines {
		if got := quickly(t, []byte(line)); got != (i < len(lines)-1) {
			t.Errorf("line %d of %d: taken %t: %s", i, len(lines), got, line)
		}
	}
}

func FuzzQuickLine(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "chat*.ndjson"))
	if err != nil || len(files) == 0 {
		f.Fatal(err, len(files))
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			f.Add([]byte(strings.TrimRight(line, "\n")))
		}
	}
	f.Add([]byte(strings.Replace(tokenLine, " lamp", `\u00e9\"\n","thinking":"x`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) { quickly(t, data) })
}

func BenchmarkLine(b *testing.B) {
	for name, read := range map[string]func([]byte, *api.ChatResponse) bool{
		"quick": quickLine,
		"json":  func(data []byte, line *api.ChatResponse) bool { return json.Unmarshal(data, line) == nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			data := []byte(tokenLine)
			for b.Loop() {
				var line api.ChatResponse
				if !read(data, &line) {
					b.Fatal("it was not read")
				}
			}
		})
	}
}
