package scenes_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	sceneroom "github.com/ghostlight-theatre/ghostlight/tui/scenes"
)

func TestRecap_OpenSceneIsEndedAndTold(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour[:4], false)})
	s.See("silver ring").Press("ctrl+r").See("No scene has ended").Press("b").See("Recap · 1", "the scene ends there").Press("r").See("v1/1", "Key Developments")
	s.Still()
	if v := s.recap(1); len(v.Versions) != 1 || v.Scene.Messages != 4 {
		t.Errorf("recap: %d versions of %d messages", len(v.Versions), v.Scene.Messages)
	}
}

func TestRecap_BrowseMakesWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat").Press("esc").Do(keys.SceneRecap).See("belongs to the open scene")
	s.Press("ctrl+r").NotSee("belongs to the open scene")
	s.Press("esc").See("BROWSE").Press("G", "k", "k")
	s.Do(keys.SceneRecap).See("Recap · 2", "v1/1", "Key Developments").Still()
	s.Press("alt+x", "esc").See("BROWSE").Press("G", "k", "k")
	s.Do(keys.SceneRecap).See("Recap · 2", "v1/1").Still()
	if n := len(s.recap(2).Versions); n != 1 {
		t.Errorf("%d versions: a recap that was there was made again", n)
	}
	s.Press("esc").Do(keys.MessageRecap).See("Recap of a message · v1/1").Still()
	s.Press("r").See("v2/2").Press("left").See("v1/2", "v2 is current").Press("tab").See("Running recap").Press("tab").See("Recap · 2").Press("2").See("Running recap")
	s.Press("ctrl+r").See("Recap · 2").Press("ctrl+r").NotSee("Recap · 2").Press("alt+r").See("Running recap").Press("alt+r").NotSee("Running recap")
}

// rolled makes n versions of the second scene's recap and shows the last.
func rolled(s *session, n int) {
	s.T().Helper()
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments")
	for i := 2; i <= n; i++ {
		s.Press("r").See("v" + strconv.Itoa(i) + "/" + strconv.Itoa(i)).Still()
	}
}

func TestRecap_VersionsRoll(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	rolled(s, 4)
	s.Press("right").See("this is the newest version")
	s.Press("left", "left", "left", "right", "left").See("v1/4")
	s.Until("the last choice to be stored", func() bool { return s.recap(2).Current == 0 })
	s.chosen()
	s.Press("left").See("this is the first version")
	s.Press("right", "right").See("v3/4")
	s.Until("the last choice to be stored", func() bool { return s.recap(2).Current == 2 })
	s.chosen()
}

// chosen waits until the choice of a version is stored.
func (s *session) chosen() {
	s.T().Helper()
	s.Until("the choice to be let go", func() (free bool) {
		s.In(func(v *tui.Screen) { free = !v.Host().Panes().Current().(*sceneroom.RecapPane).Choosing() })
		return free
	})
}

func TestRecap_StyleAndInstruction(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments")
	s.Press("s").See("New version").Press("right", "right").See("narrative").Press("tab").TypeText("Name the notebook").Press("ctrl+s").See("v2/2", "narrative").Still()
	if v := s.recap(2).Version(); v.Instruction != "Name the notebook" || v.Style != "narrative" {
		t.Errorf("made with %q, %q", v.Instruction, v.Style)
	}
	s.Silent().Press("G").See("Instruction for this version", "Name the notebook")
}

func TestRecap_EditAndRestore(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), W: 120, H: 40})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments", "Tove goes pale.")
	before := s.recap(2).Version().Text
	s.Press("e").See("Edit the recap").TypeText("Edited by hand. ").Press("esc").See("not saved").Press("ctrl+s").See("saved", "edited", "Edited by hand.").NotSee("Edit the recap")
	if v := s.recap(2).Version(); !v.Edited() || !strings.HasPrefix(v.Text, "Edited by hand.") || len(s.recap(2).Versions) != 1 {
		t.Errorf("edited: %+v", v.Recap)
	}
	s.Press("u").See("Restore the original").Press("y").See("original text restored").NotSee("Edited by hand.")
	if v := s.recap(2).Version(); v.Text != before || v.Edited() {
		t.Errorf("restored: %q", v.Text)
	}
	s.Press("u").See("was not edited").Press("o").See("set $EDITOR")
	s.Press("e").See("Edit the recap").Press("ctrl+s").NotSee("Edit the recap")
	if s.recap(2).Version().Edited() {
		t.Error("an unchanged text counts as edited")
	}
}

func TestRecap_EditThatCannotBeKeptStaysOpen(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments").Press("e").See("Edit the recap")
	s.In(func(v *tui.Screen) { v.Host().Dialogs().All[0].(*pane.SavingForm).Fields[0].Input.Area.SetValue("  ") })
	s.Press("ctrl+s").See("cannot be empty", "Edit the recap").TypeText("Now it is not").Press("ctrl+s").See("saved")
	if got := strings.TrimSpace(s.recap(2).Version().Text); got != "Now it is not" {
		t.Errorf("text %q", got)
	}
}

func TestRecap_EditWhileAnotherIsMade(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	g.shut.Store(false)
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), Servers: demo.Options{Fault: g.fault}, W: 120, H: 40})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments")
	g.shut.Store(true)
	s.Press("r").See("v2…", "generating · ")
	s.told("## Current Situation\n\n- It is being told.", 7)
	s.See("It is being told.", "‹v2…›").Press("left").See("‹v1›", "Tove goes pale.", "v2…", "generating · ").Press("right").See("It is being told.")
	s.Press("left").See("‹v1›")
	s.chosen()
	s.Press("e").See("Edit the recap").TypeText("Mine. ").Press("ctrl+s").See("a separate version").See("Mine.", "v2/2", "v3…", "generating · ")
	g.lift()
	s.See("v3/3", "‹v3›").Still()
	v := s.recap(2)
	if len(v.Versions) != 3 || v.Current != 2 || v.Versions[1].Origin != storage.Edited || !strings.HasPrefix(v.Versions[1].Text, "Mine.") || strings.HasPrefix(v.Versions[0].Text, "Mine.") {
		t.Errorf("versions: %+v", v)
	}
	s.Press("D").See("Changes", "v2 edited", "‹v3›").Press("tab", "left").See("‹v1›", "v3").Press("right").See("‹v2›").Press("right").See("‹v2›").Press("esc")
}

func TestRecap_ResizeWhileItIsLaidOut(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments")
	for i := range 40 {
		s.Size(60+i*3, 20+i%9)
		s.Press([]string{"j", "k", "G", "g", "pgdown"}[i%5])
	}
	s.Size(80, 24)
	s.Press("g").See("▌ • Tove goes pale.")
	s.Until("lines of the last size", func() (fit bool) {
		s.In(func(v *tui.Screen) {
			p := v.Host().Panes().Current().(*sceneroom.RecapPane)
			fit = true
			for _, l := range p.Lines() {
				fit = fit && ansi.StringWidth(l.Text) <= 75
			}
		})
		return fit
	})
	s.Size(100, 30)
	s.Press("ctrl+p").See("Commands").Press("esc", "f10").See("Themes").Press("down", "enter").See("Key Developments")
}

func TestRecap_BulletLeadsToItsMessages(t *testing.T) {
	t.Parallel()
	lines := append([]string{}, tuitest.Harbour...)
	for i := range 600 {
		lines = append(lines, "Line number "+strconv.Itoa(i)+" of a long evening.")
	}
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, lines, true), W: 120, H: 40})
	s.See("number 599").Press("ctrl+r").See("Recap · 2", "▌ • Tove goes pale.").Press("enter").See("source message", "▌ Tove goes pale.")
	s.In(func(v *tui.Screen) {
		if m, ok := v.Host().Play().Selected(); !ok || !strings.Contains(m.Content, "goes pale") || v.Host().Mode() != keys.Pane {
			t.Errorf("the selection is on %+v, mode %v", m, v.Host().Mode())
		}
	})
	s.Press("2").See("Running recap", "Key Developments").Press("j", "j", "j", "enter").See("ource message")
	s.Press("1").See("Recap · 2", "Tove goes pale.").Press("e").See("Edit the recap").TypeText("- Nobody knows why the moon is green.\n").Press("ctrl+s").See("saved", "Nobody knows why").Press("g", "enter").See("no source message recorded")
	s.Size(80, 24)
	s.Now()
	s.Press("j", "enter").See("BROWSE", "goes pale").NotSee("Recap · 2") // the pane would hide it
}

func TestRecap_MouseAndPaging(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("▌ • Tove goes pale.")
	s.Press("pgdown").See("Emotional beats").Press("j").NotSee("Current Situation").Press("pgup", "g").See("▌ • Tove goes pale.")
	s.Press("G").See("For the lorebook").Press(strings.Split(strings.Repeat("k", 30), "")...).See("▌ • Tove goes pale.", "Current Situation")
	row := 0
	for i, l := range strings.Split(s.Now(), "\n") {
		if strings.Contains(l, "Tove unlocks the iron door.") {
			row = i
		}
	}
	s.click(20, row).See("▌ • Tove unlocks the iron door.")
	s.wheel(20, row, false).NotSee("Current Situation")
	s.wheel(20, row, true).See("Current Situation")
	s.Press("y").See("recap copied", "PANE").Press("E").See("Name of scene 2").TypeText(": the cave").Press("enter").See("the cave")
	s.Press("z", "esc").NotSee("PANE")
}

func TestRecap_MergeAndRebuild(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments", "in the running recap").Press("e").See("Edit the recap").TypeText("Changed. ").Press("ctrl+s").See("saved")
	s.Do("recap-merge").See("merged into the running recap").Still().Press("2").See("Running recap · v3/3")
	s.Do("recap-merge").See("Rebuild the running recap").Press("y").See("being rebuilt").Still().See("v5/5")
	s.Press("left").See("v4/5")
	s.Until("the choice to be stored", func() bool {
		v, err := s.Engine.Scenes.RunningRecap(s.Chat().Chat.ID)
		s.Must(err)
		return v.Current == 3
	})
	s.Do("recap-exam").See("only a scene's recap can be tested")
}

func TestRecap_Stale(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments", "▌ • Tove goes pale.").Press("enter").See("BROWSE")
	s.Press("e").See("Edit what").TypeText("Suddenly. ").Press("ctrl+s").NotSee("Edit what").Press("ctrl+r").See("v1/1 · outdated", "its messages have changed", "r updates it")
	s.Press("2").See("Running recap", "outdated").Press("1", "r").See("v2/2").NotSee("outdated: its")
}

func TestRecap_RecallTestAndRepair(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments").Do("recap-repair").See("has no recall test yet").Press("e").See("Edit the recap")
	s.In(func(v *tui.Screen) {
		v.Host().Dialogs().All[0].(*pane.SavingForm).Fields[0].Input.Area.SetValue("## Current Situation\n\n- Tove goes pale.\n- Tove unlocks the iron door.")
	})
	s.Press("ctrl+s").See("saved").Still()
	s.Do("recap-exam").See("recalled").Silent().Do("recap-exam").See("Recall test", "✗").Golden("recap-exam-lost", tuitest.Size{W: 80, H: 24}, tuitest.Size{W: 200, H: 60}).GoldenStyled("recap-exam-lost")
	s.Press("A").NotSee("Recall test ·").See("v2/2").Still()
	if v := s.recap(2).Version(); v.Instruction == "" {
		t.Error("the version was made without what was lost")
	}
	s.Do("recap-exam").See("recalled").Press("alt+x", "ctrl+p").See("Commands").TypeText("recall test").Press("enter").See("Recall test · scene 2")
}

func TestRecap_Search(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	rolled(s, 2)
	s.Press("/").See("Search the recaps", "Searches every version").Silent().TypeText("slept here").See("2 The Next Morning", "v1").Golden("recap-search", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("enter").See("v1/2", "v2 is current")
	if v := s.recap(2); v.Current != 1 {
		t.Error("looking at a version has chosen it")
	}
	s.Press("/").See("Search the recaps").TypeText("no such thing").See("No match for").Press("esc").NotSee("Search the recaps")
	s.Press("/").See("Search the recaps").PasteText("gangway").See("Running recap").Press("down", "down", "down", "enter").See("Running recap · v")
}

func TestRecap_ExportAndImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), W: 120, H: 40})
	s.See("blue boat").In(func(v *tui.Screen) { v.Host().Files().Folder = dir })
	export := func(name string) {
		s.Press("ctrl+p").See("Commands").TypeText("export the recaps").Press("enter").See("Export the recaps", "the-harbour-recaps.md")
		s.In(func(v *tui.Screen) {
			v.Host().Dialogs().All[0].(*pane.SavingForm).Fields[0].Input.Set(filepath.Join(dir, name))
		})
		s.Press("enter")
	}
	export("story.txt")
	s.See("must end in .md or .json").Press("esc").NotSee("Export the recaps")
	export("none/story.md")
	s.See("there is no folder").Press("esc").NotSee("Export the recaps")
	for _, name := range []string{"story.md", "story.json"} {
		export(name)
		s.See("written to").NotSee("Export the recaps")
		info, err := os.Stat(filepath.Join(dir, name))
		s.Must(err)
		if info.Mode().Perm() != 0o600 || info.Size() < 500 {
			t.Errorf("%s: mode %v, %d bytes", name, info.Mode(), info.Size())
		}
	}
	s.Must(os.WriteFile(filepath.Join(dir, "story.md"), []byte("mine"), 0o600))
	export("story.md")
	s.See("File exists").Press("n").NotSee("File exists")
	if data, err := os.ReadFile(filepath.Join(dir, "story.md")); err != nil || string(data) != "mine" {
		t.Errorf("the file was overwritten: %q %v", data, err)
	}
	export("story.md")
	s.See("File exists").Press("y").See("written to")

	s.Press("ctrl+r").See("Recap · 2", "Key Developments").Press("e").See("Edit the recap").TypeText("Another. ").Press("ctrl+s").See("saved")
	s.Press("ctrl+p").See("Commands").TypeText("import recaps").Press("enter").See("Import recaps from", "story.json", "story.md").Press("down", "enter").See("1 version imported", "v2/2")
	s.Press("ctrl+p").See("Commands").TypeText("import recaps").Press("enter").See("Import recaps from").Press("ctrl+o").See("Recaps exported as").TypeText(filepath.Join(dir, "story.md")).Press("enter").See("nothing new: this chat")
	s.Must(os.WriteFile(filepath.Join(dir, "bad.json"), []byte("{"+tuitest.Evil), 0o600))
	s.Press("ctrl+p").See("Commands").TypeText("import recaps").Press("enter").See("Import recaps from").TypeText("bad").Press("enter").See("! ").Press("esc")
	left, err := filepath.Glob(filepath.Join(dir, ".ghostlight-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// rewrite makes a text the recap of the second scene.
func (s *session) rewrite(text string) {
	s.T().Helper()
	_, err := s.Engine.Scenes.EditRecap(s.Chat().Chat.ID, s.recap(2).Version().ID, text)
	s.Must(err)
}

func TestHostile_Recap(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), W: 120, H: 40})
	rolled(s, 2)
	for _, text := range tuitest.Fiendish {
		if strings.TrimSpace(text) == "" {
			continue
		}
		s.rewrite("- begin\n" + text + "\n\n## Heading " + tuitest.Evil + "\n\n- " + tuitest.Evil)
		s.Press("G", "g", "D", "esc")
		s.Now()
	}
	s.In(func(v *tui.Screen) { v.Host().Panes().Focus() }) // the last esc may have come before there was anything to close
	s.Press("v").See("Side by side").Press("esc", "e").See("Edit the recap").Press("esc").See("Recap · 2")
	s.growing(tuitest.Evil)
	s.In(func(v *tui.Screen) {
		v.Host().Panes().Current().(*sceneroom.RecapPane).Spoil(tuitest.Evil)
		v.Paint()
		for _, d := range sceneroom.Dialogs(v.Host(), tuitest.Evil) {
			v.Host().Open(d)
			v.Paint()
		}
		v.CloseDialogs()
	})
	s.Now()
	tuitest.Scan(t, s.Written())
}

// growing shows a growing recap that nobody makes.
func (s *session) growing(text string) {
	s.T().Helper()
	s.In(func(v *tui.Screen) {
		p := v.Host().Panes().Current().(*sceneroom.RecapPane)
		p.SetWorking()
		chat := v.Host().Play().Chat().Chat.ID
		params, err := json.Marshal(map[string]any{"chat": chat, "node": p.Node()})
		s.Must(err)
		op := storage.Operation{ID: "hostile", Type: "generate_scene_recap", Status: storage.InProgress, StartedAt: time.Now(), Params: params}
		v.Event(queue.Changed{Operation: op})
		v.Event(queue.Progressed{ID: op.ID, Type: op.Type, Chat: chat, Node: p.Node(), Progress: queue.Progress{Text: "## " + text + "\n\n- " + text}})
		v.Paint()
		op.Status = storage.Completed
		v.Event(queue.Changed{Operation: op})
	})
}

func TestRecap_OtherChatsAndBranches(t *testing.T) {
	t.Parallel()
	var other storage.ChatID
	s := begin(t, tuitest.Options{W: 120, H: 40, Prepare: func(e *engine.Engine) {
		other = tuitest.NewChat(t, e)
		tuitest.WithStory(t, tuitest.Harbour, true)(e)
	}})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2")
	s.In(func(v *tui.Screen) { v.Start(v.Host().Play().SwitchTo(other)) })
	s.See("No scene has ended").Press("alt+r").See("No running recap yet")
}

func TestRecap_Failures(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false), Servers: demo.Options{
		Fault: func(c demo.Call) demo.Fault {
			if strings.Contains(string(c.Format), "current_situation") {
				return demo.Fault{Kind: demo.Say, Text: "no JSON at all"}
			}
			return demo.Fault{}
		}}})
	s.See("blue boat").Press("ctrl+r").See("has no recap yet").Press("r").See("the recap had an invalid format").Still().See("has no recap yet")
	s.Press("x").See("nothing is being generated here").Press("e").See("there is no recap here yet").Press("D", "m", "M", "y", "left")
}

func (s *session) click(x, y int) *session {
	s.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	return s
}

func (s *session) wheel(x, y int, up bool) *session {
	b := tea.MouseWheelDown
	if up {
		b = tea.MouseWheelUp
	}
	s.Send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
	return s
}
