package ecosystem

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONFault_SaysWhatIsThere(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "it is empty",
		" \n":                       "it is empty",
		"null":                      "it holds null",
		"[1]":                       "it holds a list",
		`"a"`:                       "it holds a text",
		"3":                         "it holds a number",
		"true":                      "it holds true or false",
		"{\n\"a\":":                 "it is cut off at line 2, column",
		"{\n \"a\" 1}":              "it is broken at line 2, column 6",
		"{\"a\":\x001}":             "it is broken at line 1, column 6",
		strings.Repeat("[", 20_000): "it is broken at line 1, column 10001",
	} {
		var m map[string]json.RawMessage
		err := json.Unmarshal([]byte(text), &m)
		if got := JSONFault([]byte(text), err); !strings.HasPrefix(got, want) {
			t.Errorf("%.20q: %s", text, got)
		}
	}
}

func TestRepeatedKey(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":2},"c":[{"a":1}]}`: "",
		`{"a":1,"b":2,"a":3}`:               "a",
		`{"a":{"a":1,"a":2}}`:               "",
		`{"a":1,"\u0061":2}`:                "a",
		`{"a":1,"A":2}`:                     "",
		`[{"a":1,"a":2}]`:                   "",
		`{"a":1,"a"`:                        "a",
		`{"a"`:                              "",
		``:                                  "",
	} {
		if got, ok := RepeatedKey([]byte(text)); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v", text, got, ok)
		}
	}
}

func FuzzRepeatedKey(f *testing.F) {
	for _, s := range []string{`{"a":1,"a":2}`, `{"a":[{"b":1}],"c":null}`, `{`, "[]", `{"":1,"":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		key, ok := RepeatedKey(data)
		var m map[string]json.RawMessage
		if err := json.Unmarshal(data, &m); err != nil || m == nil {
			_ = JSONFault(data, err)
			return
		}
		if _, there := m[key]; ok && !there {
			t.Errorf("%q is not among the keys of %q", key, data)
		}
	})
}
