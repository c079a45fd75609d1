package enginetest

import (
	"encoding/json"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// Recalling gives a harness an embedding model, another one than the chat's.
func Recalling(o *Setup) { o.Cfg.Stage.EmbedModel = demo.ThinkModel }

// Embeds returns how many vectors each request has asked for so far.
func (s *Harness) Embeds() (out []int) {
	for _, c := range s.Servers.Calls() {
		var body struct{ Input []string }
		if c.Path == "/api/embed" && json.Unmarshal(c.Body, &body) == nil {
			out = append(out, len(body.Input))
		}
	}
	return out
}

// Eventually waits for a condition.
func Eventually(s *Harness, is func() bool) error {
	ctx := s.Context()
	for !is() {
		if err := ctx.Err(); err != nil {
			return err
		}
		tick := time.NewTimer(2 * time.Millisecond)
		<-tick.C
	}
	return nil
}
