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
		{"never opened", "a</think>b", "a</think>b", ""},
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
