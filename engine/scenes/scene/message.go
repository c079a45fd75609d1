package scene

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// MessageAnswer is a model's answer to MessagePrompt.
type MessageAnswer struct {
	Recap string `json:"recap"`
}

// maxMessageRecap is the maximum length of the recap of one message, in runes.
const maxMessageRecap = 1500

// Check returns the faults of the answer, worded for the model.
func (a *MessageAnswer) Check() error {
	if a.Text() == "" {
		return fmt.Errorf(`"recap" is empty: say in a line or two what the message brings`)
	}
	return nil
}

// Text returns the recap in its stored form: Markdown without headings.
func (a *MessageAnswer) Text() string {
	var lines []string
	for _, l := range strings.Split(paragraphs(a.Recap), "\n") {
		text := bulletText(l)
		switch {
		case text == "":
			continue
		case cutItem(l) != l:
			text = "- " + text
		}
		lines = append(lines, text)
	}
	return prompts.Bounded(strings.Join(lines, "\n"), maxMessageRecap)
}
