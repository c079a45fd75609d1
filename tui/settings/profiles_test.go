package settings_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/settings"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	open := func() *tuitest.Session {
		return s.Press("ctrl+p").See("Commands").TypeText("connection profiles").Press("enter").See("Connection profiles")
	}
	s.See("‹1/3›")
	open().See("None yet").Golden("profiles-none").Press("enter").See("None yet")
	s.Silent().Press("n").See("New profile").Golden("profile-new", tuitest.Size{W: 80, H: 24}, tuitest.Size{W: 40, H: 12})
	s.Press("ctrl+s").See("Name must not be empty").TypeText("quick")
	field := func(name, text string) {
		s.In(func(v *tui.Screen) { top(v).(*pane.RecordForm[storage.Profile]).Set(name, text) })
	}
	field("num_predict", "0")
	s.Press("ctrl+s").See("num_predict must be a whole number from 1").Golden("profile-fault", tuitest.Size{W: 80, H: 24})
	field("num_predict", "512")
	field("model", "nobody:1b")
	s.Press("ctrl+s").See("has no model", "it has")
	s.Press("ctrl+o").See("Model of this profile").TypeText(demo.Model).Press("enter").NotSee("Model of this profile")
	field("temperature", "0,25")
	field("repeat_last_n", "256")
	field("presence_penalty", "0.5")
	field("stop", "### Robin\n\\n\\n")
	s.Press("ctrl+s").See("saved quick").NotSee("New profile")
	_, kinds, err := s.Engine.Models.Profiles()
	s.Must(err)
	chosen := func() bool {
		at := 0
		s.In(func(v *tui.Screen) { at = top(v).(*settings.ProfileList).Number() })
		return at == len(kinds)
	}
	s.Until("the new profile to be chosen", chosen)
	temperature := 0.25
	want := []storage.Profile{{Name: "quick", Model: demo.Model, NumPredict: 512, Temperature: &temperature, RepeatLastN: new(256), PresencePen: new(0.5), Stop: []string{"### Robin", "\n\n"}}}
	list, _, err := s.Engine.Models.Profiles()
	s.Must(err)
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	s.Press("g", "down", "enter").See("Profile for: scene recaps").Press("down", "enter").NotSee("Profile for").Silent().Golden("profiles").GoldenStyled("profiles")
	s.Press("e").See("Profile quick").TypeText("er").Press("ctrl+s").See("saved quicker").NotSee("Profile quick")
	s.Until("the renamed profile to be chosen", chosen)
	_, jobs, err := s.Engine.Models.Profiles()
	s.Must(err)
	for _, j := range jobs {
		if want := map[models.JobKind]string{models.JobRecap: "quicker"}[j.Kind]; j.Profile != want {
			t.Errorf("%s uses %q", j.Kind, j.Profile)
		}
	}
	s.Press("n").See("New profile").TypeText("quicker").Press("ctrl+s").See("profile \"quicker\" already exists").Press("esc", "esc").NotSee("New profile")
	s.Press("d").See("Delete the profile quicker", "1 kind of work goes back").Press("y").See("None yet")
	s.Press("esc").NotSee("Connection profiles")
}

func TestProfiles_AwayServerIsSaidSo(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Offline: true, Prepare: tuitest.WithChat(t)})
	s.See("Ollama is offline").Press("ctrl+p").See("Commands").TypeText("connection profiles").Press("enter").See("None yet")
	s.Press("n").See("New profile").TypeText("later").Press("ctrl+o").See("type the name").Press("ctrl+s").See("saved, but not checked").NotSee("New profile")
	s.See("later")
}

func TestHostile_Profiles(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").In(func(v *tui.Screen) {
		v.Host().Open(settings.NewProfileList(v.Host(), []models.JobInfo{{Description: "x", Profile: tuitest.Evil}}, []storage.Profile{{Name: tuitest.Evil, Model: tuitest.Evil, Server: tuitest.Evil}}))
		v.Paint()
		v.CloseDialogs()
	})
	s.Now()
	tuitest.Scan(t, s.Written())
}

// top is the dialog on top.
func top(v *tui.Screen) widget.Dialog {
	all := v.Host().Dialogs().All
	return all[len(all)-1]
}
