package ollama

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// loginPage is what the gate of a hosted server answers who brings no token: a page for
// people, which nobody wants on a screen of text.
const loginPage = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>401 Authorization Required</h1><script>alert(1)</script></body></html>"

// A hosted server wants a token with every request, whatever is asked. Without the right
// one it is said what is wrong and where it is set, nothing of the gate's page and never
// the token.
func TestHosted_WantsAToken(t *testing.T) {
	t.Parallel()
	const token = "Bearer s3cret-of-mine"
	gate := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.Header.Get("Authorization") != token || r.Header.Get("X-Team") != "us":
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, loginPage)
			case r.URL.Path == "/api/chat":
				answer := `{"model":"tiny","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":"Hello."},"done":true,"done_reason":"stop"}` + "\n"
				if strings.Contains(string(body), `"format"`) {
					answer = strings.Replace(answer, "Hello.", `{\"ok\":true}`, 1)
				}
				_, _ = io.WriteString(w, answer)
			case r.URL.Path == "/api/embed":
				_, _ = io.WriteString(w, `{"model":"tiny","embeddings":[[0.5,0.5]]}`)
			case r.URL.Path == "/api/pull":
				_, _ = io.WriteString(w, `{"status":"success"}`+"\n")
			case r.URL.Path == "/api/version":
				_, _ = io.WriteString(w, `{"version":"0.17.4"}`)
			case r.URL.Path == "/api/show":
				_, _ = io.WriteString(w, `{"details":{},"model_info":{"general.architecture":"a"},"capabilities":["completion"]}`)
			default:
				_, _ = io.WriteString(w, `{"models":[]}`)
			}
		}
	}
	asks := map[string]func(c *Client) error{
		"chat": func(c *Client) error { _, err := c.Chat(t.Context(), request(), nil); return err },
		"answer": func(c *Client) error {
			var into struct{ OK bool }
			_, err := c.Structured(t.Context(), request(), []byte(`{"type":"object"}`), &into, nil, nil)
			return err
		},
		"embed":   func(c *Client) error { _, err := c.Embed(t.Context(), "tiny", []string{"a"}); return err },
		"version": func(c *Client) error { _, err := c.Version(t.Context()); return err },
		"models":  func(c *Client) error { _, err := c.Models(t.Context()); return err },
		"show":    func(c *Client) error { _, err := c.Show(t.Context(), "tiny"); return err },
		"running": func(c *Client) error { _, err := c.Running(t.Context()); return err },
		"pull":    func(c *Client) error { return c.Pull(t.Context(), "tiny", nil) },
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		right := serve(t, gate(status), WithHeaders(map[string]string{"authorization": token, "x-team": "us"}))
		for name, ask := range asks {
			if err := ask(right); err != nil {
				t.Errorf("%s with the token: %v", name, err)
			}
			for _, headers := range []map[string]string{nil, {"Authorization": "Bearer wrong-s3cret", "X-Team": "us"}} {
				c := serve(t, gate(status), WithHeaders(headers))
				err := ask(c)
				words := ErrorText(err)
				if !errors.Is(err, ErrRefused) || IsTransient(err) || !strings.Contains(words, "ollama.headers") || !strings.Contains(words, c.BaseURL()) {
					t.Errorf("%s, %d: %v: %q", name, status, err, words)
					continue
				}
				for _, never := range []string{"<", "html", "script", "s3cret"} {
					if strings.Contains(words+err.Error(), never) {
						t.Errorf("%s, %d: %q is told: %v: %q", name, status, never, err, words)
					}
				}
			}
		}
	}
}
