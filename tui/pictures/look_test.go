package pictures_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
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

func TestParseLora(t *testing.T) {
	for text, want := range map[string]storage.Imagery{
		"": {}, "tove": {Lora: "tove"}, " tove.safetensors  0.8 ": {Lora: "tove.safetensors", LoraWeight: 0.8}, "my face v2": {Lora: "my face v2"}, "tove 1": {Lora: "tove"},
		"8": {Lora: "8"}, "tove -0.5": {Lora: "tove", LoraWeight: -0.5},
	} {
		name, weight, err := pictures.ParseLora(text)
		if name != want.Lora || weight != want.LoraWeight || err != nil {
			t.Errorf("%q: %q %v %v", text, name, weight, err)
		}
		if again, w, _ := pictures.ParseLora(pictures.LoraText(want)); again != want.Lora || w != want.LoraWeight {
			t.Errorf("%q is written as %q", text, pictures.LoraText(want))
		}
	}
	for _, text := range []string{"tove 7", "tove 0"} {
		if _, _, err := pictures.ParseLora(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
