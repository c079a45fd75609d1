package pictures

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// tasteAt is what is known of how the user likes pictures of what a capture shows:
// what was asked for, and the moment.
func (svc *Service) tasteAt(tx *storage.Tx, chat storage.Chat, c storage.Capture, path []storage.Node) string {
	about := []string{c.Requested}
	for _, n := range path {
		about = append(about, n.Content)
	}
	return svc.taste(tx, chat, strings.Join(about, "\n"))
}

// withTaste puts what is known of how the user likes pictures before the last message
// of a request: what all requests share stands before it, and what is asked for stays
// last. It is the first to go where room is short.
func withTaste(prompt []prompts.Message, in capture.Input) []prompts.Message {
	if last := len(prompt) - 1; in.Taste != "" && in.Degree == 0 && last >= 0 {
		prompt[last].Content = in.Taste + "\n\n" + prompt[last].Content
	}
	return prompt
}
