package ollama

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestNew_Address(t *testing.T) {
	for in, want := range map[string]string{
		"": DefaultURL, "localhost": "http://localhost:11434", "localhost:80/": "http://localhost:80",
		"http://h": "http://h:11434", "https://h/ollama/": "https://h/ollama", "0.0.0.0:5": "http://127.0.0.1:5",
		"http://[::1]:7": "http://[::1]:7", " http://h:1/?a#b ": "http://h:1", "http://[::]": "http://127.0.0.1:11434",
	} {
		c, err := New(in)
		if err != nil || c.BaseURL() != want {
			t.Errorf("New(%q): %v, %v", in, c, err)
		}
	}
	for _, in := range []string{"ftp://h", "http://", "http://h:port", "unix:///x", "http://a b"} {
		if c, err := New(in); err == nil {
			t.Errorf("New(%q) = %s", in, c.BaseURL())
		}
	}
}

func TestProxyFor_NeverThisMachine(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "a.localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"192.168.0.4": false, "example.org": false, "localhost.example.org": false,
	} {
		if local(host) != want {
			t.Errorf("local(%q) = %v", host, !want)
		}
	}
	p, err := proxyFor(&http.Request{URL: &url.URL{Scheme: "http", Host: "127.0.0.1:11434"}})
	if p != nil || err != nil {
		t.Errorf("%v, %v", p, err)
	}
}

func TestWords_EveryKind(t *testing.T) {
	kinds := []error{ErrUnreachable, ErrNotOllama, ErrNoModel, ErrTooLong, ErrBusy, ErrStalled, ErrRefused, ErrLost, ErrServer}
	seen := map[string]bool{}
	for _, k := range kinds {
		err := fmt.Errorf("turn: %w", &Error{Op: "chat", URL: "http://h:1", Model: "m", Kind: k, Text: strings.Repeat("word ", 5000)})
		w := ErrorText(err)
		if !errors.Is(err, k) || len([]rune(w)) > maxWords+200 || !strings.HasSuffix(w, ".") || seen[w] || w == k.Error() {
			t.Errorf("%v: %q", k, w)
		}
		seen[w] = true
	}
	if ErrorText(nil) != "" || ErrorText(errors.New("a\nb")) != "a b" {
		t.Error("other errors")
	}
}

func FuzzClip(f *testing.F) {
	f.Add("a\n\tb\x1b[0m")
	f.Add(strings.Repeat("é ", 400))
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, s string) {
		c := clip(s)
		if n := len([]rune(c)); n > maxWords || strings.ToValidUTF8(c, "") != c || strings.ContainsAny(c, "\n\r\t\x1b\x00\u009b") || clip(c) != c {
			t.Errorf("%d runes: %q", n, c)
		}
	})
}

func TestClient_FollowsNoRedirect(t *testing.T) {
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.BaseURL()+r.URL.Path, http.StatusTemporaryRedirect)
	})
	if _, err := c.Chat(t.Context(), request(), nil); !errors.Is(err, ErrNotOllama) {
		t.Error(err)
	}
	if _, err := c.Version(t.Context()); !errors.Is(err, ErrNotOllama) {
		t.Error(err)
	}
}
