package scenes_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	sceneroom "github.com/ghostlight-theatre/ghostlight/tui/scenes"
)

// unparted returns a story without the ends of its scenes; a separator line marks the first.
func unparted(lines []string) []string {
	var out []string
	for i, l := range lines {
		switch {
		case l == "":
			continue
		case i > 0 && lines[i-1] == "" && !strings.Contains(strings.Join(out, ""), "***"):
			l = "***\n\n" + l
		}
		out = append(out, l)
	}
	return out
}

// long is a story of n lines, with a scene's end after every each of them.
func long(n, each int) []string {
	var out []string
	for i := 1; i <= n; i++ {
		out = append(out, fmt.Sprintf("This is line %d of a long night.", i))
		if i%each == 0 && i < n {
			out = append(out, "")
		}
	}
	return out
}

// withoutAutoRecap is a setting under which only recaps are made that are asked for.
func withoutAutoRecap(c *config.Config) { c.Scenes.NoRecap = true }

// ends are the numbers of the messages, counted from 1, that scenes end at.
func (s *session) ends() []int {
	var out []int
	for _, sc := range s.Scenes() {
		if !sc.Open {
			out = append(out, sc.LastDepth+1)
		}
	}
	return out
}

func TestGolden_Scenes(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("esc").GoldenAfter("scenes-play", []string{"G", "k", "k"})
	s.Press("g").See("gangway").GoldenStyled("scenes-faded")
	s.Press("]").Do(keys.SceneFold).See("Current Situation").Silent().GoldenAfter("scenes-recap", []string{"G", "k", "k"}).GoldenStyled("scenes-recap")
	s.Press("alt+s").See("running recap").Golden("scenes-pane").GoldenStyled("scenes-pane")
}

func TestGolden_ScenesEmpty(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+s").See("the open scene").Golden("scenes-empty")
	s.Press("enter").See("BROWSE").Press("alt+s", "J").See("no scene before this one")
	s.Press("r").See("still open").Press("d").See("still open").Press("z").See("no recap yet").Press("x").See("nothing is being generated")
}

func TestGolden_ScenesDetected(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, unparted(tuitest.Harbour), false)})
	s.See("blue boat").Press("ctrl+p").See("Commands").TypeText("detect scenes").Press("enter").See("Detect scenes in this chat")
	s.Golden("scenes-find", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("right", "ctrl+s").See("1 scene break found by explicit marks").Press("esc")
	s.Silent().GoldenAfter("scenes-detected", []string{"G", "k", "k", "k", "k", "k", "k"})
	s.Press("alt+s").Golden("scenes-detected-pane")
	s.Do(keys.UndoDetect).See("1 detected scene break undone").NotSee("detected:")
	if got := s.ends(); len(got) != 0 {
		t.Errorf("scenes end at %v", got)
	}
}

// A search by the model continues in the background, and a notice reports it.
func TestScenes_FindByAsking(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, unparted(tuitest.Harbour), false)})
	s.See("blue boat")
	s.In(func(v *tui.Screen) { v.Host().Run(keys.DetectAll) })
	s.See("explicit breaks, then ask the model").Press("down", "down").TypeText("x").Press("ctrl+s").See("1 to 1000")
	s.Press("backspace").TypeText("2").Press("ctrl+s").See("the model is being asked about").Still()
	s.Press("alt+s").See("Scenes").NotSee("unchecked")
	if got := s.Scenes(); len(got) < 2 {
		t.Errorf("%d scenes", len(got))
	}
	s.Press("alt+x")
	s.In(func(v *tui.Screen) { v.Host().Run(keys.DetectAll) })
	s.See("explicit breaks, then ask the model").Press("ctrl+s").See("there are no new messages")
}

func TestScenes_BreakByKey(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), Config: withoutAutoRecap})
	s.See("blue boat").Press("esc", "b").See("scene 3 ends here", "3 · unnamed · 2 messages") // on the very last message
	s.Press("b").See("scene break removed").NotSee("3 · unnamed")
	s.Press("[", "k", "b").See("its recap is kept and restored with the break").NotSee("The Next Morning")
	if got := fmt.Sprint(s.ends()); got != "[4]" {
		t.Errorf("scenes end at %s", got)
	}
	s.Press("b").See("scene 2 ends here, and its recap v1/1 is restored", "The Next Morning")
	s.Press("k", "k", "b").See("scene 2 ends here", "outdated") // what scene 3 was told from has changed
	s.Press("b").NotSee("outdated")
	s.Press("i").TypeText("Thank you, *I say.*").Press("enter")
	s.Until("the reply", func() bool { return len(s.Texts()) == 12 })
	s.Still().Press("esc", "b").See("scene 3 ends here")
}

// A scene that is ended by hand gets its recap without being asked for one.
func TestScenes_EndedByKeyIsRecapped(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("esc", "b").See("scene 3 ends here").See("2 messages · ▸ recap v1/1")
	s.Still().Do(keys.SceneFold).See("▾ recap v1/1", "Key Developments")
}

// A break belongs to the reply that it was set on, not to its alternatives.
func TestScenes_SwipeOverABreak(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Config: withoutAutoRecap})
	s.See("‹1/3›").Say("One.").Press("esc", "b").See("1 · unnamed · 3 messages")
	s.Press("right").See("‹2/2›").Still().NotSee("unnamed")
	if got := s.ends(); len(got) != 0 {
		t.Errorf("scenes end at %v", got)
	}
	s.Press("left").See("‹1/2›", "1 · unnamed · 3 messages")
	s.Press("e").See("Edit what").TypeText("Well. ").Press("ctrl+s").NotSee("Edit what").See("edited", "1 · unnamed")
}

// Where the message is deleted that a scene ends with, the one before ends it.
func TestScenes_DeletedMark(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), Config: withoutAutoRecap})
	s.See("blue boat", "2 · The Next").Press("esc", "k", "k", "d").See("Delete").Press("d").NotSee("promised never").See("2 · The Next Morning · 3 messages", "outdated")
	s.Press("g", "]", "j", "j", "b").See("scene break removed").NotSee("2 · The Next")
	s.Press("b").See("2 · unnamed · 3 messages")
	s.Press("u").See("promised never")
}

func TestScenes_Fold(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), Config: withoutAutoRecap})
	s.See("blue boat", "v1/1").Press("esc").Do(keys.SceneFold).See("this scene is still open")
	s.Press("k", "k").Do(keys.SceneFold).See("▾ recap v1/1", "Current Situation")
	s.Again()
	s.See("Key Developments") // it stays as it was
	s.Press("esc", "k", "k", "k").Do(keys.SceneFold).See("▸ recap v1/1").NotSee("Current Situation")
	s.Press("b").See("scene 2 ends here").Do(keys.SceneFold).See("has no recap yet")
	s.Do(keys.SceneRecap).See("Recap").Still().Press("esc", "esc").See("3 messages · ▸ recap v1/1").Do(keys.SceneFold).See("▾ recap v1/1")
}

// An edit is visible immediately in an unfolded recap.
func TestScenes_UnfoldedRecapFollowsEdits(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat", "v1/1").Press("esc", "k", "k").Do(keys.SceneFold).See("Current Situation")
	v := s.recap(2)
	_, err := s.Engine.Scenes.EditRecap(v.Chat, v.Version().ID, "## Key Developments\n\n- Nothing much happened.")
	s.Must(err)
	s.See("Nothing much happened").NotSee("Current Situation")
}

func TestScenes_Jumps(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, long(900, 300), false)})
	at := func() (line string) {
		s.In(func(v *tui.Screen) {
			if m, ok := v.Host().Play().Selected(); ok {
				line = m.Content
			}
		})
		return line
	}
	want := func(n int) {
		t.Helper()
		line := fmt.Sprintf("This is line %d of a long night.", n)
		s.Until(line, func() bool { return at() == line })
		if !strings.HasPrefix(strings.Split(s.Now(), "\n")[1], "▌ "+line) {
			t.Errorf("line %d is not at the top:\n%s", n, s.Frame())
		}
	}
	s.See("line 900")
	s.Until("the scenes", func() bool {
		n := 0
		s.In(func(v *tui.Screen) { n = len(v.Host().Play().Scenes().List) })
		return n > 0
	})
	s.Press("esc", "]").See("there is no later scene")
	s.Press("[").See("the open scene")
	want(601)
	s.Press("[").See("scene 2")
	want(301)
	s.Press("j", "[")
	want(301)
	s.Press("[")
	want(1)
	s.Press("[").See("this is the first scene").Press("]")
	want(301)

	s.Again()
	s.See("line 900").Press("alt+s").See("the open scene").Press("g", "enter")
	want(1)
	if strings.Contains(s.Frame(), "─ Scenes ─") {
		t.Error("the pane hides what was asked for")
	}
	s.Press("alt+s").See("Scenes")
	s.In(func(v *tui.Screen) {
		if p := v.Host().Panes().Current().(*sceneroom.ListPane); p.At != 0 {
			t.Errorf("row %d is chosen", p.At)
		}
	})
}

func TestScenes_PaneKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat").Press("alt+s").See("Scenes", "no recap")
	s.Press("g", "r").See("is being generated").Still().See("v1/1", "running recap v1")
	s.Press("j", "r").See("is being generated").Still().See("running recap v2", "8 messages merged")
	s.Do("scenes-merge").See("is being merged").Still()
	s.Press("E").See("Name of scene 2").TypeText(" by the sea").Press("enter").NotSee("Name of scene").See("by the sea")
	s.Press("z").See("▾ v1/1", "Key Developments").Press("z").NotSee("Key Developments")
	s.Press("d").See("its recap is kept", "2 scenes").Press("u").See("3 scenes", "scene break restored")
	s.Press("e").See("Recap").Press("alt+s").See("Scenes", " tokens").Press("enter").See("BROWSE").Press("alt+s").See("Scenes")
	s.Do("scenes-exam").See("recall test").Still()
	s.Press("g", "J").See("no scene before").Press("G", "J").See("still open").Press("k", "J").See("into one scene").Press("y")
	s.See("2 scenes").Still().See("v2/2")
	s.Press("/").See("Search").Press("esc")
	if got := s.Scenes(); len(got) != 2 || got[0].Recap.Version == 0 {
		t.Errorf("%+v", got)
	}
}

func TestScenes_CancelAndMissing(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat").Press("f3", "O").See("paused").Press("alt+s").See("Scenes", " tokens").Press("g", "r").See("generating …")
	s.Press("x").See("cancelled").NotSee("generating …")
	s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.RecapMissing)) })
	s.See("2 recaps queued", "generating …").Press("f3", "O").NotSee("paused").Still()
	s.Press("alt+s").WaitFor("both recaps", func(f string) bool { return strings.Count(f, "v1/1") == 2 })
	s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.RecapMissing)) })
	s.See("has a recap")
	s.In(func(v *tui.Screen) { v.Host().Run(keys.Rebuild) })
	s.See("the recaps of 2 scenes").Press("y").See("rebuilt from 2 scenes").Still()
	s.See("running recap v4")
}

// A detected break after a turn is reported with its reason, and undone with a key.
func TestScenes_DetectedAfterATurn(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.").Say("Two.").Say("Three.")
	s.TypeText("* * *").Press("ctrl+j").TypeText("The next morning I come back.").Press("enter").See("scene break: The message begins with", ": undo")
	s.Still().Press("esc").Do(keys.UndoDetect).See("1 detected scene break undone")
	if got := s.ends(); len(got) != 0 {
		t.Errorf("scenes end at %v", got)
	}
}

func TestScenes_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat")
	list := s.Scenes()
	s.Must(s.Engine.Scenes.Rename(s.Chat().Chat.ID, list[0].Break, "A "+tuitest.Evil))
	v := s.recap(1)
	_, err := s.Engine.Scenes.EditRecap(v.Chat, v.Version().ID, "## Current Situation\n- "+tuitest.Evil+"\n- "+strings.Repeat("lamp ", 9000))
	s.Must(err)
	s.Press("esc", "g").See("1 · A").Do(keys.SceneFold).See("Current Situation", "lamp lamp").Press("alt+s").See("Scenes", " tokens").Press("E").See("Name of scene").Press("esc", "J", "esc", "x", "u")
	s.In(func(v *tui.Screen) {
		fake := v.Host().Play().Scenes()
		fake.List = append([]scenes.Scene(nil), fake.List...)
		for i := range fake.List {
			fake.List[i].Name, fake.List[i].Detected, fake.List[i].Rationale = strings.Repeat(tuitest.Evil, 30), true, strings.Repeat("\u202e\x1b[66;77H", 2000)
		}
		v.SetScenes(fake)
		v.Event(scenes.BreakDetected{Chat: fake.Chat, Node: fake.List[0].Break, Rationale: tuitest.Evil})
	})
	for _, d := range []tuitest.Size{{W: 1, H: 1}, {W: 7, H: 4}, {W: 20, H: 8}, {W: 40, H: 12}, {W: 80, H: 24}, {W: 200, H: 60}} {
		s.Size(d.W, d.H)
		s.Now()
		s.Press("alt+s", "k", "k", "[", "]").Now()
		s.Press("alt+s").Now()
	}
	tuitest.Scan(t, s.Written())
}

func TestScenes_Mouse(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("alt+s").See("Scenes", "1 · The Photograph")
	row := func(text string, x int) int {
		for y, l := range strings.Split(s.Now(), "\n") {
			if i := strings.Index(l, text); i >= 0 && (x < 0 || len([]rune(l[:i])) >= x) {
				return y
			}
		}
		t.Fatalf("%q is not on the screen", text)
		return 0
	}
	s.Send(tea.MouseClickMsg{X: 100, Y: row("the open scene", 60), Button: tea.MouseLeft})
	s.In(func(v *tui.Screen) {
		if p := v.Host().Panes().Current().(*sceneroom.ListPane); p.At != 2 {
			t.Errorf("row %d is chosen", p.At)
		}
	})
	s.Send(tea.MouseWheelMsg{X: 100, Y: 5, Button: tea.MouseWheelUp})
	s.Send(tea.MouseClickMsg{X: 20, Y: row("1 · The Photograph", -1), Button: tea.MouseLeft})
	s.In(func(v *tui.Screen) {
		if m, ok := v.Host().Play().Selected(); !ok || m.Depth != 3 || v.Host().Mode() != keys.Browse {
			t.Errorf("the message before the line is not selected")
		}
	})
}
