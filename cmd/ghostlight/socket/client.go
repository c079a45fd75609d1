package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// Streams are the standard streams of a client.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Client is a connection to the program that has a data folder open.
type Client struct {
	c *net.UnixConn
	w writer
}

// Dial connects to the program that has a data folder open. It returns ErrNobody if there is none,
// and a Refusal if it does not answer or uses another protocol.
func Dial(data string) (*Client, error) {
	conn, err := connect(data)
	if err != nil {
		return nil, err
	}
	c := &Client{c: conn, w: writer{w: conn}}
	if err := c.readGreeting(); err != nil {
		_ = conn.Close() // nothing was asked of it
		return nil, err
	}
	return c, nil
}

// Close ends the connection. What is being done for the client is interrupted.
func (c *Client) Close() error { return c.c.Close() }

func (c *Client) readGreeting() error {
	_ = c.c.SetReadDeadline(time.Now().Add(patience))
	k, text, err := readFrame(c.c)
	_ = c.c.SetReadDeadline(time.Time{})
	var g greeting
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Refusal(
			"the program that has the data folder open does not respond; if it is suspended, resume it with fg")
	case errors.Is(err, errFrame):
		return Refusal("the program that has the data folder open has an incompatible version: restart it")
	case err != nil:
		return ErrNobody // it is just being closed
	case k != greet || json.Unmarshal(text, &g) != nil:
		return Refusal("the program that has the data folder open is not compatible")
	case g.Protocol != protocol:
		return Refusal(fmt.Sprintf(
			"the open program is ghostlight %s (process %d), an incompatible version: restart it", g.Version, g.PID))
	}
	return nil
}

// Run has the program run a command, and returns its exit code. When ctx ends, the command is
// interrupted, and Run waits for its end. Run returns a Refusal if the command is refused, and
// ErrGone if the program ended before the command did.
func (c *Client) Run(ctx context.Context, r Request, s Streams) (code int, err error) {
	if err := c.w.json(request, r); errors.Is(err, errTooLong) {
		return 0, Refusal("the arguments are too long for the open program: use a file or standard input")
	} else if err != nil {
		return c.follow(s) // the server has hung up, and may have sent a reason
	}
	stop := context.AfterFunc(ctx, func() {
		defer crash.Recover("the interruption")
		_ = c.w.frame(cancel, nil) // if this fails too, reading ends soon
	})
	defer stop()
	return c.follow(s)
}

// follow does what the program says until it is done.
func (c *Client) follow(s Streams) (code int, err error) {
	pump := inputPump{c: c, in: s.In}
	for {
		k, payload, err := readFrame(c.c)
		if err != nil {
			return 0, ErrGone
		}
		switch k {
		case output:
			c.put(s.Out, k, payload)
		case remark:
			c.put(s.Err, k, payload)
		case want:
			pump.request()
		case refused:
			return 0, Refusal(payload)
		case ended:
			if len(payload) != 1 {
				return 0, errFrame
			}
			return int(payload[0]), nil
		default:
			return 0, errFrame
		}
	}
}

// put writes received data to a stream of the client's, and informs the server if the stream fails.
func (c *Client) put(w io.Writer, k kind, data []byte) {
	if _, err := w.Write(data); err != nil {
		_ = c.w.frame(broken, []byte{byte(k)}) // if this fails too, reading ends soon
	}
}

// inputPump reads the client's standard input only when the program wants some of it, so that the
// rest stays available to other programs.
type inputPump struct {
	c    *Client
	in   io.Reader
	once sync.Once
	want chan struct{}
}

func (p *inputPump) request() {
	p.once.Do(func() {
		p.want = make(chan struct{}, 1)
		crash.Go("the reader of standard input", p.read)
	})
	select {
	case p.want <- struct{}{}:
	default: // it is wanted already
	}
}

func (p *inputPump) read() {
	buf := make([]byte, chunk)
	for range p.want {
		n, err := p.in.Read(buf)
		for n == 0 && err == nil {
			n, err = p.in.Read(buf)
		}
		if p.c.w.frame(input, buf[:max(n, 0)]) != nil || n == 0 {
			return
		}
	}
}
