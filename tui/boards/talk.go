package boards

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// talkText returns the result of a steering line: what was done, and the model's reply.
func talkText(t *storage.BoardTalk) string {
	said := draw.Truncate(t.Reply, 300)
	switch {
	case t.Question && t.Calls == 0:
		return "→ ? " + said
	case t.Calls == 0:
		return "→ " + draw.Join("no changes", said)
	case t.Did != "" && t.Did != t.Reply:
		return "→ " + draw.Join(draw.Truncate(t.Did, 200), said)
	}
	return "→ " + draw.Join(draw.Plural(t.Calls, "change"), said)
}

// talkResult returns what was done for a steering line.
func talkResult(t *storage.BoardTalk) string {
	if t.Did != "" {
		return t.Did
	}
	return draw.Plural(t.Calls, "change")
}
