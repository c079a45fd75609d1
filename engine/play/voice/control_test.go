package voice_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
)

// A reply ends before the signs of chat templates of all families, and no part of them is ever
// shown; text that only looks like a sign stays.
func TestWatch_EndsBeforeSignsOfTemplates(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"ChatML":        "*She nods.*\n\n<|im_end|>\n<|im_start|>user\nI walk away.",
		"Llama 2":       "*She nods.* [INST] I walk away. [/INST]",
		"Llama 2 end":   "*She nods.*</s>",
		"Llama 2 setup": "*She nods.*\n<<SYS>>",
		"Llama 3":       "*She nods.*<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nI walk away.",
		"Mistral":       "*She nods.*[SYSTEM_PROMPT]Be brief.",
		"Gemma":         "*She nods.*<end_of_turn>\n<start_of_turn>user\nI walk away.",
		"Phi":           "*She nods.*<|end|><|user|>I walk away.",
		"Command R":     "*She nods.*<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>I walk away.",
		"DeepSeek":      "*She nods.*<｜end▁of▁sentence｜><｜User｜>I walk away.",
		"harmony":       "*She nods.*<|return|>",
		"Alpaca":        "*She nods.*\n\n### Instruction:\nI walk away.",
		"its own":       "*She nods.*<turn_over>I walk away.",
		"its heading":   "*She nods.*\n\n### Input: I walk away.",
	} {
		r := voice.Rules{TemplateTokens: []string{"<turn_over>", "### Input:"}}
		for _, n := range []int{1, 3, 1000} {
			f, w := first(r, text, n)
			if f == nil || f.Kind != voice.Control || !f.Ends || w.Text()[:f.Cut] != "*She nods.*" {
				t.Errorf("%s by %d: %+v", name, n, f)
			}
		}
		w, shown := voice.New(r, ""), 0
		for _, c := range text {
			if w.Add(string(c)) != nil {
				break
			}
			shown = max(shown, w.Show())
		}
		if shown > len("*She nods.*\n\n")+1 {
			t.Errorf("%s: %q is shown", name, text[:shown])
		}
	}
	for _, text := range []string{"It is <b>bold</b>, a < b and [sic].", "<s>struck</s> out", "## Chapter 3\nShe nods.", "She says |im_end|.", "HP <|10|> of [INSTINCT]", "It hums.\n\n### System: Level up!", "<player_one> nods."} {
		if f, w := first(voice.Rules{Card: "Write the health as <|10|> of <player_one>.", TemplateTokens: []string{"<player_one>"}}, text, 2); f != nil || w.Show() != len(text) {
			t.Errorf("%q: %+v", text, f)
		}
	}
}
