package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// withTaste puts what is known of how the user likes pictures before the last message
// of a request: what all requests share stands before it, and what is asked for stays
// last. It is the first to go where room is short.
func withTaste(prompt []prompts.Message, in capture.Input) []prompts.Message {
	if last := len(prompt) - 1; in.Taste != "" && in.Degree == 0 && last >= 0 {
		prompt[last].Content = in.Taste + "\n\n" + prompt[last].Content
	}
	return prompt
}
