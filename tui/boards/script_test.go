package boards_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	engineboards "github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/boards"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// session is a screen with helpers for storyboards.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) session { return session{tuitest.Begin(t, o)} }

// boardPane is the storyboard on a screen.
func boardPane(scr *tui.Screen) *boards.Pane { return scr.Host().Panes().Current().(*boards.Pane) }

// board reads the storyboard of the nth scene, counted from 1.
func (s session) board(n int) engineboards.View {
	s.T().Helper()
	v, err := s.Engine.Boards.Board(s.Chat().Chat.ID, s.Scenes()[n-1].Break)
	s.Must(err)
	return v
}

// withShots makes the harbour's play with shots for its second scene.
func withShots(t *testing.T) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		tuitest.WithStory(t, tuitest.Harbour, false)(e)
		chat, _, err := e.Chats.Last()
		if err != nil {
			t.Fatal(err)
		}
		scenes, err := e.Scenes.List(chat)
		if err != nil {
			t.Fatal(err)
		}
		var shots []boards.Params
		for _, shot := range aList() {
			with := boards.Params(storyboard.ChangedFields(storage.Shot{}, shot))
			delete(with, "beat")
			shots = append(shots, with)
		}
		beats := []boards.Params{{"text": "The notebook lies under the lamp", "why": "Robin knows where to look.", "messages": []storage.NodeID{scenes.List[1].Last}}, {"text": "Tove goes pale"}}
		_, err = e.Boards.Call(chat, scenes.List[1].Break, boards.ToolCall("recommend_key_beats", boards.Params{"beats": beats}), boards.ToolCall("insert_shot", boards.Params{"shots": shots}))
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestScript_ByHand(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withShots(t), W: 120, H: 40})
	s.See("blue boat").Press("alt+h").See("Storyboard · 2", "Shots 6", "shot 1 of 6", "The lighthouse against")
	ids := func() (out string) {
		for _, shot := range s.board(2).Shots {
			out += string(shot.ID) + " "
		}
		return out
	}
	want := func(what, list string) {
		t.Helper()
		s.Until(what+": "+list, func() bool { return ids() == list })
		s.See("Shots " + strconv.Itoa(len(s.board(2).Shots)))
		s.Until("the change to be over", func() (over bool) {
			s.In(func(scr *tui.Screen) { over = !boardPane(scr).Changing() })
			return over
		})
	}
	want("read", "s1 s2 s3 s4 s5 s6 ")

	s.Press("e").See("Edit shot s1").TypeText("Dusk. ").Press("shift+tab", "shift+tab", "shift+tab", "shift+tab", "right", "ctrl+s").NotSee("Edit shot").See("Dusk. The lighthouse")
	if got := s.board(2).Shots[0]; got.Movement != "push_in" || got.Size != "wide" {
		t.Errorf("edited: %+v", got)
	}
	s.Press("e").See("Edit shot s1").Press("shift+tab", "shift+tab").TypeText("a secret").Press("ctrl+s").NotSee("Edit shot").See("a secret")
	s.Press("e").See("Edit shot s1").Press("ctrl+s").NotSee("Edit shot s1")
	if n := len(s.board(2).Calls); n != 4 {
		t.Errorf("%d calls: one changed nothing", n)
	}

	s.Press("n").See("New shot after s1").Press("ctrl+s").See("Description must not be empty").TypeText("A gull.").Press("ctrl+s").NotSee("New shot").See("A gull.", "shot 2 of 7")
	want("inserted", "s1 s7 s2 s3 s4 s5 s6 ")
	s.Press("alt+down", "alt+down", "alt+down").See("shot 5 of 7")
	want("moved down", "s1 s2 s3 s4 s7 s5 s6 ")
	s.Press("alt+up").See("shot 4 of 7").Press("S").See("no source message recorded")
	want("moved up", "s1 s2 s3 s7 s4 s5 s6 ")
	s.Press("J").See("Shots 6")
	want("merged with the next", "s1 s2 s3 s7 s5 s6 ")
	s.Do("storyboard-split").See("Split shot s7").TypeText("The gull is gone.").Press("ctrl+s").NotSee("Split shot").See("The gull is gone.", "shot 5 of 7")
	want("split", "s1 s2 s3 s7 s8 s5 s6 ")
	s.Press("u")
	want("undone", "s1 s2 s3 s7 s5 s6 ")
	s.Press("U")
	want("redone", "s1 s2 s3 s7 s8 s5 s6 ")
	s.Press("*").See("7 selected").Press("*").NotSee("selected").Press("G", "k", "space", "space").See("2 selected").Press("d")
	want("the marked removed", "s1 s2 s3 s7 s8 ")
	s.Press("u", "u", "u")
	want("undone thrice", "s1 s2 s3 s7 s4 s5 s6 ")
	s.Press("G", "k", "space", "space").See("2 selected").Press("J")
	want("the marked merged", "s1 s2 s3 s7 s4 s5 ")
	s.Press("J").See("there is no next shot").Press("u")
	want("parted again", "s1 s2 s3 s7 s4 s5 s6 ")

	s.Press("g").See("Robin knows where to look").Press("e").See("Edit beat b1").TypeText("At dawn: ").Press("ctrl+s").NotSee("Edit beat").See("At dawn: The notebook")
	s.Press("alt+down")
	s.Until("the beats to be moved", func() (ok bool) {
		s.In(func(scr *tui.Screen) { p := boardPane(scr); ok = !p.Changing() && p.View().Beats[0].ID == "b2" })
		return ok
	})
	s.Press("n").See("New beat").TypeText("The cave").Press("ctrl+s").NotSee("New beat").See("Beats 3", "The cave")
	s.Until("the beats", func() bool {
		b := s.board(2).Beats
		return len(b) == 3 && b[0].ID == "b2" && b[1].ID == "b1" && b[2].Text == "The cave"
	})
	s.Press("W").See("Taste profile sent", "by you", "Manual change").Press("left").See("call 11 of").Press("esc").NotSee("Taste used")
	s.Press("c").See("confirm the shots first").Press("C").See("‹ready›", "confirmed")
	s.Do("storyboard-delete").See("Delete the storyboard").Press("n").NotSee("Delete the storyboard").Do("storyboard-delete").See("Delete the storyboard").Press("y").See("has no storyboard yet")
	if s.board(2).Begun {
		t.Error("it is still there")
	}
	s.Press("[").See("Storyboard · 1").Press("[").See("no scene before").Press("]").See("Storyboard · 2").Press("right").See("no scene has ended after")
	s.Press("alt+h").NotSee("Storyboard")
}

func TestScript_Files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begin(t, tuitest.Options{Prepare: withShots(t), W: 120, H: 40})
	s.See("blue boat").In(func(scr *tui.Screen) { scr.Host().Files().Folder = dir })
	s.Press("alt+h").See("Shots 6")
	for range 2 { // the second one overwrites
		s.Do("storyboard-export").See("Export the storyboard").Press("ctrl+u").TypeText(filepath.Join(dir, "board.json")).Press("enter").NotSee("Export the storyboard")
		if _, err := os.Stat(filepath.Join(dir, "board.json")); err != nil {
			s.See("written to")
		}
	}
	s.See("File exists").Press("y").See("written to")
	s.Press("[").See("Storyboard · 1", "no storyboard yet").Do("storyboard-import").See("Import a storyboard from", "board.json").Press("down", "enter").See("6 shots imported", "Shots 6").Press("u").See("no storyboard yet")
	s.Do("storyboard-import").See("Import a storyboard from").Press("ctrl+o").See("replaces the current one").TypeText(filepath.Join(dir, "none.json")).Press("enter").See("none.json:").Press("esc")
}

func TestScript_FromThePlay(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour[:4], false)})
	s.See("silver ring").Press("alt+h").See("A storyboard needs", "While browsing").Press("p").See("no scene has ended").Press("esc", "esc", "b").See("1 · unnamed").Press("alt+h").See("Storyboard · 1", "no storyboard yet")
	s.Press("tab").See("BROWSE").Press("alt+h").NotSee("Storyboard · 1").Press("ctrl+p").See("Commands").TypeText("instruct the story").Press("enter").See("Instruct the storyboard").Press("enter").See("enter what should change")
}

// From nothing to painted sketches, with the stand-ins for both servers.
func TestScript_Planned(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false), W: 120, H: 40})
	s.See("blue boat").Press("alt+h").See("Storyboard · 2", "no storyboard yet").Press("p").See("‹beats›", "Beats").Still()
	s.Press("p").See("‹filler›").Still().Press("P").See("‹shots›", "Shots").Still()
	v := s.board(2)
	if len(v.Shots) == 0 || len(v.Packages) > 0 || v.Working != "" {
		t.Fatalf("planned: %d shots, %d packages, at work: %q", len(v.Shots), len(v.Packages), v.Working)
	}
	s.Press("p").See("there are shots already").Silent().Press("W").See("Taste profile sent", "shots in order", "by the model").Press("esc").NotSee("Taste used")

	s.Press("s").See("Instruct the storyboard").TypeText("remove the last shot").Press("enter").NotSee("Instruct the storyboard").See("Instructions").Still()
	if n := len(s.board(2).Talk); n != 1 {
		t.Errorf("%d lines were steered by", n)
	}
	s.Press("r").See("Plan a step", "‹ proposal ›").Press("ctrl+s").See("enter what the proposal").TypeText("slower").Press("ctrl+s").NotSee("Plan a step").See("proposed: ").Still()
	s.Press("g", "j", "j", "alt+down").Silent().Press("X").See("proposal rejected").NotSee("proposed: ").Press("u").See("proposed: ").Press("g", "j", "enter").See("Proposed change").Press("a").NotSee("proposed: ")
	s.Press("C").See("‹ready›").Press("G", "space").See("1 selected").Press("c").See("Sketch the shots", "selected: 1 shot").Press("tab", "tab", "right", "ctrl+s").NotSee("Sketch the shots").See("1 sketch is being generated")
	s.See("sketch: done", "✓").NotSee("1 selected")
	if v := s.board(2); len(v.Sketches) != 1 || v.Batch == nil || v.Batch.Done != 1 {
		t.Errorf("sketched: %+v of %+v", v.Sketches, v.Batch)
	}
}

// The model is asked once the change before is stored.
func TestScript_AskedAfterTheChange(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false), W: 120, H: 40})
	_, err := s.Engine.Boards.Call(s.Chat().Chat.ID, s.Scenes()[1].Break, boards.ToolCall("recommend_key_beats", boards.Params{"beats": []boards.Params{{"text": "The lamp"}, {"text": "The cave"}}}))
	s.Must(err)
	s.See("blue boat").Press("alt+h").See("Storyboard · 2", "Beats 2").Press("g")
	remove := s.Pressed("d")
	if s.Pressed("p") != nil {
		t.Fatal("the model is asked about what is about to change")
	}
	s.In(func(scr *tui.Screen) { scr.Start(remove) })
	s.Until("the plan", func() bool {
		ops, err := s.Engine.Queue.List()
		s.Must(err)
		return slices.ContainsFunc(ops, func(op storage.Operation) bool { return op.Type == "storyboard_plan" })
	})
	if n := len(s.board(2).Beats); n != 1 {
		t.Errorf("%d beats", n)
	}
	s.Still()
}
