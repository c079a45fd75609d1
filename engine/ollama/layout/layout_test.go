package layout

import (
	"strings"
	"testing"
	"text/template"
)

// conversation is what a server gives its templates.
var conversation = map[string]any{
	"System": "", "Response": "", "Think": false, "ThinkLevel": "", "IsThinkSet": true, "Tools": nil,
	"Messages": []any{
		map[string]any{"Role": "system", "Content": "s", "Thinking": ""},
		map[string]any{"Role": "user", "Content": "u", "Thinking": ""},
		map[string]any{"Role": "assistant", "Content": "the last words", "Thinking": ""},
	},
}

// layouts are written as templates of servers are.
var layouts = []string{
	"{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n",
	`{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 -}}
{{- if eq .Role "user" }}<u>{{ .Content }}</u>
{{- else if eq .Role "assistant" }}<a>{{ if .Content }}{{ .Content }}{{ else if .ToolCalls }}{{ range .ToolCalls }}{{ .Function.Name }}{{ end }}{{ end }}{{ if not $last }}</a>{{ end }}
{{- end }}{{ if and (ne .Role "assistant") $last }}<a>{{ end }}{{ end }}`,
	`{{ $user := -1 }}{{ range $i, $m := .Messages }}{{ if eq $m.Role "user" }}{{ $user = $i }}{{ end }}{{ end }}{{ $user }}
{{- range $i, $m := .Messages }}{{ if and $.IsThinkSet (gt $i $user) }}<think>{{ or .Thinking "none" }}</think>{{ end }}{{ .Content }}{{ if lt $i $user }}|{{ end }}{{ end }}`,
	`{{ define "turn" }}[{{ .Role }}] {{ .Content }}{{ end }}{{ range .Messages }}{{ template "turn" . }}{{ else }}nobody{{ end }}`,
	`{{ with .System }}<s>{{ . }}</s>{{ else }}no system{{ end }}{{ with (index .Messages 1) }}{{ .Content | len }}{{ end }}`,
	`{{ range $i, $m := .Messages }}{{ if eq $i 1 }}{{ continue }}{{ end }}{{ if ge $i 2 }}{{ break }}{{ end }}{{ $m.Role }}{{ end }}{{ .Nothing }}{{/* no more */}}`,
	`{{ range .Tools }}{{ json . }}{{ else }}none{{ end }}{{ currentDate }}{{ range 3 }}{{ . }}{{ end }}{{ (index .Messages 0).Role }}{{ true }}{{ slice "spoken" 1 3 }}{{ index (slice .Messages 1) 0 "Role" }}`,
	`{{ if or (eq .Think false) .Unknown.Deep }}{{ not .System }}{{ end }}{{ eq "b" "a" "b" }}{{ le 1 1 }}{{ ne "a" .Nothing }}`,
}

// theirs writes a template out as a server does.
func theirs(text string) (string, error) {
	none := func(...any) string { return "" }
	t, err := template.New("").Funcs(template.FuncMap{"json": none, "currentDate": none, "yesterdayDate": none, "toTypeScriptType": none}).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, conversation)
	return out.String(), err
}

func TestWrite_WritesWhatAServerWrites(t *testing.T) {
	t.Parallel()
	for _, text := range layouts {
		want, err := theirs(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := Write(text, conversation); err != nil || got != want {
			t.Errorf("%s\nwrote %q (%v)\nand not %q", text, got, err, want)
		}
	}
}

func TestWrite_Bounds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{{ range 1000000 }}{{ range 1000000 }}{{ end }}{{ end }}`,
		`{{ range 9223372036854775807 }}much{{ end }}`,
		`{{ define "again" }}{{ template "again" . }}{{ end }}{{ template "again" . }}`,
		`{{ range 1000000 }}{{ if and true (or false (not (eq 1 1 1 1 1))) }}{{ end }}{{ end }}`,
	} {
		if out, err := Write(text, conversation); err == nil {
			t.Errorf("%s wrote %d bytes", text, len(out))
		}
	}
}

// What both understand is written alike.
func FuzzWrite(f *testing.F) {
	for _, text := range layouts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		got, err := Write(text, conversation)
		if err != nil {
			return
		}
		if want, err := theirs(text); err == nil && got != want {
			t.Fatalf("wrote %q, and a server %q", got, want)
		}
	})
}
