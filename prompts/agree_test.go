package prompts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"testing"
)

// The rows of testdata/macros.jsonl are cases of our own, one for each fact that
// the tests of SillyTavern's macro engine (tests/frontend/MacroEngine.e2e.js, as
// of spring 2026) hold about a text that goes in and the one that comes out.
// `go test ./prompts -run Agrees -v` prints the count.
func TestExpandAgrees(t *testing.T) {
	data, err := os.ReadFile("testdata/macros.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	agree, all := 0, 0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); all++ {
		var c struct {
			Case, Text, Want string
			Local, Global    map[string]string
			After            map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		e := sample()
		e.SystemPrompt, e.Vars = "Keep to the sea.", NewVars()
		maps.Copy(e.Vars.local, c.Local)
		maps.Copy(e.Vars.global, c.Global)
		got, _ := Expand(c.Text, e)
		switch {
		case got != c.Want:
			t.Errorf("%s: %q\n gives %q\n   not %q", c.Case, c.Text, got, c.Want)
		case c.After != nil && !maps.Equal(c.After, e.Vars.local):
			t.Errorf("%s: %q leaves %v, not %v", c.Case, c.Text, e.Vars.local, c.After)
		default:
			agree++
		}
	}
	t.Logf("macros: %d of %d cases agree", agree, all)
}
