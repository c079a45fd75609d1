package ollama

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestClosesReply(t *testing.T) {
	t.Parallel()
	var show struct{ Template string }
	if err := json.Unmarshal(captured(t, "show.json"), &show); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		text   string
		closes bool
	}{
		"of a server":        {show.Template, false},
		"always ends a turn": {"{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n", true},
		"with tools":         {"{{ range .Messages }}{{ json .Tools }}[{{ .Role }}] {{ .Content }}{{ range .ToolCalls }}{{ .Function.Name }}{{ end }}</s>{{ end }}", true},
		"of the older kind":  {"{{ .System }} USER: {{ .Prompt }} ASSISTANT: {{ .Response }}</s>", false},
		"of a renderer":      {"{{ .Prompt }}", false},
		"empty":              {"", false},
		"broken":             {"{{ range .Messages }}", false},
		"of unknown words":   {"{{ range .Messages }}{{ spell .Content }}x{{ end }}", false},
		"without its words":  {"{{ range .Messages }}{{ .Role }}{{ end }}", false},
		"too long":           {"{{ range .Messages }}{{ .Content }}</s>{{ end }}" + strings.Repeat("x", mostTemplate), false},
		"that writes much":   {`{{ range .Messages }}{{ .Content }}</s>{{ end }}{{ range 1000000 }}much of it {{ end }}`, false},
	} {
		if got := closesReply(tc.text); got != tc.closes {
			t.Errorf("a template %s: %v", name, got)
		}
	}
}
