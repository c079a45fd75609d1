package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	enginehouse "ghostlight/engine/house"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/house"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	open := func() *session {
		return s.press("ctrl+p").see("Commands").typeText("connection profiles").press("enter").see("Connection profiles")
	}
	s.see("‹1/3›")
	open().see("None yet").golden("profiles-none").press("enter").see("None yet")
	s.hush().press("n").see("New profile").golden("profile-new", dims{80, 24}, dims{40, 12})
	s.press("ctrl+s").see("a name is needed").typeText("quick")
	field := func(i int, text string) {
		s.in(func(a *app) { a.dialogs.Top().(*desk.KeptForm).Fields[i].Input.Area.SetValue(text) })
	}
	field(house.ProfileNumPredict, "0")
	s.press("ctrl+s").see("num_predict is 0").golden("profile-fault", dims{80, 24})
	field(house.ProfileNumPredict, "much")
	s.press("ctrl+s").see("num_predict is a whole number")
	field(house.ProfileNumPredict, "512")
	field(house.ProfileModel, "nobody:1b")
	s.press("ctrl+s").see("! http", "has no model", "it has")
	s.press("ctrl+o").see("Model of this profile").typeText(rehearsal.Model).press("enter").notSee("Model of this profile")
	field(house.ProfileTemperature, "0,25")
	field(house.ProfileStop, "### Robin\n\\n\\n")
	s.press("ctrl+s").see("saved quick").notSee("New profile")
	_, kinds, err := s.eng.House.Profiles()
	s.must(err)
	chosen := func() bool {
		at := 0
		s.in(func(a *app) { at = a.dialogs.Top().(*house.ProfileList).Chosen() })
		return at == len(kinds)
	}
	s.until("the new profile to be chosen", chosen)
	temperature := 0.25
	want := []storage.Profile{{Name: "quick", Model: rehearsal.Model, NumPredict: 512, Temperature: &temperature, Stop: []string{"### Robin", "\n\n"}}}
	list, _, err := s.eng.House.Profiles()
	s.must(err)
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	s.press("g", "down", "enter").see("Who does this: scene recaps").press("down", "enter").notSee("Who does this").hush().golden("profiles").goldenStyled("profiles")
	s.press("e").see("Profile quick").typeText("er").press("ctrl+s").see("saved quicker").notSee("Profile quick")
	s.until("the renamed profile to be chosen", chosen)
	_, jobs, err := s.eng.House.Profiles()
	s.must(err)
	for _, j := range jobs {
		if want := map[enginehouse.JobKind]string{enginehouse.JobRecap: "quicker"}[j.Kind]; j.Profile != want {
			t.Errorf("%s uses %q", j.Kind, j.Profile)
		}
	}
	s.press("n").see("New profile").typeText("quicker").press("ctrl+s").see("there is a profile \"quicker\" already").press("esc", "esc").notSee("New profile")
	s.press("d").see("Delete the profile quicker", "1 kind of work that uses it goes").press("y").see("None yet")
	s.press("esc").notSee("Connection profiles")
}

func TestProfiles_AwayServerIsSaidSo(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{noHouse: true, prepare: withChat(t)})
	s.see("Ollama is away").press("ctrl+p").see("Commands").typeText("connection profiles").press("enter").see("None yet")
	s.press("n").see("New profile").typeText("later").press("ctrl+o").see("write the name").press("ctrl+s").see("saved, but not checked").notSee("New profile")
	s.see("later")
}

// A profile that is read into the form and saved is the same one.
func TestProfileForm_RoundTrip(t *testing.T) {
	t.Parallel()
	lk := testLook(t, true)
	f, k, no := 0.5, 40, false
	for _, p := range []storage.Profile{
		{Name: "bare", NumPredict: 1},
		{Name: "full", Server: "http://host:1", Model: "m", NumCtx: 4096, NumPredict: 99, Temperature: &f, TopP: &f, TopK: &k, MinP: &f, RepeatPen: &f, Seed: &k,
			Stop: []string{"a b", "\n\n", `back\slash`, `\n`}, Think: &no, Prefill: "{\n\"recap\": "},
	} {
		got, err := house.ProfileOf(house.ProfileFields(lk, p))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestHostile_Profiles(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").in(func(a *app) {
		a.dialogs.Open(house.NewProfileList(a, []enginehouse.JobInfo{{Words: "x", Profile: evil}}, []storage.Profile{{Name: evil, Model: evil, Server: evil}}))
		a.paint()
		a.dialogs.All = nil
	})
	s.now()
	scan(t, s.out.bytes())
}
