package boards

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// talkText is what came of a steering line: what was carried out goes before what
// the model says of it.
func talkText(t *storage.BoardTalk) string {
	said := draw.Within(t.Reply, 300)
	switch {
	case t.Question && t.Calls == 0:
		return "→ ? " + said
	case t.Calls == 0:
		return "→ " + draw.Join("no changes", said)
	case t.Did != "" && t.Did != t.Reply:
		return "→ " + draw.Join(draw.Within(t.Did, 200), said)
	}
	return "→ " + draw.Join(draw.Plural(t.Calls, "change"), said)
}

// talkResult is what was carried out for a steering line.
func talkResult(t *storage.BoardTalk) string {
	if t.Did != "" {
		return t.Did
	}
	return draw.Plural(t.Calls, "change")
}
