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
		"of a server": {show.Template, false},
		"always ends a turn": {"{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}" +
			"<|im_start|>assistant\n", true},
		"with tools": {"{{ range .Messages }}{{ json $.Tools }}[{{ .Role }}] {{ .Content }}" +
			"{{ range .ToolCalls }}{{ .Function.Name }}{{ end }}</s>{{ end }}", true},
		"of the older kind": {"{{ .System }} USER: {{ .Prompt }} ASSISTANT: {{ .Response }}</s>", false},
		"of a renderer":     {"{{ .Prompt }}", false},
		"empty":             {"", false},
		"broken":            {"{{ range .Messages }}", false},
		"of unknown words":  {"{{ range .Messages }}{{ spell .Content }}x{{ end }}", false},
		"without its words": {"{{ range .Messages }}{{ .Role }}{{ end }}", false},
		"too long": {"{{ range .Messages }}{{ .Content }}</s>{{ end }}" +
			strings.Repeat("x", maxTemplate), false},
		"that only starts another": {`{{ define "turn" }}{{ .Content }}</s>{{ end }}` +
			`{{ range .Messages }}{{ template "turn" . }}{{ end }}`, true},
		"by the last message": {`{{ range $i, $_ := .Messages }}{{ $last := eq (len (slice $.Messages $i)) 1 }}` +
			`{{ .Content }}{{ if not $last }}</s>{{ end }}{{ end }}`, false},
		"that never ends": {`{{ range 1000000 }}{{ range 1000000 }}{{ end }}{{ end }}` +
			`{{ range .Messages }}{{ .Content }}</s>{{ end }}`, false},
		"that calls itself": {`{{ define "a" }}{{ range 9 }}{{ template "a" . }}{{ end }}{{ end }}` +
			`{{ range .Messages }}{{ .Content }}</s>{{ end }}{{ template "a" . }}`, false},
		"of large numbers": {`{{ range 9223372036854775807 }}{{ end }}` +
			`{{ range .Messages }}{{ .Content }}</s>{{ end }}`, false},
		"that doubles": {`{{ $x := "x" }}{{ range 4000 }}{{ $x = print $x $x }}{{ end }}` +
			`{{ range .Messages }}{{ .Content }}</s>{{ end }}`, false},
		"that pads": {`{{ range 5000 }}{{ $x := printf "%1000000d" 1 }}{{ end }}` +
			`{{ range .Messages }}{{ .Content }}</s>{{ end }}`, false},
		"that writes much": {`{{ range .Messages }}{{ .Content }}</s>{{ end }}` +
			`{{ range 1000000 }}much of it {{ end }}`, false},
	} {
		if got := closesReply(tc.text); got != tc.closes {
			t.Errorf("a template %s: %v", name, got)
		}
	}
}

func FuzzClosesReply(f *testing.F) {
	f.Add("{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n")
	f.Add(`{{ define "a" }}{{ with .Tools }}{{ json . }}{{ else }}{{ template "a" $ }}{{ end }}{{ end }}` +
		`{{ template "a" .Messages }}`)
	f.Add(`{{ range $i, $m := .Messages }}{{ if eq $i 1 }}{{ continue }}{{ end }}` +
		`{{ break }}{{ end }}{{ index .Messages 9 }}`)
	f.Fuzz(func(t *testing.T, text string) {
		if closesReply(text) && !strings.Contains(text, "Messages") {
			t.Errorf("%q closes what it does not write", text)
		}
	})
}
