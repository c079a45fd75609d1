package ollama

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// beginningTime is the time that the server should need to read one beginning of a prompt. The
	// last beginning may take half as long again, which should be within a second.
	beginningTime = 650 * time.Millisecond
	// firstBeginning is the size of the first beginning, in bytes, while the speed of the server is
	// unknown. minBeginning is the smallest size: below it most of the time goes into the request.
	firstBeginning = 512
	minBeginning   = 192
	// maxBeginnings limits the number of beginnings of one prompt.
	maxBeginnings = 64
	// beginningKept is the minimum time that a model stays loaded after a beginning.
	beginningKept = time.Minute
	// serverKeeps is the time that a server keeps a model loaded by default.
	serverKeeps = 5 * time.Minute
	forEver     = 100 * 365 * 24 * time.Hour
)

// cache records which part of each model's last prompt the server has read. It is safe for
// concurrent use.
type cache struct {
	mu     sync.Mutex
	models map[string]cachedPrompt
}

// cachedPrompt is the last prompt of a model, its answer included.
type cachedPrompt struct {
	messages []Message
	until    time.Time // the server unloads the model then
	speed    float64   // bytes per second that it reads, 0 if unknown
	stopped  bool      // the connection of its last reply was closed early, see firstWait
}

// unread returns the number of bytes at the end of messages that the server has not read yet, and
// the number of bytes that it reads in the time of one beginning.
func (c *cache) unread(model string, messages []Message) (unread, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.models[model]
	if time.Now().After(at.until) {
		at.messages = nil
	}
	return Size(messages) - sharedSize(at.messages, messages), max(int(at.speed*beginningTime.Seconds()), 0)
}

// note records a sent prompt and its result.
func (c *cache) note(req Request, res Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.models == nil {
		c.models = map[string]cachedPrompt{}
	}
	at := c.models[req.Model]
	shared := sharedSize(at.messages, req.Messages)
	if read := Size(req.Messages) - shared; res.PromptEval > 0 && read >= minBeginning {
		at.speed = float64(read) / res.PromptEval.Seconds()
	}
	if res.Ending == EndComplete || res.Ending == EndLength {
		at.messages = append(req.Messages[:len(req.Messages):len(req.Messages)],
			Message{Role: "assistant", Content: res.Content})
	} else {
		at.messages = Prefix(req.Messages, shared) // it is unknown how much was read
	}
	at.until = time.Now().Add(keepAliveOf(req.KeepAlive))
	c.models[req.Model] = at
}

// keepAliveOf returns the time that a model stays loaded after a request with this keep_alive: nil
// leaves it to the server, negative is for ever.
func keepAliveOf(keepAlive *time.Duration) time.Duration {
	switch {
	case keepAlive == nil:
		return serverKeeps
	case *keepAlive < 0:
		return forEver
	}
	return *keepAlive
}

// readPrefixes lets the server read the unread part of a request that yields, in growing beginnings
// of about a second each, according to the time of the last one. A server reads a prompt to its end
// even when nobody waits for it any more, so a cancelled request blocks the server for one
// beginning at most. It returns the time that the server has read. It ends early when ctx ends or
// when a beginning fails: the request itself then returns the error.
func (c *Client) readPrefixes(ctx context.Context, req Request) (all time.Duration) {
	if !req.Yields {
		return 0
	}
	total := Size(req.Messages)
	unread, size := c.cache.unread(req.Model, req.Messages)
	if size == 0 {
		size = firstBeginning
	}
	least := max(minBeginning, unread/maxBeginnings)
	size = max(size, least)
	part := req
	part.Yields, part.Format, part.Form, part.Options.NumPredict = false, nil, nil, 1
	if k := req.KeepAlive; k != nil && *k >= 0 && *k < beginningKept {
		part.KeepAlive = new(beginningKept) // or the server would load the model for each of them
	}
	for at := total - unread + size; at+size/2 < total && ctx.Err() == nil; at += size {
		part.Messages = Prefix(req.Messages, at)
		res, err := c.Chat(ctx, part, nil)
		if err != nil {
			break
		}
		all += res.PromptEval
		fits := float64(size) * float64(beginningTime) / float64(max(res.PromptEval, time.Millisecond))
		size = max(least, min(int(fits), 2*size))
	}
	return all
}

// Size returns the number of bytes in the texts of messages.
func Size(messages []Message) (n int) {
	for _, m := range messages {
		n += len(m.Content)
	}
	return n
}

// sharedSize returns the number of bytes that two prompts have in common at their beginning.
func sharedSize(a, b []Message) (n int) {
	for i := 0; i < len(a) && i < len(b) && a[i].Role == b[i].Role; i++ {
		x, y := a[i].Content, b[i].Content
		k := 0
		for k < len(x) && k < len(y) && x[k] == y[k] {
			k++
		}
		if n += k; k < len(x) || k < len(y) {
			break
		}
	}
	return n
}

// Prefix returns the first bytes of a prompt, cut between two words where it can be.
func Prefix(messages []Message, size int) []Message {
	for i, m := range messages {
		if len(m.Content) < size {
			size -= len(m.Content)
			continue
		}
		at := size
		for at > 0 && at < len(m.Content) && !utf8.RuneStart(m.Content[at]) {
			at--
		}
		if space := strings.LastIndexAny(m.Content[:at], " \n"); at < len(m.Content) && space > at/2 {
			at = space
		}
		m.Content = m.Content[:at]
		return append(messages[:i:i], m)
	}
	return messages
}
