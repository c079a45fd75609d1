package formats

import (
	"strings"
	"testing"
)

// tooDeep is how deep JSON is nested that the library refuses.
const tooDeep = 10_001

func TestJSONFault_SaysWhatIsThere(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "it is empty",
		" \n":                       "it is empty",
		"null":                      "it holds null",
		"[1]":                       "it holds a list",
		`"a"`:                       `it holds the text "a"`,
		"3":                         "it holds the number 3",
		"true":                      "it holds true",
		"{\n\"a\":":                 "it is cut off at line 2, column",
		"{\n \"a\" 1}":              "it is broken at line 2, column 6",
		"{\"a\":\x001}":             "it is broken at line 1, column 6",
		strings.Repeat("[", 20_000): "it is broken at line 1, column 10001",
	} {
		if got := JSONFault([]byte(text)); !strings.HasPrefix(got, want) {
			t.Errorf("%.20q: %s", text, got)
		}
	}
}

func FuzzJSONFault(f *testing.F) {
	for _, s := range []string{`{"a":1,"a":2}`, `{`, "[]", `{"":1,"":2`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if fault := JSONFault(data); !strings.HasPrefix(fault, "it ") {
			t.Errorf("%q: %s", data, fault)
		}
	})
}
