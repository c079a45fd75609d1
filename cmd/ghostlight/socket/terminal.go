package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// Terminal is what a client with a screen does on its own terminal for the program.
type Terminal interface {
	// Edit has the user edit a text, and returns what they left.
	Edit(text string) (string, error)
	// Suspend gives the terminal to its shell until that brings the client back.
	Suspend() error
}

// done is what became of something that a client did.
type done struct {
	Text  string `json:"text"`
	Fault string `json:"fault"`
}

// Attach has the program show a screen on the client's terminal, and returns the exit
// code when that was left. sizes are those of the terminal as they change. Errors are
// those of Run.
func (c *Client) Attach(r Request, s Streams, t Terminal, sizes <-chan Size) (code int, err error) {
	if err := c.w.json(request, r); err != nil {
		return c.follow(s, nil) // it has hung up, and may have said why
	}
	over := make(chan struct{})
	defer close(over)
	tell := func() {
		for {
			select {
			case size := <-sizes:
				if c.w.json(resize, size) != nil {
					return // the end is read soon
				}
			case <-over:
				return
			}
		}
	}
	crash.Go("the size of the terminal", tell)
	return c.follow(s, t)
}

// outside does what only the process at the terminal can do.
func (c *Client) outside(t Terminal, k kind, payload []byte) {
	var d done
	var err error
	answer := resumed
	if k == edit {
		answer = edited
		d.Text, err = t.Edit(string(payload))
	} else {
		err = t.Suspend()
	}
	if err != nil {
		d.Fault = err.Error()
	}
	if errors.Is(c.w.json(answer, d), errTooLong) {
		_ = c.w.json(answer, done{Fault: "the text is too long to be returned"}) // the end is read soon where that fails
	}
}

// Edit has the client's user edit a text there, and waits for it.
func (n *Session) Edit(text string) (string, error) { return n.outside(edit, text) }

// Suspend gives the client's terminal to its shell, and waits until it is back.
func (n *Session) Suspend() error {
	_, err := n.outside(suspend, "")
	return err
}

func (n *Session) outside(k kind, text string) (string, error) {
	if err := n.w.frame(k, []byte(text)); err != nil {
		return "", fmt.Errorf("ask the terminal: %w", err)
	}
	select {
	case a := <-n.answers:
		var d done
		if err := json.Unmarshal(a.text, &d); err != nil {
			return "", fmt.Errorf("ask the terminal: %w", err)
		}
		if d.Fault != "" {
			return "", errors.New(d.Fault)
		}
		return d.Text, nil
	case <-n.ctx.Done():
		return "", context.Cause(n.ctx)
	}
}
