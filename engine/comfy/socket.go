package comfy

import (
	"context"
	"net/url"
	"time"

	"github.com/coder/websocket"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

type eventKind int

const (
	eventUp     eventKind = iota // the socket is open
	eventDown                    // it is closed, and is being reopened
	eventText                    // a JSON message
	eventBinary                  // a picture
)

type event struct {
	kind eventKind
	data []byte
}

// socket keeps a connection to the server's event stream open and converts messages to events. A
// lost connection is reopened with the same client ID after the old one is closed: two sockets
// with one ID would silence each other.
type socket struct {
	c      *Client
	target string
	events chan event
	tried  chan struct{} // closed after the first attempt, successful or not
	done   chan struct{}
	cancel context.CancelFunc
	limit  int64 // of one message, in bytes
}

// largestMessage returns the size limit of a message: a preview, or a whole picture if the graph
// sends one. Larger messages are not read.
func (n nodes) largestMessage() int64 {
	for _, name := range n {
		if name.class == "SaveImageWebsocket" {
			return maxImage
		}
	}
	return maxPreview + 64<<10 // plus the header
}

// listen opens a socket for messages up to limit bytes. The caller must close it.
func (c *Client) listen(ctx context.Context, clientID string, limit int64) *socket {
	ctx, cancel := context.WithCancel(ctx)
	s := &socket{
		c: c, target: c.url("/ws", url.Values{"clientId": {clientID}}),
		events: make(chan event), tried: make(chan struct{}), done: make(chan struct{}), cancel: cancel, limit: limit,
	}
	crash.Go("comfy socket", func() { s.loop(ctx) })
	return s
}

// close closes the socket and waits for its goroutine.
func (s *socket) close() {
	s.cancel()
	<-s.done
}

// ready waits for the first attempt to connect, but not for long, because polling makes up for
// missed events. It reports whether there was an attempt.
func (s *socket) ready(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-s.tried:
		return true
	case <-ctx.Done():
	case <-t.C:
	}
	return false
}

func (s *socket) loop(ctx context.Context) {
	defer close(s.done)
	wait := s.c.intervals.retry
	for first := true; ; first = false {
		conn, err := s.dial(ctx)
		if first {
			close(s.tried)
		}
		if err == nil {
			wait = s.c.intervals.retry
			if s.send(ctx, event{kind: eventUp}) {
				s.read(ctx, conn)
			}
			_ = conn.CloseNow()
		}
		if !s.send(ctx, event{kind: eventDown}) {
			return
		}
		if !rest(ctx, wait) {
			return
		}
		wait = min(2*wait, 10*time.Second)
	}
}

// dial opens the connection and waits for the server's greeting: before it, the server may not
// know the client and drop its messages.
func (s *socket) dial(ctx context.Context) (*websocket.Conn, error) {
	inner, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, resp, err := websocket.Dial(inner, s.target, &websocket.DialOptions{HTTPClient: s.c.http})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(s.limit)
	// This must be the first message: it requests previews with a job ID.
	hello := []byte(`{"type":"feature_flags","data":{"supports_preview_metadata":true}}`)
	if err := conn.Write(inner, websocket.MessageText, hello); err != nil {
		_ = conn.CloseNow()
		return nil, err
	}
	if _, _, err := conn.Read(inner); err != nil {
		_ = conn.CloseNow()
		return nil, err
	}
	return conn, nil
}

// read passes messages on until the connection or ctx ends.
func (s *socket) read(ctx context.Context, conn *websocket.Conn) {
	var flow rateLimiter
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		e := event{kind: eventText, data: data}
		if kind == websocket.MessageBinary {
			e.kind = eventBinary
		}
		if !s.send(ctx, e) || !rest(ctx, flow.allow(len(data), time.Now())) {
			return
		}
	}
}

// Limits of what is read from a socket in a second, far more than a working server sends, so that
// a flood stays in the connection.
const (
	maxMessages     = 2000
	maxMessageBytes = 64 << 20
)

// rateLimiter counts the messages of the current second.
type rateLimiter struct {
	since           time.Time
	messages, bytes int
}

// allow counts a message, and returns how long to wait before the next one.
func (f *rateLimiter) allow(size int, now time.Time) time.Duration {
	if now.Sub(f.since) >= time.Second {
		*f = rateLimiter{since: now}
	}
	f.messages, f.bytes = f.messages+1, f.bytes+size
	if f.messages < maxMessages && f.bytes < maxMessageBytes {
		return 0
	}
	return f.since.Add(time.Second).Sub(now)
}

// rest waits, and reports whether ctx is still valid.
func rest(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *socket) send(ctx context.Context, e event) bool {
	select {
	case s.events <- e:
		return true
	case <-ctx.Done():
		return false
	}
}
