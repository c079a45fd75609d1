package pictures_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// A picture of the gallery becomes a reference image, and the beginning of another
// picture; the workflow is chosen by typing, and its tokens are counted.
func TestSession_TheSameFace(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.paintOne()
	s.Press("f2").See("1 capture")
	s.listed(1)
	s.Press("L").See("a reference image of")
	if refs := s.Chat().Character.Imagery.References; len(refs) != 1 || refs[0].Capture == "" {
		t.Errorf("%+v", refs)
	}
	s.Press("n").See("Strength    0.55", "how much may change")
	s.Press("tab", "tab").TypeText("fl").See("› fl", "flux").Press("enter").NotSee("› fl")
	s.See("‹ flux ›", "of 512 tokens (T5)")
	s.Press("ctrl+s").NotSee("Negative prompt")
	s.Until("the second picture", func() bool { all := s.shots(); return len(all) == 2 && all[0].ImagePath != "" })
	if c := s.shots()[0]; c.Workflow != "flux" || c.Start == nil || c.Start.Strength != 0.55 {
		t.Errorf("%s %+v", c.Workflow, c.Start)
	}
}
