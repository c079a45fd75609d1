package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// The filtered text of a reply is in a list, each with the check that found it.
func TestRejected(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Script: tove.Reply},
		Config: func(c *config.Config) {
			c.Voice = config.Voice{Backtrack: true, Sets: []string{config.SetAuto}, User: true, Ends: true}
		}})
	s.See("‹1/3›").Say("misbehave phrases")
	s.replied(3, 1).See("cut").Press("esc").See("BROWSE").Do(keys.Rejected).See("Filtered text",
		"rule:").Golden("rejected").GoldenStyled("rejected")
	s.Press("down").See("mischief").Press("enter").See("no config file here").Press("esc").NotSee("Filtered text")
	s.Press("k").Do(keys.Rejected).See("nothing was filtered in this message")
}
