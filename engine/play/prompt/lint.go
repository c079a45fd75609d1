package prompt

import (
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Lint returns warnings about a card: macros that change by themselves in fields that should stay
// the same throughout a chat, which would make the server read every prompt again, and text that
// looks like a macro but is not one. The compiler freezes such macros; the card's author should
// know.
func Lint(card storage.Card) []string {
	var found []string
	for _, f := range []struct{ layer, text string }{
		{LayerMain, card.SystemPrompt}, {LayerDescription, card.Description}, {LayerPersonality, card.Personality},
		{LayerScenario, card.Scenario}, {LayerExamples, card.MessageExample},
	} {
		for _, macro := range prompts.Volatile(f.text) {
			found = append(found, frozenWarning("card: "+label(card.Name), f.layer, macro))
		}
		for _, macro := range prompts.Unknown(f.text) {
			found = append(found, unknownWarning("card: "+label(card.Name), f.layer, macro))
		}
	}
	if card.DepthPrompt != "" && card.DepthPromptDepth > 0 {
		found = append(found,
			fmt.Sprintf("card: %s: its depth prompt is %s above the newest, which are processed again every turn",
				label(card.Name), plural(card.DepthPromptDepth, "message")))
	}
	return found
}
