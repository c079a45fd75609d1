package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	playroom "ghostlight/tui/play"
)

// unparted is a story without the ends of its scenes.
func unparted(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
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

// ends are the numbers of the messages, counted from 1, that scenes end at.
func (s *session) ends() []int {
	var out []int
	for _, sc := range s.scenes() {
		if !sc.Open {
			out = append(out, sc.LastDepth+1)
		}
	}
	return out
}

// silent takes the passing words away, which would be gone at another moment.
func (s *session) silent() *session {
	s.in(func(a *app) { a.notice.text = "" })
	return s
}

func TestGolden_Scenes(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("esc").goldenAfter("scenes-play", []string{"G", "k", "k"})
	s.press("g").see("gangway").goldenStyled("scenes-faded")
	s.press("]", "z").see("Current Situation").silent().goldenAfter("scenes-recap", []string{"G", "k", "k"}).goldenStyled("scenes-recap")
	s.press("alt+s").see("running recap").golden("scenes-pane").goldenStyled("scenes-pane")
}

func TestGolden_ScenesEmpty(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+s").see("the open scene").golden("scenes-empty")
	s.press("enter").see("BROWSE").press("alt+s", "J").see("no scene before this one")
	s.press("e").see("still open").press("b").see("still open").press("z").see("no recap yet").press("x").see("nothing is being made")
}

func TestGolden_ScenesDetected(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, unparted(harbour), false)})
	s.see("blue boat").press("ctrl+p").see("Commands").typeText("find the scenes").press("enter").see("Find the scenes of this chat")
	s.golden("scenes-find", dims{40, 12}, dims{80, 24})
	s.press("right", "ctrl+s").see("1 scene break found by explicit marks").press("esc")
	s.silent().goldenAfter("scenes-detected", []string{"G", "k", "k", "k", "k", "k", "k"})
	s.press("alt+s").golden("scenes-detected-pane")
	s.press("U").see("1 detected scene break taken back").notSee("detected:")
	if got := s.ends(); len(got) != 0 {
		t.Errorf("scenes end at %v", got)
	}
}

// A search by the model goes on behind the play, and is told of where the user
// looks.
func TestScenes_FindByAsking(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, unparted(harbour), false)})
	s.see("blue boat")
	s.in(func(a *app) { a.Run(keys.DetectAll) })
	s.see("marks, then ask the model").press("down", "down").typeText("x").press("ctrl+s").see("at least 1")
	s.press("backspace").typeText("2").press("ctrl+s").see("the model is being asked about").still()
	s.press("alt+s").see("Scenes").notSee("unchecked")
	if got := s.scenes(); len(got) < 2 {
		t.Errorf("%d scenes", len(got))
	}
	s.press("alt+x")
	s.in(func(a *app) { a.Run(keys.DetectAll) })
	s.see("marks, then ask the model").press("ctrl+s").see("nothing new to look at")
}

func TestScenes_BreakByKey(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("esc", "b").see("scene 3 ends here", "3 · unnamed · 2 messages") // on the very last message
	s.press("b").see("the break is gone").notSee("3 · unnamed")
	s.press("[", "k", "b").see("its recap is kept and comes back with it").notSee("The Next Morning")
	if got := fmt.Sprint(s.ends()); got != "[4]" {
		t.Errorf("scenes end at %s", got)
	}
	s.press("b").see("scene 2 ends here, and its recap v1/1 is back", "The Next Morning")
	s.press("k", "k", "b").see("scene 2 ends here", "stale") // what scene 3 was told from has changed
	s.press("b").notSee("stale")
	s.press("i").typeText("Thank you, *I say.*").press("enter")
	s.until("the reply", func() bool { return len(s.texts()) == 12 })
	s.still().press("esc", "b").see("scene 3 ends here")
}

// A break belongs to the reply that it was set on, not to its alternatives.
func TestScenes_SwipeOverABreak(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").press("esc", "b").see("1 · unnamed · 3 messages")
	s.press("right").see("‹2/2›").still().notSee("unnamed")
	if got := s.ends(); len(got) != 0 {
		t.Errorf("scenes end at %v", got)
	}
	s.press("left").see("‹1/2›", "1 · unnamed · 3 messages")
	s.press("e").see("Edit what").typeText("Well. ").press("ctrl+s").notSee("Edit what").see("edited", "1 · unnamed")
}

// Where the message is deleted that a scene ends with, the one before ends it.
func TestScenes_DeletedMark(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat", "2 · The Next").press("esc", "k", "k", "d").see("Delete").press("d").notSee("promised never").see("2 · The Next Morning I · 3 messages", "stale")
	s.press("g", "]", "j", "j", "b").see("the break is gone").notSee("2 · The Next")
	s.press("b").see("2 · unnamed · 3 messages")
	s.press("u").see("promised never")
}

func TestScenes_Fold(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat", "v1/1").press("esc", "z").see("this scene is still open")
	s.press("k", "k", "z").see("▾ recap v1/1", "Current Situation")
	s.again()
	s.see("Key Developments") // it stays as it was
	s.press("esc", "k", "k", "k", "z").see("▸ recap v1/1").notSee("Current Situation")
	s.press("b").see("scene 2 ends here").press("z").see("has no recap yet")
	s.press("R").see("Recap").still().press("esc", "esc").see("3 messages · ▸ recap v1/1").press("z").see("▾ recap v1/1")
}

// What is edited shows at once where it is unfolded.
func TestScenes_UnfoldedRecapFollowsEdits(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat", "v1/1").press("esc", "k", "k", "z").see("Current Situation")
	v := s.recap(2)
	_, err := s.eng.Scenes.EditRecap(v.Chat, v.Version().ID, "## Key Developments\n\n- Nothing much happened.")
	s.must(err)
	s.see("Nothing much happened").notSee("Current Situation")
}

func TestScenes_Jumps(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, long(900, 300), false)})
	at := func() (line string) {
		s.in(func(a *app) {
			if it := a.play.Current(); it != nil {
				line = it.Msg.Content
			}
		})
		return line
	}
	want := func(n int) {
		t.Helper()
		line := fmt.Sprintf("This is line %d of a long night.", n)
		s.until(line, func() bool { return at() == line })
		if !strings.HasPrefix(strings.Split(s.now(), "\n")[1], "▌ "+line) {
			t.Errorf("line %d is not at the top:\n%s", n, s.frame())
		}
	}
	s.see("line 900")
	s.until("the scenes", func() bool { n := 0; s.in(func(a *app) { n = len(a.scenes.List) }); return n > 0 })
	s.press("esc", "]").see("there is no later scene")
	s.press("[").see("the open scene")
	want(601)
	s.press("[").see("scene 2")
	want(301)
	s.press("j", "[")
	want(301)
	s.press("[")
	want(1)
	s.press("[").see("the story begins here").press("]")
	want(301)

	s.again()
	s.see("line 900").press("alt+s").see("the open scene").press("g", "enter")
	want(1)
	if strings.Contains(s.frame(), "─ Scenes ─") {
		t.Error("the pane hides what was asked for")
	}
	s.press("alt+s").see("Scenes")
	s.in(func(a *app) {
		if p := thePane[*scenesPane](a); p.At != 0 {
			t.Errorf("row %d is chosen", p.At)
		}
	})
}

func TestScenes_PaneKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("alt+s").see("Scenes", "no recap")
	s.press("g", "c").see("is being made").still().see("v1/1", "running recap v1")
	s.press("j", "R").see("is being made").still().see("running recap v2", "8 messages in memory")
	s.press("m").see("is being merged").still()
	s.press("n").see("Name of scene 2").typeText(" by the sea").press("enter").notSee("Name of scene").see("by the sea")
	s.press("z").see("▾ v1/1", "Key Developments").press("z").notSee("Key Developments")
	s.press("b").see("its recap is kept", "2 scenes").press("u").see("3 scenes", "the break is back")
	s.press("c").see("nothing has changed since") // as a version that is there
	s.press("e").see("Recap").press("alt+s").see("Scenes", " tokens").press("t").see("Recap · 2").press("alt+s").see("Scenes")
	s.press("q").see("memory exam").still()
	s.press("g", "J").see("no scene before").press("G", "J").see("still open").press("k", "J").see("Make one scene of").press("y")
	s.see("2 scenes").still().see("v2/2")
	s.press("/").see("Search").press("esc")
	if got := s.scenes(); len(got) != 2 || got[0].Recap.Version == 0 {
		t.Errorf("%+v", got)
	}
}

func TestScenes_CancelAndMissing(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("f3", "p").see("paused").press("alt+s").see("Scenes", " tokens").press("g", "c").see("making …")
	s.press("x").see("was cancelled").notSee("making …")
	s.in(func(a *app) { a.send2(a.Run(keys.RecapMissing)) })
	s.see("2 recaps will be made", "making …").press("f3", "p").notSee("paused").still()
	s.press("alt+s").waitFor("both recaps", func(f string) bool { return strings.Count(f, "v1/1") == 2 })
	s.in(func(a *app) { a.send2(a.Run(keys.RecapMissing)) })
	s.see("has its recap")
	s.in(func(a *app) { a.Run(keys.Rebuild) })
	s.see("of the recaps of 2 scenes").press("y").see("made anew of 2 scenes").still()
	s.see("running recap v4")
}

// send2 runs a command as the program does.
func (a *app) send2(cmd tea.Cmd) {
	if cmd != nil {
		go func() { a.send(cmd()) }()
	}
}

// What is found after a turn is told of with its cue, and taken back with a key.
func TestScenes_DetectedAfterATurn(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").say("Two.").say("Three.")
	s.typeText("* * *").press("ctrl+j").typeText("The next morning I come back.").press("enter").see("scene break: The message begins with", "esc U takes")
	s.still().press("esc", "U").see("1 detected scene break taken back")
	if got := s.ends(); len(got) != 0 {
		t.Errorf("scenes end at %v", got)
	}
}

func TestScenes_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat")
	list := s.scenes()
	s.must(s.eng.Scenes.Rename(s.chat().Chat.ID, list[0].Break, "A "+evil))
	v := s.recap(1)
	_, err := s.eng.Scenes.EditRecap(v.Chat, v.Version().ID, "## Current Situation\n- "+evil+"\n- "+strings.Repeat("lamp ", 9000))
	s.must(err)
	s.press("esc", "g").see("1 · A").press("z").see("Current Situation", "lamp lamp").press("alt+s").see("Scenes", " tokens").press("n").see("Name of scene").press("esc", "J", "esc", "x", "u")
	s.in(func(a *app) {
		fake := a.scenes
		fake.List = append([]scenes.Scene(nil), fake.List...)
		for i := range fake.List {
			fake.List[i].Name, fake.List[i].Detected, fake.List[i].Rationale = strings.Repeat(evil, 30), true, strings.Repeat("\u202e\x1b[66;77H", 2000)
		}
		a.takeScenes(fake)
		a.breakDetected(scenes.BreakDetected{Chat: fake.Chat, Node: fake.List[0].Break, Rationale: evil})
	})
	for _, d := range []dims{{1, 1}, {7, 4}, {20, 8}, {40, 12}, {80, 24}, {200, 60}} {
		s.size(d.w, d.h)
		s.now()
		s.press("alt+s", "k", "k", "[", "]").now()
		s.press("alt+s").now()
	}
	scan(t, s.out.bytes())
}

func TestScenes_Mouse(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("alt+s").see("Scenes", "1 · I Come Down")
	row := func(text string, x int) int {
		for y, l := range strings.Split(s.now(), "\n") {
			if i := strings.Index(l, text); i >= 0 && (x < 0 || len([]rune(l[:i])) >= x) {
				return y
			}
		}
		t.Fatalf("%q is not on the screen", text)
		return 0
	}
	s.prog.Send(tea.MouseClickMsg{X: 100, Y: row("the open scene", 60), Button: tea.MouseLeft})
	s.in(func(a *app) {
		if p := thePane[*scenesPane](a); p.At != 2 {
			t.Errorf("row %d is chosen", p.At)
		}
	})
	s.prog.Send(tea.MouseWheelMsg{X: 100, Y: 5, Button: tea.MouseWheelUp})
	s.prog.Send(tea.MouseClickMsg{X: 20, Y: row("1 · I Come Down", -1), Button: tea.MouseLeft})
	s.in(func(a *app) {
		if it := a.play.Current(); it == nil || it.Msg.Depth != 3 || a.mode != keys.Browse {
			t.Errorf("the message before the line is not selected")
		}
	})
}

// Of two answers only the one counts that belongs to what is on the screen.
func TestScenes_StaleAnswers(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat", "2 · unnamed")
	s.in(func(a *app) {
		had := a.scenes
		late := a.readScenes()
		if again := a.readScenes(); again != nil || !a.reads.again {
			t.Error("two readings of one chat at a time")
		}
		msg := late()
		a.view.Chat.ID = "another"
		a.readScenes()
		if cmd := msg.(desk.Answer)(); cmd != nil {
			t.Error("an answer about another chat does something")
		}
		a.takeScenes(scenes.Scenes{Chat: had.Chat, CoversDepth: 5})
		if a.scenes.CoversDepth != had.CoversDepth {
			t.Error("the scenes of another chat were taken")
		}
		a.view.Chat.ID = had.Chat
	})
}

func TestStatus_TellsWhatIsForgotten(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 130, h: 30, prepare: withStory(t, harbour, false)})
	s.see("blue boat", "2 · unnamed")
	s.until("the prompt", func() bool { known := false; s.in(func(a *app) { known = a.outlook.chat != "" }); return known })
	for n, want := range map[int]string{12: "12 messages are in no recap", 1: "1 message is in no recap"} {
		s.in(func(a *app) { a.outlook.chat, a.outlook.uncovered = a.view.Chat.ID, n })
		s.see(want)
	}
	s.size(80, 24)
	s.notSee("in no recap")
}

func TestPrompt_TellsPositions(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("f4").see("messages 5 to 10", "messages before 5")
	var m keys.Map
	p := playroom.NewList(nil, &m, NewDisplay(nil))
	p.Items = []*playroom.Item{{Msg: chats.Message{Node: storage.Node{ID: "01M7Z1GQX9ATA97TWEX10AV3KQ", Depth: 6}}}}
	if got := p.Positions("messages 01M7Z1GQX9ATA97TWEX10AV3KQ to 01M7Z1GQX9ATA97TWEX10AV3KR"); got != "messages 7 to …0AV3KR" {
		t.Errorf("%q", got)
	}
}

// The details of a scene fit their line, whatever is in them.
func TestSceneDetails_Fits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "The harbour", evil, strings.Repeat("你好", 900), strings.Repeat("a", 10_000)}))
		s := scenes.Scene{Number: rapid.IntRange(1, 1<<20).Draw(rt, "number"), Name: text.Draw(rt, "name"), Rationale: text.Draw(rt, "why"),
			Messages: rapid.IntRange(0, 1<<20).Draw(rt, "messages"), Detected: rapid.Bool().Draw(rt, "detected"), Working: rapid.Bool().Draw(rt, "working"),
			Expanded: true, Recap: scenes.RecapState{Version: rapid.IntRange(0, 99).Draw(rt, "version"), Versions: 99, Stale: rapid.Bool().Draw(rt, "stale")}}
		for w := range 100 {
			if line := sceneDetails(s, w); ansi.StringWidth(line) > w && strings.Contains(line, "detected") {
				rt.Fatalf("%d cells: %q", w, line)
			}
		}
	})
}
