package ollama

import (
	"context"
	"time"
)

// slotWait is the minimum time that a request waits for its first line before its model is
// unloaded, see firstWait.
const slotWait = 2 * time.Minute

// firstWait returns the time in which the server must begin to answer a request. suspect reports
// that it may have kept the model's slot: a server that is about to send when the connection of a
// reply is closed may keep the slot of that reply for ever, so that the model's next request waits
// until the model is unloaded (https://github.com/ollama/ollama/issues/17131). Then the time is
// slotWait and twice that of reading a full context, else that of WithGiveUp.
func (c *Client) firstWait(req Request) (wait time.Duration, suspect bool) {
	c.cache.mu.Lock()
	at := c.cache.models[req.Model]
	c.cache.mu.Unlock()
	if !at.stopped || at.speed == 0 || time.Now().After(at.until) {
		return c.giveUp, false
	}
	const bytesPerToken = 4
	bytes := max(Size(req.Messages), bytesPerToken*req.Options.NumCtx)
	wait = c.slotWait + time.Duration(2*float64(bytes)/at.speed*float64(time.Second))
	if wait >= c.giveUp {
		return c.giveUp, false
	}
	return wait, true
}

// freeSlot prepares another attempt at a request that has had no answer within firstWait.
func (c *Client) freeSlot(ctx context.Context, req Request) {
	c.cache.mu.Lock()
	stopped := c.cache.models[req.Model].stopped
	c.cache.mu.Unlock()
	if stopped { // or it waited behind a request that was answered meanwhile
		_ = c.Unload(ctx, req.Model) // if that fails, the request itself returns the error
	}
}

// setStopped records whether the connection of a model's last reply was closed before its end.
func (c *cache) setStopped(model string, stopped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.models[model]; ok {
		at.stopped = stopped
		c.models[model] = at
	}
}

// forget records that a model was unloaded.
func (c *cache) forget(model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, at := range c.models {
		if SameModel(name, model) {
			c.models[name] = cachedPrompt{speed: at.speed}
		}
	}
}
