package cli

import (
	"testing"
)

func TestFromOllamaHost(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"  ":                      "",
		"host":                    "http://host:11434",
		"host:1234":               "http://host:1234",
		":1234":                   "http://127.0.0.1:1234",
		"http://host":             "http://host:80",
		"https://host":            "https://host:443",
		"https://host:1234/ai/":   "https://host:1234/ai",
		`"127.0.0.1:1"`:           "http://127.0.0.1:1",
		"[::1]":                   "http://[::1]:11434",
		"[::1]:1234":              "http://[::1]:1234",
		"0.0.0.0":                 "http://0.0.0.0:11434", // the client knows what to do with it
		"http://user.example/x/y": "http://user.example:80/x/y",
	} {
		if got := fromOllamaHost(in); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
}
