package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// A value that cannot be written as JSON gives an error document.
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

// Lists that were never filled are empty, times that never were are null, and all
// else is as encoding/json writes it.
func TestEncodeJSON(t *testing.T) {
	type inner struct {
		List []string  `json:"list"`
		At   time.Time `json:"at"`
	}
	at := time.Date(2031, 5, 1, 18, 30, 0, 7, time.FixedZone("", 3600))
	for _, tt := range []struct {
		name string
		doc  any
		want string
	}{
		{"no list", []int(nil), `[]`},
		{"nothing inside", inner{}, `{"list": [], "at": null}`},
		{"nothing behind pointers and maps", map[string]*inner{"b": {}, "a": nil}, `{"a": null, "b": {"list": [], "at": null}}`},
		{"what is left out", struct {
			List []int     `json:"list,omitempty"`
			At   time.Time `json:"at,omitzero"`
		}{}, `{}`},
		{"a list and a time", inner{[]string{"<&>\u2028\b"}, at}, `{"list": ["<&>\u2028\b"], "at": "2031-05-01T18:30:00.000000007+01:00"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := encodeJSON(tt.doc)
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := json.Indent(&want, []byte(tt.want), "", "  "); err != nil {
				t.Fatal(err)
			}
			if string(got) != want.String()+"\n" {
				t.Errorf("got %swant %s", got, want.String())
			}
		})
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
