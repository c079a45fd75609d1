package boards

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// talkWords is what came of a steering line: what was carried out goes before what
// the model says of it.
func talkWords(t *storage.BoardTalk) string {
	said := look.Within(t.Reply, 300)
	switch {
	case t.Question && t.Calls == 0:
		return "→ ? " + said
	case t.Calls == 0:
		return "→ " + look.Join("no changes", said)
	case t.Did != "" && t.Did != t.Reply:
		return "→ " + look.Join(look.Within(t.Did, 200), said)
	}
	return "→ " + look.Join(look.Plural(t.Calls, "change"), said)
}

// talkDid is what was carried out for a steering line.
func talkDid(t *storage.BoardTalk) string {
	if t.Did != "" {
		return t.Did
	}
	return look.Plural(t.Calls, "change")
}
