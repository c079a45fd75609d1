package ollama

import (
	"fmt"
	"time"
)

// Patience is how long a reply may take before it is ended with the reason. Zero keeps the
// Client's default, less than zero waits for ever.
type Patience struct {
	Silence  time.Duration // a stream that has begun says nothing
	Thinking time.Duration // the model thinks and has written nothing yet
	Reply    time.Duration // the whole of a reply, from its first piece on
}

// The defaults of a Patience: what a slow machine needs for a long reply, and a broken
// server does not get.
const (
	DefaultThinking = 30 * time.Minute
	DefaultReply    = time.Hour
)

// never is longer than any program runs.
const never = 1 << 62

// WithPatience sets how long replies may take.
func WithPatience(p Patience) Option {
	return func(c *Client) {
		for _, t := range []struct {
			of   time.Duration
			into *time.Duration
		}{{p.Silence, &c.stall}, {p.Thinking, &c.think}, {p.Reply, &c.whole}} {
			switch {
			case t.of < 0:
				*t.into = never
			case t.of > 0:
				*t.into = t.of
			}
		}
	}
}

// late says why a reply that began so long ago takes too long, "" while it does not.
func (c *Client) late(took time.Duration, wrote bool) string {
	switch {
	case !wrote && took > c.think:
		return fmt.Sprintf("The model thought for %s without writing anything and was stopped there. Turn thinking off, or raise ollama.think_time.", c.think)
	case took > c.whole:
		return fmt.Sprintf("The reply took longer than %s and was stopped there. What was written is kept. Continue it, or raise ollama.reply_time.", c.whole)
	}
	return ""
}
