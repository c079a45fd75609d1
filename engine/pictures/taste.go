package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// withTaste inserts the user's taste before the last message of a request: the shared prefix stays
// first and the request last. It is dropped first if the context is too small.
func withTaste(prompt []prompts.Message, in capture.Input) []prompts.Message {
	if last := len(prompt) - 1; in.Taste != "" && in.Degree == 0 && last >= 0 {
		prompt[last].Content = in.Taste + "\n\n" + prompt[last].Content
	}
	return prompt
}
