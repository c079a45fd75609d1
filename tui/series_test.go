package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/director"
	bundled "ghostlight/engine/library/bundled"
	"ghostlight/storage"
)

// withSeries makes a chat with the bundled character, and a series of it with
// three episodes.
func withSeries(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		newToveChat(t, e)
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
func (s *session) series(title string) director.SeriesView {
	s.t.Helper()
	v, err := s.eng.Director.FindSeries(title)
	s.must(err)
	return v
}

// onSeriesRow waits until a series or an episode is the chosen one of the list.
func (s *session) onSeriesRow(title string) *session {
	s.t.Helper()
	s.until("the row of "+title, func() bool {
		at := ""
		s.in(func(a *app) {
			if l, ok := a.dialogs.Top().(*seriesList); ok {
				if r, ok := l.row(); ok && r.episode != nil {
					at = r.episode.Title
				} else if ok {
					at = r.series.Title
				}
			}
		})
		return at == title
	})
	return s
}

func titles(v director.SeriesView) string {
	var out []string
	for _, ep := range v.Episodes {
		out = append(out, fmt.Sprintf("%d %s", ep.Number, ep.Title))
	}
	return strings.Join(out, ", ")
}

func TestGolden_Series(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t)})
	s.see("‹1/3›").press("alt+p").see("Series and episodes", "Unwritten").golden("series").goldenStyled("series")
	s.typeText("third").notSee("The lamp room").golden("series-filtered", dims{80, 24})
	s.press("ctrl+d").see("Remove an episode").golden("series-remove", dims{40, 12}, dims{80, 24})
	s.press("esc", "esc").notSee("Series and episodes")
	s.press("alt+p").see("Unwritten").press("ctrl+e").see("Series “Harbour nights”").golden("series-form").goldenStyled("series-form")
	s.press("ctrl+o").see("Characters of this series", "2 Orla").golden("series-characters")
}

func TestSeries_Empty(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+p").see("no series yet: ctrl+t makes one").press("ctrl+n", "ctrl+d", "alt+up", "enter").see("no series yet")
	s.press("esc").notSee("no series yet").press("alt+o").see("this chat plays no episode · alt+p lists them")
}

func TestSeries_MakeAndChange(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t), w: 100, h: 30})
	s.see("‹1/3›").press("alt+p").see("Unwritten").press("ctrl+t").see("New series", "none yet: enter picks them")
	s.press("ctrl+s").see("a title is needed").typeText("Low tide").press("tab", "tab", "tab", "enter").see("Characters of this series")
	s.typeText("orla").see("› orla").press("enter").see("1 Orla", "main")
	for range "orla" {
		s.press("backspace")
	}
	s.see("Tove").press("down", "enter").see("1 Orla", "2 Tove").press("ctrl+t").see("2 Orla", "1 Tove").press("enter").see("1 Orla").press("enter").see("2 Tove").press("ctrl+s").notSee("Characters of this series")
	s.see("Characters").press("ctrl+s").see("“Low tide” saved")
	v := s.series("Low tide")
	if len(v.Names) != 2 || v.Names[0] != "Orla" {
		t.Errorf("characters %q", v.Names)
	}
	// The new one is chosen: its first episode is made there.
	s.onSeriesRow("Low tide").press("ctrl+n").see("New episode of “Low tide”").typeText("Ebb").press("ctrl+s").see("“1 · Ebb” saved")
	s.onSeriesRow("Ebb").press("ctrl+e").see("Episode 1 · Ebb").typeText(" and flow").press("ctrl+s").see("“1 · Ebb and flow” saved")
	if got := titles(s.series("Low tide")); got != "1 Ebb and flow" {
		t.Errorf("episodes %s", got)
	}
	s.onSeriesRow("Ebb and flow").press("ctrl+d").see("Remove an episode").press("y").see("removed")
	s.until("the removal", func() bool { return titles(s.series("Low tide")) == "" })
	s.typeText("low").press("ctrl+d").see("Remove a series").press("y").see("“Low tide” removed")
	if _, err := s.eng.Director.FindSeries("Low tide"); err == nil {
		t.Error("the series is still there")
	}
}

func TestSeries_MoveAndRefuse(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t), w: 100, h: 30})
	s.see("‹1/3›").press("alt+p").see("Unwritten").press("alt+down").press("down", "alt+up").press("alt+down").see("1 · The third door", "2 · The stage door")
	s.onSeriesRow("The stage door").press("alt+down").see("3 · The stage door").onSeriesRow("The stage door").press("alt+down")
	if got := titles(s.series("Harbour nights")); got != "1 The third door, 2 The lamp room, 3 The stage door" {
		t.Errorf("episodes %s", got)
	}
	s.press("enter").see("We closed at ten", "ep 3 · turn 0").press("alt+p").see("1 chat").press("down", "down", "down").onSeriesRow("The stage door").press("ctrl+d").see("Remove an episode").press("y").see("Not removed", "it is played in 1 chat")
	s.press("esc").notSee("Not removed").press("up", "up", "up").onSeriesRow("Harbour nights").press("ctrl+d").see("Remove a series").press("y").see("Not removed", "still the series of 1 chat")
}

func TestSeries_Files(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t), w: 100, h: 30})
	dir := t.TempDir()
	s.see("‹1/3›")
	s.in(func(a *app) { a.SetFolder(dir) })
	s.press("alt+p").see("Unwritten").press("ctrl+s").see("Export “Harbour nights”", "harbour-nights-series.json").press("enter").see("written to")
	path := filepath.Join(dir, "harbour-nights-series.json")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	s.press("ctrl+s").see("Export “").press("enter").see("The file exists").press("y").notSee("The file exists").see("written to")
	s.press("ctrl+o").see("Import a series from").press("down").see("harbour-nights-series.json").press("enter").see("imported: 3 episodes")
	list, err := s.eng.Director.Series()
	s.must(err)
	if len(list) != 3 {
		t.Errorf("%d series", len(list))
	}
	s.must(os.WriteFile(filepath.Join(dir, "bad.json"), []byte(`{"format":"another"}`), 0o600))
	s.press("ctrl+o").see("bad.json").press("ctrl+o").see("A file that was written").press("enter").see("the path of a file is needed")
	s.typeText(filepath.Join(dir, "bad.json")).press("enter").see("No series was imported")
}

func TestSeries_Hostile(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("lamp ", 20<<10) // 100 KB
	var big director.SeriesView
	s := begin(t, stageOptions{w: 100, h: 30, prepare: func(e *engine.Engine) {
		withSeries(t)(e)
		v, err := e.Director.FindSeries("Harbour nights")
		if err != nil {
			t.Fatal(err)
		}
		who := v.Characters
		sr, err := e.Director.SaveSeries(storage.Series{Title: "A " + cutText(evil, 190), Genre: cutText(evil, 190), Description: evil, Characters: who})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Director.SaveEpisode(storage.Episode{Series: sr.ID, Title: "B " + cutText(evil, 190), Situation: evil, Question: evil, Opening: evil}); err != nil {
			t.Fatal(err)
		}
	}})
	s.see("‹1/3›").press("alt+p").see("A ", "B ").press("ctrl+e").see("Series “A").press("esc").press("ctrl+d").see("Remove a series").press("esc")
	s.press("ctrl+s").see("Export “A").press("esc").notSee("Export “A").press("down", "ctrl+e").see("Episode 1 · B").press("pgdown", "pgup", "esc")
	s.notSee("Episode 1 · B").press("enter").see("ep 1 · turn 0").press("alt+d").see("─ Director ─").press("w").see("situation").press("esc")
	s.in(func(a *app) { // the engine bounds titles; a screen does not rely on it
		big = director.SeriesView{Series: storage.Series{ID: "x", Title: evil + huge, Genre: huge, Description: huge, Characters: []storage.CharacterID{"gone"}}, Names: []string{evil + huge},
			Episodes: []storage.Episode{{ID: "y", Series: "x", Number: 1, Title: evil + huge, Question: huge, Situation: huge, Opening: evil + huge}}}
		l := newSeriesList(a)
		l.take([]director.SeriesView{big})
		a.dialogs.Open(l)
		l.showSeriesForm(big, nil)
		a.showEpisodeForm(big, big.Episodes[0], l)
	})
	s.see("too long to be edited here").press("pgdown", "esc").see("Series “").press("ctrl+o").see("not in the lib").press("enter", "esc", "esc", "esc").see("Series and episodes")
	s.in(func(a *app) {
		l := a.dialogs.Top().(*seriesList)
		l.showSeriesForm(big, nil)
		a.showEpisodeForm(big, big.Episodes[0], l)
		for w := 1; w <= 90; w += 11 {
			for h := 1; h <= 31; h += 5 {
				a.update(tea.WindowSizeMsg{Width: w, Height: h})
				a.paint()
			}
		}
	})
	scan(t, s.out.bytes())
}
