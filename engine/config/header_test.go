package config_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
)

func TestParseHeader(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Header{
		"Authorization: Bearer abc:def":                    {Name: "Authorization", Value: "Bearer abc:def"},
		" X-Api-Key:k ":                                    {Name: "X-Api-Key", Value: "k"},
		"https://a.example:8443/x Authorization: Bearer t": {Address: "https://a.example:8443/x", Name: "Authorization", Value: "Bearer t"},
	} {
		got, err := config.ParseHeader(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if shown := config.HideHeader(text); strings.Contains(shown, want.Value) || !strings.Contains(shown, want.Name) {
			t.Errorf("%q is shown as %q", text, shown)
		}
		if _, err := config.ParseHeader(config.HideHeader(text)); err == nil {
			t.Errorf("%q: what is shown is taken for a value", text)
		}
	}
	for _, text := range []string{"", "abc", "Authorization:", ": x", "Na me: x", "A: x\ny", "Origin: http://x", "https:// A: b", "A: ü", "Content-Length: 4"} {
		if _, err := config.ParseHeader(text); err == nil {
			t.Errorf("%q is taken", text)
		}
		if strings.Contains(config.HideHeader(text), "x") {
			t.Errorf("%q is shown", text)
		}
	}
}

func TestHeadersFor(t *testing.T) {
	t.Parallel()
	list := []string{"https://gpu.example Authorization: Bearer one", "Authorization: Bearer all", "X-Team: us", "nonsense"}
	for _, c := range []struct {
		address string
		ours    bool
		want    map[string]string
	}{
		{"https://gpu.example/", true, map[string]string{"Authorization": "Bearer one", "X-Team": "us"}},
		{"https://gpu.example/", false, map[string]string{"Authorization": "Bearer one"}},
		{"http://gpu.example/", false, map[string]string{}},
		{"http://127.0.0.1:8188", true, map[string]string{"Authorization": "Bearer all", "X-Team": "us"}},
		{"127.0.0.1:8188", false, map[string]string{}},
	} {
		if got := config.HeadersFor(list, c.address, c.ours); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.address, got, c.want)
		}
	}
}
