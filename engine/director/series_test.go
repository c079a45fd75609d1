package director_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func titles(list []storage.Episode) string {
	var out []string
	for _, ep := range list {
		out = append(out, fmt.Sprintf("%d %s", ep.Number, ep.Title))
	}
	return strings.Join(out, ", ")
}

func TestSeries_AreKept(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	kit := s.Actor("Kit", "")
	made, _ := s.Series("  The   Lamp ", []storage.CharacterID{s.Main(), kit, kit}, storage.Episode{Title: "One"}, storage.Episode{Title: "Two"})
	other, _ := s.Series("another", nil)
	s.Reopen()
	list, err := s.Director.Series()
	enginetest.Must(t, err)
	if len(list) != 2 || list[0].ID != other.ID || list[1].Title != "The Lamp" || titles(list[1].Episodes) != "1 One, 2 Two" || strings.Join(list[1].Names(), ",") != "Tove Halloran,Kit" {
		t.Errorf("%+v", list)
	}
	made.Title, made.Genre = "The Lantern", "noir"
	enginetest.Must(t, s.Library.DeleteCharacter(kit))
	saved, err := s.Director.SaveSeries(made)
	enginetest.Must(t, err)
	if !saved.CreatedAt.Equal(list[1].CreatedAt) || len(saved.Characters) != 1 {
		t.Errorf("%+v", saved)
	}
	// Those of one millisecond may differ in their last letter alone.
	only := 1
	for made.ID[:only] == other.ID[:only] {
		only++
	}
	for _, ref := range []string{"the lantern", string(made.ID), string(made.ID[:only])} {
		if v, err := s.Director.FindSeries(ref); err != nil || v.ID != made.ID || len(v.Episodes) != 2 {
			t.Errorf("%s: %+v %v", ref, v, err)
		}
	}
	if _, err := s.Director.FindSeries("nobody"); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	for name, bad := range map[string]storage.Series{
		"no title":    {Title: " \n"},
		"long":        {Title: "x", Description: strings.Repeat("x", director.LongestText+1)},
		"nobody":      {Title: "x", Characters: []storage.CharacterID{storage.CharacterID(storage.NewID())}},
		"not there":   {ID: storage.SeriesID(storage.NewID()), Title: "x"},
		"many actors": {Title: "x", Characters: make([]storage.CharacterID, chats.MaxCharacters+1)},
	} {
		if _, err := s.Director.SaveSeries(bad); err == nil {
			t.Errorf("%s was kept", name)
		}
	}
}

func TestEpisodes_KeepTheirOrder(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	made, eps := s.Series("S", nil, storage.Episode{Title: "a"}, storage.Episode{Title: "b"}, storage.Episode{Title: "c"}, storage.Episode{Title: "d"})
	order := func(want string) {
		t.Helper()
		v, err := s.Director.FindSeries("S")
		enginetest.Must(t, err)
		if got := titles(v.Episodes); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	enginetest.Must(t, s.Director.MoveEpisode(eps[3].ID, 2))
	order("1 a, 2 d, 3 b, 4 c")
	enginetest.Must(t, s.Director.MoveEpisode(eps[0].ID, 4))
	order("1 d, 2 b, 3 c, 4 a")
	enginetest.Must(t, s.Director.MoveEpisode(eps[0].ID, 4))
	order("1 d, 2 b, 3 c, 4 a")
	for _, n := range []int{0, 5, -1} {
		if err := s.Director.MoveEpisode(eps[0].ID, n); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("place %d: %v", n, err)
		}
	}
	enginetest.Must(t, s.Director.RemoveEpisode(eps[1].ID))
	order("1 d, 2 c, 3 a")
	eps[2].Number, eps[2].Series, eps[2].Title = 9, "", "C"
	_, err := s.Director.SaveEpisode(eps[2])
	enginetest.Must(t, err)
	order("1 d, 2 C, 3 a")
	for _, ref := range []string{"2", "c", string(eps[2].ID)} {
		if ep, err := s.Director.FindEpisode(made.ID, ref); err != nil || ep.ID != eps[2].ID {
			t.Errorf("%s: %+v %v", ref, ep, err)
		}
	}
	s.Series("T", nil, storage.Episode{Title: "x"})
	if _, err := s.Director.FindEpisode("", "1"); !errors.Is(err, failure.ErrAmbiguous) {
		t.Error(err)
	}
	if ep, err := s.Director.FindEpisode("", "x"); err != nil || ep.Title != "x" {
		t.Error(ep, err)
	}
	if _, err := s.Director.Episode(eps[1].ID); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}

func TestEpisodes_SayWhatIsWrong(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	made, _ := s.Series("S", nil)
	minus := -1
	for want, bad := range map[string]storage.Episode{
		"title":            {},
		"situation":        {Title: "x", Situation: strings.Repeat("x", director.LongestText+1)},
		"resolution_types": {Title: "x", Resolutions: []string{"sad"}},
		"auto_scene_mode":  {Title: "x", SceneMode: "always"},
		"turn_budget":      {Title: "x", TurnBudget: -1},
		"scene_interval":   {Title: "x", SceneInterval: memory.MaxTurns + 1},
		"scene_cost":       {Title: "x", SceneCost: &minus},
	} {
		bad.Series = made.ID
		if _, err := s.Director.SaveEpisode(bad); field.AsError(err) == nil || !strings.Contains(failure.Text(err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := s.Director.SaveEpisode(storage.Episode{Title: "x"}); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	ep, err := s.Director.SaveEpisode(storage.Episode{Series: made.ID, Title: "x", Resolutions: []string{" Positive", "positive", "", "surprise"}})
	enginetest.Must(t, err)
	if diff := cmp.Diff([]string{"positive", "surprise"}, ep.Resolutions); diff != "" {
		t.Error(diff)
	}
}

func TestSeries_AreNotRemovedWhilePlayed(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	made, eps := s.Series("S", []storage.CharacterID{s.Main()}, storage.Episode{Title: "a"})
	play, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, eps[0].ID))
	if err := s.Director.RemoveSeries(made.ID); !errors.Is(err, failure.ErrRefused) || !strings.Contains(err.Error(), "2 chats") {
		t.Error(err)
	}
	if err := s.Director.RemoveEpisode(eps[0].ID); !errors.Is(err, failure.ErrRefused) || !strings.Contains(err.Error(), "S: a") {
		t.Error(err)
	}
	_, err = s.Memory.Save(storage.ScopeID(made.ID), storage.Memory{Type: storage.FactMemory, Content: "x"})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Play.DeleteChat(play.ID))
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, ""))
	before, err := filepath.Glob(filepath.Join(backup.Dir(s.Cfg.DataDir), "*"))
	enginetest.Must(t, err)
	enginetest.Must(t, s.Director.RemoveSeries(made.ID))
	after, err := filepath.Glob(filepath.Join(backup.Dir(s.Cfg.DataDir), "*"))
	enginetest.Must(t, err)
	if len(after) <= len(before) {
		t.Errorf("no backup was made: %v", after)
	}
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		if len(director.EpisodesOf(tx, made.ID)) > 0 || storage.Memories.Any(tx, storage.ScopeID(made.ID)) {
			t.Error("something of the series is left")
		}
		return nil
	}))
	s.Sound()
}

var sameSeries = cmp.Options{
	cmpopts.IgnoreFields(storage.Series{}, "ID", "CreatedAt", "UpdatedAt"),
	cmpopts.IgnoreFields(storage.Episode{}, "ID", "Series", "CreatedAt", "UpdatedAt"),
	cmpopts.IgnoreFields(director.SeriesView{}, "Chats", "Memories"),
	cmpopts.EquateEmpty(),
}

func TestSeriesFile_RoundTrips(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	kit := s.Actor("Kit", "")
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.StringMatching(`[a-zé<>&"0-9]{1,12}( [a-z]{1,5})?`)
		text := rapid.StringN(0, 30, 200)
		made, err := s.Director.SaveSeries(storage.Series{Title: word.Draw(r, "title"), Description: text.Draw(r, "description"), Genre: rapid.StringMatching(`[a-z]{0,6}`).Draw(r, "genre"),
			Characters: []storage.CharacterID{s.Main(), kit}[:rapid.IntRange(0, 2).Draw(r, "characters")]})
		if err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(0, 4).Draw(r, "episodes") {
			ep := storage.Episode{Series: made.ID, Title: word.Draw(r, "episode"), TurnBudget: rapid.IntRange(0, 50).Draw(r, "budget"),
				SceneMode:   rapid.SampledFrom([]storage.SceneMode{"", storage.ScenesOff, storage.ScenesPeaks, storage.ScenesRhythmic}).Draw(r, "mode"),
				Resolutions: storage.Resolutions[:rapid.IntRange(0, 4).Draw(r, "ways")], SceneInterval: rapid.IntRange(0, 9).Draw(r, "interval")}
			for _, f := range director.EpisodeFields.Fields {
				if f.Kind() == field.Text {
					enginetest.Must(t, f.Set(&ep, text.Draw(r, f.Name)))
				}
			}
			if rapid.Bool().Draw(r, "cost") {
				n := rapid.IntRange(0, 20).Draw(r, "sparks")
				ep.SceneCost = &n
			}
			if _, err := s.Director.SaveEpisode(ep); err != nil {
				r.Fatal(err)
			}
		}
		var file bytes.Buffer
		if err := s.Director.ExportSeries(&file, made.ID); err != nil {
			r.Fatal(err)
		}
		want, err := director.OneSeries(s.Director, made.ID)
		if err != nil {
			r.Fatal(err)
		}
		got, warnings, err := s.Director.ImportSeries(bytes.NewReader(file.Bytes()))
		if err != nil || len(warnings) > 0 {
			r.Fatal(err, warnings)
		}
		if got.ID == want.ID || strings.EqualFold(got.Title, want.Title) {
			r.Fatalf("it came in over the other one: %q", got.Title)
		}
		got.Title = want.Title
		if diff := cmp.Diff(want, got, sameSeries); diff != "" {
			r.Fatal(diff)
		}
		for _, id := range []storage.SeriesID{want.ID, got.ID} {
			enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
				for _, ep := range director.EpisodesOf(tx, id) {
					if err := storage.Episodes.Delete(tx, ep.ID); err != nil {
						return err
					}
				}
				return storage.AllSeries.Delete(tx, id)
			}))
		}
	})
}

func TestSeriesFile_SaysWhatItDoesNotKnow(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	v, warnings, err := s.Director.ImportSeries(strings.NewReader("\xef\xbb\xbf" + `{"format":"ghostlight-series","version":1,"title":" The  Lamp ","mood":"x","characters":["tove","Nobody"],
		"episodes":[{"title":"One","opening_line":"Hello.","resolution_types":["Positive"],"auto_scene_mode":"Rhythmic","weather":1,"scene_cost":null}]}`))
	enginetest.Must(t, err)
	if v.Title != "The Lamp" || strings.Join(v.Names(), ",") != "Tove Halloran" || titles(v.Episodes) != "1 One" || v.Episodes[0].SceneMode != storage.ScenesRhythmic || v.Episodes[0].Opening != "Hello." {
		t.Errorf("%+v", v)
	}
	all := strings.Join(warnings, "\n")
	for _, want := range []string{"field mood ", "episodes[0].weather ", `"Nobody"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no word of %s in %s", want, all)
		}
	}
}

func TestSeriesFile_NamesWhatIsWrong(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	head := `{"format":"ghostlight-series","version":1,"title":"T",`
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "it is empty"},
		{"a list", "[]", "it holds a list"},
		{"null", "null", "it holds null"},
		{"the half of one", head + "\n\"episodes\":[", "cut off at line 2, column 13"},
		{"a title twice", head + `"title":"U"}`, "duplicate field title"},
		{"a field of an episode twice", head + `"episodes":[{"title":"a","frame":"b","frame":"c"}]}`, "duplicate field episodes[0].frame"},
		{"a title as long as a story", `{"format":"ghostlight-series","version":1,"title":"` + strings.Repeat("x", director.LongestTitle+1) + `"}`, "the field title must have at most 200 characters, not 201"},
		{"a genre as long as a story", head + `"episodes":[{"title":"a","genre":"` + strings.Repeat("é", director.LongestTitle+1) + `"}]}`, "episodes[0]: the field genre must have at most 200 characters, not 201"},
		{"nobody", head + `"characters":[null]}`, "field characters should be a list of names"},
		{"not text", "{\"title\":\"\xff\"}", "UTF-8"},
		{"a card", `{"spec":"chara_card_v2","data":{"name":"x"}}`, "format"},
		{"a newer one", `{"format":"ghostlight-series","version":2,"title":"T"}`, "version is 2"},
		{"a title of a wrong type", `{"format":"ghostlight-series","version":1,"title":5}`, "field title should be a text"},
		{"no title", `{"format":"ghostlight-series","version":1}`, "title"},
		{"episodes of a wrong type", head + `"episodes":{}}`, "field episodes should be a list"},
		{"an episode of a wrong type", head + `"episodes":[{"title":"a"},7]}`, "episodes[1] should be an episode"},
		{"an episode without a title", head + `"episodes":[{"title":"a"},{}]}`, "episodes[1]: the field title must not be empty"},
		{"a number of a wrong type", head + `"episodes":[{"title":"a","turn_budget":"9"}]}`, "episodes[0].turn_budget should be a whole number"},
		{"a fraction", head + `"episodes":[{"title":"a","scene_interval":1.5}]}`, "episodes[0].scene_interval"},
		{"a mode", head + `"episodes":[{"title":"a","auto_scene_mode":"x"}]}`, "auto_scene_mode"},
		{"ways of a wrong type", head + `"episodes":[{"title":"a","resolution_types":[1]}]}`, "episodes[0].resolution_types[0] should be a text"},
		{"too many episodes", head + `"episodes":[` + strings.Repeat(`{"title":"a"},`, director.MaxEpisodes) + `{}]}`, "more than 1000"},
		{"too many names", head + `"characters":[` + strings.Repeat(`"a",`, chats.MaxCharacters) + `"b"]}`, "characters has more than"},
		{"too large", strings.Repeat(" ", director.MostSeriesFile+1), "MB"},
	} {
		before, err := s.Director.Series()
		enginetest.Must(t, err)
		if _, _, err := s.Director.ImportSeries(strings.NewReader(c.file)); !errors.Is(err, failure.ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if after, err := s.Director.Series(); err != nil || len(after) != len(before) {
			t.Errorf("%s: half of it was kept", c.name)
		}
	}
	if _, _, err := s.Director.ImportSeries(failing{}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, os.ErrClosed }

func FuzzReadSeries(f *testing.F) {
	f.Add([]byte(`{"format":"ghostlight-series","version":1,"title":"T","characters":["a"],"episodes":[{"title":"One","situation":"s","turn_budget":3,"scene_cost":0,"x":[[]]}]}`))
	f.Add([]byte(`{"format":"ghostlight-series","version":1,"title":"T","episodes":[{},null,[]]}`))
	f.Add([]byte("\xef\xbb\xbf{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, warnings, err := director.ReadSeries(data)
		if len(warnings) > director.MostWarnings+1 {
			t.Fatalf("%d warnings", len(warnings))
		}
		if err != nil {
			if !errors.Is(err, failure.ErrRefused) {
				t.Fatal(err)
			}
			return
		}
		if got.Title == "" || len(got.Episodes) > director.MaxEpisodes {
			t.Fatalf("%+v", got)
		}
		for i, ep := range got.Episodes {
			again := ep.Episode
			if err := director.TidyEpisode(&again); err != nil {
				t.Fatalf("episode %d: %v", i, err)
			}
			if diff := cmp.Diff(ep.Episode, again); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
