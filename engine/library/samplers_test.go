package library_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// preset finds one of the presets as the chat of the harness sees them.
func (s *harness) preset(name string) library.PresetView {
	s.T.Helper()
	list, err := s.Library.PresetsOf(s.Chat, "")
	enginetest.Must(s.T, err)
	i := slices.IndexFunc(list, func(v library.PresetView) bool { return v.Name == name })
	if i < 0 {
		s.T.Fatalf("there is no preset %q", name)
	}
	return list[i]
}

// marked returns the presets by which the chat asks, and those by which its model is asked.
func (s *harness) marked() string {
	s.T.Helper()
	list, err := s.Library.PresetsOf(s.Chat, "")
	enginetest.Must(s.T, err)
	var chat, model []string
	for _, v := range list {
		if v.Chat {
			chat = append(chat, v.Name)
		}
		if v.Model {
			model = append(model, v.Name)
		}
	}
	return strings.Join(chat, ",") + "|" + strings.Join(model, ",")
}

// Every preset that comes with the program says when to take it, and what a server can use;
// all but the first say every sampler.
func TestPresets_Bundled(t *testing.T) {
	t.Parallel()
	for i, b := range bundled.SamplerPresets() {
		p := b.Profile
		p.NumPredict = 100
		if err := models.CheckProfile(p); err != nil || b.Why == "" {
			t.Errorf("%s: %v %q", p.Name, err, b.Why)
		}
		for _, name := range models.SamplerNames() {
			if said := models.SamplingText(p, name) != ""; said != (i > 0) && name != "seed" {
				t.Errorf("%s says %s: %v", p.Name, name, said)
			}
		}
	}
}

// One preset takes the place of another, for a chat and for a model; the chat wins.
func TestPresets_Use(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	is := func(want string) {
		t.Helper()
		if got := s.marked(); got != want {
			t.Errorf("marked %q, want %q", got, want)
		}
	}
	c, err := s.Chats.Find(string(s.Chat))
	enginetest.Must(t, err)
	model := s.Models.ModelOf(c)
	is("settings|settings")
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "num_ctx", "4096"))
	use := func(name string) func() error {
		back, err := s.Library.UsePreset(s.Chat, s.preset(name))
		enginetest.Must(t, err)
		return back
	}
	unlively := use("lively")
	is("lively|settings")
	unexact := use("exact")
	is("exact|settings")
	enginetest.Must(t, unexact())
	is("lively|settings")
	enginetest.Must(t, unlively())
	is("settings|settings")
	late := use("exact")
	enginetest.Must(t, s.Chats.NameBranch(s.Chat, c.Head, "the quay"))
	if err := late(); err == nil || !strings.Contains(err.Error(), "the chat was changed since") {
		t.Errorf("after another change: %v", err)
	}
	is("exact|settings")
	back, err := s.Library.UsePresetFor(model, s.preset("steady"))
	enginetest.Must(t, err)
	is("exact|steady")
	use("settings")
	is("steady|steady")
	if c, err := s.Chats.Find(string(s.Chat)); err != nil || c.Sampling.NumCtx != 4096 || c.Sampling.Temperature != nil || c.Sampling.Seed != nil {
		t.Errorf("%+v %v", c.Sampling, err)
	}
	enginetest.Must(t, back())
	is("settings|settings")
	_, err = s.Library.UsePresetFor(model, s.preset("classic"))
	enginetest.Must(t, err)
	s.Reopen()
	is("classic|classic")
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "min_p", "0.31"))
	is("|classic")
}

// What is set is kept under a name, renamed, replaced and deleted, and each can be taken back.
func TestPresets_Own(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	_, err := s.Library.UsePreset(s.Chat, s.preset("wild"))
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "num_ctx", "4096"))
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "min_p", "0.2"))
	unsave, err := s.Library.SavePreset(" dream ", s.Chat, "", false)
	enginetest.Must(t, err)
	v := s.preset("dream")
	if v.Origin != library.PresetYours || !v.Chat || v.Profile.NumCtx != 0 || *v.Profile.MinP != 0.2 || *v.Profile.Temperature != 1.5 {
		t.Errorf("%+v", v)
	}
	_, err = s.Library.UsePreset(s.Chat, v)
	enginetest.Must(t, err)
	if c, err := s.Chats.Find(string(s.Chat)); err != nil || c.Sampling.NumPredict != 0 || v.Profile.NumPredict == 0 {
		t.Errorf("the longest reply does not follow the settings any more: %+v %v", c.Sampling, err)
	}
	for name, words := range map[string]string{"dream": "already", "Wild": "is a built-in preset", " ": "name must not be empty"} {
		if _, err := s.Library.SavePreset(name, s.Chat, "", false); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", name, err)
		}
	}
	enginetest.Must(t, s.Models.AssignProfile(models.JobRecap, "dream"))
	unname, err := s.Library.RenamePreset(v, "a dream")
	enginetest.Must(t, err)
	if _, jobs, _ := s.Models.Profiles(); !slices.ContainsFunc(jobs, func(j models.JobInfo) bool { return j.Profile == "a dream" }) {
		t.Error("work does not go by the preset under its new name")
	}
	enginetest.Must(t, unname())
	enginetest.Must(t, s.Models.AssignProfile(models.JobRecap, ""))
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "min_p", "0.3"))
	unreplace, err := s.Library.SavePreset("dream", s.Chat, "", true)
	enginetest.Must(t, err)
	if *s.preset("dream").Profile.MinP != 0.3 {
		t.Error("it was not replaced")
	}
	enginetest.Must(t, unreplace())
	if !reflect.DeepEqual(s.preset("dream").Profile, v.Profile) {
		t.Errorf("%+v", s.preset("dream").Profile)
	}
	undelete, err := s.Library.DeletePreset(s.preset("dream"))
	enginetest.Must(t, err)
	if _, err := s.Library.FindPresetView("dream"); err == nil {
		t.Error("it is there still")
	}
	enginetest.Must(t, undelete())
	enginetest.Must(t, unsave())
	if _, err := s.Library.FindPresetView("dream"); err == nil {
		t.Error("it is there still")
	}
	for what, err := range map[string]error{
		"rename": func() error { _, err := s.Library.RenamePreset(s.preset("wild"), "x"); return err }(),
		"delete": func() error { _, err := s.Library.DeletePreset(s.preset("wild")); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "is a built-in preset") {
			t.Errorf("%s of a bundled one: %v", what, err)
		}
	}
}

// An imported preset stands once among all, with what it lacks, also under another name.
func TestPresets_Imported(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	got, err := s.Library.ImportPreset(enginetest.Write(t, "Warm.json", `{"temp": 0.8, "top_p": 0.9, "xtc_probability": 0.5, "banned_tokens": "\"a shiver runs\""}`))
	enginetest.Must(t, err)
	v := s.preset("Warm")
	if v.Origin != library.PresetImported || len(v.Unsupported) != 2 || !slices.Equal(v.Banned, []string{"a shiver runs"}) {
		t.Errorf("%+v", v)
	}
	_, err = s.Library.RenamePreset(v, "Warmer")
	enginetest.Must(t, err)
	if v, err := s.Library.FindPresetView(string(got.ID)); err != nil || v.Name != "Warmer" || v.Profile == nil || len(v.Unsupported) != 2 {
		t.Errorf("%+v %v", v, err)
	}
	_, err = s.Library.UsePreset(s.Chat, s.preset("Warmer"))
	enginetest.Must(t, err)
	if !s.preset("Warmer").Chat {
		t.Error("it is not marked")
	}
	text, err := s.Library.ImportPreset(enginetest.Write(t, "v.json", `{"name": "Voice", "content": "You are {{char}}."}`))
	enginetest.Must(t, err)
	v = s.preset("Voice")
	if _, err := s.Library.UsePreset(s.Chat, v); v.Profile != nil || err == nil || !strings.Contains(err.Error(), "system prompt") {
		t.Errorf("%+v %v", v, err)
	}
	_, err = s.Library.RenamePreset(v, "Voices")
	enginetest.Must(t, err)
	_, err = s.Library.DeletePreset(s.preset("Voices"))
	enginetest.Must(t, err)
	if list, err := s.Library.Presets(); err != nil || slices.ContainsFunc(list, func(p storage.Preset) bool { return p.ID == text.ID }) {
		t.Errorf("%+v %v", list, err)
	}
}
