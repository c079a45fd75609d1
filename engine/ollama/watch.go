package ollama

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// maxBody limits the total size of one answer, envelopes included.
	maxBody = 64 << 20
	// maxHead is the number of bytes of a foreign answer that are kept to describe it.
	maxHead = 512
)

var (
	errForeign = errors.New("not an answer of Ollama")
	errTooMuch = errors.New("more than the program accepts")
)

// watch is the transport of a single request. The library above it forgets how a body ended,
// accepts any answer as Ollama's and waits for ever. watch records the end, checks the first byte
// and gives up if nothing comes. Only the timer runs beside the goroutine of the request.
type watch struct {
	next     http.RoundTripper
	headers  http.Header
	give     func() // ends the request if no answer comes
	patience silenceLimit
	timer    *time.Timer // of the body, stopped but while it is read

	status  int    // 0: no answer yet
	read    int64  // bytes of body so far
	end     error  // why reading ended, nil while it has not; io.EOF is a clean end
	foreign []byte // the beginning of an answer that is not JSON
}

// RoundTrip implements http.RoundTripper.
func (w *watch) RoundTrip(r *http.Request) (*http.Response, error) {
	t, asked := time.AfterFunc(w.patience.remaining(), w.give), time.Now()
	defer func() {
		t.Stop()
		w.patience.add(time.Since(asked))
	}()
	if len(w.headers) > 0 {
		r = r.Clone(r.Context())
		for name, values := range w.headers {
			r.Header[name] = values
		}
	}
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.status = resp.StatusCode
	resp.Body = &watchedBody{ReadCloser: resp.Body, w: w}
	return resp, nil
}

type watchedBody struct {
	io.ReadCloser
	w *watch
}

// Read implements io.Reader. Only the time spent waiting for the server counts, not the time that
// the reader needs for received bytes.
func (b *watchedBody) Read(p []byte) (int, error) {
	w := b.w
	if w.end != nil {
		return 0, w.end
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(w.patience.remaining(), w.give)
	} else {
		w.timer.Reset(w.patience.remaining())
	}
	asked := time.Now()
	n, err := b.ReadCloser.Read(p)
	w.timer.Stop()
	w.patience.add(time.Since(asked))
	if n > 0 && w.read == 0 && !looksJSON(p[:n]) {
		w.foreign = append(w.foreign, p[:min(n, maxHead)]...)
		n, err = 0, errForeign
	}
	w.read += int64(n)
	if err == nil && w.read > maxBody {
		err = errTooMuch
	}
	w.end = err
	return n, err
}

// looksJSON reports whether the first byte that is not space opens an object: all
// of Ollama's answers do.
func looksJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) == 0 || b[0] == '{'
}

// broken reports whether the connection failed instead of ending normally.
func (w *watch) broken() bool {
	return w.end != nil && w.end != io.EOF
}
