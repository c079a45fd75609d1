package settings_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The picker of models that was opened before the server had answered lists them
// once it has, and keeps what was chosen when they change.
func TestModels_OpenBeforeTheServerAnswers(t *testing.T) {
	t.Parallel()
	v, _ := tuitest.Still(t)
	v.OpenChat(chats.View{Model: "b"})
	v.Host().Run(keys.Models)
	p := v.Host().Dialogs().All[0].(*widget.Picker)
	if _, ok := p.Chosen(); ok || p.Empty != "connecting …" {
		t.Errorf("before: %q, %q", p.All, p.Empty)
	}
	up := func(names ...string) {
		s := models.Servers{Ollama: models.OllamaState{Asked: true, Up: true}}
		s.Ollama.Models = blanks(s.Ollama.Models, len(names))
		for i, n := range names {
			s.Ollama.Models[i].Name = n
		}
		v.Event(models.ServerChanged{Servers: s})
	}
	up("a", "b")
	p.Reload()
	p.At = 1
	up("0", "a", "b")
	if e, ok := p.Chosen(); !ok || e.Title != "b" || len(p.All) != 3 {
		t.Errorf("chosen %q of %d", e.Title, len(p.All))
	}
	up()
	if p.Empty != "the server has no models yet: ^N downloads one" || len(p.Shown) != 0 {
		t.Errorf("none: %q", p.Empty)
	}
}

// blanks is a list of n zero values, of the type of list.
func blanks[T any](_ []T, n int) []T { return make([]T, n) }
