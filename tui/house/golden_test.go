package house_test

import (
	"testing"

	"ghostlight/tui/tuitest"
)

func TestGolden_FirstRun(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true})
	s.See("Models: who plays").Golden("first-model")
	s.Press("enter").See("Characters:").Golden("first-character")
	s.Press("esc").NotSee("Characters:").Golden("first-empty").GoldenStyled("first-empty")
	s.Press("ctrl+t").See("Characters:").Press("enter").See("Tove ‹1/3›").Golden("first-chat")
}

func TestGolden_Away(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{NoHouse: true, Bare: true})
	s.See("No Ollama").Golden("away")
	s.Press("b").See("Characters:").Press("enter").See("Tove ‹1/3›").Golden("away-chat")
	s.TypeText("hello?").Press("enter").See("No Ollama", "hello?") // and what was written stays
}

func TestGolden_Models(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f6").See("Models").Golden("models", tuitest.Size{W: 80, H: 24})
	s.Press("ctrl+n").See("Download a model").Golden("pull", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}
