package director_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

func TestGolden_Episode(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t)})
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("down", "down", "down", "ctrl+e").See("Episode 3 · The lamp room").Golden("episode-form").GoldenStyled("episode-form")
	s.Press("pgdown", "pgdown").See("Turn budget").Golden("episode-form-end", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("esc", "esc").NotSee("Series and episodes")
	s.In(func(scr *tui.Screen) { scr.Start(scr.Host().Run(keys.PlayEpisode)) })
	s.See("Start an episode in a new chat", "The stage door").Golden("episode-play", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

// The store has every field of the form.
func TestEpisode_EveryField(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 100, H: 40})
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("ctrl+n").See("New episode of “Harbour nights”")
	s.Press("ctrl+s").See("Title must not be empty")
	for _, text := range []string{"The cellar", "Under the stage.", "Dark.", "\"Mind the step.\"", "gothic", "Who was here?", "find the fuse", "the water", "by jokes"} {
		s.TypeText(text).Press("tab")
	}
	s.TypeText("many").See("this must be a whole number from 1 to 100000, or empty").Press("ctrl+s").See("Turn budget must be a whole number")
	s.Press("backspace", "backspace", "backspace", "backspace").TypeText("9").Press("tab", "right", "tab", "tab", "tab", "right", "tab", "right", "tab").TypeText("3").Press("tab").TypeText("0")
	s.Press("ctrl+s").See("“4 · The cellar” saved")
	zero := 0
	want := storage.Episode{Number: 4, Title: "The cellar", Situation: "Under the stage.", Frame: "Dark.", Opening: "\"Mind the step.\"", Genre: "gothic",
		Question: "Who was here?", Objective: "find the fuse", Obstacle: "the water", Tactic: "by jokes", TurnBudget: 9, Resolutions: []string{"positive", "surprise"},
		SceneMode: storage.ScenesRhythmic, SceneInterval: 3, SceneCost: &zero}
	got := s.series("Harbour nights").Episodes[3]
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(storage.Episode{}, "ID", "Series", "CreatedAt", "UpdatedAt")); diff != "" {
		t.Error(diff)
	}
	// Another number is another place; what was not touched stays.
	s.onSeriesRow("The cellar").Press("ctrl+e").See("Episode 4 · The cellar").Press("tab", "backspace").TypeText("1").Press("ctrl+s").See("“1 · The cellar” saved")
	if got := titles(s.series("Harbour nights")); got != "1 The cellar, 2 The stage door, 3 The third door, 4 The lamp room" {
		t.Errorf("episodes %s", got)
	}
	s.Until("the new place", func() bool {
		number := 0
		s.In(func(scr *tui.Screen) {
			if _, ep, ok := room(scr).ChosenRow(); ok && ep != nil {
				number = ep.Number
			}
		})
		return number == 1
	})
	s.onSeriesRow("The cellar").Press("ctrl+e").See("Episode 1 · The cellar").Press("tab", "backspace").TypeText("77").Press("ctrl+s").See("77 is not possible").Press("esc").See("not saved").Press("esc").NotSee("77 is not possible")
	want.Number = 1
	if diff := cmp.Diff(want, s.series("Harbour nights").Episodes[0], cmpopts.IgnoreFields(storage.Episode{}, "ID", "Series", "CreatedAt", "UpdatedAt")); diff != "" {
		t.Error(diff)
	}
}

// A play from its opening line to the next episode, by keys.
func TestEpisode_PlayThrough(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 120, H: 40, Direct: true, Answers: tuitest.Directed(0)})
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("down", "enter").See("We closed at ten", "ep 1 · turn 0")
	s.Say("Good evening.").See("ep 1 · turn 1").Press("alt+d").See("─ Director ─", "Harbour nights · slow mystery", "turn 1 · establish")
	s.Press("O").See("episode paused").Silent().See("ep 1 · paused").Press("O").See("episode resumed").Silent().See("ep 1 · turn 1")
	s.Press("C").See("Episode complete (set by you). Next: 2 · The third door — alt+o starts it", "next: 2 · The third door (alt+o) · complete:").Press("C").See("not complete").Silent().NotSee("The third door (alt+o)")
	s.Press("ctrl+x", "d", "r").See("Sparks of this chat").TypeText("x").Press("enter").See("this must be a whole number").Press("backspace", "backspace", "backspace").TypeText("7").Press("enter").See("7 of 7 sparks left").NotSee("Sparks of this chat")
	s.Press("r").See("the director is checking").Still()
	s.Press("e").See("Episode 1 · The stage door").Press("esc").NotSee("Episode 1 ·")
	s.Press("enter").See("BROWSE")
	s.Press("alt+o").See("Next episode", "not complete yet").Press("y").See("ep 2 · turn 0/8")
	if v := s.Chat(); v.Chat.Play.Episode == "" || len(v.Messages) == 0 {
		t.Errorf("%+v", v.Chat.Play)
	}
}

func TestEpisode_ChooseForAChat(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 120, H: 40, Direct: true})
	s.See("‹1/3›").Press("alt+d").See("─ Director ─", "no episode").Press("ctrl+x", "d", "c").See("Choose an episode for this chat").TypeText("lamp").Press("enter")
	s.See("episode set: “3 · The lamp room”").Silent().See("ep 3 · turn 0/12", "Whom is Tove").Press("ctrl+x", "d", "c").See("Choose an episode").Press("enter").See("no longer has an episode").Silent().NotSee("ep 3")
	s.Press("ctrl+x", "d", "c").See("Choose an episode").Press("ctrl+o").See("Series and episodes")
}

// The question about pictures comes once, and its answer is kept.
func TestEpisode_PicturesAsked(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withSeries(t), W: 120, H: 40, Direct: true, Answers: tuitest.Directed(4)})
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("down", "down", "enter").See("ep 2 · turn 0/8")
	for i, line := range []string{"One.", "Two.", "Three.", "Four."} {
		s.Say(line)
		if i == 3 {
			break
		}
	}
	s.See("Automatic pictures").Press("esc").NotSee("Automatic pictures")
	s.Again() // the question has waited
	s.See("allow automatic pictures here").See("Automatic pictures").Press("2").See("automatic pictures are off")
	if got := s.Chat().Chat.Play.Asked; got != storage.SparksRefused {
		t.Errorf("the answer is %q", got)
	}
	s.Press("alt+y").See("Declined by you").Press("y").See("automatic pictures are on in this chat")
	s.Until("the answer", func() bool { return s.Chat().Chat.Play.Asked == storage.SparksAllowed })
}

// A turn budget ends a play; the next episode is suggested by the way.
func TestEpisode_EndsByTurns(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 40, Prepare: func(e *engine.Engine) {
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
	s.See("‹1/3›").Press("alt+p").See("Unwritten").Press("down", "enter").See("ep 1 · turn 0/1")
	s.TypeText("Good evening.").Press("enter").See("Episode complete (turn budget reached). Next: 2 · The third door — alt+o starts it")
	s.Silent().Still().See("ep 1 · complete").Press("alt+y").See("has no automatic pictures")
	if f := s.Now(); strings.Contains(f, "Next episode") {
		t.Error("a dialog has opened by itself")
	}
}
