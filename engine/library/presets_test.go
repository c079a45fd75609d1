package library_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/enginetest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	samplers = `{"temp": 0.8, "top_p": 0.9, "top_k": 40, "rep_pen": 1.1, "dry_multiplier": 0.8, "odd": [1.50]}`
	voice    = `{"name": "../Stage voice", "content": "You are {{char}}.", "post_history": "{{random::a::b}} {{user}}."}`
	story    = `{"name": "Plain", "story_string": "{{#if system}}{{system}}\n{{/if}}{{description}}{{trim}}"}`
)

func TestImportPreset(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	s.Cfg.ConfigDir = filepath.Join(s.Cfg.DataDir, "config")
	s.Reopen()
	dir := filepath.Join(s.Cfg.ConfigDir, "prompts")
	got, err := s.Library.Import(enginetest.Write(t, "Warm.json", samplers))
	enginetest.Must(t, err)
	if got.Preset.Profile != "Warm" || len(got.Preset.Files) > 0 || !strings.Contains(strings.Join(got.Warnings, "|"), "dry_multiplier 0.8") {
		t.Errorf("%+v", got)
	}
	again, err := s.Library.ImportPreset(enginetest.Write(t, "Other.json", " "+samplers))
	if err != nil || again.ID != got.Preset.ID || !strings.Contains(again.Remarks[0], "already") {
		t.Errorf("the same preset again: %+v %v", again, err)
	}
	other, err := s.Library.ImportPreset(enginetest.Write(t, "Warm.json", `{"temp": 0.5, "top_p": 1}`))
	if err != nil || other.Profile != "Warm 2" {
		t.Errorf("%+v %v", other, err)
	}
	list, _, err := s.House.Profiles()
	if err != nil || len(list) != 2 || *list[0].Temperature != 0.8 || *list[1].Temperature != 0.5 {
		t.Errorf("%+v %v", list, err)
	}
	// Texts are files of new names, and the set of prompts takes them without a fault.
	for range 2 {
		p, err := s.Library.ImportPreset(enginetest.Write(t, "v.json", voice))
		enginetest.Must(t, err)
		if want := []string{"presets/stage-voice/main.md", "presets/stage-voice/after.txt"}; !slices.Equal(p.Files, want) {
			t.Errorf("%q", p.Files)
		}
	}
	enginetest.Must(t, os.WriteFile(filepath.Join(dir, "presets", "plain"), []byte("mine"), 0o600))
	p, err := s.Library.ImportPreset(enginetest.Write(t, "s.json", story))
	enginetest.Must(t, err)
	if !slices.Equal(p.Files, []string{"presets/plain-2/story.md"}) {
		t.Errorf("%q", p.Files)
	}
	set, faults := prompts.Load(dir)
	if len(faults) > 0 || set.Text("presets/stage-voice/main") != "You are {{char}}." || set.Text("presets/plain-2/story") != "{{system}}\n{{description}}" || set.Source("chat/main") != prompts.BuiltInSource {
		t.Errorf("%v %q", faults, set.Text("presets/plain-2/story"))
	}
	if mine, err := os.ReadFile(filepath.Join(dir, "presets", "plain")); err != nil || string(mine) != "mine" {
		t.Errorf("%q %v", mine, err)
	}
	s.Reopen()
	found, err := s.Library.FindPreset("warm")
	if err == nil { // two of one name
		t.Errorf("%+v", found)
	}
	if found, err = s.Library.FindPreset(string(got.Preset.ID)); err != nil || string(found.Source) != `{"temp":0.8,"top_p":0.9,"top_k":40,"rep_pen":1.1,"dry_multiplier":0.8,"odd":[1.50]}` {
		t.Errorf("%s %v", found.Source, err)
	}
	enginetest.Must(t, s.Library.DeletePreset(got.Preset.ID))
	if all, err := s.Library.Presets(); err != nil || len(all) != 3 {
		t.Errorf("%d presets, %v", len(all), err)
	}
	if list, _, _ := s.House.Profiles(); len(list) != 2 {
		t.Error("a profile went with its preset")
	}
}

func TestUseSampling(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	p, err := ecosystem.ReadPreset("a.json", []byte(samplers))
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "seed", "5"))
	p.Profile.Stop = []string{"a, b"}
	enginetest.Must(t, s.Chats.UseSampling(s.Chat, *p.Profile))
	c, err := s.Chats.Find(string(s.Chat))
	if err != nil || *c.Sampling.Temperature != 0.8 || *c.Sampling.Seed != 5 || len(c.Sampling.Stop) != 1 {
		t.Errorf("%+v %v", c.Sampling, err)
	}
	if err := s.Chats.UseSampling(s.Chat, storage.Profile{NumPredict: 1 << 20}); err == nil {
		t.Error("a value that no server could use was taken")
	}
}
