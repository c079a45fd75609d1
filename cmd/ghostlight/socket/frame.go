package socket

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// protocol is the version of this protocol. In every version, a greeting is a frame that begins
// with these two numbers, so that any two programs can find out that they do not understand each
// other.
const protocol = 1

// kind says what a frame is.
type kind byte

const (
	greet   kind = 'g' // server: a greeting
	request kind = 'q' // client: the command to run
	refused kind = 'r' // server: why it is refused, in words
	want    kind = 'w' // server: input is wanted
	input   kind = 'i' // client: some of it; none at its end
	output  kind = 'o' // server: for standard output
	remark  kind = 'e' // server: for standard error
	broken  kind = 'b' // client: nothing reads this output any more
	cancel  kind = 'c' // client: the user interrupts it
	ended   kind = 'z' // server: it has ended, with this exit code
)

const (
	chunk   = 32 << 10 // of a stream in one frame
	maxText = 16 << 20 // JSON may make several bytes of one
)

// most returns the longest payload that a frame may have.
func (k kind) most() uint32 {
	switch k {
	case request:
		return maxText
	case greet, refused:
		return 64 << 10
	case input, output, remark:
		return chunk
	}
	return 64
}

// errFrame is the error for data that is not a valid frame.
var errFrame = errors.New("the message is not in this program's format")

// errTooLong says that a payload does not fit into a frame.
var errTooLong = errors.New("the message is too large")

// readFrame reads the next frame. It allocates memory for received data only, never for an
// announced length.
func readFrame(r io.Reader) (k kind, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	k, n := kind(head[0]), binary.BigEndian.Uint32(head[1:])
	if !bytes.ContainsRune([]byte("gqrwioebcz"), rune(k)) || n > k.most() {
		return 0, nil, errFrame
	}
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return k, buf.Bytes(), nil
}

// writer writes whole frames, one after the other.
type writer struct {
	mu sync.Mutex
	w  io.Writer
	// limit is the time in nanoseconds that the other end may take to read a frame, 0 for no limit.
	// An end that takes longer is disconnected: the rest of a cut-off frame is unusable.
	limit atomic.Int64
}

// wait sets how long the other end may take for each frame from now on, one that is being
// written included.
func (w *writer) wait(limit time.Duration) {
	w.limit.Store(int64(limit))
	if c, ok := w.w.(net.Conn); ok {
		_ = c.SetWriteDeadline(time.Now().Add(limit))
	}
}

// put writes all of a frame within the time that there is for it.
func (w *writer) put(data []byte) error {
	c, bounded := w.w.(net.Conn)
	for limit := w.limit.Load(); bounded && limit > 0; {
		_ = c.SetWriteDeadline(time.Now().Add(time.Duration(limit)))
		now := w.limit.Load() // another wait may have come in between
		if now == limit {
			break
		}
		limit = now
	}
	_, err := w.w.Write(data)
	if err != nil && bounded && w.limit.Load() > 0 {
		_ = c.Close() // the goroutine that reads from it gets an error
	}
	return err
}

func (w *writer) frame(k kind, payload []byte) error {
	if len(payload) > int(k.most()) {
		return errTooLong
	}
	data := make([]byte, 5, 5+len(payload))
	data[0] = byte(k)
	binary.BigEndian.PutUint32(data[1:], uint32(len(payload))) //nolint:gosec // it was just compared
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put(append(data, payload...))
}

func (w *writer) json(k kind, doc any) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	return w.frame(k, text)
}

// stream writes bytes as frames of one kind.
type stream struct {
	w    *writer
	kind kind
	fail func() error // returns an error if nothing reads the stream any more
}

// Write implements io.Writer.
func (s stream) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		if err := s.fail(); err != nil {
			return n, err
		}
		part := p[:min(len(p), chunk)]
		if err := s.w.frame(s.kind, part); err != nil {
			return n, err
		}
		n, p = n+len(part), p[len(part):]
	}
	return n, nil
}
