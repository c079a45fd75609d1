package ollama

import (
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

func TestThinkSplit(t *testing.T) {
	long := strings.Repeat(" ", 100)
	tests := []struct{ name, in, content, thinking string }{
		{"plain", "Hello <think>there</think>", "Hello <think>there</think>", ""},
		{"tags", "<think>a\nb</think>\n\nHello", "Hello", "a\nb"},
		{"other tags", "<thinking>a</thinking>Hello", "Hello", "a"},
		{"space before", " \n<think>a</think> Hello ", "Hello ", "a"},
		{"empty thoughts", "<think></think>Hello", "Hello", ""},
		{"never closed", "<think>a</thin", "", "a</thin"},
		{"never opened", "a\n</think>\n\nb", "b", "a\n"},
		{"never opened, nothing thought", "</think>b", "b", ""},
		{"closed twice", "<think>a</think>\n</think>b", "b", "a"},
		{"opened in the story", "b <think>c</think> d </think>", "b <think>c</think> d </think>", ""},
		{"nearly closed", "a</thin", "a</thin", ""},
		{"Magistral", "[THINK]a[/THINK]b", "b", "a"},
		{"Command A", "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b", "b", "a"},
		{"harmony", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "b", "a"},
		{"harmony with a plan", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|> c<|end|>" +
			"<|start|>assistant<|channel|>final<|message|>b", "b", "a c"},
		{"harmony, opened in the prompt", "a<|end|><|start|>assistant<|channel|>final<|message|>b", "b", "a<|end|><|start|>assistant"},
		{"a header", "<|start_header_id|>assistant<|end_header_id|>\n\nb", "b", ""},
		{"a header and thoughts", "<|im_start|>assistant\n<think>a</think>b", "b", "a"},
		{"a sign further on", "*She nods.*<|im_end|>", "*She nods.*<|im_end|>", ""},
		{"only the first", "<think>a</think>b<think>c</think>", "b<think>c</think>", "a"},
		{"nearly a tag", "<thought>a", "<thought>a", ""},
		{"half a tag", " <thi", " <thi", ""},
		{"only space", " \n ", " \n ", ""},
		{"much space", long + "<think>a</think>", long + "<think>a</think>", ""},
		{"false end", "<think>a</b></think>c", "c", "a</b>"},
		{"nothing after", "<think>a</think>\n", "", "a"},
	}
	for _, tt := range tests {
		for size := 1; size <= len(tt.in); size++ {
			var g gather
			r := reply{onDelta: g.add}
			for rest := tt.in; rest != ""; {
				n := min(size, len(rest))
				if err := r.add(api.ChatResponse{Message: api.Message{Content: rest[:n]}}); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := r.add(api.ChatResponse{Done: true}); err != nil {
				t.Fatal(err)
			}
			if got := r.content.String(); got != g.content {
				t.Errorf("%s in pieces of %d: told %q, kept %q", tt.name, size, g.content, got)
			}
			if g.content != tt.content || g.thinking != tt.thinking {
				t.Errorf("%s in pieces of %d: content %q thinking %q, want %q %q", tt.name, size, g.content, g.thinking, tt.content, tt.thinking)
			}
		}
	}
}

func TestThinkSplit_AnnouncedThoughtsEndTheSearch(t *testing.T) {
	r := reply{}
	for _, m := range []api.Message{{Content: "<thi"}, {Thinking: "a"}, {Content: "nk>b</think>"}} {
		if err := r.add(api.ChatResponse{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	if r.content.String() != "<think>b</think>" || r.thinking.String() != "a" {
		t.Errorf("content %q thinking %q", r.content.String(), r.thinking.String())
	}
}
