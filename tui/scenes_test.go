package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ghostlight/engine/config"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// rich is a reply with everything that prose can have.
const rich = "*She taps the call board.* \"Read it aloud,\" she says, `quietly`, and ~~not~~ **now**.\n\n" +
	"## The night's list\n\n- the keys, with a long remark about where they hang, which has to be wrapped somewhere\n- the lamp\n  1. the wick\n  2. the glass\n\n" +
	"> Whoever comes in last puts out the light.\n\n" +
	"| When | What |\n|---|---|\n| ten | doors |\n| midnight | the **ghost** light |\n\n" +
	"```go\nfunc light() bool { return true }\n```\n\n*He's* here. \"'Tis late,\" says Tove — 你好, café, 👍🏽."

// always is a script with one reply.
func always(reply string) rehearsal.Script {
	return func([]storage.Node, int) string { return reply }
}

// onChat makes a fault of the replies only, not of what is asked beside them.
func onChat(kind rehearsal.FaultKind, after int) func(rehearsal.Call) rehearsal.Fault {
	return func(c rehearsal.Call) rehearsal.Fault {
		if c.Path != "/api/chat" || len(c.Format) > 0 {
			return rehearsal.Fault{}
		}
		return rehearsal.Fault{Kind: kind, After: after}
	}
}

func TestGolden_Chat(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Script: always(rich)}})
	s.see("Tove ‹1/3›").say("What does it say?")
	s.golden("chat").goldenStyled("chat")
	s.typeText("A first line of the draft\nand a second, so long that it must be wrapped at eighty columns already").golden("chat-draft")
	s.press("esc", "k").see("BROWSE").golden("browse").goldenStyled("browse")
	s.press("d").see("Delete").golden("confirm")
	s.press("esc", "e").see("Edit what").golden("edit")
	s.press("esc").notSee("Edit what").press("ctrl+p").see("Commands").golden("palette")
	s.typeText("theme").see("choose a theme").golden("palette-filtered")
	s.press("enter").see("Themes").golden("themes")
	s.press("esc").notSee("Themes").press("f1").see("Help").golden("help")
	s.press("esc").notSee("Help")
}

func TestGolden_Looks(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]stageOptions{
		"light":     {light: true},
		"no-colour": {profile: colorprofile.Ascii},
		"rehearsal": {screen: Options{Rehearse: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.prepare, o.house = withChat(t), rehearsal.Options{Script: always(rich)}
			s := begin(t, o)
			s.see("Tove ‹1/3›").say("What does it say?").press("esc")
			s.see("BROWSE").golden("look-"+name, dims{40, 12}, dims{80, 24})
			if name != "no-colour" {
				s.goldenStyled("look-" + name)
				return
			}
			s.press("ctrl+p").see("Commands")
			if out := s.out.bytes(); strings.Contains(out, "38;") || strings.Contains(out, "48;") || !strings.Contains(out, "\x1b[7m this help") && !strings.Contains(out, "\x1b[7mthis help") {
				t.Errorf("colours, or no mark on what is chosen: %q", out[len(out)-2000:])
			}
		})
	}
}

func TestGolden_QueueAndPrompt(t *testing.T) {
	t.Parallel()
	// The model stays loaded: what of the prompt it would read anew after a picture is none of this.
	s := begin(t, stageOptions{prepare: withChat(t), vram: config.VRAM{KeepOllama: true}})
	s.see("‹1/3›").say("I hold up the letter.")
	s.press("ctrl+g").see("Scene Capture", "^S send").still()
	s.see("Why:")
	s.press("tab", "tab", "tab").typeText("77").press("tab").typeText("512x384")
	s.press("ctrl+s").notSee("Negative prompt").painted(1).see("Scene Capture", "▀").notSee("loading the picture")
	s.press("f3").see("painting", "completed").golden("queue")
	s.press("enter").see("status: completed").press("esc")
	s.press("f4").see("tokens").golden("prompt")
	s.press("enter").see("The next prompt").golden("prompt-text", dims{80, 24})
}

func TestGolden_QueueFailed(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{OutOfMemory: true})
	s.see("‹1/3›").press("ctrl+g").see("Scene Capture").still().see("Why:").press("ctrl+s")
	s.notSee("Negative prompt").press("f3").see("✗ painting", "painting failed").golden("queue-failed", dims{40, 12}, dims{80, 24}, dims{120, 30})
}

// The same attempt told of again keeps its progress; the next one begins anew.
func TestWork_ToldAgain(t *testing.T) {
	t.Parallel()
	var w work
	op := storage.Operation{ID: "a", Type: "generate_scene_recap", Status: storage.InProgress, Attempts: 1, StartedAt: time.Now()}
	w.took(op)
	w.running["a"].Progress.Tokens = 7
	w.took(op)
	if n := w.running["a"].Progress.Tokens; n != 7 {
		t.Errorf("%d tokens", n)
	}
	op.Attempts, op.StartedAt = 2, op.StartedAt.Add(time.Second)
	w.took(op)
	if n := w.running["a"].Progress.Tokens; n != 0 {
		t.Errorf("the next attempt has %d tokens", n)
	}
}

// What was put off is no work that waits.
func TestQueue_PutOff(t *testing.T) {
	t.Parallel()
	var w work
	at := time.Now().Add(time.Minute)
	op := storage.Operation{ID: "a", Type: "taste_harvest", Status: storage.Pending, NotBefore: at}
	w.took(op)
	if n := w.waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
	op.Attempts, op.Error = 1, "away"
	w.took(op)
	if n := w.waiting(); n != 1 {
		t.Errorf("%d wait", n)
	}
	op.Attempts, op.NotBefore, op.Error = 0, at.Add(-time.Hour), ""
	w.took(op)
	if n := w.waiting(); n != 1 {
		t.Errorf("%d wait", n)
	}
}

func TestGolden_Help(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("f1").see("Help")
	all := s.frame()
	for range 20 {
		all += s.press("pgdown").now()
	}
	m, _ := Keys(nil)
	for _, b := range m.Bindings() {
		if len(b.Keys) > 0 && !strings.Contains(all, b.Help) {
			t.Errorf("the help does not tell of %q", b.Help)
		}
	}
}
