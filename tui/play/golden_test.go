package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestGolden_Chat(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always(tuitest.Rich)}})
	s.See("Tove ‹1/3›").Say("What does it say?")
	s.Golden("chat").GoldenStyled("chat")
	s.TypeText("A first line of the draft\nand a second, so long that it must be wrapped at eighty columns " +
		"already").Golden("chat-draft")
	s.Press("esc", "k").See("BROWSE").Golden("browse").GoldenStyled("browse")
	s.Press("d").See("Delete").Golden("confirm")
	s.Press("esc", "e").See("Edit what").Golden("edit")
}

func TestGolden_Swipes(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("esc", "right").See("‹2/3›").Golden("swipes")
	s.Press("right").See("‹3/3›").Press("right").See("the last of 3 swipes").Golden("swipes-end",
		tuitest.Size{W: 80, H: 24})
}

func TestGolden_Streaming(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always(tuitest.Rich), Fault: tuitest.OnChat(demo.Hang, 80)}})
	s.See("‹1/3›").TypeText("Go on.").Press("enter").See("replying", "Tove …", "the lamp")
	s.Golden("streaming")
	s.Press("ctrl+c").See("stopped").Golden("stopped")
}

func TestGolden_Thinking(t *testing.T) {
	t.Parallel()
	think := tuitest.OnChat(demo.Hang, 12)
	s := begin(t, tuitest.Options{Model: demo.ThinkModel, Prepare: tuitest.WithChat(t), Servers: demo.Options{
		Fault: func(c demo.Call) demo.Fault {
			if c.Nth == 1 {
				return demo.Fault{}
			}
			return think(c)
		}}})
	s.See("‹1/3›").Say("Think first.").See("▸ thought for").Golden("thinking-folded")
	s.Press("esc", "t").See("▾ thought").Golden("thinking-unfolded")
}

func TestGolden_Endings(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]demo.FaultKind{"died": demo.Die, "repeat": demo.RepeatAbort,
		"error": demo.ServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
				Servers: demo.Options{Fault: tuitest.OnChat(kind, 12)}})
			s.See("‹1/3›").TypeText("Hello").Press("enter")
			s.Until("the end", func() bool { v := s.Chat(); return len(v.Messages) > 1 && v.Running == "" })
			s.Still().Golden("ending-"+name, tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
		})
	}
}

func TestGolden_NoteAndSearch(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f9").See("Author's note").Golden("note", tuitest.Size{W: 40, H: 12},
		tuitest.Size{W: 80, H: 24})
	s.Press("esc", "esc", "/").See("Search").Golden("search", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

func TestGolden_Prompt(t *testing.T) {
	t.Parallel()
	// The model stays loaded: the prompt that it would process again after a picture is not part of
	// this.
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), VRAM: config.VRAM{KeepOllama: true}})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Press("ctrl+g").See("Scene Capture", "^S send").Still()
	s.See("Why:")
	s.Press("tab", "tab", "tab").TypeText("77").Press("tab").TypeText("512x384")
	s.Press("ctrl+s").NotSee("Negative prompt").See("Scene Capture", "▀").NotSee("loading picture")
	s.Press("f4").See("tokens").Golden("prompt")
	s.Press("enter").See("The next prompt").Golden("prompt-text", tuitest.Size{W: 80, H: 24})
}
