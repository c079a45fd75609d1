package library_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

const (
	samplers = `{"temp": 0.8, "top_p": 0.9, "top_k": 40, "rep_pen": 1.1, "dry_multiplier": 0.8, "odd": [1.50]}`
	voice    = `{"name": "../Stage voice", "content": "You are {{char}}.", "post_history": "{{random::a::b}} {{user}}."}`
	story    = `{"name": "Plain", "story_string": "{{#if system}}{{system}}\n{{/if}}{{description}}{{trim}}"}`
)

func TestImportPreset(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
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
	list, _, err := s.Models.Profiles()
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
	found, err := s.Library.FindPresetView("warm 2")
	if err != nil || found.Import == nil || found.Import.ID != other.ID {
		t.Errorf("%+v %v", found, err)
	}
	if found, err = s.Library.FindPresetView(string(got.Preset.ID)); err != nil || string(found.Import.Source) != `{"temp":0.8,"top_p":0.9,"top_k":40,"rep_pen":1.1,"dry_multiplier":0.8,"odd":[1.50]}` {
		t.Errorf("%s %v", found.Import.Source, err)
	}
	enginetest.Must(t, s.Models.AssignProfile(models.JobRecap, "Warm"))
	if _, err := s.Library.DeletePreset(found); err == nil || !strings.Contains(err.Error(), "recaps") {
		t.Errorf("a profile that work goes by: %v", err)
	}
	enginetest.Must(t, s.Models.AssignProfile(models.JobRecap, ""))
	back, err := s.Library.DeletePreset(found)
	enginetest.Must(t, err)
	if all, err := s.Library.Presets(); err != nil || len(all) != 3 {
		t.Errorf("%d presets, %v", len(all), err)
	}
	if list, _, _ := s.Models.Profiles(); len(list) != 1 {
		t.Error("a profile without its preset stays")
	}
	enginetest.Must(t, back())
	if again, err := s.Library.FindPresetView("Warm"); err != nil || !reflect.DeepEqual(again, found) {
		t.Errorf("brought back: %+v %v", again, err)
	}
}
