package enginetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// Asked returns the requests for text so far, oldest first.
func (s *Harness) Asked() (calls []demo.Call) {
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && len(c.Messages) > 0 && !c.Reads() { // not to unload, and no part of a prompt
			calls = append(calls, c)
		}
	}
	return calls
}

func Flat(c demo.Call) string {
	var b strings.Builder
	for _, m := range c.Messages {
		fmt.Fprintf(&b, "<%s>%s", m.Role, m.Content)
	}
	return b.String()
}

// Common returns how many bytes two texts share at their beginning.
func Common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Options returns what a request set.
func Options(t *testing.T, c demo.Call) (numCtx int, never bool) {
	t.Helper()
	var body struct {
		Options struct {
			NumCtx int `json:"num_ctx"`
		}
		Truncate, Shift *bool
	}
	Must(t, json.Unmarshal(c.Body, &body))
	return body.Options.NumCtx, body.Truncate != nil && !*body.Truncate && body.Shift != nil && !*body.Shift
}
