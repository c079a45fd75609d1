package tui

import (
	"testing"

	"ghostlight/engine"
)

// The picker of models that was opened before the server had answered lists them
// once it has, and keeps what was chosen when they change.
func TestModels_OpenBeforeTheServerAnswers(t *testing.T) {
	t.Parallel()
	a, _ := stageBoard(t, 80, 24, aPlan())
	a.dialogs.stack = nil
	a.openModels()
	p := a.dialogs.top().(*picker)
	if _, ok := p.chosen(); ok || p.empty != "asking the server …" {
		t.Errorf("before: %q, %q", p.all, p.empty)
	}
	up := func(names ...string) {
		s := engine.Servers{Ollama: engine.OllamaState{Asked: true, Up: true}}
		s.Ollama.Models = blanks(s.Ollama.Models, len(names))
		for i, n := range names {
			s.Ollama.Models[i].Name = n
		}
		a.serverChanged(s)
	}
	a.view.Model = "b"
	up("a", "b")
	p.again()
	p.at = 1
	up("0", "a", "b")
	if e, ok := p.chosen(); !ok || e.title != "b" || len(p.all) != 3 {
		t.Errorf("chosen %q of %d", e.title, len(p.all))
	}
	up()
	if p.empty != "the server has no model yet: ctrl+n downloads one" || len(p.shown) != 0 {
		t.Errorf("none: %q", p.empty)
	}
}

// blanks is a list of n zero values, of the type of list.
func blanks[T any](_ []T, n int) []T { return make([]T, n) }
