package ollama

import (
	"fmt"
	"time"
)

const (
	// DefaultGiveUp is the time that a request may go on without visible progress. Loading a big
	// model from a slow disk, reading a long prompt on a CPU and thinking all take their time.
	DefaultGiveUp = 30 * time.Minute
	// Silence is the time that a stream that has begun may go on without a complete line.
	Silence = 90 * time.Second

	// Requests that need no model are answered immediately or not at all.
	shortWait = 30 * time.Second
	// After the last line of a stream nothing more is needed from the server.
	closeWait = 2 * time.Second
	// never is longer than any program runs.
	never = 1 << 62
)

// WithGiveUp sets the time that a request may go on without visible progress before it fails with
// ErrStalled: until its first line, and then until each further word of the answer. Thoughts are
// not words of the answer. Zero keeps DefaultGiveUp, a negative time never gives up.
func WithGiveUp(d time.Duration) Option {
	return func(c *Client) {
		switch {
		case d < 0:
			c.giveUp = never
		case d > 0:
			c.giveUp = d
		}
	}
}

// GiveUp returns the time that a request may go on without visible progress, 0 for ever.
func (c *Client) GiveUp() time.Duration {
	if c.giveUp == never {
		return 0
	}
	return c.giveUp
}

// silenceLimit limits the time that one request goes on waiting. Only waiting for the server
// counts, not the time that the reader needs for received bytes. Bytes that do not end a line do
// not extend the limit.
type silenceLimit struct {
	progress, line         time.Duration // the allowed time without them
	progressLeft, lineLeft time.Duration
	begun                  bool // a line has come
}

func newPatience(progress time.Duration) silenceLimit {
	return silenceLimit{progress: progress, line: silenceWithin(progress), progressLeft: progress}
}

// silenceWithin returns the time that a stream may be silent if it is given up after d.
func silenceWithin(d time.Duration) time.Duration {
	if d == never {
		return never
	}
	return min(d, Silence)
}

// remaining returns the time that the server may still be waited for.
func (p *silenceLimit) remaining() time.Duration {
	if p.begun {
		return min(p.progressLeft, p.lineLeft)
	}
	return p.progressLeft
}

// add subtracts a time that was waited.
func (p *silenceLimit) add(d time.Duration) {
	p.progressLeft -= d
	if p.begun {
		p.lineLeft -= d
	}
}

// reset records a line of the stream; progress says whether it brought visible progress.
func (p *silenceLimit) reset(progress bool) {
	if progress || !p.begun {
		p.progressLeft = p.progress
	}
	p.begun, p.lineLeft = true, p.line
}

// close records the last line.
func (p *silenceLimit) close() {
	p.begun, p.lineLeft = true, min(p.line, closeWait)
	p.progressLeft = max(p.progressLeft, p.lineLeft)
}

// silent reports whether the limit was exceeded by the silence of a stream that had begun.
func (p *silenceLimit) silent() bool { return p.begun && p.lineLeft <= p.progressLeft }

// formatDuration returns a time in words.
func formatDuration(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return d.Round(time.Millisecond).String()
}
