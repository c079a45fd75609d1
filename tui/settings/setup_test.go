package settings_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// The questions of the first evening: enter takes what is offered, what is typed takes
// its place, each answer is stored before the next question, and nothing is asked twice.
func TestSetup(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true, Screen: tui.Options{Name: "Mara"}})
	s.See("Your name", "› Mara").TypeText("Ada").See("› Ada").Press("enter").See("Choose a model", "demo:latest").Again()
	s.See("Choose a model", "demo:latest").Press("enter").See("Choose a character", "› Tove").Press("enter").See("Tove ‹1/3›", "Ada").NotSee("saved")
	personas, err := s.Engine.Library.Personas()
	s.Must(err)
	if p := personas[0]; p.Name != "Ada" || strings.Contains(p.Description, "Robin") || !strings.Contains(p.Description, "Ada has come") {
		t.Errorf("the user is %+v", p)
	}
	s.Must(s.Engine.Play.DeleteChat(s.Chat().Chat.ID))
	s.Again()
	s.See("Characters").NotSee("Welcome")
}

// Whoever leaves the questions has the defaults, and is not asked again.
func TestSetup_Left(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true, Screen: tui.Options{Name: "Mara"}})
	s.See("Your name").TypeText("Ada").Press("esc").NotSee("Welcome").Until("the default name", func() bool {
		list, err := s.Engine.Library.Personas()
		return err == nil && list[0].Name == "Mara" && s.Engine.Settings.SetupStep() == settings.SetupDone
	})
	s.Again()
	s.NotSee("Your name")
}

// The only model of the server is chosen without asking.
func TestSetup_OneModel(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true, Headless: true})
	gone, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.Servers().OllamaURL+"/api/delete", strings.NewReader(`{"model":"`+demo.ThinkModel+`"}`))
	s.Must(err)
	answer, err := http.DefaultClient.Do(gone)
	s.Must(err)
	s.Must(answer.Body.Close())
	s.Reopen()
	s.See("Your name").Press("enter").See("Choose a character", "demo:latest").NotSee("Choose a model")
	if m := s.Engine.Models.ModelOf(storage.Chat{}); m != demo.Model {
		t.Errorf("the model is %q", m)
	}
}

// A model that is named by a flag or the settings is not asked about, with its tag or without.
func TestSetup_ANamedModel(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true, Headless: true, Config: func(c *config.Config) { c.Model = "demo" }})
	s.Reopen()
	s.See("Your name").Press("enter").See("Choose a character").NotSee("Choose a model")
}
