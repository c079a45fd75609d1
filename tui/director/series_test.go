package director_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	enginedirector "github.com/ghostlight-theatre/ghostlight/engine/director"
	bundled "github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// withSeries makes a chat with the bundled character, and a series of it with
// three episodes.
func withSeries(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		tuitest.NewChat(t, e)
		tove, err := e.Library.FindCharacter(bundled.Character().Card.Name)
		if err != nil {
			t.Fatal(err)
		}
		orla, err := e.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Orla", Tags: []string{"sea", "adventure"}}, Immersion: storage.Full})
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.Director.SaveSeries(storage.Series{Title: "Harbour nights", Genre: "slow mystery", Description: "A closed theatre by the water, and what is left in it.",
			Characters: []storage.CharacterID{tove.ID, orla.ID}})
		if err != nil {
			t.Fatal(err)
		}
		_, lamp := lampRoom()
		for _, ep := range []storage.Episode{
			{Title: "The stage door", Situation: "Rain, a corridor, a lamp.", Opening: "*The door gives at the second push.* \"We closed at ten.\""},
			{Title: "The third door", Question: "What is behind it?", TurnBudget: 8, SceneMode: storage.ScenesRhythmic, SceneInterval: 4},
			{Title: lamp.Title, Situation: lamp.Situation, Frame: lamp.Frame, Question: lamp.Question, Resolutions: lamp.Resolutions, Objective: lamp.Objective, TurnBudget: lamp.TurnBudget},
		} {
			ep.Series = s.ID
			if _, err := e.Director.SaveEpisode(ep); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := e.Director.SaveSeries(storage.Series{Title: "Unwritten"}); err != nil {
			t.Fatal(err)
		}
	}
}

// series is a series as the store has it.
func (s session) series(title string) enginedirector.SeriesView {
	s.T().Helper()
	v, err := s.Engine.Director.FindSeries(title)
	s.Must(err)
	return v
}

// onSeriesRow waits until a series or an episode is the chosen one of the list.
func (s session) onSeriesRow(title string) session {
	s.T().Helper()
	s.Until("the row of "+title, func() bool {
		at := ""
		s.In(func(scr *tui.Screen) {
			if sr, ep, ok := room(scr).ChosenRow(); ok && ep != nil {
				at = ep.Title
			} else if ok {
				at = sr.Title
			}
		})
		return at == title
	})
	return s
}

func titles(v enginedirector.SeriesView) string {
	var out []string
	for _, ep := range v.Episodes {
		out = append(out, fmt.Sprintf("%d %s", ep.Number, ep.Title))
	}
	return strings.Join(out, ", ")
}

func TestGolden_Series(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t)})
	s.See("‹1/3›").Press("alt+p").See("Series and episodes", "Unwritten").Golden("series").GoldenStyled("series")
	s.TypeText("third").NotSee("The lamp room").Golden("series-filtered", tuitest.Size{W: 80, H: 24})
	s.Press("ctrl+d").See("Remove an episode").Golden("series-remove", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("esc", "esc").NotSee("Series and episodes")
	s.Press("alt+p").See("Unwritten").Press("ctrl+e").See("Series “Harbour nights”").Golden("series-form").GoldenStyled("series-form")
	s.Press("ctrl+o").See("Characters of this series", "2 Orla").Golden("series-characters")
}

func TestSeries_Empty(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+p").See("no series yet: ^B creates one").Press("ctrl+n", "ctrl+d", "alt+up", "enter").See("no series yet")
	s.Press("esc").NotSee("no series yet").Press("alt+o").See("this chat has no episode · alt+p lists them")
}

func TestSeries_MakeAndChange(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 100, H: 30})
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("ctrl+b").See("New series", "none yet")
	s.Press("ctrl+s").See("Title must not be empty").TypeText("Low tide").Press("tab", "tab", "tab", "enter").See("Characters of this series")
	s.TypeText("orla").See("› orla").Press("space").See("1 Orla", "main")
	for range "orla" {
		s.Press("backspace")
	}
	s.See("Tove").Press("down", "space").See("1 Orla", "2 Tove").Press("ctrl+f").See("2 Orla", "1 Tove").Press("space").See("1 Orla").Press("space").See("2 Tove").Press("enter").NotSee("Characters of this series")
	s.See("Characters").Press("ctrl+s").See("“Low tide” saved")
	v := s.series("Low tide")
	if names := v.Names(); len(names) != 2 || names[0] != "Orla" {
		t.Errorf("characters %q", names)
	}
	// The new one is chosen: its first episode is made there.
	s.onSeriesRow("Low tide").Press("ctrl+n").See("New episode of “Low tide”").TypeText("Ebb").Press("ctrl+s").See("“1 · Ebb” saved")
	s.onSeriesRow("Ebb").Press("ctrl+e").See("Episode 1 · Ebb").TypeText(" and flow").Press("ctrl+s").See("“1 · Ebb and flow” saved")
	if got := titles(s.series("Low tide")); got != "1 Ebb and flow" {
		t.Errorf("episodes %s", got)
	}
	s.onSeriesRow("Ebb and flow").Press("ctrl+d").See("Remove an episode").Press("y").See("removed")
	s.Until("the removal", func() bool { return titles(s.series("Low tide")) == "" })
	s.TypeText("low").Press("ctrl+d").See("Remove a series").Press("y").See("“Low tide” removed")
	if _, err := s.Engine.Director.FindSeries("Low tide"); err == nil {
		t.Error("the series is still there")
	}
}

func TestSeries_MoveAndRefuse(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 100, H: 30})
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("alt+down").Press("down", "alt+up").Press("alt+down").See("1 · The third door", "2 · The stage door")
	s.onSeriesRow("The stage door").Press("alt+down").See("3 · The stage door")
	s.onSeriesRow("The stage door").Press("alt+down")
	if got := titles(s.series("Harbour nights")); got != "1 The third door, 2 The lamp room, 3 The stage door" {
		t.Errorf("episodes %s", got)
	}
	s.Press("enter").See("We closed at ten", "ep 3 · turn 0").Press("alt+p").See("1 chat").Press("down", "down", "down")
	s.onSeriesRow("The stage door").Press("ctrl+d").See("Remove an episode").Press("y").See("Not removed", "it is used in 1 chat")
	s.Press("esc").NotSee("Not removed").Press("up", "up", "up")
	s.onSeriesRow("Harbour nights").Press("ctrl+d").See("Remove a series").Press("y").See("Not removed", "still used by 1 chat")
}

func TestSeries_Files(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 100, H: 30})
	dir := t.TempDir()
	s.See("‹1/3›")
	s.In(func(scr *tui.Screen) { scr.Host().Files().Folder = dir })
	s.Press("alt+p").See("Unwritten").Press("ctrl+s").See("Export “Harbour nights”", "harbour-nights-series.json").Press("enter").See("written to")
	path := filepath.Join(dir, "harbour-nights-series.json")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	s.Silent().Press("ctrl+s").See("Export “").Press("enter").See("File exists").Press("y").NotSee("File exists").See("written to")
	s.Press("ctrl+o").See("Import a series from").Press("down").See("harbour-nights-series.json").Press("enter").See("imported: 3 episodes")
	list, err := s.Engine.Director.Series()
	s.Must(err)
	if len(list) != 3 {
		t.Errorf("%d series", len(list))
	}
	s.Must(os.WriteFile(filepath.Join(dir, "bad.json"), []byte(`{"format":"another"}`), 0o600))
	s.Press("ctrl+o").See("bad.json").Press("ctrl+o").See("A series file exported").Press("enter").See("enter a file path")
	s.TypeText(filepath.Join(dir, "bad.json")).Press("enter").See("this is not a series file")
}

func TestSeries_Hostile(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("lamp ", 20<<10) // 100 KB
	var big enginedirector.SeriesView
	s := begin(t, tuitest.Options{W: 100, H: 30, Prepare: func(e *engine.Engine) {
		withSeries(t)(e)
		v, err := e.Director.FindSeries("Harbour nights")
		if err != nil {
			t.Fatal(err)
		}
		who := v.Characters
		sr, err := e.Director.SaveSeries(storage.Series{Title: "A " + draw.Cut(tuitest.Evil, 190), Genre: draw.Cut(tuitest.Evil, 190), Description: tuitest.Evil, Characters: who})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Director.SaveEpisode(storage.Episode{Series: sr.ID, Title: "B " + draw.Cut(tuitest.Evil, 190), Situation: tuitest.Evil, Question: tuitest.Evil, Opening: tuitest.Evil}); err != nil {
			t.Fatal(err)
		}
	}})
	s.See("‹1/3›").Press("alt+p").See("A ", "B ").Press("ctrl+e").See("Series “A").Press("esc").Press("ctrl+d").See("Remove a series").Press("esc")
	s.Press("ctrl+s").See("Export “A").Press("esc").NotSee("Export “A").Press("down", "ctrl+e").See("Episode 1 · B").Press("pgdown", "pgup", "esc")
	s.NotSee("Episode 1 · B").Press("enter").See("ep 1 · turn 0").Press("alt+d").See("─ Director ─").Press("W").See("situation").Press("esc")
	s.In(func(scr *tui.Screen) { // the engine bounds titles; a screen does not rely on it
		big = enginedirector.SeriesView{Series: storage.Series{ID: "x", Title: tuitest.Evil + huge, Genre: huge, Description: huge, Characters: []storage.CharacterID{"gone"}}, Cast: []enginedirector.NamedCharacter{{ID: "gone", Name: tuitest.Evil + huge}},
			Episodes: []storage.Episode{{ID: "y", Series: "x", Number: 1, Title: tuitest.Evil + huge, Question: huge, Situation: huge, Opening: tuitest.Evil + huge}}}
		room(scr).OpenSeries(big)
		room(scr).OpenForms(big)
	})
	s.See("only in your external editor").Press("pgdown", "esc").See("Series “").Press("ctrl+o").See("deleted character").Press("space", "esc", "esc", "esc").See("Series and episodes")
	s.In(func(scr *tui.Screen) {
		room(scr).OpenForms(big)
		for w := 1; w <= 90; w += 11 {
			for h := 1; h <= 31; h += 5 {
				scr.Update(tea.WindowSizeMsg{Width: w, Height: h})
				scr.Paint()
			}
		}
	})
	tuitest.Scan(t, s.Written())
}

// Each press of the key moves the episode on, also while the list does not show the
// move before.
func TestSeries_MovedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 100, H: 30})
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("down")
	s.onSeriesRow("The stage door")
	s.In(func(scr *tui.Screen) {
		first := scr.Update(tuitest.KeyNamed(t, "alt+down"))
		if scr.Update(tuitest.KeyNamed(t, "alt+down")) != nil {
			t.Error("two moves are stored at once")
		}
		scr.Start(first)
	})
	s.Until("both moves", func() bool {
		return titles(s.series("Harbour nights")) == "1 The third door, 2 The lamp room, 3 The stage door"
	})
}

// An episode that nobody can play says so, and leads to where its series gets its
// characters.
func TestSeries_EpisodeWithoutACharacter(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		tuitest.NewChat(t, e)
		series, err := e.Director.SaveSeries(storage.Series{Title: "Unwritten"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Director.SaveEpisode(storage.Episode{Series: series.ID, Title: "The first"}); err != nil {
			t.Fatal(err)
		}
	}})
	s.See("‹1/3›").Press("ctrl+p").See("Commands").TypeText("start an episode").Press("enter").See("Start an episode in a new chat", "The first")
	s.Press("enter").See("No characters yet", "choose characters").Press("c").See("Series “Unwritten”", "^O characters")
	s.Press("ctrl+o").See("Characters of this series").Press("space", "enter").NotSee("Characters of this series").Press("ctrl+s").See("saved")
}
