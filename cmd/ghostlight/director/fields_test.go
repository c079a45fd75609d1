package director

import (
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Every field of an episode that is its user's can be set, by a flag and by a
// file.
func TestEpisodeFields_AreAll(t *testing.T) {
	of := reflect.TypeFor[storage.Episode]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if ok := slices.Contains(episodeFieldNames(), name); ok == slices.Contains(episodeReadOnly, name) {
			t.Errorf("%s: can be set: %v", name, ok)
		}
	}
	episode := EpisodeCommand(cli.New(nil, io.Discard, io.Discard, ""))
	fields := reflect.TypeFor[episodeFields]()
	for _, path := range [][]string{{"new"}, {"edit"}} {
		c, _, err := episode.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range fields.NumField() {
			flag := c.Flags().Lookup(fields.Field(i).Tag.Get("flag"))
			if flag == nil || flag.Usage == "" || !strings.Contains(flag.Usage, "`") {
				t.Errorf("%v: the flag for %s names no value: %+v", path, fields.Field(i).Name, flag)
			}
		}
	}
}

// fullEpisode has a value of its own in every field.
func fullEpisode() storage.Episode {
	return storage.Episode{ID: "E", Series: "S", Number: 3, Title: "T", Situation: "a", Frame: "b", Question: "c", Resolutions: []string{"neutral", "surprise"},
		Objective: "d", Obstacle: "e", Tactic: "f", Genre: "g", Opening: "h", TurnBudget: 7, SceneMode: storage.ScenesRhythmic, SceneInterval: 2, SceneCost: new(0)}
}

// What --json prints of an episode can be read back with --from.
func TestEpisodeFields_ThereAndBack(t *testing.T) {
	want := fullEpisode()
	text, err := json.Marshal(newEpisodeDoc(want, storage.Series{Title: "S", Genre: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	var f episodeFields
	if err := f.fromJSON(text); err != nil {
		t.Fatal(err)
	}
	got := storage.Episode{ID: want.ID, Series: want.Series, Number: want.Number}
	if err := f.put(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	of := reflect.ValueOf(episodeFieldsOf(want))
	for i := range of.NumField() {
		if of.Field(i).IsZero() {
			t.Errorf("the full episode has nothing in %s", of.Type().Field(i).Name)
		}
	}
}

func FuzzEpisodeFromJSON(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `[]`, `{"title":null}`, `{"scene_cost":null,"title":"x"}`, `{"turn_budget":1e3}`, `{"title":"a","resolution_types":["positive","positive"]}`,
		"\ufeff{\"title\":\"a\"}", `{"title":"a","scene_cost":-1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fields := episodeFieldsOf(fullEpisode())
		if fields.fromJSON(data) != nil {
			return
		}
		var ep storage.Episode
		if err := fields.put(&ep); err != nil {
			if ep.Title != "" {
				t.Errorf("an episode was changed by what was refused: %v", err)
			}
			return
		}
		if strings.TrimSpace(ep.Title) == "" || ep.TurnBudget < 0 || ep.SceneInterval < 0 || ep.Cost() < 0 {
			t.Errorf("%q became %+v", data, ep)
		}
		if _, err := json.Marshal(ep); err != nil {
			t.Error(err)
		}
	})
}
