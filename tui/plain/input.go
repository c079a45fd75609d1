package plain

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// maxLineLen is the number of bytes read of a line; the rest is cut off.
const maxLineLen = 1 << 20

// Input is the source of the user's lines. It outlives a run: lines that were read ahead are kept
// for the next run.
type Input struct {
	Terminal bool // a user types: there are questions, and a prompt before each line
	lines    chan string
	wanted   chan struct{}
	held     *string // looked at, but not taken
}

// NewInput reads lines from r, each on request.
func NewInput(r io.Reader, terminal bool) *Input {
	in := &Input{Terminal: terminal, lines: make(chan string), wanted: make(chan struct{}, 1)}
	crash.Go("the reader of lines", func() {
		defer close(in.lines)
		b := bufio.NewReader(r)
		for range in.wanted {
			line, err := readLine(b)
			if err == nil || line != "" {
				in.lines <- line
			}
			if err != nil {
				return
			}
		}
	})
	return in
}

// want requests the next line, unless one is requested already.
func (in *Input) want() {
	select {
	case in.wanted <- struct{}{}:
	default:
	}
}

// more reports whether there is another line, which it waits for.
func (in *Input) more() bool {
	if in.held == nil {
		in.want()
		line, ok := <-in.lines
		if !ok {
			return false
		}
		in.held = &line
	}
	return true
}

// Close reports that no more lines are wanted. It does not wait for a line that is being read.
func (in *Input) Close() { close(in.wanted) }

// readLine reads a line without its end.
func readLine(b *bufio.Reader) (string, error) {
	var text strings.Builder
	for {
		part, more, err := b.ReadLine()
		if err != nil {
			if errors.Is(err, io.EOF) && text.Len() > 0 {
				err = nil
			}
			return text.String(), err
		}
		if text.Len() < maxLineLen {
			text.Write(part)
		}
		if !more {
			return text.String(), nil
		}
	}
}
