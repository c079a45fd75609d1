package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine"
	enginehouse "ghostlight/engine/house"
	"ghostlight/engine/rehearsal"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/house"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

func TestRecap_OpenSceneIsEndedAndTold(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour[:4], false)})
	s.see("silver ring").press("ctrl+r").see("No scene has ended").press("b").see("Recap · 1", "the scene ends there").press("r").see("v1/1", "Key Developments")
	s.still()
	if v := s.recap(1); len(v.Versions) != 1 || v.Scene.Messages != 4 {
		t.Errorf("recap: %d versions of %d messages", len(v.Versions), v.Scene.Messages)
	}
	s.press("b").see("the break is gone").see("no scene ends").press("b").see("the scene ends there", "v1/1", "Key Developments")
}

func TestRecap_BrowseMakesWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("esc", "R").see("still being played")
	s.press("ctrl+r").notSee("still being played")
	s.press("esc").see("BROWSE").in(func(a *app) { a.play.Choose(7) })
	s.press("R").see("Recap · 2", "v1/1", "Key Developments").still()
	s.press("alt+x", "esc").see("BROWSE").in(func(a *app) { a.play.Choose(7) })
	s.press("R").see("Recap · 2", "v1/1").still()
	if n := len(s.recap(2).Versions); n != 1 {
		t.Errorf("%d versions: a recap that was there was made again", n)
	}
	s.press("esc", "M").see("Recap of a message · v1/1").still()
	s.press("R").see("v2/2").press("left").see("v1/2", "v2 is the current one").press("t").see("Recap · 2").press("t").see("Running recap")
	s.press("ctrl+r").see("Recap · 2").press("ctrl+r").notSee("Recap · 2").press("alt+r").see("Running recap").press("alt+r").notSee("Running recap")
}

// rolled makes n versions of the second scene's recap and shows the last.
func rolled(s *session, n int) {
	s.t.Helper()
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments")
	for i := 2; i <= n; i++ {
		s.press("R").see("v" + itoa(i) + "/" + itoa(i)).still()
	}
}

func TestRecap_VersionsRoll(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	rolled(s, 4)
	s.press("right").see("this is the newest version")
	s.press("left", "left", "left", "right", "left").see("v1/4")
	s.until("the last choice to be stored", func() bool { return s.recap(2).Current == 0 })
	s.press("left").see("this is the first version")
	s.press("right", "right").see("v3/4")
	s.until("the last choice to be stored", func() bool { return s.recap(2).Current == 2 })
	s.chosen()
}

// chosen waits until the choice of a version is stored.
func (s *session) chosen() {
	s.t.Helper()
	s.until("the choice to be let go", func() bool {
		held := false
		s.in(func(a *app) { p := thePane[*recapPane](a); held = p.choosing || p.pick != "" })
		return !held
	})
}

func TestRecap_SameInputsAreNotMadeAgain(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments").press("r").see("nothing has changed since").still()
	if n := len(s.recap(2).Versions); n != 1 {
		t.Errorf("%d versions", n)
	}
	s.press("s").see("Another version").press("right", "right").see("narrative").press("tab").typeText("Name the notebook").press("ctrl+s").see("v2/2", "narrative").still()
	if v := s.recap(2).Version(); v.Instruction != "Name the notebook" || v.Style != "narrative" {
		t.Errorf("made with %q, %q", v.Instruction, v.Style)
	}
	s.hush().press("G").see("Wish for this version", "Name the notebook")
}

func TestRecap_EditAndRestore(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true), w: 120, h: 40})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments", "Tove goes pale.")
	before := s.recap(2).Version().Text
	s.press("e").see("Edit the recap").typeText("Edited by hand. ").press("esc").see("not saved").press("ctrl+s").see("saved", "✎", "Edited by hand.").notSee("Edit the recap")
	if v := s.recap(2).Version(); !v.Edited() || !strings.HasPrefix(v.Text, "Edited by hand.") || len(s.recap(2).Versions) != 1 {
		t.Errorf("edited: %+v", v.Recap)
	}
	s.press("u").see("Restore the original").press("y").see("the original text is back").notSee("Edited by hand.")
	if v := s.recap(2).Version(); v.Text != before || v.Edited() {
		t.Errorf("restored: %q", v.Text)
	}
	s.press("u").see("was not edited").press("o").see("set $EDITOR")
	s.press("e").see("Edit the recap").press("ctrl+s").notSee("Edit the recap")
	if s.recap(2).Version().Edited() {
		t.Error("an unchanged text counts as edited")
	}
}

func TestRecap_EditThatCannotBeKeptStaysOpen(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments").press("e").see("Edit the recap")
	s.in(func(a *app) { a.dialogs.Top().(*desk.KeptForm).Fields[0].Input.Area.SetValue("  ") })
	s.press("ctrl+s").see("cannot be empty", "Edit the recap").typeText("Now it is not").press("ctrl+s").see("saved")
	if got := strings.TrimSpace(s.recap(2).Version().Text); got != "Now it is not" {
		t.Errorf("text %q", got)
	}
}

func TestRecap_EditWhileAnotherIsMade(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	g.shut.Store(false)
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true), house: rehearsal.Options{Fault: g.fault}, w: 120, h: 40})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments")
	g.shut.Store(true)
	s.press("R").see("v2…", "making · ")
	s.told("## Current Situation\n\n- It is being told.", 7)
	s.see("It is being told.", "‹v2…›").press("left").see("‹v1•›", "Tove goes pale.", "v2…", "making · ").press("right").see("It is being told.")
	s.press("left").see("‹v1•›").chosen()
	s.press("e").see("Edit the recap").typeText("Mine. ").press("ctrl+s").see("a version of its own").see("Mine.", "v2/2", "v3…", "making · ")
	g.lift()
	s.see("v3/3", "‹v3•›").still()
	v := s.recap(2)
	if len(v.Versions) != 3 || v.Current != 2 || v.Versions[1].Origin != storage.Edited || !strings.HasPrefix(v.Versions[1].Text, "Mine.") || strings.HasPrefix(v.Versions[0].Text, "Mine.") {
		t.Errorf("versions: %+v", v)
	}
	s.press("D").see("What changed", "v2 edited", "‹v3›").press("tab", "left").see("‹v1›", "v3").press("right").see("‹v2›").press("right").see("‹v2›").press("esc")
}

func TestRecap_ResizeWhileItIsLaidOut(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments")
	for i := range 40 {
		s.size(60+i*3, 20+i%9)
		s.press([]string{"j", "k", "G", "g", "pgdown"}[i%5])
	}
	s.size(80, 24)
	s.press("g").see("▌ • Tove goes pale.")
	s.in(func(a *app) {
		p := thePane[*recapPane](a)
		for _, l := range p.text {
			if n := ansi.StringWidth(l.text); n > 75 {
				t.Errorf("a line of %d cells: %q", n, l.text)
			}
		}
	})
	s.size(100, 30)
	s.press("ctrl+p").see("Commands").press("esc", "f10").see("Themes").press("down", "enter").see("Key Developments")
}

func TestRecap_BulletLeadsToItsMessages(t *testing.T) {
	t.Parallel()
	lines := append([]string{}, harbour...)
	for i := range 600 {
		lines = append(lines, "Line number "+itoa(i)+" of a long evening.")
	}
	s := begin(t, stageOptions{prepare: withStory(t, lines, true), w: 120, h: 40})
	s.see("number 599").press("ctrl+r").see("Recap · 2", "▌ • Tove goes pale.").press("enter").see("this came from here", "▌ Tove goes pale.")
	s.in(func(a *app) {
		if it := a.play.Current(); it == nil || !strings.Contains(it.Msg.Content, "goes pale") || a.mode != keys.Pane {
			t.Errorf("the selection is on %+v, mode %v", it, a.mode)
		}
	})
	s.press("t").see("Running recap", "Key Developments").press("j", "j", "j", "enter").see("this came from")
	s.press("t").see("Recap · 2", "Tove goes pale.").press("e").see("Edit the recap").typeText("- Nobody knows why the moon is green.\n").press("ctrl+s").see("saved", "Nobody knows").press("g", "enter").see("nothing says which message")
	s.size(80, 24)
	s.now()
	s.press("j", "enter").see("BROWSE", "goes pale").notSee("Recap · 2") // the pane would hide it
}

func TestRecap_MouseAndPaging(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("▌ • Tove goes pale.")
	s.press("pgdown").see("Emotional beats").press("j").notSee("Current Situation").press("pgup", "g").see("▌ • Tove goes pale.")
	s.press("G").see("For the lorebook").press(strings.Split(strings.Repeat("k", 30), "")...).see("▌ • Tove goes pale.", "Current Situation")
	row := 0
	for i, l := range strings.Split(s.now(), "\n") {
		if strings.Contains(l, "Tove unlocks the iron door.") {
			row = i
		}
	}
	s.click(20, row).see("▌ • Tove unlocks the iron door.")
	s.wheel(20, row, false).notSee("Current Situation").wheel(20, row, true).see("Current Situation")
	s.press("y").see("recap copied", "PANE").press("n").see("Name of scene 2").typeText(": the cave").press("enter").see("the cave")
	s.press("z", "tab").notSee("PANE")
}

func TestRecap_MergeAndRebuild(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments", "in the running recap").press("e").see("Edit the recap").typeText("Changed. ").press("ctrl+s").see("saved")
	s.press("m").see("merged into the running recap").still().press("t").see("Running recap · v3/3")
	s.press("m").see("Rebuild the running recap").press("y").see("made anew").still().see("v5/5")
	s.press("left").see("v4/5")
	s.until("the choice to be stored", func() bool {
		v, err := s.eng.Scenes.RunningRecap(s.chat().Chat.ID)
		s.must(err)
		return v.Current == 3
	})
	s.press("s").see("no style of its own").press("n").see("only a scene has a name").press("q").see("an exam is held on a scene")
}

func TestRecap_Stale(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments", "▌ • Tove goes pale.").press("enter").see("BROWSE")
	s.press("e").see("Edit what").typeText("Suddenly. ").press("ctrl+s").notSee("Edit what").press("ctrl+r").see("v1/1 · stale", "its messages have changed", "r makes it anew")
	s.press("t").see("Running recap", "stale").press("t", "r").see("v2/2").notSee("stale: its")
}

func TestRecap_ExamAndRepair(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Key Developments").press("f").see("no exam was held").press("e").see("Edit the recap")
	s.in(func(a *app) {
		a.dialogs.Top().(*desk.KeptForm).Fields[0].Input.Area.SetValue("## Current Situation\n\n- Tove goes pale.\n- Tove unlocks the iron door.")
	})
	s.press("ctrl+s").see("saved").still()
	s.press("q").see("would be forgotten").hush().press("q").see("Memory exam", "✗").golden("recap-exam-lost", dims{80, 24}, dims{200, 60}).goldenStyled("recap-exam-lost")
	s.press("f").notSee("Memory exam ·").see("v2/2").still()
	if v := s.recap(2).Version(); v.Instruction == "" {
		t.Error("the version was made without what was lost")
	}
	s.press("q").see("remembered").press("alt+x", "ctrl+p").see("Commands").typeText("memory exam").press("enter").see("Memory exam · scene 2")
}

func TestRecap_Search(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	rolled(s, 2)
	s.press("/").see("Search the recaps", "Type what to look for").hush().typeText("slept here").see("2 The Next Morning", "v1").golden("recap-search", dims{40, 12}, dims{80, 24})
	s.press("enter").see("v1/2", "v2 is the current one")
	if v := s.recap(2); v.Current != 1 {
		t.Error("looking at a version has chosen it")
	}
	s.press("/").see("Search the recaps").typeText("no such thing").see("No recap holds").press("esc").notSee("Search the recaps")
	s.press("/").see("Search the recaps").pasteText("gangway").see("Running recap").press("down", "down", "down", "enter").see("Running recap · v")
}

func TestRecap_ExportAndImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true), w: 120, h: 40})
	s.see("blue boat").in(func(a *app) { a.SetFolder(dir) })
	export := func(name string) {
		s.press("ctrl+p").see("Commands").typeText("export the recaps").press("enter").see("Export the recaps", "the-harbour-recaps.md")
		s.in(func(a *app) { a.dialogs.Top().(*desk.KeptForm).Fields[0].Input.Set(filepath.Join(dir, name)) })
		s.press("enter")
	}
	export("story.txt")
	s.see("must end in .md or .json").press("esc").notSee("Export the recaps")
	export("none/story.md")
	s.see("does not exist").press("esc").notSee("Export the recaps")
	for _, name := range []string{"story.md", "story.json"} {
		export(name)
		s.see("written to").notSee("Export the recaps")
		info, err := os.Stat(filepath.Join(dir, name))
		s.must(err)
		if info.Mode().Perm() != 0o600 || info.Size() < 500 {
			t.Errorf("%s: mode %v, %d bytes", name, info.Mode(), info.Size())
		}
	}
	s.must(os.WriteFile(filepath.Join(dir, "story.md"), []byte("mine"), 0o600))
	export("story.md")
	s.see("The file exists").press("n").notSee("The file exists")
	if data, err := os.ReadFile(filepath.Join(dir, "story.md")); err != nil || string(data) != "mine" {
		t.Errorf("the file was overwritten: %q %v", data, err)
	}
	export("story.md")
	s.see("The file exists").press("y").see("written to")

	s.press("ctrl+r").see("Recap · 2", "Key Developments").press("e").see("Edit the recap").typeText("Another. ").press("ctrl+s").see("saved")
	s.press("ctrl+p").see("Commands").typeText("import recaps").press("enter").see("Import recaps from", "story.json", "story.md").press("down", "enter").see("1 version read", "v2/2")
	s.press("ctrl+p").see("Commands").typeText("import recaps").press("enter").see("Import recaps from").press("ctrl+o").see("A file that was written").typeText(filepath.Join(dir, "story.md")).press("enter").see("nothing new was in it")
	s.must(os.WriteFile(filepath.Join(dir, "bad.json"), []byte("{"+evil), 0o600))
	s.press("ctrl+p").see("Commands").typeText("import recaps").press("enter").see("Import recaps from").typeText("bad").press("enter").see("No recap was imported").press("esc")
	left, err := filepath.Glob(filepath.Join(dir, ".ghostlight-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// rewrite makes a text the recap of the second scene.
func (s *session) rewrite(text string) {
	s.t.Helper()
	_, err := s.eng.Scenes.EditRecap(s.chat().Chat.ID, s.recap(2).Version().ID, text)
	s.must(err)
}

func TestHostile_Recap(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true), w: 120, h: 40})
	rolled(s, 2)
	for _, text := range fiendish {
		if strings.TrimSpace(text) == "" {
			continue
		}
		s.rewrite("- begin\n" + text + "\n\n## Heading " + evil + "\n\n- " + evil)
		s.press("G", "g", "D", "esc")
		s.now()
	}
	s.in(func(a *app) { a.mode = keys.Pane }) // the last esc may have come before there was anything to close
	s.press("v").see("Side by side").press("esc", "e").see("Edit the recap").press("esc").see("Recap · 2")
	s.growing(evil)
	s.in(func(a *app) {
		p := thePane[*recapPane](a)
		v := p.version()
		v.Atmosphere, v.EmotionalBeats, v.SceneName, v.Model, v.Style, v.Instruction = evil, evil, evil, evil, evil, evil
		v.Lorebooks = []storage.LoreCandidate{{Name: evil, Type: evil, Content: evil}}
		v.Exam = &storage.Exam{Model: evil, Questions: []storage.ExamQuestion{{Question: evil, Expected: evil, Answer: evil, Lost: true}}}
		p.view.Scene.Name, p.top = evil, 1<<20
		a.paint()
		a.dialogs.Open(&examPaper{a: a, pane: p, title: evil, exam: v.Exam})
		a.paint()
		f := &recapSearch{a: a, Picker: widget.NewPicker(a.lk, "", nil, nil)}
		f.found("x", []scenes.RecapHit{{Kind: storage.SceneRecap, Scene: 1, Name: evil, Snippet: evil}})
		a.dialogs.Open(f)
		a.paint()
		a.dialogs.Open(house.NewProfileList(a, []enginehouse.JobInfo{{Words: "x", Profile: evil}}, []storage.Profile{{Name: evil, Model: evil, Server: evil}}))
		a.paint()
		a.dialogs.All = nil
	})
	s.now()
	scan(t, s.out.bytes())
}

// growing shows a growing recap that nobody makes.
func (s *session) growing(text string) {
	s.t.Helper()
	s.in(func(a *app) {
		p := thePane[*recapPane](a)
		op := storage.Operation{ID: "hostile", Type: "generate_scene_recap", Status: storage.InProgress, StartedAt: time.Now()}
		j := newJob(op)
		p.view.Working = true
		j.Chat, j.Node, j.Progress.Text = a.view.Chat.ID, p.node, "## "+text+"\n\n- "+text
		a.work.running[op.ID] = j
		a.update(eventMsg{enginehouse.OperationProgress{ID: op.ID, Type: op.Type, Chat: j.Chat, Node: j.Node, Progress: j.Progress}})
		a.paint()
		delete(a.work.running, op.ID)
	})
}

func TestRecap_OtherChatsAndBranches(t *testing.T) {
	t.Parallel()
	var other storage.ChatID
	s := begin(t, stageOptions{w: 120, h: 40, prepare: func(e *engine.Engine) {
		other = newToveChat(t, e)
		withStory(t, harbour, true)(e)
	}})
	s.see("blue boat").press("ctrl+r").see("Recap · 2")
	s.prog.Send(desk.Answer(func() tea.Cmd { return s.app.SwitchTo(other) }))
	s.see("No scene has ended").press("alt+r").see("no running recap yet")
}

func TestRecap_Failures(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false), house: rehearsal.Options{
		Fault: func(c rehearsal.Call) rehearsal.Fault {
			if strings.Contains(string(c.Format), "current_situation") {
				return rehearsal.Fault{Kind: rehearsal.Say, Text: "no JSON at all"}
			}
			return rehearsal.Fault{}
		}}})
	s.see("blue boat").press("ctrl+r").see("has no recap yet").press("r").see("the recap came back in the wrong form").still().see("has no recap yet")
	s.press("x").see("nothing is being made here").press("e").see("there is no recap here yet").press("D", "m", "q", "y", "left")
}

func (s *session) click(x, y int) *session {
	s.prog.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	return s
}

func (s *session) wheel(x, y int, up bool) *session {
	b := tea.MouseWheelDown
	if up {
		b = tea.MouseWheelUp
	}
	s.prog.Send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
	return s
}
