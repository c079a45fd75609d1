package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/look"
)

func TestGolden_Episode(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t)})
	s.see("‹1/3›").press("alt+p").see("Unwritten").press("down", "down", "down", "ctrl+e").see("Episode 3 · The lamp room").golden("episode-form").goldenStyled("episode-form")
	s.press("pgdown", "pgdown").see("Whether it may end like this").golden("episode-form-end", dims{40, 12}, dims{80, 24})
	s.press("esc", "esc").notSee("Series and episodes")
	s.in(func(a *app) { a.send2(a.openPlayEpisode()) })
	s.see("Play an episode in a new chat", "The stage door").golden("episode-play", dims{40, 12}, dims{80, 24})
}

// What the form says is what the store has, every field of it.
func TestEpisode_EveryField(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t), w: 100, h: 40})
	s.see("‹1/3›").press("alt+p").see("Unwritten").press("ctrl+n").see("New episode of “Harbour nights”")
	s.press("ctrl+s").see("Title must be a few words")
	for _, text := range []string{"The cellar", "Under the stage.", "Dark.", "\"Mind the step.\"", "gothic", "Who was here?", "find the fuse", "the water", "by jokes"} {
		s.typeText(text).press("tab")
	}
	s.typeText("many").see("this must be a whole number from 1 to 100000, or empty").press("ctrl+s").see("Turn budget must be a whole number")
	s.press("backspace", "backspace", "backspace", "backspace").typeText("9").press("tab", "right", "tab", "tab", "tab", "right", "tab", "right", "tab").typeText("3").press("tab").typeText("0")
	s.press("ctrl+s").see("“4 · The cellar” saved")
	zero := 0
	want := storage.Episode{Number: 4, Title: "The cellar", Situation: "Under the stage.", Frame: "Dark.", Opening: "\"Mind the step.\"", Genre: "gothic",
		Question: "Who was here?", Objective: "find the fuse", Obstacle: "the water", Tactic: "by jokes", TurnBudget: 9, Resolutions: []string{"positive", "surprise"},
		SceneMode: storage.ScenesRhythmic, SceneInterval: 3, SceneCost: &zero}
	got := s.series("Harbour nights").Episodes[3]
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(storage.Episode{}, "ID", "Series", "CreatedAt", "UpdatedAt")); diff != "" {
		t.Error(diff)
	}
	// Another number is another place; what was not touched stays.
	s.onSeriesRow("The cellar").press("ctrl+e").see("Episode 4 · The cellar").press("tab", "backspace").typeText("1").press("ctrl+s").see("“1 · The cellar” saved")
	if got := titles(s.series("Harbour nights")); got != "1 The cellar, 2 The stage door, 3 The third door, 4 The lamp room" {
		t.Errorf("episodes %s", got)
	}
	s.until("the new place", func() bool {
		number := 0
		s.in(func(a *app) {
			if l, ok := a.dialogs.Top().(*seriesList); ok {
				if r, ok := l.row(); ok && r.episode != nil {
					number = r.episode.Number
				}
			}
		})
		return number == 1
	})
	s.onSeriesRow("The cellar").press("ctrl+e").see("Episode 1 · The cellar").press("tab", "backspace").typeText("77").press("ctrl+s").see("no place 77").press("esc").see("not saved").press("esc").notSee("no place 77")
	want.Number = 1
	if diff := cmp.Diff(want, s.series("Harbour nights").Episodes[0], cmpopts.IgnoreFields(storage.Episode{}, "ID", "Series", "CreatedAt", "UpdatedAt")); diff != "" {
		t.Error(diff)
	}
}

// Every field of an episode but those that are the engine's has its place in the
// form.
func TestEpisode_FormKnowsEveryField(t *testing.T) {
	five := 5
	full := storage.Episode{Number: 2, Title: "a", Situation: "b", Frame: "c", Question: "d", Resolutions: storage.Resolutions, Objective: "e", Obstacle: "f", Tactic: "g",
		Genre: "h", Opening: "i", TurnBudget: 3, SceneMode: storage.ScenesRhythmic, SceneInterval: 4, SceneCost: &five}
	lk := &look.Look{}
	var got storage.Episode
	for _, sp := range episodeSpecs(false) {
		change, err := sp.take(sp.make(lk, &full))
		if err != nil {
			t.Fatalf("%s: %v", sp.label, err)
		}
		change(&got)
	}
	if diff := cmp.Diff(full, got); diff != "" {
		t.Error(diff)
	}
}

// A play from its opening line to the next episode, by keys.
func TestEpisode_PlayThrough(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t), w: 120, h: 40, direct: true})
	s.see("‹1/3›").press("alt+p").see("Unwritten").press("down", "enter").see("We closed at ten", "ep 1 · turn 0")
	s.say("Good evening.").see("ep 1 · turn 1").press("alt+d").see("─ Director ─", "Harbour nights · slow mystery", "turn 1 · establish")
	s.press("p").see("the play is paused").silent().see("ep 1 · paused").press("p").see("the play goes on").silent().see("ep 1 · turn 1")
	s.press("C").see("Episode complete (you said so). Next: 2 · The third door — alt+o begins it", "next: 2 · The third door (alt+o) · complete:").press("C").see("it is not complete").silent().notSee("The third door (alt+o)")
	s.press("$").see("Sparks of this chat").typeText("x").press("enter").see("this must be a whole number").press("backspace", "backspace", "backspace").typeText("7").press("enter").see("7 of 7 sparks left").notSee("Sparks of this chat")
	s.press("r").see("the director looks").still()
	s.press("e").see("Episode 1 · The stage door").press("esc").notSee("Episode 1 ·")
	s.press("enter").see("BROWSE")
	s.press("alt+o").see("Next episode", "not complete yet").press("y").see("ep 2 · turn 0/8")
	if v := s.chat(); v.Chat.Play.Episode == "" || len(v.Messages) == 0 {
		t.Errorf("%+v", v.Chat.Play)
	}
}

func TestEpisode_ChooseForAChat(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t), w: 120, h: 40, direct: true})
	s.see("‹1/3›").press("alt+d").see("─ Director ─", "no episode").press("t").see("Which episode does this chat play?").typeText("lamp").press("enter")
	s.see("this chat plays “3 · The lamp room” now").silent().see("ep 3 · turn 0/12", "Whom is Tove").press("t").see("Which episode").press("enter").see("plays no episode any more").silent().notSee("ep 3")
	s.press("t").see("Which episode").press("ctrl+o").see("Series and episodes")
}

// The question about pictures comes once, and its answer is kept.
func TestEpisode_PicturesAsked(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withSeries(t), w: 120, h: 40, direct: true})
	s.see("‹1/3›").press("alt+p").see("Unwritten").press("down", "down", "enter").see("ep 2 · turn 0/8")
	for i, line := range []string{"One.", "Two.", "Three.", "Four."} {
		s.say(line)
		if i == 3 {
			break
		}
	}
	s.see("Pictures by themselves").press("esc").notSee("Pictures by themselves")
	s.again() // the question has waited
	s.see("may pictures be made by themselves here").see("Pictures by themselves").press("2").see("no picture is made by itself")
	if got := s.chat().Chat.Play.Asked; got != storage.SparksRefused {
		t.Errorf("the answer is %q", got)
	}
	s.press("alt+y").see("You have refused it").press("y").see("pictures are made by themselves in this chat")
	s.until("the answer", func() bool { return s.chat().Chat.Play.Asked == storage.SparksAllowed })
}

// A turn budget ends a play; the next episode is suggested by the way.
func TestEpisode_EndsByTurns(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 40, prepare: func(e *engine.Engine) {
		withSeries(t)(e)
		v, err := e.Director.FindSeries("Harbour nights")
		if err != nil {
			t.Fatal(err)
		}
		ep := v.Episodes[0]
		ep.TurnBudget, ep.SceneMode = 1, storage.ScenesOff
		if _, err := e.Director.SaveEpisode(ep); err != nil {
			t.Fatal(err)
		}
	}})
	s.see("‹1/3›").press("alt+p").see("Unwritten").press("down", "enter").see("ep 1 · turn 0/1")
	s.typeText("Good evening.").press("enter").see("Episode complete (its turns are used up). Next: 2 · The third door — alt+o begins it")
	s.silent().still().see("ep 1 · complete").press("alt+y").see("has no pictures made by themselves")
	if f := s.now(); strings.Contains(f, "Next episode") {
		t.Error("a dialog has opened by itself")
	}
}
