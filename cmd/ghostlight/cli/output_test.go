package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"ghostlight/tui/safetext"
)

// What cannot be written as JSON is told as a document too.
func TestTell_FallsBack(t *testing.T) {
	var out, errs bytes.Buffer
	app := New(nil, &out, &errs, "")
	app.JSON = true
	code := app.Exit(app.Print(map[string]float64{"n": math.NaN()}, nil), []string{"--json"})
	var doc map[string]string
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc["error"] == "" || code != ExitFailed {
		t.Errorf("ended with %d and printed %q (%v)", code, out.String(), err)
	}
}

func FuzzEscapeJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J", "\u009b31m", "\u202eabc", "é 漢 👍🏽 👨\u200d👩", "\x7f", "\U000e0041", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := writeJSON(&b, map[string]string{"text": s}); err != nil {
			t.Fatal(err)
		}
		if safe := safetext.Block(b.String()); safe != b.String() {
			t.Errorf("not safe to print: %q", b.String())
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); strings.ReplaceAll(back["text"], "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
			t.Errorf("%q came back as %q", s, back["text"])
		}
	})
}
