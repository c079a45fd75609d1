package comfy

import (
	"crypto/sha1" //nolint:gosec // the handshake of websockets has it
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// oversized greets, and then sends the beginning of a frame that says it has 2 GB, and as
// much of it as it is to send and anybody takes.
func oversized(w http.ResponseWriter, r *http.Request, send int, taken *atomic.Int64) {
	key := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // likewise
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(key[:])+"\r\n\r\n")
	_, _ = conn.Write([]byte("\x81\x02{}"))
	_, _ = conn.Write([]byte("\x82\x7f\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01"))
	piece := make([]byte, 1<<20)
	for range send {
		n, err := conn.Write(piece)
		taken.Add(int64(n))
		if err != nil {
			return
		}
	}
	_, _ = io.Copy(io.Discard, conn) // until the client leaves
}

// A frame that says it has 2 GB costs nothing, whether they come or not, and the picture
// comes without the socket.
func TestRun_AFrameOfTwoGigabytes(t *testing.T) {
	for name, send := range map[string]int{"that never come": 0, "that come": 2048} {
		t.Run(name, func(t *testing.T) {
			var taken, opened atomic.Int64
			f := demo.NewComfy(demo.ComfyOptions{StepDelay: time.Millisecond})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/ws" {
					opened.Add(1)
					oversized(w, r, send, &taken)
					return
				}
				f.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			c, err := New(server.URL, WithPoll(25*time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if out, err := c.Run(t.Context(), Job{Graph: small(t, 3)}, nil); err != nil || out.Format != "png" {
				t.Errorf("%v: %q", err, out.Format)
			}
			runtime.ReadMemStats(&after)
			// Each socket may have taken a message of the usual size, and what the system holds
			// between the two ends.
			n := opened.Load()
			if got := taken.Load(); got > n*(3*maxPreview) {
				t.Errorf("%d MB of them were taken by %d sockets", got>>20, n)
			}
			if got := int64(after.HeapSys) - int64(before.HeapSys); got > 200<<20+n*(3*maxPreview) {
				t.Errorf("%d MB of memory were asked for", got>>20)
			}
		})
	}
}
