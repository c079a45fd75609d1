package tui

import (
	"os"
	"strings"
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/tui/keys"
)

func TestSession_CaptureEndToEnd(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("I hold up the letter.")
	s.press("ctrl+g").see("Scene Capture").see("Why:")
	s.typeText("Rain. ").press("tab", "tab", "tab").typeText("x").press("ctrl+s").see("the seed is a whole number")
	s.press("backspace").typeText("42").press("ctrl+s").notSee("Negative prompt").see("▀")
	s.press("f2").see("completed · seed 42")
	caps, err := s.eng.Pictures.Captures(s.chat().Chat.ID)
	s.must(err)
	if len(caps) != 1 || caps[0].Seed == nil || *caps[0].Seed != 42 || !strings.HasPrefix(caps[0].ImagePrompt, "Rain. ") {
		t.Fatalf("captures: %+v", caps)
	}
	if _, err := os.Stat(s.eng.Pictures.CapturePath(caps[0])); err != nil {
		t.Error(err)
	}
	v, err := s.eng.Play.Prompt(t.Context(), s.chat().Chat.ID, "")
	s.must(err)
	for _, m := range v.Messages {
		if strings.Contains(m.Content, "Rain.") {
			t.Error("the picture's prompt is told to the model")
		}
	}

	s.press("s")
	s.until("a second picture", func() bool {
		caps, _ = s.eng.Pictures.Captures(s.chat().Chat.ID)
		return len(caps) == 2 && caps[0].ImagePath != ""
	})
	s.press("y").see("prompt copied")
	s.press("a").press("d").see("Delete capture").press("y").notSee("Delete capture")
	s.until("one picture", func() bool {
		n := 0
		s.in(func(a *app) { n = len(thePane[*gallery](a).items) })
		return n == 1
	})
	s.press("enter").see("painted already", "^S send").press("ctrl+d").see("this is a picture already").press("esc").notSee("^S send")
	s.press("alt+x").notSee("Gallery")

	s.in(func(a *app) { a.mode = keys.Write })
	s.press("ctrl+p").see("Commands").typeText("picture of something").press("enter").see("Picture of what?")
	s.typeText("the gallery").press("enter").see("Picture: the gallery").see("Why:").press("esc")
}

func TestSession_QueueCancelAndRetry(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	s.see("‹1/3›").press("ctrl+g").see("Why:").press("ctrl+s").notSee("Negative prompt")
	s.press("f3").see("▶ painting").press("x").see("cancelled")
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{NodeError: "no more paint"})
	s.press("r").see("✗ painting", "no more paint")
	s.press("p").see("Queue (paused)").until("the pause", s.eng.House.QueuePaused)
	s.press("R").see("· painting")
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
	s.press("p").see("✓ painting").notSee("paused")
	s.press("enter").see("status: completed").press("esc").press("alt+x").notSee("Queue").see("▀")
}
