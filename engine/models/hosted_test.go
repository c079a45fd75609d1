package models_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

// A hosted Ollama gets the headers of the settings with all that a play asks of it, and how
// long its model is to stay loaded. Where it wants another token than it gets, the user reads
// that and where it is set, and nothing of the page that its gate sends.
func TestHosted_AsTheSettingsSay(t *testing.T) {
	t.Parallel()
	stay := 30 * time.Minute
	s := &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.KeepAlive = &stay })}
	behind, err := url.Parse(s.Servers.OllamaURL)
	enginetest.Must(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer s3cret" {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><body><h1>Please sign in</h1></body></html>")
	}))
	t.Cleanup(gate.Close)

	s.Shut()
	s.Cfg.Ollama, s.Cfg.OllamaHeaders = gate.URL, []string{"Authorization: Bearer s3cret"}
	s.Open()
	if said := s.Node(s.Say("Is anybody there?").Message); said.Content == "" {
		t.Errorf("%+v", said)
	}
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && !strings.Contains(string(c.Body), `"keep_alive":"30m0s"`) {
			t.Errorf("how long it stays loaded: %s", c.Body)
		}
	}

	s.Shut()
	s.Cfg.OllamaHeaders = []string{"Authorization: Bearer old-s3cret"}
	s.Open()
	_, err = s.TrySay("And now?")
	words := failure.Text(err)
	if err == nil || !strings.Contains(words, "denied access") || !strings.Contains(words, "ollama.headers") {
		t.Errorf("%v: %q", err, words)
	}
	for _, check := range s.Doctor(s.Context()) {
		words += check.Detail
	}
	for _, never := range []string{"<", "sign in<", "s3cret"} {
		if strings.Contains(words, never) {
			t.Errorf("%q is told: %s", never, words)
		}
	}
	s.Sound()
}
