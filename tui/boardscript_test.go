package tui

import (
	"os"
	"path/filepath"
	"testing"

	"ghostlight/engine"
	"ghostlight/engine/boards"
	"ghostlight/storage"
)

// board reads the storyboard of the nth scene, counted from 1.
func (s *session) board(n int) boards.View {
	s.t.Helper()
	v, err := s.eng.Boards.Board(s.chat().Chat.ID, s.scenes()[n-1].Break)
	s.must(err)
	return v
}

// withShots makes the harbour's play with shots for its second scene.
func withShots(t *testing.T) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		withStory(t, harbour, false)(e)
		chat, _, err := e.Chats.Last()
		if err != nil {
			t.Fatal(err)
		}
		scenes, err := e.Scenes.List(chat)
		if err != nil {
			t.Fatal(err)
		}
		var shots []params
		for _, shot := range aList() {
			with := changedFields(storage.Shot{}, shot)
			delete(with, "beat")
			shots = append(shots, with)
		}
		beats := []params{{"text": "The notebook lies under the lamp", "why": "Robin knows where to look.", "messages": []storage.NodeID{scenes.List[1].Last}}, {"text": "Tove goes pale"}}
		_, err = e.Boards.Call(chat, scenes.List[1].Break, toolCall("recommend_key_beats", params{"beats": beats}), toolCall("insert_shot", params{"shots": shots}))
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBoard_ByHand(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withShots(t), w: 120, h: 40})
	s.see("blue boat").press("alt+h").see("Storyboard · 2", "Shots 6", "shot 1 of 6", "The lighthouse against")
	ids := func() (out string) {
		for _, shot := range s.board(2).Shots {
			out += string(shot.ID) + " "
		}
		return out
	}
	want := func(what, list string) {
		t.Helper()
		s.until(what+": "+list, func() bool { return ids() == list })
		s.see("Shots " + itoa(len(s.board(2).Shots)))
		s.until("the change to be over", func() (over bool) {
			s.in(func(a *app) { over = !a.pane.(*boardPane).changing })
			return over
		})
	}
	want("read", "s1 s2 s3 s4 s5 s6 ")

	s.press("e").see("Edit shot s1").typeText("Dusk. ").press("shift+tab", "shift+tab", "shift+tab", "right", "ctrl+s").notSee("Edit shot").see("Dusk. The lighthouse")
	if got := s.board(2).Shots[0]; got.Movement != "push_in" || got.Size != "wide" {
		t.Errorf("edited: %+v", got)
	}
	s.press("e").see("Edit shot s1").press("shift+tab", "shift+tab").typeText("a secret").press("ctrl+s").notSee("Edit shot").see("a secret")
	s.press("e").see("Edit shot s1").press("ctrl+s").notSee("Edit shot s1")
	if n := len(s.board(2).Calls); n != 4 {
		t.Errorf("%d calls: one changed nothing", n)
	}

	s.press("i").see("New shot after s1").press("ctrl+s").see("a description is needed").typeText("A gull.").press("ctrl+s").notSee("New shot").see("A gull.", "shot 2 of 7")
	want("inserted", "s1 s7 s2 s3 s4 s5 s6 ")
	s.press("J", "J", "alt+down").see("shot 5 of 7")
	want("moved down", "s1 s2 s3 s4 s7 s5 s6 ")
	s.press("K").see("shot 4 of 7").press("S").see("nothing says which message")
	want("moved up", "s1 s2 s3 s7 s4 s5 s6 ")
	s.press("m").see("Shots 6")
	want("merged with the next", "s1 s2 s3 s7 s5 s6 ")
	s.press("%").see("Split shot s7").typeText("The gull is gone.").press("ctrl+s").notSee("Split shot").see("The gull is gone.", "shot 5 of 7")
	want("split", "s1 s2 s3 s7 s8 s5 s6 ")
	s.press("u")
	want("undone", "s1 s2 s3 s7 s5 s6 ")
	s.press("R")
	want("redone", "s1 s2 s3 s7 s8 s5 s6 ")
	s.press("*").see("7 marked").press("*").notSee("marked").press("G", "k", "space", "space").see("2 marked").press("d")
	want("the marked removed", "s1 s2 s3 s7 s8 ")
	s.press("u", "u", "u")
	want("undone thrice", "s1 s2 s3 s7 s4 s5 s6 ")

	s.press("g").see("Robin knows where to look").press("e").see("Edit beat b1").typeText("At dawn: ").press("ctrl+s").notSee("Edit beat").see("At dawn: The notebook")
	s.press("J")
	s.until("the beats to be moved", func() (ok bool) {
		s.in(func(a *app) { p := a.pane.(*boardPane); ok = !p.changing && p.view.Beats[0].ID == "b2" })
		return ok
	})
	s.press("i").see("New beat").typeText("The cave").press("ctrl+s").notSee("New beat").see("Beats 3", "The cave")
	s.until("the beats", func() bool {
		b := s.board(2).Beats
		return len(b) == 3 && b[0].ID == "b2" && b[1].ID == "b1" && b[2].Text == "The cave"
	})
	s.press("w").see("What was used", "by you", "done by hand").press("left").see("call 11 of").press("esc").notSee("What was used")
	s.press("c").see("are to be confirmed first").press("C").see("‹ready›", "confirmed")
	s.press("D").see("Delete the storyboard").press("n").notSee("Delete the storyboard").press("D").see("Delete the storyboard").press("y").see("has no storyboard yet")
	if s.board(2).Begun {
		t.Error("it is still there")
	}
	s.press("[").see("Storyboard · 1").press("[").see("no scene before").press("]").see("Storyboard · 2").press("right").see("no scene has ended after")
	s.press("alt+h").notSee("Storyboard")
}

func TestBoard_Files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begin(t, stageOptions{prepare: withShots(t), w: 120, h: 40})
	s.see("blue boat").in(func(a *app) { a.SetFolder(dir) })
	s.press("alt+h").see("Shots 6")
	for range 2 { // the second one overwrites
		s.press("W").see("Export the storyboard").press("ctrl+u").typeText(filepath.Join(dir, "board.json")).press("enter").notSee("Export the storyboard")
		if _, err := os.Stat(filepath.Join(dir, "board.json")); err != nil {
			s.see("written to")
		}
	}
	s.see("The file exists").press("y").see("written to")
	s.press("[").see("Storyboard · 1", "no storyboard yet").press("I").see("Import a storyboard from", "board.json").press("down", "enter").see("6 shots imported", "Shots 6").press("u").see("no storyboard yet")
	s.press("I").see("Import a storyboard from").press("ctrl+o").see("takes the place").typeText(filepath.Join(dir, "none.json")).press("enter").see("No storyboard was imported").press("esc")
}

func TestBoard_FromThePlay(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour[:4], false)})
	s.see("silver ring").press("alt+h").see("No scene has ended", "While browsing").press("p").see("no scene has ended").press("esc", "b").see("1 · unnamed").press("alt+h").see("Storyboard · 1", "no storyboard yet")
	s.press("tab").see("BROWSE").press("alt+h").notSee("Storyboard · 1").press("ctrl+p").see("Commands").typeText("steer the story").press("enter").see("Steer the storyboard").press("enter").see("say what you want")
}

// From nothing to painted sketches, with the stand-ins for both servers.
func TestBoard_Planned(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false), w: 120, h: 40})
	s.see("blue boat").press("alt+h").see("Storyboard · 2", "no storyboard yet").press("p").see("‹beats›", "Beats").still()
	s.press("p").see("‹filler›").still().press("P").see("‹shots›", "Shots").still()
	v := s.board(2)
	if len(v.Shots) == 0 || len(v.Packages) > 0 || v.Working != "" {
		t.Fatalf("planned: %d shots, %d packages, at work: %q", len(v.Shots), len(v.Packages), v.Working)
	}
	s.press("p").see("there are shots already").silent().press("w").see("What was used", "shots in order", "by the model").press("esc").notSee("What was used")

	s.press("s").see("Steer the storyboard").typeText("remove the last shot").press("enter").notSee("Steer the storyboard").see("Steering").still()
	if n := len(s.board(2).Talk); n != 1 {
		t.Errorf("%d lines were steered by", n)
	}
	s.press("r").see("Plan a step", "‹ proposal ›").press("ctrl+s").see("say what the proposal").typeText("slower").press("ctrl+s").notSee("Plan a step").see("proposed: ").still()
	s.press("g", "j", "j", "J").silent().press("X").see("the proposal is dropped").notSee("proposed: ").press("u").see("proposed: ").press("g", "j", "enter").see("A change is proposed").press("a").notSee("proposed: ")
	s.press("C").see("‹ready›").press("G", "space").see("1 marked").press("c").see("Sketch the shots", "the marked: 1 shot").press("tab", "tab", "right", "ctrl+s").notSee("Sketch the shots").see("1 sketch is being made")
	s.see("sketch: done", "✓").notSee("1 marked")
	if v := s.board(2); len(v.Sketches) != 1 || v.Batch == nil || v.Batch.Done != 1 {
		t.Errorf("sketched: %+v of %+v", v.Sketches, v.Batch)
	}
}
