package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// Server serves the clients of one data folder.
type Server struct {
	l       *net.UnixListener
	version string
	stalled time.Duration // how long a client may take to read a frame
	log     *slog.Logger
	handle  func(context.Context, *Session) int
	ctx     context.Context // ends when the server closes
	end     context.CancelCauseFunc
	open    chan struct{} // a place for each client
	running chan struct{} // a place for each that runs
	clients sync.WaitGroup
	full    atomic.Bool // new clients are not served
}

// Listen starts to serve the clients of a data folder, whose lock the caller holds. handle runs a
// client's command on its own goroutine, and returns the exit code. Its context ends with the cause
// ErrInterrupted, ErrGone or ErrClosing. version is the program's version; clients of another
// version are refused.
func Listen(data, version string, log *slog.Logger, handle func(context.Context, *Session) int) (*Server, error) {
	return listenWaiting(stalled, data, version, log, handle)
}

// listenWaiting is Listen with how long a client may take to read a frame.
func listenWaiting(wait time.Duration, data, version string, log *slog.Logger,
	handle func(context.Context, *Session) int) (*Server, error) {
	path, err := place(data)
	if err != nil {
		return nil, fmt.Errorf("a place for the socket: %w", err)
	}
	l, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("make the socket: %w", err)
	}
	s := &Server{l: l, stalled: wait, version: version, log: log, handle: handle, open: make(chan struct{}, maxOpen),
		running: make(chan struct{}, maxRunning)}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	s.clients.Add(1)
	crash.Go("the socket", func() {
		defer s.clients.Done()
		sweep(filepath.Dir(path))
		s.accept()
	})
	return s, nil
}

// Path returns the socket's path.
func (s *Server) Path() string { return s.l.Addr().String() }

func (s *Server) accept() {
	for {
		c, err := s.l.AcceptUnix()
		if s.ctx.Err() != nil || s.full.Load() {
			if err == nil {
				_ = c.Close() // it comes too late
			}
			return
		}
		if err != nil { // of too many open files, as the listener itself is well
			s.log.Warn("a client could not be heard", "err", err)
			select {
			case <-s.ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		select {
		case s.open <- struct{}{}:
		default:
			s.refuse(c, fmt.Sprintf("the open program is running %d commands: try again later", maxOpen))
			continue
		}
		s.clients.Add(1)
		crash.Go("a client of the socket", func() {
			defer s.clients.Done()
			defer func() { <-s.open }()
			s.serve(c)
		})
	}
}

// refuse sends a client the reason why it is not served, and closes the connection. It waits at
// most a second for each frame to be written.
func (s *Server) refuse(c *net.UnixConn, words string) {
	w := &writer{w: c}
	w.wait(time.Second)
	if s.sendGreeting(w) == nil {
		_ = w.frame(refused, []byte(words))
	}
	_ = c.Close() // everything was sent
}

func (s *Server) sendGreeting(w *writer) error {
	return w.json(greet, greeting{Protocol: protocol, Version: s.version, PID: os.Getpid()})
}

// serve handles one client from its first frame to its last.
func (s *Server) serve(c *net.UnixConn) {
	defer func() { _ = c.Close() }() // the client has all that it will get
	if err := isOwnSocket(c); err != nil {
		s.log.Warn("a client was turned away", "err", err)
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	w := &writer{w: c}
	w.wait(patience)
	if s.sendGreeting(w) != nil {
		return
	}
	k, text, err := readFrame(c)
	var r Request
	if err != nil || k != request || json.Unmarshal(text, &r) != nil {
		if !errors.Is(err, io.EOF) {
			s.log.Warn("a client said nothing that could be understood", "err", err)
		}
		return
	}
	if r.Version != s.version {
		_ = w.frame(refused,
			[]byte(fmt.Sprintf("the open program is ghostlight %s, this one is %s: restart the open program",
				s.version, r.Version)))
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	w.wait(s.stalled)
	ctx, end := context.WithCancelCause(s.ctx)
	defer end(nil)
	n := &Session{Request: r, w: w, end: end, in: make(chan []byte, 1), ctx: ctx}
	hear := make(chan struct{})
	crash.Go("the ear of the socket", func() {
		defer close(hear)
		end(n.readInput(c))
	})
	stop := context.AfterFunc(ctx, func() {
		defer crash.Recover("a client that goes")
		if !errors.Is(context.Cause(ctx), ErrInterrupted) { // a client that interrupts reads the result
			w.wait(closing / 2)
		}
	})
	code := s.turn(ctx, n)
	stop()
	w.wait(patience)
	_ = w.frame(ended, []byte{byte(code)})
	_ = c.Close() // ends the ear
	<-hear
}

// turn does what a client wants once there is a place for it.
func (s *Server) turn(ctx context.Context, n *Session) int {
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-ctx.Done():
		return 1
	}
	return s.handle(ctx, n)
}

// Finish accepts no new clients, and waits until the commands of the present ones have ended, or
// ctx ends. Call Close after it.
func (s *Server) Finish(ctx context.Context) {
	s.full.Store(true)
	_ = s.l.Close() // Close returns its error
	select {
	case <-s.left():
	case <-ctx.Done():
	}
}

// left is closed once all clients have left.
func (s *Server) left() <-chan struct{} {
	done := make(chan struct{})
	crash.Go("the end of the socket", func() {
		s.clients.Wait()
		close(done)
	})
	return done
}

// Close ends the serving. Clients whose work does not end in a few seconds are left;
// what they still ask of the program fails.
func (s *Server) Close() error {
	s.end(ErrClosing)
	err := s.l.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil // Finish has closed it
	}
	select {
	case <-s.left():
	case <-time.After(closing):
		s.log.Warn("a client of the socket did not end")
	}
	return err
}

// Session is one client as the program sees it.
type Session struct {
	Request Request

	ctx     context.Context
	w       *writer
	end     context.CancelCauseFunc
	in      chan []byte // input that was wanted; closed at its end
	rest    []byte      // of it
	eof     bool
	reading sync.Mutex // held by the reader
	asked   bool       // input, that has not come yet
	askedMu sync.Mutex
	deaf    sync.Map // streams that nothing reads any more
}

// readInput takes what the client says until it goes away, and returns why it went.
func (n *Session) readInput(c io.Reader) error {
	for {
		k, payload, err := readFrame(c)
		if err != nil {
			return ErrGone
		}
		switch k {
		case cancel:
			n.end(ErrInterrupted)
		case broken:
			if len(payload) == 1 {
				n.deaf.Store(kind(payload[0]), true)
			}
		case input:
			n.askedMu.Lock()
			wanted := n.asked
			n.asked = false
			n.askedMu.Unlock()
			if !wanted {
				return errFrame
			}
			n.in <- payload // does not block: only requested input is sent
		default:
			return errFrame
		}
	}
}

// Read implements io.Reader over the client's standard input. It requests input from the client
// only as needed.
func (n *Session) Read(p []byte) (int, error) {
	n.reading.Lock()
	defer n.reading.Unlock()
	for len(n.rest) == 0 {
		if n.eof {
			return 0, io.EOF
		}
		n.askedMu.Lock()
		again := n.asked
		n.asked = true
		n.askedMu.Unlock()
		if !again {
			if err := n.w.frame(want, nil); err != nil {
				return 0, err
			}
		}
		select {
		case n.rest = <-n.in:
			n.eof = len(n.rest) == 0
		case <-n.ctx.Done():
			return 0, context.Cause(n.ctx)
		}
	}
	k := copy(p, n.rest)
	n.rest = n.rest[k:]
	return k, nil
}

// Out returns the client's standard output. Writing to it waits for the client to read, and fails
// with EPIPE if nothing reads the client's output.
func (n *Session) Out() io.Writer { return stream{n.w, output, n.discardOutput(output)} }

// Err returns the client's standard error. It behaves like Out.
func (n *Session) Err() io.Writer { return stream{n.w, remark, n.discardOutput(remark)} }

func (n *Session) discardOutput(k kind) func() error {
	return func() error {
		if _, deaf := n.deaf.Load(k); deaf {
			return syscall.EPIPE
		}
		return nil
	}
}
