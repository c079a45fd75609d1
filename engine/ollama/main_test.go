package ollama

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server for one test and returns a client for it.
func serve(t testing.TB, h http.HandlerFunc, opts ...Option) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return client(t, s.URL, opts...)
}

func client(t testing.TB, url string, opts ...Option) *Client {
	t.Helper()
	tr := newTransport()
	t.Cleanup(tr.CloseIdleConnections)
	c, err := New(url, append([]Option{WithHTTPClient(&http.Client{Transport: tr})}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func captured(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// replay answers with a captured body and its status.
func replay(status int, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

// request is a request that is in order.
func request() Request {
	return Request{
		Model:    "tiny",
		Messages: []Message{{Role: "user", Content: "Hello there"}},
		Options:  Options{NumCtx: 8192, NumPredict: 5},
	}
}

// gather collects what a callback is given.
type gather struct{ content, thinking string }

func (g *gather) add(d Delta) {
	if d.Rethought {
		g.thinking, g.content = g.thinking+g.content, ""
	}
	g.content += d.Content
	g.thinking += d.Thinking
}
